//! The HTTP interface of Patchbay: one module per part of the specification's section 4, and shared layers. A handler
//! extracts and parses, calls one use case and shapes the answer. The rules are in the use cases and in `domain`.
//! `docs/urls.md` maps each URL to its code.

mod account_callbacks;
mod account_keys;
mod admission;
mod auth;
mod batch_gateway;
mod batches;
mod blocklist;
mod body;
mod clients;
mod contacts;
mod conversations;
mod csv;
mod custom_events;
mod deprecation;
mod document;
mod early;
mod entity_tag;
mod entrance;
pub mod error;
mod failed_callbacks;
mod failure_codes;
mod form;
mod https;
mod legacy;
mod lite;
mod lite_host;
mod live_chat;
mod live_events;
mod media;
mod media_kind;
mod message_lookup;
mod numbers;
mod observe;
mod operations;
mod page;
mod page_callbacks;
mod path;
mod people;
mod plugins;
mod privacy;
mod product;
mod product_hosts;
mod providers;
mod query;
mod ranges;
mod rates;
mod reports;
mod request_facts;
mod requests;
mod routing;
mod sending;
mod sites;
mod sms_gateway;
mod state;
mod story;
mod teams;
mod templates;
mod testing;
mod tickets;
mod users;
mod web_chat;
mod webhook_attempts;
mod webhook_config;
mod webhook_listener;

use axum::{Extension, Router, middleware::from_fn_with_state};
use tower::{Layer, ServiceBuilder, util::MapRequestLayer};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;

pub use admission::{Admission, AdmissionSettings, Graces, PeerLink};
pub use auth::{PERMISSIONS, PermissionRow};
pub use early::{EarlyAnswers, EarlyFault, WrongHead};
pub use https::OverTls;
pub use operations::metrics_router;
pub use sites::script as site_script;
use state::ApiState;
pub use state::{ApiSettings, ClockControl, ClockFailed, InUse, Readiness, SharedState};
pub use web_chat::{WebChat, WebChatLimits};

/// The router of all products.
pub fn router(shared: SharedState) -> Router {
    let state = ApiState::from(shared);
    let (routes, document) = routes(state.settings.testing_clock.is_some()).split_for_parts();
    let document = document::complete(document, &state.context.settings.public_url);
    let routes = routes
        .fallback(async || error::no_such_path())
        .method_not_allowed_fallback(error::method_not_allowed)
        .layer(
            ServiceBuilder::new()
                .layer(from_fn_with_state(state.clone(), observe::observe))
                .layer(CatchPanicLayer::custom(error::panicked))
                .layer(from_fn_with_state(state.clone(), entrance::pass))
                .layer(Extension(document)),
        )
        .with_state(state);
    // The path is changed before routing, so this layer is around the router and not in it.
    Router::new().fallback_service(MapRequestLayer::new(legacy::plain_path).layer(routes))
}

/// All routes, each with its description.
fn routes(testing_clock: bool) -> OpenApiRouter<ApiState> {
    OpenApiRouter::default()
        .merge(sending::routes())
        .merge(conversations::routes())
        .merge(batches::routes())
        .merge(reports::routes())
        .merge(message_lookup::routes())
        .merge(story::routes())
        .merge(failure_codes::routes())
        .merge(blocklist::routes())
        .merge(failed_callbacks::routes())
        .merge(requests::routes())
        .merge(rates::routes())
        .merge(account_keys::routes())
        .merge(clients::routes())
        .merge(contacts::routes())
        .merge(people::routes())
        .merge(users::routes())
        .merge(teams::routes())
        .merge(webhook_config::routes())
        .merge(webhook_attempts::routes())
        .merge(webhook_listener::routes())
        .merge(numbers::routes())
        .merge(lite::routes())
        .merge(templates::routes())
        .merge(plugins::routes())
        .merge(routing::routes())
        .merge(custom_events::routes())
        .merge(sites::routes())
        .merge(web_chat::routes())
        .merge(live_chat::routes())
        .merge(tickets::routes())
        .merge(live_events::routes())
        .merge(sms_gateway::routes())
        .merge(batch_gateway::routes())
        .merge(media::routes())
        .merge(page_callbacks::routes())
        .merge(account_callbacks::routes())
        .merge(providers::routes())
        .merge(operations::routes())
        .merge(document::routes())
        .merge(if testing_clock { testing::routes() } else { OpenApiRouter::default() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The paths of a router. Only its debug text shows them.
    fn served<S>(router: &Router<S>) -> BTreeSet<String> {
        let told = format!("{router:?}");
        let paths = told.split('"').filter(|text| text.starts_with('/'));
        // The last one belongs to the fallback.
        paths.filter(|path| !path.contains("__private__axum")).map(str::to_owned).collect()
    }

    #[test]
    fn every_path_that_is_served_is_in_the_document_and_the_other_way_round() {
        let (router, document) = routes(true).split_for_parts();
        let described: BTreeSet<String> = document.paths.paths.into_keys().collect();
        assert!(described.len() > 25, "{described:?}");
        assert_eq!(served(&router), described);
    }

    #[test]
    fn a_route_without_description_would_be_noticed() {
        let (router, document) = routes(false).route("/secret/door", axum::routing::get(|| async {})).split_for_parts();
        assert!(served(&router).contains("/secret/door") && !document.paths.paths.contains_key("/secret/door"));
        assert!(!served(&router).contains("/testing/clock/advance"), "it is not served unless it is configured");
    }
}
