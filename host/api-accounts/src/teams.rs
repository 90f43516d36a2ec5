//! Teams of agents: `/api/v1/teams`.

use api_core::{
    auth::{AuthorizedCaller, Permission, Teams, UserReading},
    body::JsonBytes,
    error::{ApiError, ErrorKind},
    page::{ListQuery, Page, SearchParameter},
    path::Segments,
    state::ApiState,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::iso_time::iso_time;
use domain::{
    body::{self, FieldFault},
    hours::{BusinessHours, TimeZone},
    ids::TeamId,
    team::{AfterHoursText, Assignment},
};
use serde::{Deserialize, Serialize};
use tenancy::{
    accounts::users,
    teams::{self, Team, TeamChange, TeamError},
};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    closed_sets::AssignmentName,
    users::{UserBody, user_id},
};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(read, update, remove))
        .routes(routes!(members))
        .routes(routes!(add_member, remove_member))
}

/// A team.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Team)]
struct TeamBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: TeamId,
    /// Unique within the client, in any case.
    #[schema(examples("Sales"))]
    name: String,
    /// How waiting chats are assigned.
    #[schema(value_type = AssignmentName)]
    assignment: &'static str,
    /// IANA name of the time zone of its hours: its own, otherwise the client's.
    #[schema(examples("Africa/Johannesburg"))]
    time_zone: &'static str,
    /// Its business hours. If null, always open.
    #[schema(value_type = Option<BusinessHours>)]
    business_hours: Option<BusinessHours>,
    /// The text for a customer who begins to wait outside those hours, sent once. If null, no text.
    after_hours_text: Option<String>,
    /// `true` if the team is open now.
    open: bool,
    /// Time of creation.
    #[schema(format = DateTime)]
    created_time: String,
}

impl TeamBody {
    fn new(team: Team, now: chrono::DateTime<chrono::Utc>) -> Self {
        let open = team.hours.is_open(now);
        Self {
            id: team.id,
            name: team.name,
            assignment: team.assignment.as_str(),
            time_zone: team.hours.zone.name(),
            business_hours: team.hours.hours,
            after_hours_text: team.after_hours_text.map(|text| text.as_str().to_owned()),
            open,
            created_time: iso_time(team.created_at),
        }
    }
}

/// A new or changed team. In a change, absent fields stay as they are.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = TeamChange, examples(json!({
    "name": "Sales",
    "assignment": "least-busy",
    "timeZone": "Africa/Johannesburg",
    "businessHours": {"weekly": [{"day": "MONDAY", "from": "08:00", "to": "17:00"}]},
})))]
struct ChangeBody {
    /// 1 to 128 characters. Required for a new team.
    #[schema(nullable = false)]
    name: Option<String>,
    /// How waiting chats are assigned.
    #[schema(value_type = Option<AssignmentName>, nullable = false)]
    assignment: Option<String>,
    /// IANA name of the time zone. If null, the client's.
    #[serde(default, deserialize_with = "body::given")]
    #[schema(value_type = Option<String>)]
    time_zone: Option<Option<String>>,
    /// Business hours. If null, always open.
    #[serde(default, deserialize_with = "body::given_object")]
    #[schema(value_type = Option<BusinessHours>)]
    business_hours: Option<Option<BusinessHours>>,
    /// 1 to 1,000 characters: the text for a customer who begins to wait outside those hours, sent once. If null, no
    /// text.
    #[serde(default, deserialize_with = "body::given")]
    #[schema(value_type = Option<String>)]
    after_hours_text: Option<Option<String>>,
}

impl ChangeBody {
    fn parse(bytes: &[u8]) -> Result<TeamChange, ApiError> {
        let asked: Self = body::parse(bytes).map_err(|fault| ApiError::faults(vec![fault]))?;
        let mut faults = Vec::new();
        let assignment =
            asked.assignment.as_deref().map(str::parse::<Assignment>).transpose().unwrap_or_else(|error| {
                faults.push(FieldFault::new("assignment", error.to_string()));
                None
            });
        let zone = |name: Option<String>| name.as_deref().map(str::parse::<TimeZone>).transpose();
        let time_zone = asked.time_zone.map(zone).transpose().unwrap_or_else(|error| {
            faults.push(FieldFault::new("timeZone", error.to_string()));
            None
        });
        let text = |text: Option<String>| text.as_deref().map(AfterHoursText::parse).transpose();
        let after_hours_text = asked.after_hours_text.map(text).transpose().unwrap_or_else(|error| {
            faults.push(FieldFault::new("afterHoursText", error.to_string()));
            None
        });
        if !faults.is_empty() {
            return Err(ApiError::faults(faults));
        }
        Ok(TeamChange { name: asked.name, assignment, time_zone, hours: asked.business_hours, after_hours_text })
    }
}

fn team_id(text: &str) -> Result<TeamId, ApiError> {
    text.parse().map_err(|_| ApiError::not_found())
}

fn api_error(error: TeamError) -> ApiError {
    match error {
        TeamError::Unknown | TeamError::UnknownUser => ApiError::not_found(),
        TeamError::BadName(fault) => ApiError::fault("name", fault.to_string()),
        TeamError::NameTaken | TeamError::HasMembers | TeamError::HasChats | TeamError::HasSites => {
            ApiError::new(ErrorKind::Conflict, error.to_string())
        }
        TeamError::Failed(cause) => cause.into(),
    }
}

/// Lists the teams, by name.
///
/// `search` is a part of a name, in any case.
#[utoipa::path(
    get,
    path = "/api/v1/teams",
    operation_id = "listTeams",
    tag = "Teams",
    params(ListQuery, SearchParameter),
    security(("apiKey" = [UserReading::ROW.name])),
    responses((status = 200, description = "A page of teams.", body = Page<TeamBody>)),
)]
async fn list(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<UserReading>,
    query: ListQuery,
    SearchParameter(search): SearchParameter,
) -> Result<Page<TeamBody>, ApiError> {
    let found = teams::list(&state.context.db, allowed.caller.client, &search, query.page).await?;
    let now = state.context.now();
    Ok(Page::new(query.page, found, |team| TeamBody::new(team, now)))
}

/// Creates a team.
///
/// Without hours it is always open. Without `assignment`, its chats wait until an agent takes them.
#[utoipa::path(
    post,
    path = "/api/v1/teams",
    operation_id = "createTeam",
    tag = "Teams",
    request_body = ChangeBody,
    security(("apiKey" = [Teams::ROW.name])),
    responses(
        (status = 201, description = "The team.", body = TeamBody),
        (status = 409, description = "The client has a team of this name."),
    ),
)]
async fn create(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Teams>,
    JsonBytes(bytes): JsonBytes,
) -> Result<(StatusCode, Json<TeamBody>), ApiError> {
    let mut begin = ChangeBody::parse(&bytes)?;
    let name = begin.name.take().ok_or_else(|| ApiError::faults(vec![FieldFault::required("name")]))?;
    let (admin, client) = (state.administration(), allowed.caller.client);
    let made = teams::create(&admin, client, &name, begin, allowed.actor()).await.map_err(api_error)?;
    Ok((StatusCode::CREATED, Json(TeamBody::new(made, state.context.now()))))
}

/// Returns a team.
///
/// The answer has its business hours and how its chats are assigned. `GET .../members` lists its members.
#[utoipa::path(
    get,
    path = "/api/v1/teams/{id}",
    operation_id = "readTeam",
    tag = "Teams",
    params(("id" = String, Path, description = "Id of the team.")),
    security(("apiKey" = [UserReading::ROW.name])),
    responses((status = 200, description = "The team.", body = TeamBody)),
)]
async fn read(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<UserReading>,
    Segments(id): Segments<String>,
) -> Result<Json<TeamBody>, ApiError> {
    let found = teams::find(&state.context.db, allowed.caller.client, team_id(&id)?).await.map_err(api_error)?;
    Ok(Json(TeamBody::new(found, state.context.now())))
}

/// Renames a team, or changes its hours and the assignment of chats.
///
/// Fields that are absent do not change. New hours apply to messages that arrive from now on.
#[utoipa::path(
    put,
    path = "/api/v1/teams/{id}",
    operation_id = "updateTeam",
    tag = "Teams",
    params(("id" = String, Path, description = "Id of the team.")),
    request_body = ChangeBody,
    security(("apiKey" = [Teams::ROW.name])),
    responses(
        (status = 200, description = "The changed team.", body = TeamBody),
        (status = 409, description = "The client has another team of this name."),
    ),
)]
async fn update(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Teams>,
    Segments(id): Segments<String>,
    JsonBytes(bytes): JsonBytes,
) -> Result<Json<TeamBody>, ApiError> {
    let (team, change) = (team_id(&id)?, ChangeBody::parse(&bytes)?);
    let (admin, client) = (state.administration(), allowed.caller.client);
    let changed = teams::update(&admin, client, team, change, allowed.actor()).await.map_err(api_error)?;
    Ok(Json(TeamBody::new(changed, state.context.now())))
}

/// Deletes a team that has no members and no chats.
///
/// If the team still has members or chats, the answer is 409.
#[utoipa::path(
    delete,
    path = "/api/v1/teams/{id}",
    operation_id = "deleteTeam",
    tag = "Teams",
    params(("id" = String, Path, description = "Id of the team.")),
    security(("apiKey" = [Teams::ROW.name])),
    responses(
        (status = 204, description = "The team is deleted."),
        (status = 409, description = "The team has members or chats."),
    ),
)]
async fn remove(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Teams>,
    Segments(id): Segments<String>,
) -> Result<StatusCode, ApiError> {
    let (admin, client) = (state.administration(), allowed.caller.client);
    teams::delete(&admin, client, team_id(&id)?, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the members of a team, by name.
///
/// Waiting chats of the team are assigned to its members, as its `assignment` says.
#[utoipa::path(
    get,
    path = "/api/v1/teams/{id}/members",
    operation_id = "listMembers",
    tag = "Teams",
    params(("id" = String, Path, description = "Id of the team."), ListQuery, SearchParameter),
    security(("apiKey" = [UserReading::ROW.name])),
    responses((status = 200, description = "A page of users.", body = Page<UserBody>)),
)]
async fn members(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<UserReading>,
    Segments(id): Segments<String>,
    query: ListQuery,
    SearchParameter(search): SearchParameter,
) -> Result<Page<UserBody>, ApiError> {
    let (db, client, team) = (&state.context.db, allowed.caller.client, team_id(&id)?);
    teams::find(db, client, team).await.map_err(api_error)?;
    let found = users::list(db, client, &search, Some(team), query.page).await?;
    Ok(Page::new(query.page, found, UserBody::from))
}

/// Makes a user a member of a team.
///
/// A user is a member of at most one team, so it leaves its previous team.
#[utoipa::path(
    put,
    path = "/api/v1/teams/{id}/members/{user}",
    operation_id = "addMember",
    tag = "Teams",
    params(
        ("id" = String, Path, description = "Id of the team."),
        ("user" = String, Path, description = "Id of the user."),
    ),
    security(("apiKey" = [Teams::ROW.name])),
    responses((status = 204, description = "The user is a member.")),
)]
async fn add_member(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Teams>,
    Segments((id, user)): Segments<(String, String)>,
) -> Result<StatusCode, ApiError> {
    let (team, user) = (team_id(&id)?, user_id(&user)?);
    let (admin, client) = (state.administration(), allowed.caller.client);
    teams::add_member(&admin, client, team, user, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Removes a user from a team.
///
/// The user stays a user of the client.
#[utoipa::path(
    delete,
    path = "/api/v1/teams/{id}/members/{user}",
    operation_id = "removeMember",
    tag = "Teams",
    params(
        ("id" = String, Path, description = "Id of the team."),
        ("user" = String, Path, description = "Id of the user."),
    ),
    security(("apiKey" = [Teams::ROW.name])),
    responses((status = 204, description = "The user is not a member.")),
)]
async fn remove_member(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Teams>,
    Segments((id, user)): Segments<(String, String)>,
) -> Result<StatusCode, ApiError> {
    let (team, user) = (team_id(&id)?, user_id(&user)?);
    let (admin, client) = (state.administration(), allowed.caller.client);
    teams::remove_member(&admin, client, team, user, allowed.actor()).await.map_err(api_error)?;
    Ok(StatusCode::NO_CONTENT)
}
