//! Account keys (SPEC 4.6).

use axum::{Json, Router, extract::State, routing::post};
use domain::body::FieldFault;
use serde::{Deserialize, Serialize};
use tenancy::accounts::{Login, LoginError, generate_api_key, retrieve_api_key};

use crate::{
    auth::{Allowed, OwnKey},
    body::JsonBody,
    error::{ApiError, ErrorKind},
    state::ApiState,
};

pub(crate) fn routes() -> Router<ApiState> {
    Router::new()
        .route("/messaging-service/WhatsApp/authenticate/retrieveApiKey", post(retrieve))
        .route("/messaging-service/WhatsApp/SystemUsers/generateAPIKey", post(generate))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RetrieveBody {
    email: Option<String>,
    password: Option<String>,
    client_ref: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Retrieved {
    api_key: String,
}

#[derive(Serialize)]
struct Generated {
    token: String,
}

async fn retrieve(
    State(state): State<ApiState>,
    JsonBody(body): JsonBody<RetrieveBody>,
) -> Result<Json<Retrieved>, ApiError> {
    let login = login(body)?;
    let key = retrieve_api_key(&state.administration(), login).await.map_err(refused)?;
    Ok(Json(Retrieved { api_key: key.expose().to_owned() }))
}

fn login(body: RetrieveBody) -> Result<Login, ApiError> {
    let mut missing = Vec::new();
    let mut required = |field: &str, value: Option<String>| {
        value.unwrap_or_else(|| {
            missing.push(FieldFault::required(field));
            String::new()
        })
    };
    let login = Login {
        email: required("email", body.email),
        password: required("password", body.password),
        client_ref: required("clientRef", body.client_ref),
    };
    if missing.is_empty() { Ok(login) } else { Err(ApiError::faults(missing)) }
}

fn refused(error: LoginError) -> ApiError {
    match error {
        LoginError::InvalidCredentials => ApiError::new(ErrorKind::InvalidCredentials, error.to_string()),
        LoginError::RateLimited { retry_after } => {
            ApiError::new(ErrorKind::TooManyRequests, error.to_string()).retry_after(retry_after)
        }
        LoginError::Failed(cause) => cause.into(),
    }
}

async fn generate(State(state): State<ApiState>, allowed: Allowed<OwnKey>) -> Result<Json<Generated>, ApiError> {
    let key = generate_api_key(&state.administration(), allowed.caller.client, allowed.caller.user).await?;
    Ok(Json(Generated { token: key.expose().to_owned() }))
}
