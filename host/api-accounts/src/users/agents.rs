//! Availability and chat limit of agents, and the change of one's own password.

use api_core::{
    auth::{Agents, AuthorizedCaller, OwnProfile, Permission},
    body::{JsonBytes, SmallJson},
    error::{ApiError, ErrorKind},
    https::RequestSource,
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::{
    body::{self, Faults, FieldFault},
    ids::UserId,
};
use serde::Deserialize;
use tenancy::accounts::{Login, PasswordError, change_password, users};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    bodies::UserBody,
    path::{ME, user_id},
    refusals::api_error,
};
use crate::account_keys;

pub(super) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(set_own_availability))
        .routes(routes!(set_availability))
        .routes(routes!(set_chat_limit))
        .routes(routes!(set_own_password))
}

/// Availability of an agent.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Availability, examples(json!({"available": true})))]
struct AvailabilityBody {
    /// `true`: the agent gets chats by automatic assignment.
    #[schema(required, nullable = false)]
    available: Option<bool>,
}

/// Chat limit of an agent.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = ChatLimit, examples(json!({"chatLimit": 5})))]
struct ChatLimitBody {
    /// 1 to 1,000 chats at a time. If null, the operator's limit.
    #[serde(default, deserialize_with = "body::given")]
    #[schema(required, value_type = Option<i32>, minimum = 1, maximum = 1000)]
    chat_limit: Option<Option<i32>>,
}

/// A new password.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = OwnPassword, examples(json!({"currentPassword": "correct horse", "newPassword": "battery staple"})))]
struct OwnPasswordBody {
    /// The present password.
    #[schema(required, nullable = false)]
    current_password: Option<String>,
    /// The new password: 8 to 1,024 bytes, and not the present one.
    #[schema(required, nullable = false)]
    new_password: Option<String>,
}

/// Sets whether the caller gets chats by automatic assignment.
///
/// An agent who is not available keeps the present chats.
#[utoipa::path(
    put,
    path = "/api/v1/users/me/availability",
    operation_id = "setOwnAvailability",
    tag = "Users",
    request_body = AvailabilityBody,
    security(("apiKey" = [OwnProfile::ROW.name])),
    responses((status = 200, description = "The changed user.", body = UserBody)),
)]
async fn set_own_availability(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<OwnProfile>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<UserBody>, ApiError> {
    availability(&state, &allowed, allowed.caller.user, &bytes).await
}

/// Sets whether an agent gets chats by automatic assignment.
///
/// An agent who is not available keeps the present chats.
#[utoipa::path(
    put,
    path = "/api/v1/users/{id}/availability",
    operation_id = "setAvailability",
    tag = "Users",
    params(("id" = String, Path, description = "Id of the user.")),
    request_body = AvailabilityBody,
    security(("apiKey" = [Agents::ROW.name])),
    responses((status = 200, description = "The changed user.", body = UserBody)),
)]
async fn set_availability(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Agents>,
    Segments(id): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<UserBody>, ApiError> {
    availability(&state, &allowed, user_id(&id)?, &bytes).await
}

pub(crate) async fn availability<P>(
    state: &ApiState,
    allowed: &AuthorizedCaller<P>,
    user: UserId,
    bytes: &[u8],
) -> Result<Json<UserBody>, ApiError> {
    let asked: AvailabilityBody = body::parse(bytes).map_err(|fault| ApiError::faults(vec![fault]))?;
    let available = asked.available.ok_or_else(|| ApiError::faults(vec![FieldFault::required("available")]))?;
    let (admin, client) = (state.administration(), allowed.caller.client);
    let changed = users::set_available(&admin, client, user, available, allowed.actor()).await.map_err(api_error)?;
    Ok(Json(changed.into()))
}

/// Sets how many chats an agent has at a time.
///
/// Automatic assignment respects the limit. If it is lowered, the present chats stay.
#[utoipa::path(
    put,
    path = "/api/v1/users/{id}/chat-limit",
    operation_id = "setChatLimit",
    tag = "Users",
    params(("id" = String, Path, description = "Id of the user.")),
    request_body = ChatLimitBody,
    security(("apiKey" = [Agents::ROW.name])),
    responses((status = 200, description = "The changed user.", body = UserBody)),
)]
async fn set_chat_limit(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Agents>,
    Segments(id): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<UserBody>, ApiError> {
    let user = if id == ME { allowed.caller.user } else { user_id(&id)? };
    chat_limit(&state, &allowed, user, &bytes).await
}

pub(crate) async fn chat_limit<P>(
    state: &ApiState,
    allowed: &AuthorizedCaller<P>,
    user: UserId,
    bytes: &[u8],
) -> Result<Json<UserBody>, ApiError> {
    let asked: ChatLimitBody = body::parse(bytes).map_err(|fault| ApiError::faults(vec![fault]))?;
    let limit = asked.chat_limit.ok_or_else(|| ApiError::faults(vec![FieldFault::required("chatLimit")]))?;
    let (admin, client) = (state.administration(), allowed.caller.client);
    let changed = users::set_chat_limit(&admin, client, user, limit, allowed.actor()).await.map_err(api_error)?;
    Ok(Json(changed.into()))
}

/// Changes the caller's password.
///
/// The old password is no longer valid, and all sessions of the user end. The API key stays the same. A wrong current
/// password counts against the same limit as at `retrieveApiKey`. An ADMIN resets the passwords of others with a temporary password.
#[utoipa::path(
    put,
    path = "/api/v1/users/me/password",
    operation_id = "changeOwnPassword",
    tag = "Users",
    request_body = OwnPasswordBody,
    security(("apiKey" = [OwnProfile::ROW.name])),
    responses(
        (status = 204, description = "The new password is valid."),
        (status = 403, description = "The current password is wrong."),
    ),
)]
async fn set_own_password(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<OwnProfile>,
    RequestSource(from): RequestSource,
    SmallJson(asked): SmallJson<OwnPasswordBody>,
) -> Result<StatusCode, ApiError> {
    let mut missing = Faults::default();
    let current = missing.required_text("currentPassword", asked.current_password);
    let new = missing.required_text("newPassword", asked.new_password);
    if !missing.is_empty() {
        return Err(ApiError::faults(missing));
    }
    let caller = &allowed.caller;
    let own = users::find(&state.context.db, caller.client, caller.user).await.map_err(api_error)?;
    let login = Login { email: own.email, password: current, client_ref: caller.client_ref.clone(), from };
    change_password(&state.administration(), login, "newPassword", new).await.map_err(|error| match error {
        // The key is valid, so a 401 would be misleading.
        PasswordError::Login(tenancy::accounts::LoginError::InvalidCredentials) => {
            ApiError::new(ErrorKind::Forbidden, "`currentPassword` is wrong")
        }
        other => account_keys::refused_change(other),
    })?;
    Ok(StatusCode::NO_CONTENT)
}
