//! Programs on the other side: the SMS gateways, callbacks of providers, and the files that providers and phones fetch.

mod account_callbacks;
mod batch_gateway;
mod closed_sets;
mod failed_callbacks;
mod form;
mod media;
mod messenger_callbacks;
mod providers;
mod ranges;
mod sms_gateway;
mod state;
mod test_messages;

use std::sync::Arc;

use api_core::state::ApiState;
use inbound::callbacks::Intake;
use sms::Gateways;
use utoipa_axum::router::OpenApiRouter;

pub use sms_gateway::outage_answer;
use state::{CallbackState, SmsGatewayState};

pub fn routes(state: &ApiState, sms: Arc<Gateways>, callbacks: Arc<Intake>) -> OpenApiRouter<ApiState> {
    let gateways = sms_gateway::routes().merge(batch_gateway::routes());
    let providers = providers::routes().merge(messenger_callbacks::routes());
    OpenApiRouter::new()
        .merge(gateways.with_state(SmsGatewayState::new(state, sms)))
        .merge(providers.with_state(CallbackState::new(state, callbacks)))
        .merge(media::routes())
        .merge(account_callbacks::routes())
        .merge(failed_callbacks::routes())
        .merge(test_messages::routes())
}
