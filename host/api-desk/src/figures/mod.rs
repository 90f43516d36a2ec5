//! Figures for supervisors: `/chat-service/api/v2/figures`.

mod bodies;

use api_core::{
    auth::{AuthorizedCaller, Figures, Permission},
    error::ApiError,
    query::QueryParameters,
    report_form::{ReportFormat, ReportParameters},
    state::ApiState,
};
use axum::{Json, extract::State, http::request::Parts, response::Response};
use chat::desk::figures::{self, FigurePeriod};
use chrono::TimeDelta;
use domain::body::{Faults, FieldFault};
use domain::iso_time::iso_time;
use utoipa::IntoParams;
use utoipa_axum::{router::OpenApiRouter, routes};

use bodies::{DeskStateBody, FiguresBody, PeriodBody};

use crate::live_chat::desk::{acting, api_error};

/// The period if the caller names none.
const USUAL: TimeDelta = TimeDelta::days(7);

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(now)).routes(routes!(of_period)).routes(routes!(export))
}

/// The chats that are counted.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the parameters")]
struct PeriodParameters {
    /// Begin of the period, included. ISO 8601. If absent, seven days before `to`.
    #[param(nullable = false, format = DateTime)]
    from: Option<String>,
    /// End of the period, excluded, at most 92 days after `from`. ISO 8601. If absent, now.
    #[param(nullable = false, format = DateTime)]
    to: Option<String>,
    /// Only chats of this team.
    #[param(nullable = false, value_type = Option<Uuid>)]
    team_id: Option<String>,
}

fn period(state: &ApiState, parts: &Parts) -> Result<FigurePeriod, ApiError> {
    let given = QueryParameters::of(&parts.uri)?;
    let mut faults = Faults::default();
    let [from, to] = given.moments(["from", "to"], &mut faults);
    let team = given.value("teamId").map(str::parse).transpose().unwrap_or_else(|_| {
        faults.push(FieldFault::new("teamId", "must be the id of a team"));
        None
    });
    if !faults.is_empty() {
        return Err(ApiError::faults(faults));
    }
    let before = to.unwrap_or_else(|| state.context.now());
    let from = from.or_else(|| before.checked_sub_signed(USUAL)).unwrap_or(before);
    Ok(FigurePeriod { from, before, team })
}

/// Returns the queue, the agents with their load, and the missed chats, now.
///
/// It is cheap: a wall board may ask every few seconds.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/figures/now",
    operation_id = "getDeskState",
    tag = "Live chat",
    security(("apiKey" = [Figures::ROW.name])),
    responses((status = 200, description = "The present state.", body = DeskStateBody)),
)]
async fn now(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Figures>,
) -> Result<Json<DeskStateBody>, ApiError> {
    Ok(Json(figures::now(&state.context, acting(&allowed)).await.map_err(api_error)?.into()))
}

/// Returns figures of the chats that began in a period: in total, and by channel, team, agent, hour and day.
///
/// Hours and days are in the time zone of the client. Chats that began before figures were kept are not counted.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/figures",
    operation_id = "getChatFigures",
    tag = "Live chat",
    params(PeriodParameters),
    security(("apiKey" = [Figures::ROW.name])),
    responses((status = 200, description = "The figures.", body = PeriodBody)),
)]
async fn of_period(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Figures>,
    parts: Parts,
) -> Result<Json<PeriodBody>, ApiError> {
    let period = period(&state, &parts)?;
    let found = figures::of_period(&state.context, acting(&allowed), period).await.map_err(api_error)?;
    let figures = found.groups.into_iter().map(|figures| FiguresBody::of(figures, &found.names)).collect();
    let (from, to) = (iso_time(period.from), iso_time(period.before));
    Ok(Json(PeriodBody { from, to, time_zone: found.time_zone, figures }))
}

/// Exports the figures of a period, one group per line.
///
/// Times are in seconds.
#[utoipa::path(
    get,
    path = "/chat-service/api/v2/figures/export",
    operation_id = "exportChatFigures",
    tag = "Live chat",
    params(ReportParameters, PeriodParameters),
    security(("apiKey" = [Figures::ROW.name])),
    responses((
        status = 200,
        description = "One line per group.",
        content((String = "text/csv"), (String = "application/x-ndjson")),
    )),
)]
async fn export(
    State(state): State<ApiState>,
    allowed: AuthorizedCaller<Figures>,
    parts: Parts,
) -> Result<Response, ApiError> {
    let (format, period) = (ReportFormat::of(&parts)?, period(&state, &parts)?);
    let found = figures::of_period(&state.context, acting(&allowed), period).await.map_err(api_error)?;
    let rows: Vec<FiguresBody> =
        found.groups.into_iter().map(|figures| FiguresBody::of(figures, &found.names)).collect();
    format.stream::<FiguresBody, _, _, _>("figures", rows, |rows| async move { (Vec::new(), Ok(rows)) })
}
