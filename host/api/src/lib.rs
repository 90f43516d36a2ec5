//! The HTTP interface of Patchbay: joins the routes of the crates `api-*`, and serves the OpenAPI document, the guides, the
//! console and the probes. A handler extracts and parses, calls one use case and shapes the answer. The rules are in the use cases and
//! in `domain`. `docs/urls.md` maps each URL to its code.

mod document;
mod operations;
mod state;
mod testing;
mod web_console;

use api_core::{error, observe, path_aliases, request_checks, state::ApiState};
use axum::{Extension, Router, middleware::from_fn_with_state};
use tower::{Layer, ServiceBuilder, util::MapRequestLayer};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;

pub use api_core::{
    admission::{AdmissionGate, AdmissionSettings, GracePeriods, PeerLink, pace_of_address},
    auth::{PERMISSIONS, PermissionRow},
    early_answers::{EarlyAnswers, EarlyFault, HeadFault},
    error::ErrorKind,
    https::{OverTls, RequestSource},
    state::{ApiSettings, ClockControl, ClockFailed, MetricsPage, Readiness, UseGuard},
};
pub use api_webchat::{WebChat, WebChatLimits, site_script, site_script_url};
pub use operations::{metrics_router, work_router};
use state::AudienceServices;
pub use state::SharedState;

pub fn router(shared: SharedState) -> Router {
    let (state, services) = shared.split();
    let (routes, document) = join(&state, services).split_for_parts();
    let document = document::complete(document, state.context.settings.server.public_base());
    let routes = routes
        .fallback(web_console::below)
        .method_not_allowed_fallback(error::method_not_allowed)
        .layer(
            ServiceBuilder::new()
                .layer(from_fn_with_state(state.clone(), observe::observe))
                .layer(CatchPanicLayer::custom(error::panicked))
                .layer(from_fn_with_state(state.clone(), request_checks::pass))
                .layer(Extension(document)),
        )
        .with_state(state);
    // The path is changed before routing, so this layer is around the router and not in it.
    Router::new().fallback_service(MapRequestLayer::new(path_aliases::plain_path).layer(routes))
}

pub fn routes(shared: SharedState) -> OpenApiRouter {
    let (state, services) = shared.split();
    join(&state, services).with_state(state)
}

fn join(state: &ApiState, services: AudienceServices) -> OpenApiRouter<ApiState> {
    let testing_clock = state.settings.testing_clock.is_some();
    OpenApiRouter::default()
        .merge(api_messaging::routes(state, services.acceptor))
        .merge(api_webhooks::routes())
        .merge(api_accounts::routes())
        .merge(api_desk::routes(state, services.live))
        .merge(api_plugins::routes(state, services.uploads))
        .merge(api_gateways::routes(state, services.sms, services.callbacks))
        .merge(api_webchat::routes(state, services.web_chat))
        .merge(api_operators::routes(state, services.status))
        .merge(operations::routes())
        .merge(document::routes())
        .merge(web_console::routes())
        .merge(if testing_clock { testing::routes() } else { OpenApiRouter::default() })
}
