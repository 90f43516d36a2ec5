//! `POST /chat-service/api/v2/messages/media`: a file for a later message.

use std::time::Duration;

use api_core::{
    auth::{AuthorizedCaller, LiveChat, Permission},
    body,
    error::{ApiError, ErrorKind},
    form,
    media_kind::declared_type,
    state::ApiState,
};
use axum::{
    Json,
    body::Body,
    extract::{DefaultBodyLimit, Request, State},
    http::request::Parts,
};
use bytes::Bytes;
use chat::desk::{self, AgentUpload, AgentUploadRefused};
use domain::chat::ContentType;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::desk::{acting, api_error};
use crate::closed_sets::MediaTypeName;

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    // The handler limits the bytes that it reads.
    OpenApiRouter::new().routes(routes!(upload)).layer(DefaultBodyLimit::disable())
}

/// Longest time for the arrival of a file.
const UPLOAD_TIME: Duration = Duration::from_secs(120);
/// Most bytes of a form without its file.
const FORM_BYTES: usize = 64 * 1024;
const LARGEST: usize = 100 * 1024 * 1024;
const FILE: &str = "file";

/// The form of an upload.
#[derive(ToSchema)]
#[expect(dead_code, reason = "described, never made")]
struct MediaForm {
    /// The file.
    #[schema(value_type = String, format = Binary, content_media_type = "application/octet-stream")]
    file: Vec<u8>,
}

/// A stored file.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatMedia)]
pub(super) struct MediaBody {
    /// The value for `mediaUrl` of a message.
    media_url: String,
    /// The type of its bytes.
    #[schema(value_type = MediaTypeName)]
    media_type: String,
    /// Its MIME type.
    mime_type: String,
    /// Its size in bytes.
    size: u64,
}

impl From<AgentUpload> for MediaBody {
    fn from(file: AgentUpload) -> Self {
        Self {
            media_url: file.url,
            media_type: ContentType::of_media(file.file_type.kind()).as_str().to_owned(),
            mime_type: file.file_type.mime().to_owned(),
            size: file.size,
        }
    }
}

pub(super) struct FormFile {
    pub(super) bytes: Bytes,
    pub(super) declared: Option<String>,
    pub(super) name: Option<String>,
}

/// Stores a file for a later message.
///
/// JPG, PNG and GIF up to 5 MiB; MP4, MP3, M4A, AAC, AMR and Ogg Opus up to 16 MiB; PDF, DOCX and XLSX up to 100 MiB.
/// The type is detected from the bytes.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/messages/media",
    operation_id = "uploadChatMedia",
    tag = "Live chat",
    request_body(content = MediaForm, content_type = "multipart/form-data"),
    security(("apiKey" = [LiveChat::ROW.name])),
    responses((status = 200, description = "The file is stored.", body = MediaBody)),
)]
async fn upload(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiveChat>,
    request: Request,
) -> Result<Json<MediaBody>, ApiError> {
    let file = file_of(request).await?;
    let kept = keep(&state, &allowed, file).await?;
    Ok(Json(kept.into()))
}

pub(super) async fn keep(
    state: &ApiState,
    allowed: &AuthorizedCaller<LiveChat>,
    file: FormFile,
) -> Result<AgentUpload, ApiError> {
    let (declared, name) = (file.declared.as_deref(), file.name.as_deref());
    let kept = desk::upload(&state.context, acting(allowed), file.bytes, declared, name).await;
    kept.map_err(|refusal| match refusal {
        AgentUploadRefused::Type(said) => ApiError::new(ErrorKind::UnsupportedMediaType, said),
        AgentUploadRefused::TooLarge(said) => ApiError::new(ErrorKind::PayloadTooLarge, said),
        AgentUploadRefused::Store(error) => ApiError::unavailable(error),
        AgentUploadRefused::Desk(error) => api_error(error),
    })
}

async fn file_of(request: Request) -> Result<FormFile, ApiError> {
    let (parts, bytes) = whole_form(request).await?;
    file_in(Request::from_parts(parts, Body::from(bytes))).await
}

/// Reads a whole form with a file.
pub(super) async fn whole_form(request: Request) -> Result<(Parts, Bytes), ApiError> {
    if declared_type(request.headers()) != "multipart/form-data" {
        let said = "a file is uploaded as the field `file` of multipart/form-data";
        return Err(ApiError::new(ErrorKind::UnsupportedMediaType, said));
    }
    let (parts, content) = request.into_parts();
    let too_large = |declared: Option<u64>| match declared {
        Some(size) => format!("a file may have {LARGEST} bytes at most; this request has {size}"),
        None => format!("a file may have {LARGEST} bytes at most; this request has more"),
    };
    let whole = Request::from_parts(parts.clone(), content);
    let bytes = body::read_saying(whole, LARGEST + FORM_BYTES, UPLOAD_TIME, too_large).await?;
    Ok((parts, bytes))
}

pub(super) async fn file_in(request: Request) -> Result<FormFile, ApiError> {
    let mut form = form::fields_of(request).await?;
    while let Some(field) = form.next_field().await.map_err(form::unreadable)? {
        if field.name() == Some(FILE) {
            let declared = field.content_type().map(str::to_owned);
            let name = field.file_name().map(str::to_owned);
            let bytes = field.bytes().await.map_err(form::unreadable)?;
            return Ok(FormFile { bytes, declared, name });
        }
    }
    Err(ApiError::fault(FILE, "is missing: the form must have a field of this name with the file"))
}
