//! The start of a visit: the visitor, and the look of the widget.

use api_core::{
    body::SmallJson,
    error::{ApiError, ErrorKind},
};
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use domain::iso_time::iso_time;
use domain::{body, web_chat::largest_file};
use inbound::web_chat::{self, Identity, SessionRefused, VisitorSessionRequest};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    page_access::{WidgetPage, WidgetSite},
    visitor_view::state_of,
};
use crate::state::WidgetState;

pub(super) fn routes() -> OpenApiRouter<WidgetState> {
    OpenApiRouter::new().routes(routes!(begin, preflight))
}

/// The request of a widget.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WebSessionRequest)]
struct SessionRequest {
    /// The token of the last visit.
    #[schema(max_length = 200)]
    token: Option<String>,
    /// The user of the site, with the site's proof.
    #[serde(default, deserialize_with = "body::object")]
    identity: Option<IdentityBody>,
}

/// A user of the site.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = WebIdentity)]
struct IdentityBody {
    /// The site's own id of the user.
    #[schema(min_length = 1, max_length = 128)]
    user_id: String,
    /// HMAC-SHA256 of the id under the site's secret, in hexadecimal.
    #[schema(
        min_length = 64,
        max_length = 64,
        examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
    )]
    hash: String,
}

/// A visit.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebSession)]
struct SessionBody {
    /// The token that makes its holder this visitor on this site. The widget stores it.
    token: String,
    /// The visitor.
    #[schema(format = Uuid)]
    visitor: String,
    /// Time when the token expires.
    #[schema(format = DateTime)]
    expires_time: String,
    /// Look, texts and form of the widget.
    #[schema(value_type = Object)]
    site: Value,
    /// State of the chat. Null if there is none.
    #[schema(value_type = Option<Object>)]
    chat: Value,
    /// `true`: the form must be answered before the first message.
    form_due: bool,
    /// Largest file in bytes, of any type.
    max_file_bytes: usize,
}

fn api_error(error: SessionRefused) -> ApiError {
    match error {
        SessionRefused::NotProven => ApiError::new(ErrorKind::Forbidden, error.to_string()),
        SessionRefused::BadUserId => ApiError::fault("identity.userId", error.to_string()),
        SessionRefused::Failed(cause) => cause.into(),
    }
}

/// Starts a visit.
///
/// For widgets, from a page of the site (`Origin`). An expired token counts as no token.
#[utoipa::path(
    post,
    path = "/web-chat/sessions",
    operation_id = "beginWebSession",
    tag = "Web chat",
    params(WidgetSite),
    request_body = SessionRequest,
    responses(
        (status = 200, description = "The visit.", body = SessionBody),
        (status = 403, description = "The page does not belong to the site, or the proof of identity is wrong."),
        (status = 429, description = "Too many calls from one address."),
    ),
)]
async fn begin(
    State(state): State<WidgetState>,
    widget: WidgetPage,
    asked: Result<SmallJson<SessionRequest>, ApiError>,
) -> Response {
    let answer = match asked {
        Ok(SmallJson(asked)) => visit(&state, &widget, asked).await,
        Err(refused) => Err(refused),
    };
    widget.answer(answer.map(|body| Json(body).into_response()))
}

async fn visit(state: &WidgetState, widget: &WidgetPage, asked: SessionRequest) -> Result<SessionBody, ApiError> {
    let identity = asked.identity.map(|given| Identity { user_id: given.user_id, hash: given.hash });
    let asked = VisitorSessionRequest { token: asked.token, identity };
    let turn = widget.turn(state).await;
    let session = web_chat::begin(&state.context, &widget.site, asked).await.map_err(api_error)?;
    drop(turn);
    let settings = &widget.site.settings;
    let due = settings.form.as_ref().is_some_and(|form| form.is_required()) && !session.form_answered;
    let mut look = serde_json::to_value(&settings.look).unwrap_or(Value::Null);
    if let Some(look) = look.as_object_mut() {
        look.insert("textColor".to_owned(), json!(settings.look.text_on_color()));
    }
    Ok(SessionBody {
        token: session.sealed,
        visitor: session.token.visitor.to_string(),
        expires_time: iso_time(session.token.expires_at),
        site: json!({ "name": widget.site.name, "look": look, "texts": settings.texts, "form": settings.form }),
        chat: session.chat.as_ref().map(state_of).unwrap_or(Value::Null),
        form_due: due,
        max_file_bytes: largest_file(),
    })
}

/// Preflight of a visit.
///
/// Browsers ask before they open a session from another site.
#[utoipa::path(
    options,
    path = "/web-chat/sessions",
    operation_id = "mayBeginWebSession",
    tag = "Web chat",
    params(WidgetSite),
    responses(
        (status = 204, description = "The page may start a visit."),
        (status = 400, description = "`site` is missing or is the key of no site."),
        (status = 403, description = "The page does not belong to the site."),
    ),
)]
async fn preflight(widget: WidgetPage) -> Response {
    widget.preflight()
}
