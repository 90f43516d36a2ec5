//! The work of agents: chats, tickets, contacts, live events, custom events, and the data of single customers.

mod attribute_values;
mod closed_sets;
mod contact_attributes;
mod contact_facts;
mod contact_import;
mod contact_merges;
mod contacts;
mod custom_events;
mod figures;
mod live_chat;
mod live_events;
mod people;
mod tickets;

use std::sync::Arc;

use api_core::state::{ApiState, StateWith};
use events::live_events::Hub;
use utoipa_axum::router::OpenApiRouter;

pub fn routes(state: &ApiState, live: Arc<Hub>) -> OpenApiRouter<ApiState> {
    OpenApiRouter::new()
        .merge(live_chat::routes())
        .merge(tickets::routes())
        .merge(contacts::routes())
        .merge(contact_attributes::routes())
        .merge(contact_facts::routes())
        .merge(contact_import::routes())
        .merge(contact_merges::routes())
        .merge(figures::routes())
        .merge(people::routes())
        .merge(custom_events::routes())
        .merge(live_events::routes().with_state(StateWith::new(state, live)))
}
