//! Sessions of WhatsApp Lite numbers, their QR codes, and their pace and hours (SPEC 3.3, 6.3, 8; ADR 0024).

mod picture;
mod processing;
mod refusal;
mod schema;

use api_core::{
    auth::{AuthorizedCaller, LiteNumbers, Looking, Permission},
    error::{ApiError, ErrorKind},
    path::Segments,
    state::ApiState,
};
use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use domain::ids::{ClientId, InboxId};
use domain::iso_time::iso_time;
use inbound::lite::{self, CommandError, LiteSessionView};
use utoipa_axum::{router::OpenApiRouter, routes};

use refusal::api_error;
use schema::{LiteSessionBody, QrCode};

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

/// Returns the session of a number.
///
/// It has the state of the connection as webhooks report it.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}",
    operation_id = "getLiteSession",
    tag = "WhatsApp Lite",
    params(("id" = Uuid, Path, description = "Id of the number (`whatsAppNumber.id`).")),
    security(("apiKey" = [Looking::ROW.name])),
    responses(
        (status = 200, description = "The session.", body = LiteSessionBody),
        (status = 400, description = "The number is not a Lite number."),
    ),
)]
async fn session(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Looking>,
    Segments(id): Segments<InboxId>,
) -> Result<Json<LiteSessionBody>, ApiError> {
    let view = lite::session(&state.context, allowed.caller.client, id).await.map_err(api_error)?;
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
    params(("id" = Uuid, Path, description = "Id of the number (`whatsAppNumber.id`).")),
    security(("apiKey" = [LiteNumbers::ROW.name])),
    responses(
        (status = 202, description = "The number will be connected.", body = LiteSessionBody),
        (status = 400, description = "The number is not a Lite number."),
        (status = 409, description = "WhatsApp has flagged the number, so it can connect only later. Or this service has no devices."),
    ),
)]
async fn connect(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiteNumbers>,
    Segments(id): Segments<InboxId>,
) -> Result<(StatusCode, Json<LiteSessionBody>), ApiError> {
    taken_on(lite::connect(&state.context, allowed.caller.client, id, allowed.actor()).await)
}

/// Ends the connection of a number. It stays paired.
///
/// Messages wait until the number is connected again.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/disconnect",
    operation_id = "disconnectLiteNumber",
    tag = "WhatsApp Lite",
    params(("id" = Uuid, Path, description = "Id of the number (`whatsAppNumber.id`).")),
    security(("apiKey" = [LiteNumbers::ROW.name])),
    responses(
        (status = 202, description = "The number will be disconnected.", body = LiteSessionBody),
        (status = 400, description = "The number is not a Lite number."),
        (status = 409, description = "This service has no devices."),
    ),
)]
async fn disconnect(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiteNumbers>,
    Segments(id): Segments<InboxId>,
) -> Result<(StatusCode, Json<LiteSessionBody>), ApiError> {
    taken_on(lite::disconnect(&state.context, allowed.caller.client, id, allowed.actor()).await)
}

/// Logs a number out. The next connection needs a QR code.
///
/// Messages wait until the number is paired again.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/logout",
    operation_id = "logOutLiteNumber",
    tag = "WhatsApp Lite",
    params(("id" = Uuid, Path, description = "Id of the number (`whatsAppNumber.id`).")),
    security(("apiKey" = [LiteNumbers::ROW.name])),
    responses(
        (status = 202, description = "The number will be logged out.", body = LiteSessionBody),
        (status = 400, description = "The number is not a Lite number."),
        (status = 409, description = "This service has no devices."),
    ),
)]
async fn log_out(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiteNumbers>,
    Segments(id): Segments<InboxId>,
) -> Result<(StatusCode, Json<LiteSessionBody>), ApiError> {
    taken_on(lite::logout(&state.context, allowed.caller.client, id, allowed.actor()).await)
}

fn taken_on(asked: Result<LiteSessionView, CommandError>) -> Result<(StatusCode, Json<LiteSessionBody>), ApiError> {
    Ok((StatusCode::ACCEPTED, Json(asked.map_err(api_error)?.into())))
}

/// Returns the QR code that pairs a number, as text.
///
/// The code changes after some seconds. Ask again until the session is connected.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/qr",
    operation_id = "getLiteQrCode",
    tag = "WhatsApp Lite",
    params(("id" = Uuid, Path, description = "Id of the number (`whatsAppNumber.id`).")),
    security(("apiKey" = [LiteNumbers::ROW.name])),
    responses(
        (status = 200, description = "The QR code.", body = QrCode),
        (status = 400, description = "The number is not a Lite number."),
        (status = 404, description = "No QR code waits for a scan."),
    ),
)]
async fn code(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiteNumbers>,
    Segments(id): Segments<InboxId>,
) -> Result<Json<QrCode>, ApiError> {
    Ok(Json(waiting_code(&state, allowed.caller.client, id).await?))
}

/// Returns the QR code that pairs a number, as a picture.
///
/// The code changes after some seconds. Ask again until the session is connected.
#[utoipa::path(
    get,
    path = "/messaging-service/WhatsApp/WhatsAppLiteSessions/{id}/qr.png",
    operation_id = "getLiteQrPicture",
    tag = "WhatsApp Lite",
    params(("id" = Uuid, Path, description = "Id of the number (`whatsAppNumber.id`).")),
    security(("apiKey" = [LiteNumbers::ROW.name])),
    responses(
        (status = 200, description = "The QR code.", content_type = "image/png", body = Vec<u8>),
        (status = 400, description = "The number is not a Lite number."),
        (status = 404, description = "No QR code waits for a scan."),
    ),
)]
async fn code_picture(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<LiteNumbers>,
    Segments(id): Segments<InboxId>,
) -> Result<impl IntoResponse, ApiError> {
    let code = waiting_code(&state, allowed.caller.client, id).await?;
    let picture = picture::of(&code.qr).map_err(ApiError::internal)?;
    // The next code is another picture at the same address.
    Ok(([(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, "no-store")], picture))
}

async fn waiting_code(state: &ApiState, client: ClientId, id: InboxId) -> Result<QrCode, ApiError> {
    let view = lite::session(&state.context, client, id).await.map_err(api_error)?;
    let Some((qr, until)) = view.session.qr else {
        let said = "no QR code waits for a scan: POST .../connect requests one if the number is not paired";
        return Err(ApiError::new(ErrorKind::NotFound, said));
    };
    Ok(QrCode { qr, expires_time: iso_time(until) })
}
