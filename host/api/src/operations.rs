//! For operators (CONTRACT 5).

use std::sync::Arc;

use api_core::{
    error::{self, ApiError, ErrorKind},
    https::peer,
    state::{ApiState, MetricsPage, Readiness},
};
use axum::{
    Json, Router,
    extract::{Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use base::Context;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

pub(crate) fn routes() -> OpenApiRouter<ApiState> {
    OpenApiRouter::new().routes(routes!(alive)).routes(routes!(ready)).routes(routes!(metrics))
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
enum AliveStatus {
    Up,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum ReadyStatus {
    Ready,
    NotReady,
}

#[derive(Serialize, ToSchema)]
struct Alive {
    status: AliveStatus,
}

#[derive(Serialize, ToSchema)]
struct Ready {
    status: ReadyStatus,
    /// The checks behind the status.
    checks: ReadyChecks,
}

#[derive(Serialize, ToSchema)]
struct ReadyChecks {
    /// `true` if the database answers.
    database: bool,
    /// `true` if its schema is as new as this program.
    migrations: bool,
    /// `true` if it takes writes: its disk is not full, and it is not a replica.
    writable: bool,
    /// `true` if the built-in plugins are ready.
    plugins: bool,
    /// `true` if the process is stopping.
    stopping: bool,
}

/// Tells that the process answers.
///
/// It does not look at the database. Restart the process if it does not answer.
#[utoipa::path(
    get,
    path = "/healthz",
    operation_id = "alive",
    tag = "Operations",
    responses((status = 200, description = "The process answers.", body = Alive)),
)]
pub(crate) async fn alive() -> Response {
    Json(Alive { status: AliveStatus::Up }).into_response()
}

/// Tells if the process can do its work.
///
/// The database answers, has the schema of the program and takes writes; the plugins are ready; and the process is not
/// stopping.
#[utoipa::path(
    get,
    path = "/readyz",
    operation_id = "ready",
    tag = "Operations",
    responses(
        (status = 200, description = "The process can do its work.", body = Ready),
        (status = 503, description = "The process cannot do its work. `checks` shows the reason.", body = Ready),
    ),
)]
pub(crate) async fn ready(State(state): State<ApiState>) -> Response {
    readiness(&state.context, &state.readiness).await
}

async fn readiness(ctx: &Context, readiness: &Readiness) -> Response {
    let checks = base::readiness::check(ctx).await;
    let stopping = readiness.is_stopping();
    let (status, word) = if checks.all() && !stopping {
        (StatusCode::OK, ReadyStatus::Ready)
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, ReadyStatus::NotReady)
    };
    let checks = ReadyChecks {
        database: checks.database,
        migrations: checks.migrations,
        writable: checks.writable,
        plugins: checks.plugins,
        stopping,
    };
    (status, Json(Ready { status: word, checks })).into_response()
}

/// Returns metrics for Prometheus.
///
/// It answers only callers on this machine without a proxy, unless `server.metrics_listen` gives it another address.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "metrics",
    tag = "Operations",
    responses(
        (status = 200, description = "Metrics in the text format.", body = String, content_type = "text/plain"),
        (status = 403, description = "The caller is not on this machine, or came through a proxy."),
    ),
)]
pub(crate) async fn metrics(State(state): State<ApiState>, request: Request) -> Result<Response, ApiError> {
    if state.settings.metrics_elsewhere {
        return Err(error::no_such_path());
    }
    if !is_of_this_machine(&request) {
        let said = "metrics are for callers on this machine: server.metrics_listen gives them an address of their own";
        return Err(ApiError::new(ErrorKind::Forbidden, said));
    }
    Ok(render(state.metrics.as_ref()).await)
}

/// A proxy on this machine forwards requests of other machines, and marks them.
fn is_of_this_machine(request: &Request) -> bool {
    let forwarded = ["x-forwarded-for", "x-forwarded-proto", "forwarded", "via"];
    let direct = !forwarded.iter().any(|name| request.headers().contains_key(*name));
    direct && peer(request.extensions()).is_some_and(|peer| peer.is_loopback())
}

async fn render(metrics: &dyn MetricsPage) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], metrics.render().await).into_response()
}

/// Serves only `GET /metrics`, without a key, for an address that only authorised callers can reach.
pub fn metrics_router(metrics: Arc<dyn MetricsPage>) -> Router {
    let page = async move || render(metrics.as_ref()).await;
    Router::new().route("/metrics", get(page))
}

/// Serves `/metrics`, `/healthz` and `/readyz` of a process without the API, without a key.
pub fn work_router(metrics: Arc<dyn MetricsPage>, ctx: Arc<Context>, state: Arc<Readiness>) -> Router {
    let ready = async move || readiness(&ctx, &state).await;
    metrics_router(metrics).route("/healthz", get(alive)).route("/readyz", get(ready))
}
