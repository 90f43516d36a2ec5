//! Calls without effect, so that authors can see the answers of a plugin.

use std::sync::Arc;

use super::{call::PluginCall, end::CheckedAnswer, key_values::KeyValueSnapshot};
use crate::{
    error::CallError,
    host::PluginHost,
    worlds::{
        DecideFallback, DecideSms, HandleEvent, RouteInbound, ShapeBody,
        json::{DryAnswer, DryResult, WorldQuestion},
    },
};

impl PluginHost {
    /// Puts a question to a plugin without counting the result, even if the plugin is suspended. The call has no
    /// effects except requests to the hosts that it allows.
    pub async fn dry_run(
        &self,
        call: PluginCall<'_>,
        question: &WorldQuestion,
        key_values: Arc<dyn KeyValueSnapshot>,
    ) -> Result<DryAnswer, CallError> {
        let values = Some(key_values);
        match question {
            WorldQuestion::Chatbot { event, session } => {
                let asked = self.ask_once(&call, values, &HandleEvent::new(event, session)).await;
                asked.map(|answered| dry(answered, DryResult::Actions))
            }
            WorldQuestion::SmsFallback(undeliverable) => {
                let asked = self.ask_once(&call, values, &DecideFallback::new(undeliverable)).await;
                asked.map(|answered| dry(answered, DryResult::Decision))
            }
            WorldQuestion::WebhookShaper(event) => {
                let asked = self.ask_once(&call, values, &ShapeBody::new(event)).await;
                asked.map(|answered| dry(answered, DryResult::Payload))
            }
            WorldQuestion::Router(inbound) => {
                let asked = self.ask_once(&call, values, &RouteInbound::new(inbound)).await;
                asked.map(|answered| dry(answered, DryResult::Route))
            }
            WorldQuestion::SmsRouter(messages) => {
                let asked = self.ask_once(&call, values, &DecideSms::new(messages)).await;
                asked.map(|answered| dry(answered, DryResult::SmsDecisions))
            }
        }
    }
}

fn dry<A>(answered: CheckedAnswer<A>, result: fn(A) -> DryResult) -> DryAnswer {
    DryAnswer { answer: result(answered.answer), writes: answered.writes, trace: answered.trace }
}
