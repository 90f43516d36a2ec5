//! Users (SPEC 4.7): `/api/v1/users`. Answers have no credentials, except the temporary password of a new user, once.

mod agents;
mod bodies;
mod credits;
mod path;
mod refusals;

use api_core::{
    auth::{AuthorizedCaller, OwnProfile, Permission, UserReading, Users},
    body::JsonBytes,
    error::{ApiError, ErrorKind},
    page::{ListQuery, Page, SearchParameter},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::{body, ids::UserId};
use tenancy::accounts::{
    self, Role,
    users::{self, Invitation, UserChange},
};
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) use bodies::UserBody;
use bodies::{ChangeUserBody, CreateUserBody, CreatedUserBody, TemporaryPasswordBody};
use path::ME;
pub(crate) use path::user_id;
pub(crate) use refusals::{api_error, refused_creation};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(me))
        .routes(routes!(read, update, remove))
        .routes(routes!(reset_password))
        .merge(agents::routes())
        .merge(credits::routes())
}

/// Lists the users, by name.
///
/// `search` is a part of a name or an e-mail address, in any case.
#[utoipa::path(
    get,
    path = "/api/v1/users",
    operation_id = "listUsers",
    tag = "Users",
    params(ListQuery, SearchParameter),
    security(("apiKey" = [UserReading::ROW.name])),
    responses((status = 200, description = "A page of users.", body = Page<UserBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<UserReading>,
    query: ListQuery,
    SearchParameter(search): SearchParameter,
) -> Result<Page<UserBody>, ApiError> {
    let found = users::list(&state.context.db, allowed.caller.client, &search, None, query.page).await?;
    Ok(Page::new(query.page, found, UserBody::from))
}

/// Creates a user.
///
/// The answer has a `temporaryPassword`, which is not shown again. With it the user chooses a password in
/// `changePassword`. Then `retrieveApiKey` returns the user's key.
#[utoipa::path(
    post,
    path = "/api/v1/users",
    operation_id = "createUser",
    tag = "Users",
    request_body = CreateUserBody,
    security(("apiKey" = [Users::ROW.name])),
    responses(
        (status = 201, description = "The user, with its temporary password.", body = CreatedUserBody),
        (status = 409, description = "The client has a user with this e-mail."),
    ),
)]
async fn create(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Users>,
    JsonBytes(bytes): JsonBytes,
) -> Result<(StatusCode, Json<CreatedUserBody>), ApiError> {
    create_user(&state, &allowed, &bytes).await.map(|created| (StatusCode::CREATED, Json(created)))
}

pub(crate) async fn create_user(
    state: &ApiState,
    allowed: &AuthorizedCaller<Users>,
    bytes: &[u8],
) -> Result<CreatedUserBody, ApiError> {
    let asked: CreateUserBody = body::parse(bytes).map_err(|fault| ApiError::faults(vec![fault]))?;
    let new: Invitation = asked.judged().map_err(ApiError::faults)?;
    let (admin, client) = (state.administration(), allowed.caller.client);
    let (user, password) = users::invite(&admin, client, new, allowed.actor()).await.map_err(refused_creation)?;
    Ok(CreatedUserBody { user: user.into(), temporary_password: password.expose().to_owned() })
}

/// Returns the caller.
///
/// The caller is the user of the key.
#[utoipa::path(
    get,
    path = "/api/v1/users/me",
    operation_id = "readOwnUser",
    tag = "Users",
    security(("apiKey" = [OwnProfile::ROW.name])),
    responses((status = 200, description = "The user of the key.", body = UserBody)),
)]
async fn me(State(state): State<ApiState>, allowed: AuthorizedCaller<OwnProfile>) -> Result<Json<UserBody>, ApiError> {
    let found = users::find(&state.context.db, allowed.caller.client, allowed.caller.user).await.map_err(api_error)?;
    Ok(Json(found.into()))
}

/// Returns a user.
///
/// The answer never has a password or a key.
#[utoipa::path(
    get,
    path = "/api/v1/users/{id}",
    operation_id = "readUser",
    tag = "Users",
    params(("id" = String, Path, description = "Id of the user.")),
    security(("apiKey" = [UserReading::ROW.name])),
    responses((status = 200, description = "The user.", body = UserBody)),
)]
async fn read(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<UserReading>,
    Segments(id): Segments<String>,
) -> Result<Json<UserBody>, ApiError> {
    let found = users::find(&state.context.db, allowed.caller.client, user_id(&id)?).await.map_err(api_error)?;
    Ok(Json(found.into()))
}

/// Changes a user.
///
/// Absent fields stay as they are. `team` null removes the user from its team. The last ADMIN keeps that role.
#[utoipa::path(
    put,
    path = "/api/v1/users/{id}",
    operation_id = "updateUser",
    tag = "Users",
    params(("id" = String, Path, description = "Id of the user.")),
    request_body = ChangeUserBody,
    security(("apiKey" = [Users::ROW.name])),
    responses(
        (status = 200, description = "The changed user.", body = UserBody),
        (status = 409, description = "The user is the last ADMIN."),
    ),
)]
async fn update(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Users>,
    Segments(id): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<UserBody>, ApiError> {
    update_user(&state, &allowed, user_id(&id)?, &bytes).await.map(Json)
}

pub(crate) async fn update_user(
    state: &ApiState,
    allowed: &AuthorizedCaller<Users>,
    user: UserId,
    bytes: &[u8],
) -> Result<UserBody, ApiError> {
    let asked: ChangeUserBody = body::parse(bytes).map_err(|fault| ApiError::faults(vec![fault]))?;
    let role = asked.role.as_deref().map(str::parse::<Role>).transpose();
    let role = role.map_err(|error| ApiError::fault("role", error.to_string()))?;
    let change = UserChange { name: asked.name, role, team: asked.team };
    let (admin, client) = (state.administration(), allowed.caller.client);
    Ok(users::update(&admin, client, user, change, allowed.actor()).await.map_err(api_error)?.into())
}

/// Deletes a user.
///
/// Its key is invalid at once, on every node. Chats and tickets keep its name. The caller and the last ADMIN cannot be
/// deleted.
#[utoipa::path(
    delete,
    path = "/api/v1/users/{id}",
    operation_id = "deleteUser",
    tag = "Users",
    params(("id" = String, Path, description = "Id of the user.")),
    security(("apiKey" = [Users::ROW.name])),
    responses(
        (status = 204, description = "The user is deleted."),
        (status = 409, description = "The user is the caller, or the last ADMIN."),
    ),
)]
async fn remove(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Users>,
    Segments(id): Segments<String>,
) -> Result<StatusCode, ApiError> {
    delete_user(&state, &allowed, user_id(&id)?).await
}

pub(crate) async fn delete_user(
    state: &ApiState,
    allowed: &AuthorizedCaller<Users>,
    user: UserId,
) -> Result<StatusCode, ApiError> {
    let (admin, client) = (state.administration(), allowed.caller.client);
    users::delete(&admin, client, user, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Replaces a user's password with a temporary one.
///
/// For users who have forgotten their password. The old password is no longer valid, and the user's
/// sessions end. The API key does not change.
#[utoipa::path(
    post,
    path = "/api/v1/users/{id}/temporary-password",
    operation_id = "resetPassword",
    tag = "Users",
    params(("id" = String, Path, description = "Id of the user.")),
    security(("apiKey" = [Users::ROW.name])),
    responses(
        (status = 200, description = "The temporary password. It is shown only once.", body = TemporaryPasswordBody),
        (status = 409, description = "You cannot reset your own password. Use `PUT /api/v1/users/me/password`."),
    ),
)]
async fn reset_password(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Users>,
    Segments(id): Segments<String>,
) -> Result<Json<TemporaryPasswordBody>, ApiError> {
    if id == ME {
        let said = "change your own password with your current one: PUT /api/v1/users/me/password";
        return Err(ApiError::new(ErrorKind::Conflict, said));
    }
    let (admin, client) = (state.administration(), allowed.caller.client);
    let password = accounts::reset_password(&admin, client, user_id(&id)?, allowed.actor()).await.map_err(api_error)?;
    Ok(Json(TemporaryPasswordBody { temporary_password: password.expose().to_owned() }))
}
