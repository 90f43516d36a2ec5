//! Callbacks about accounts at providers, such as bots. A 200 means that the callback is stored.

use api_core::{
    body,
    error::{ApiError, ErrorKind},
    path::Segments,
    state::ApiState,
};
use axum::{
    Json,
    extract::{Request, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use domain::ids::InboxId;
use inbound::accounts::{AccountCallbackRefused, secret_header, take_callback};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Largest callback, in bytes. One update of a bot has a few kilobytes.
const MAX_CALLBACK_BYTES: usize = 1 << 20;

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(callback))
}

/// Takes callbacks about an account of a provider, such as a bot.
///
/// The header with the secret depends on the provider: `X-Telegram-Bot-Api-Secret-Token` for `telegram`. A 200 means
/// that the callback is stored. A callback may be repeated.
#[utoipa::path(
    post,
    path = "/providers/{provider}/webhook/{id}",
    operation_id = "accountCallback",
    tag = "Provider callbacks",
    params(
        ("provider" = String, Path, description = "The name of the provider, such as `telegram`.", example = "telegram"),
        ("id" = Uuid, Path, description = "The id of the account, as the command that added it printed it."),
        ("X-Telegram-Bot-Api-Secret-Token" = Option<String>, Header, description = "The secret of the account, for `telegram`."),
    ),
    request_body(content = Object, content_type = "application/json", description = "The callback in the form of the provider, at most 1 MiB."),
    responses(
        (status = 200, description = "The callback is stored. The body may have a command for the provider.", body = Object),
        (status = 401, description = "The secret is missing or wrong, or there is no such account."),
        (status = 404, description = "There is no such provider."),
    ),
)]
async fn callback(
    State(state): State<ApiState>,
    Segments((provider, id)): Segments<(String, InboxId)>,
    request: Request,
) -> Result<Response, ApiError> {
    let Some(header) = secret_header(&state.context, &provider) else { return Err(ApiError::not_found()) };
    // Without a secret the body is not read. A second header counts as a wrong secret.
    let mut values = request.headers().get_all(header).iter();
    let secret = match (values.next().and_then(|value| value.to_str().ok()), values.next()) {
        (Some(secret), None) => secret.to_owned(),
        _ => return Err(api_error(AccountCallbackRefused::BadSecret, header)),
    };
    let raw = body::read(request, MAX_CALLBACK_BYTES, state.settings.body_timeout).await?;
    let taken = take_callback(&state.context, &provider, id, &raw, &secret).await;
    Ok(match taken.map_err(|error| api_error(error, header))? {
        Some(answer) => Json(answer).into_response(),
        None => StatusCode::OK.into_response(),
    })
}

fn api_error(error: AccountCallbackRefused, header: &str) -> ApiError {
    match error {
        AccountCallbackRefused::UnknownProvider => ApiError::not_found(),
        AccountCallbackRefused::BadSecret => {
            metrics::counter!("patchbay_callbacks_refused_total", "reason" => "signature").increment(1);
            let said = format!("{header} must be the secret that the account was given when it was added");
            ApiError::new(ErrorKind::InvalidSignature, said)
        }
        AccountCallbackRefused::Unreadable(reason) => {
            metrics::counter!("patchbay_callbacks_refused_total", "reason" => "unreadable").increment(1);
            ApiError::fault("body", format!("is not a callback of this provider: {reason}"))
        }
        AccountCallbackRefused::Failed(error) => error.into(),
    }
}
