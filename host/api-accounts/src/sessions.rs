//! Sessions: `/api/v1/sessions`, and the login of the console (CONTRACT 9).

use api_core::{
    auth::{AuthorizedCaller, OwnSessions, PERMISSIONS, Permission, Users},
    body::SmallJson,
    error::{ApiError, ErrorKind},
    https::RequestSource,
    path::Segments,
    query::QueryParameters,
    state::ApiState,
};
use axum::{
    Json,
    extract::State,
    http::{StatusCode, request::Parts},
};
use domain::iso_time::iso_time;
use domain::{ids::SessionId, session::SessionPurpose};
use serde::Serialize;
use tenancy::accounts::{
    Caller, Role,
    sessions::{self, OpenedSession, SessionRecord},
};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    account_keys::{LoginBody, login, login_refusal},
    users::UserBody,
};

/// In a path, the session of the request.
const CURRENT: &str = "current";

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(list, create)).routes(routes!(remove)).routes(routes!(console_login))
}

/// The user of a session.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SessionUser)]
struct SessionUserBody {
    #[serde(flatten)]
    user: UserBody,
    /// The client that the user belongs to.
    client_ref: String,
    /// Names of the permissions of the role. The guide of roles describes them.
    #[schema(examples("LiveChat"))]
    permissions: Vec<&'static str>,
}

/// A new session with its key.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NewSession)]
pub(crate) struct NewSessionBody {
    /// Id of the session.
    #[schema(value_type = Uuid)]
    id: SessionId,
    /// The key, for the header `Authorization`. It is not shown again.
    #[schema(format = Uuid, examples("b8b8f4b2-6a53-4c6f-9a4e-0b6f4a1c2d3e"))]
    session_key: String,
    /// End if idle. Each use moves it, at most to `endsAt`.
    #[schema(format = DateTime)]
    expires_at: String,
    /// Latest end, even if in use.
    #[schema(format = DateTime)]
    ends_at: String,
    /// The user who logged in.
    user: SessionUserBody,
}

impl NewSessionBody {
    pub fn of(opened: OpenedSession, client_ref: String) -> Self {
        let permissions = permissions_of(opened.user.role);
        Self {
            id: opened.id,
            session_key: opened.key.expose().to_owned(),
            expires_at: iso_time(opened.expires_at),
            ends_at: iso_time(opened.ends_at),
            user: SessionUserBody { user: opened.user.into(), client_ref, permissions },
        }
    }
}

/// A session, without its key.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
struct SessionBody {
    /// Id of the session.
    #[schema(value_type = Uuid)]
    id: SessionId,
    /// Time of the login.
    #[schema(format = DateTime)]
    created_at: String,
    /// The last use, to some minutes.
    #[schema(format = DateTime)]
    last_used_at: String,
    /// End if idle.
    #[schema(format = DateTime)]
    expires_at: String,
    /// Latest end, even if in use.
    #[schema(format = DateTime)]
    ends_at: String,
    /// `true`: the session of this request.
    current: bool,
}

impl SessionBody {
    fn of(session: &SessionRecord, current: Option<SessionId>) -> Self {
        Self {
            id: session.id,
            created_at: iso_time(session.created_at),
            last_used_at: iso_time(session.used_at),
            expires_at: iso_time(session.expires_at),
            ends_at: iso_time(session.ends_at),
            current: current == Some(session.id),
        }
    }
}

/// The sessions of a user.
#[derive(Serialize, ToSchema)]
#[schema(as = Sessions)]
struct SessionsBody {
    /// The newest first.
    sessions: Vec<SessionBody>,
}

#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the parameters")]
struct UserParameter {
    /// Id of another user, for an ADMIN. Default: the caller.
    #[param(nullable = false, value_type = Option<Uuid>)]
    user_id: Option<String>,
}

/// A session of a link may see and end itself only.
fn is_own(caller: &Caller, session: SessionId) -> bool {
    caller.purpose == SessionPurpose::Login || caller.session == Some(session)
}

fn permissions_of(role: Role) -> Vec<&'static str> {
    PERMISSIONS.iter().filter(|row| row.roles.contains(&role)).map(|row| row.name).collect()
}

async fn open(state: &ApiState, source: RequestSource, body: LoginBody) -> Result<(OpenedSession, String), ApiError> {
    let login = login(body, source.0)?;
    let client_ref = login.client_ref.clone();
    let times = state.context.settings.limits.session_times();
    let opened = sessions::open(&state.administration(), login, times).await.map_err(login_refusal)?;
    Ok((opened, client_ref))
}

/// Logs in a user and returns a session key.
///
/// Send the session key like an API key. It has the permissions of the user. The session ends after a time without use
/// (`limits.session_idle`), at the latest after `limits.session_life`, and with a change of the password. Wrong
/// passwords count as they do for `retrieveApiKey`. A user has at most 20 sessions. If the user opens another, the oldest ends.
#[utoipa::path(
    post,
    path = "/api/v1/sessions",
    operation_id = "createSession",
    tag = "Account keys",
    request_body = LoginBody,
    responses(
        (status = 201, description = "The session with its key, which is shown only once.", body = NewSessionBody),
        (status = 401, description = "E-mail address, password and `clientRef` do not match."),
        (status = 403, description = "If `error` is `Temporary password`, change the password first. If not, see `message`."),
    ),
)]
async fn create(
    State(state): State<ApiState>,
    source: RequestSource,
    SmallJson(body): SmallJson<LoginBody>,
) -> Result<(StatusCode, Json<NewSessionBody>), ApiError> {
    let (opened, client_ref) = open(&state, source, body).await?;
    Ok((StatusCode::CREATED, Json(NewSessionBody::of(opened, client_ref))))
}

/// A session key.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ConsoleSession)]
struct ConsoleSessionBody {
    /// The key, for the header `Authorization`. It is not shown again.
    #[schema(format = Uuid, examples("b8b8f4b2-6a53-4c6f-9a4e-0b6f4a1c2d3e"))]
    key: String,
    /// End if idle.
    #[schema(format = DateTime)]
    expires_time: String,
}

/// Opens a session, with a short answer.
///
/// Works as `POST /api/v1/sessions`.
#[utoipa::path(
    post,
    path = "/chat-service/api/v2/auth/session",
    operation_id = "createConsoleSession",
    tag = "Account keys",
    request_body = LoginBody,
    responses(
        (status = 200, description = "The key, which is shown only once.", body = ConsoleSessionBody),
        (status = 401, description = "E-mail address, password and `clientRef` do not match."),
        (status = 403, description = "If `error` is `Temporary password`, change the password first. If not, see `message`."),
    ),
)]
async fn console_login(
    State(state): State<ApiState>,
    source: RequestSource,
    SmallJson(body): SmallJson<LoginBody>,
) -> Result<Json<ConsoleSessionBody>, ApiError> {
    let (opened, _) = open(&state, source, body).await?;
    Ok(Json(ConsoleSessionBody { key: opened.key.expose().to_owned(), expires_time: iso_time(opened.expires_at) }))
}

/// Lists the sessions of the caller, or for an ADMIN those of another user.
///
/// Ended sessions are not listed.
#[utoipa::path(
    get,
    path = "/api/v1/sessions",
    operation_id = "listSessions",
    tag = "Account keys",
    params(UserParameter),
    security(("apiKey" = [OwnSessions::ROW.name])),
    responses((status = 200, description = "The sessions.", body = SessionsBody)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<OwnSessions>,
    parts: Parts,
) -> Result<Json<SessionsBody>, ApiError> {
    let caller = &allowed.caller;
    let user = match QueryParameters::of(&parts.uri)?.value("userId") {
        Some(text) => text.parse().map_err(|_| ApiError::fault("userId", "must be the id of a user"))?,
        None => caller.user,
    };
    if user != caller.user && !Users::ROW.roles.contains(&caller.role) {
        return Err(ApiError::new(ErrorKind::Forbidden, "only an ADMIN may see the sessions of another user"));
    }
    let found = sessions::list(&state.context.db, caller.client, user, state.context.now()).await?;
    // A session of a link sees no others of the user who made the link.
    let shown = found.iter().filter(|session| is_own(caller, session.id));
    let sessions = shown.map(|session| SessionBody::of(session, caller.session)).collect();
    Ok(Json(SessionsBody { sessions }))
}

/// Ends a session.
///
/// Use `current` for the session of this request. An ADMIN can end the sessions of others. The key of the session is
/// invalid at once, on every node, and its live connections end.
#[utoipa::path(
    delete,
    path = "/api/v1/sessions/{id}",
    operation_id = "deleteSession",
    tag = "Account keys",
    params(("id" = String, Path, description = "Id of the session, or `current`.")),
    security(("apiKey" = [OwnSessions::ROW.name])),
    responses(
        (status = 204, description = "The session has ended."),
        (status = 404, description = "There is no such session, or the key of this request is not of a session."),
    ),
)]
async fn remove(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<OwnSessions>,
    Segments(id): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let caller = &allowed.caller;
    let named = if id == CURRENT { caller.session } else { id.parse().ok() };
    let session = named.filter(|id| is_own(caller, *id)).ok_or_else(ApiError::not_found)?;
    let of = (!Users::ROW.roles.contains(&caller.role)).then_some(caller.user);
    let ended = sessions::end(&state.administration(), caller.client, of, session, allowed.actor()).await?;
    if ended { Ok(StatusCode::NO_CONTENT) } else { Err(ApiError::not_found()) }
}
