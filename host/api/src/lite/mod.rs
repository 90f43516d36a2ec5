//! Sessions of WhatsApp Lite numbers, their QR codes, and their pace and hours (SPEC 3.3, 6.3, 8; ADR 0024).

mod picture;
mod processing;
mod schema;

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use chrono::SecondsFormat;
use domain::ids::{ClientId, InboxId};
use inbound::lite::{self, CommandError, LiteSessionView};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    auth::{Allowed, LiteNumbers, Looking, Permission},
    error::{ApiError, ErrorKind},
    path::Segments,
    state::ApiState,
};
use schema::{QrCode, Session};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(session))
        .routes(routes!(connect))
        .routes(routes!(disconnect))
        .routes(routes!(log_out))
        .routes(routes!(code))
        .routes(routes!(code_picture))
        .merge(processing::routes())
}

fn refused(error: CommandError) -> ApiError {
    match error {
        CommandError::NotFound => ApiError::not_found(),
        CommandError::NotLite(_) => ApiError::fault("id", error.to_string()),
        CommandError::Banned(_) | CommandError::NoDevices => ApiError::new(ErrorKind::Conflict, error.to_string()),
        CommandError::Failed(cause) => cause.into(),
    }
}

/// Returns the session of a number.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}",
    operation_id = "getLiteSession",
    tag = "WhatsApp Lite",
    params(("id" = Uuid, Path, description = "Of the number (`whatsAppNumber.id`).")),
    security(("apiKey" = [Looking::ROW.name])),
    responses(
        (status = 200, description = "The session.", body = Session),
        (status = 400, description = "It is no Lite number."),
    ),
)]
async fn session(
    State(state): State<ApiState>,
    allowed: Allowed<Looking>,
    Segments(id): Segments<InboxId>,
) -> Result<Json<Session>, ApiError> {
    let view = lite::session(&state.context, allowed.caller.client, id).await.map_err(refused)?;
    Ok(Json(view.into()))
}

/// Connects a number.
///
/// `sessionStatusURL` gets the result. A number that is not paired shows a QR code. A connected number stays connected.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/connect",
    operation_id = "connectLiteNumber",
    tag = "WhatsApp Lite",
    params(("id" = Uuid, Path, description = "Of the number (`whatsAppNumber.id`).")),
    security(("apiKey" = [LiteNumbers::ROW.name])),
    responses(
        (status = 202, description = "It will be connected.", body = Session),
        (status = 400, description = "It is no Lite number."),
        (status = 409, description = "WhatsApp has flagged the number and lets it connect only later; or this service has no devices."),
    ),
)]
async fn connect(
    State(state): State<ApiState>,
    allowed: Allowed<LiteNumbers>,
    Segments(id): Segments<InboxId>,
) -> Result<(StatusCode, Json<Session>), ApiError> {
    taken_on(lite::connect(&state.context, allowed.caller.client, id, allowed.actor()).await)
}

/// Ends the connection of a number. It stays paired.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/disconnect",
    operation_id = "disconnectLiteNumber",
    tag = "WhatsApp Lite",
    params(("id" = Uuid, Path, description = "Of the number (`whatsAppNumber.id`).")),
    security(("apiKey" = [LiteNumbers::ROW.name])),
    responses(
        (status = 202, description = "It will be disconnected.", body = Session),
        (status = 400, description = "It is no Lite number."),
        (status = 409, description = "This service has no devices."),
    ),
)]
async fn disconnect(
    State(state): State<ApiState>,
    allowed: Allowed<LiteNumbers>,
    Segments(id): Segments<InboxId>,
) -> Result<(StatusCode, Json<Session>), ApiError> {
    taken_on(lite::disconnect(&state.context, allowed.caller.client, id, allowed.actor()).await)
}

/// Logs a number out. The next connection needs a QR code.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/logout",
    operation_id = "logOutLiteNumber",
    tag = "WhatsApp Lite",
    params(("id" = Uuid, Path, description = "Of the number (`whatsAppNumber.id`).")),
    security(("apiKey" = [LiteNumbers::ROW.name])),
    responses(
        (status = 202, description = "It will be logged out.", body = Session),
        (status = 400, description = "It is no Lite number."),
        (status = 409, description = "This service has no devices."),
    ),
)]
async fn log_out(
    State(state): State<ApiState>,
    allowed: Allowed<LiteNumbers>,
    Segments(id): Segments<InboxId>,
) -> Result<(StatusCode, Json<Session>), ApiError> {
    taken_on(lite::logout(&state.context, allowed.caller.client, id, allowed.actor()).await)
}

fn taken_on(asked: Result<LiteSessionView, CommandError>) -> Result<(StatusCode, Json<Session>), ApiError> {
    Ok((StatusCode::ACCEPTED, Json(asked.map_err(refused)?.into())))
}

/// Returns the QR code that pairs a number, as text.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/qr",
    operation_id = "getLiteQrCode",
    tag = "WhatsApp Lite",
    params(("id" = Uuid, Path, description = "Of the number (`whatsAppNumber.id`).")),
    security(("apiKey" = [LiteNumbers::ROW.name])),
    responses(
        (status = 200, description = "The code.", body = QrCode),
        (status = 400, description = "It is no Lite number."),
        (status = 404, description = "No code waits to be scanned."),
    ),
)]
async fn code(
    State(state): State<ApiState>,
    allowed: Allowed<LiteNumbers>,
    Segments(id): Segments<InboxId>,
) -> Result<Json<QrCode>, ApiError> {
    Ok(Json(waiting_code(&state, allowed.caller.client, id).await?))
}

/// Returns the QR code that pairs a number, as a picture.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/qr.png",
    operation_id = "getLiteQrPicture",
    tag = "WhatsApp Lite",
    params(("id" = Uuid, Path, description = "Of the number (`whatsAppNumber.id`).")),
    security(("apiKey" = [LiteNumbers::ROW.name])),
    responses(
        (status = 200, description = "The code.", content_type = "image/png", body = Vec<u8>),
        (status = 400, description = "It is no Lite number."),
        (status = 404, description = "No code waits to be scanned."),
    ),
)]
async fn code_picture(
    State(state): State<ApiState>,
    allowed: Allowed<LiteNumbers>,
    Segments(id): Segments<InboxId>,
) -> Result<impl IntoResponse, ApiError> {
    let code = waiting_code(&state, allowed.caller.client, id).await?;
    let picture = picture::of(&code.qr).map_err(ApiError::internal)?;
    // The next code is another picture at the same address.
    Ok(([(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, "no-store")], picture))
}

async fn waiting_code(state: &ApiState, client: ClientId, id: InboxId) -> Result<QrCode, ApiError> {
    let view = lite::session(&state.context, client, id).await.map_err(refused)?;
    let Some((qr, until)) = view.session.qr else {
        let said = "no code waits to be scanned: POST .../connect asks for one, until the number is paired";
        return Err(ApiError::new(ErrorKind::NotFound, said));
    };
    Ok(QrCode { qr, expires_time: until.to_rfc3339_opts(SecondsFormat::Millis, true) })
}
