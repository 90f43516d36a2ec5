//! Files that visitors of a web chat upload.

use api_core::{
    body,
    error::{ApiError, ErrorKind},
    query::QueryParameters,
};
use axum::{
    Json,
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::web_chat::{FileRefused, largest_file};
use inbound::web_chat::{OfferedFile, VisitorUploadRefused, upload};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    limits::too_often,
    page_access::{VISITOR_TOKEN, WidgetPage, WidgetSite},
};
use crate::state::WidgetState;

pub(super) fn routes() -> OpenApiRouter<WidgetState> {
    OpenApiRouter::new().routes(routes!(take, preflight))
}

/// The parameter with the name of the file.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes the parameters")]
struct NameParameter {
    /// Name of the file, which agents see.
    name: Option<String>,
}

/// A stored file.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebFile)]
struct FileBody {
    /// Id of the file. The message of type `file` on the socket names it.
    #[schema(format = Uuid)]
    file: String,
    /// Type of the file, detected from its bytes.
    mime_type: &'static str,
    /// Size in bytes.
    bytes: u64,
    /// Address of the file. It expires after 7 days.
    url: String,
}

fn api_error(error: VisitorUploadRefused) -> ApiError {
    match error {
        VisitorUploadRefused::File(FileRefused::TooLarge { .. }) => {
            ApiError::new(ErrorKind::PayloadTooLarge, error.to_string())
        }
        VisitorUploadRefused::File(FileRefused::UnknownType | FileRefused::Lies { .. }) => {
            ApiError::new(ErrorKind::UnsupportedMediaType, error.to_string())
        }
        VisitorUploadRefused::File(FileRefused::Empty) => ApiError::fault("body", error.to_string()),
        VisitorUploadRefused::Store(cause) => ApiError::internal(cause),
        VisitorUploadRefused::Failed(cause) => cause.into(),
    }
}

/// Uploads a file of a visitor.
///
/// The body is the file itself. Its type is detected from its bytes: JPEG, PNG, GIF, WebP, PDF, DOCX, XLSX, MP4, MP3,
/// M4A, OGG or WAV. The file is in the chat only when the visitor has sent a message of type `file` with its id on the socket.
#[utoipa::path(
    post,
    path = "/web-chat/files",
    operation_id = "uploadWebFile",
    tag = "Web chat",
    params(WidgetSite, NameParameter, ("X-Visitor-Token" = String, Header, description = "Token of the visitor, from `POST /web-chat/sessions`.")),
    request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses(
        (status = 201, description = "The stored file.", body = FileBody),
        (status = 403, description = "The page does not belong to the site, or the token does not."),
        (status = 413, description = "The file is larger than its type allows."),
        (status = 415, description = "The type of the file is not accepted, or its bytes have another type than declared."),
        (status = 429, description = "Too many files or calls."),
    ),
)]
async fn take(State(state): State<WidgetState>, widget: WidgetPage, request: Request) -> Response {
    let answer = store_upload(&state, &widget, request).await;
    widget.answer(answer.map(|body| (StatusCode::CREATED, Json(body)).into_response()))
}

async fn store_upload(state: &WidgetState, widget: &WidgetPage, request: Request) -> Result<FileBody, ApiError> {
    let (token, said) = {
        let text = |name| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        (text(VISITOR_TOKEN).to_owned(), text(header::CONTENT_TYPE).to_owned())
    };
    let called = QueryParameters::of(request.uri())?.value("name").map(str::to_owned);
    let visitor = widget.visitor(state, &token).await?;
    state.web_chat.limits.post(visitor.visitor).map_err(too_often)?;
    let bytes = body::read(request, largest_file(), state.settings.body_timeout).await?;
    let file = OfferedFile { content_type: &said, name: called, bytes };
    let stored = upload(&state.context, &widget.site, &visitor, file).await.map_err(api_error)?;
    Ok(FileBody { file: stored.id.to_string(), mime_type: stored.kind.mime(), bytes: stored.bytes, url: stored.url })
}

/// Preflight of a file upload.
///
/// Browsers ask before they upload from another site.
#[utoipa::path(
    options,
    path = "/web-chat/files",
    operation_id = "mayUploadWebFile",
    tag = "Web chat",
    params(WidgetSite),
    responses(
        (status = 204, description = "The page may upload."),
        (status = 400, description = "`site` is missing or is the key of no site."),
        (status = 403, description = "The page does not belong to the site."),
    ),
)]
async fn preflight(widget: WidgetPage) -> Response {
    widget.preflight()
}
