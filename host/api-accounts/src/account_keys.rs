//! Account keys (SPEC 4.6).

use std::{net::IpAddr, time::Duration};

use api_core::{
    auth::{AuthorizedCaller, OwnKey, Permission},
    body::SmallJson,
    error::{ApiError, ErrorKind},
    https::RequestSource,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::body::{Faults, FieldFault};
use serde::{Deserialize, Serialize};
use tenancy::accounts::{Login, LoginError, PasswordError, change_password, generate_api_key, retrieve_api_key};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(retrieve)).routes(routes!(change)).routes(routes!(generate))
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(
    as = Login,
    examples(json!({"email": "ada@acme.example", "password": "correct horse", "clientRef": "acme"})),
)]
pub(crate) struct LoginBody {
    /// E-mail address of the user.
    #[schema(required, nullable = false)]
    email: Option<String>,
    /// Password of the user.
    #[schema(required, nullable = false)]
    password: Option<String>,
    /// The client that the user belongs to.
    #[schema(required, nullable = false)]
    client_ref: Option<String>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ApiKey, examples(json!({"apiKey": "b8b8f4b2-6a53-4c6f-9a4e-0b6f4a1c2d3e"})))]
struct Retrieved {
    /// The API key, for the header `Authorization`.
    #[schema(format = Uuid)]
    api_key: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = GeneratedKey, examples(json!({"token": "b8b8f4b2-6a53-4c6f-9a4e-0b6f4a1c2d3e"})))]
struct Generated {
    /// The new key.
    #[schema(format = Uuid)]
    token: String,
}

/// Returns the API key of a user, for e-mail, password and `clientRef`.
///
/// After ten wrong passwords in 15 minutes the account is locked for a while, even for the right password.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/authenticate/retrieveApiKey",
    operation_id = "retrieveApiKey",
    tag = "Account keys",
    request_body = LoginBody,
    responses(
        (status = 200, description = "The key of the user. It is the same at each call.", body = Retrieved),
        (status = 401, description = "E-mail address, password and `clientRef` do not match."),
        (status = 403, description = "If `error` is `Temporary password`, change the password first. If not, see `message`."),
    ),
)]
async fn retrieve(
    State(state): State<ApiState>,
    RequestSource(from): RequestSource,
    SmallJson(body): SmallJson<LoginBody>,
) -> Result<Json<Retrieved>, ApiError> {
    let login = login(body, from)?;
    let key = retrieve_api_key(&state.administration(), login).await.map_err(login_refusal)?;
    Ok(Json(Retrieved { api_key: key.expose().to_owned() }))
}

pub(crate) fn login(body: LoginBody, from: Option<IpAddr>) -> Result<Login, ApiError> {
    let mut missing = Faults::default();
    let login = Login {
        email: missing.required_text("email", body.email),
        password: missing.required_text("password", body.password),
        client_ref: missing.required_text("clientRef", body.client_ref),
        from,
    };
    if missing.is_empty() { Ok(login) } else { Err(ApiError::faults(missing)) }
}

pub(crate) fn login_refusal(error: LoginError) -> ApiError {
    match error {
        LoginError::InvalidCredentials => ApiError::new(ErrorKind::InvalidCredentials, error.to_string()),
        LoginError::TemporaryPassword => ApiError::new(ErrorKind::TemporaryPassword, error.to_string()),
        LoginError::PasswordOff | LoginError::Disabled(_) => ApiError::new(ErrorKind::Forbidden, error.to_string()),
        LoginError::RateLimited { retry_after } => {
            ApiError::new(ErrorKind::TooManyRequests, error.to_string()).retry_after(retry_after)
        }
        LoginError::Crowded => {
            ApiError::new(ErrorKind::TooManyRequests, error.to_string()).retry_after(Duration::from_secs(1))
        }
        LoginError::Failed(cause) => cause.into(),
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(
    as = PasswordChange,
    examples(json!({
        "email": "thandi@acme.example", "password": "k7w2temporary", "clientRef": "acme", "newPassword": "correct horse",
    })),
)]
struct ChangeBody {
    /// E-mail address of the user.
    #[schema(required, nullable = false)]
    email: Option<String>,
    /// The present password, temporary or not.
    #[schema(required, nullable = false)]
    password: Option<String>,
    /// The client that the user belongs to.
    #[schema(required, nullable = false)]
    client_ref: Option<String>,
    /// The new password: 8 to 1,024 bytes, and not the present one.
    #[schema(required, nullable = false)]
    new_password: Option<String>,
}

/// Changes a password.
///
/// A temporary password can be used here, once. Wrong passwords count as they do for `retrieveApiKey`. The API key does
/// not change; all sessions of the user end.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/authenticate/changePassword",
    operation_id = "changePassword",
    tag = "Account keys",
    request_body = ChangeBody,
    responses(
        (status = 204, description = "The new password is valid."),
        (status = 401, description = "E-mail address, password and `clientRef` do not match."),
    ),
)]
async fn change(
    State(state): State<ApiState>,
    RequestSource(from): RequestSource,
    SmallJson(body): SmallJson<ChangeBody>,
) -> Result<StatusCode, ApiError> {
    let new = body.new_password;
    let known = LoginBody { email: body.email, password: body.password, client_ref: body.client_ref };
    let login = login(known, from);
    let (login, new) = match (login, new) {
        (Ok(login), Some(new)) => (login, new),
        (Ok(_), None) => return Err(ApiError::faults(vec![FieldFault::required("newPassword")])),
        (Err(refused), _) => return Err(refused),
    };
    change_password(&state.administration(), login, "newPassword", new).await.map_err(refused_change)?;
    Ok(StatusCode::NO_CONTENT)
}

pub(crate) fn refused_change(error: PasswordError) -> ApiError {
    match error {
        PasswordError::New(fault) => ApiError::faults(vec![fault]),
        PasswordError::Login(error) => login_refusal(error),
    }
}

/// Replaces the caller's API key.
///
/// The key of this request is no longer valid after the answer.
#[utoipa::path(
    post,
    path = "/messaging-service/WhatsApp/SystemUsers/generateAPIKey",
    operation_id = "generateApiKey",
    tag = "Account keys",
    security(("apiKey" = [OwnKey::ROW.name])),
    responses((status = 200, description = "The new key.", body = Generated)),
)]
async fn generate(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<OwnKey>,
) -> Result<Json<Generated>, ApiError> {
    let key = generate_api_key(&state.administration(), allowed.caller.client, allowed.caller.user).await?;
    Ok(Json(Generated { token: key.expose().to_owned() }))
}
