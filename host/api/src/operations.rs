//! For operators (CONTRACT 5).

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::state::ApiState;

/// The process answers.
pub(crate) async fn alive() -> Response {
    Json(json!({"status": "UP"})).into_response()
}

/// The process can do its work: database, migrations, plugins; and it is not stopping.
pub(crate) async fn ready(State(state): State<ApiState>) -> Response {
    let checks = base::readiness::check(&state.context).await;
    let stopping = state.readiness.is_stopping();
    let (status, word) = if checks.all() && !stopping {
        (StatusCode::OK, "READY")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "NOT_READY")
    };
    let body = json!({
        "status": word,
        "checks": {
            "database": checks.database,
            "migrations": checks.migrations,
            "plugins": checks.plugins,
            "stopping": stopping,
        },
    });
    (status, Json(body)).into_response()
}

/// For Prometheus.
pub(crate) async fn metrics(State(state): State<ApiState>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], state.metrics.render()).into_response()
}
