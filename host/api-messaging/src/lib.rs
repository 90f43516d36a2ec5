//! Messages to customers: sending, batches and reports, the story of a message, conversations, the blocklist, rates,
//! business numbers and templates.

mod batch_messages;
mod batches;
mod blocklist;
mod closed_sets;
mod conversations;
mod failure_codes;
mod inboxes;
mod listed_message;
mod lite;
mod lite_host;
mod message_lookup;
mod numbers;
mod rates;
mod reports;
mod sending;
mod state;
mod story;
mod templates;

use std::sync::Arc;

use api_core::state::ApiState;
use outbound::accept::Acceptor;
use utoipa_axum::router::OpenApiRouter;

use state::SendState;

pub fn routes(state: &ApiState, acceptor: Arc<Acceptor>) -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .merge(sending::routes().with_state(SendState::new(state, acceptor)))
        .merge(conversations::routes())
        .merge(batches::routes())
        .merge(batch_messages::routes())
        .merge(reports::routes())
        .merge(message_lookup::routes())
        .merge(story::routes())
        .merge(failure_codes::routes())
        .merge(blocklist::routes())
        .merge(rates::routes())
        .merge(numbers::routes())
        .merge(inboxes::routes())
        .merge(lite::routes())
        .merge(templates::routes())
}
