//! Trial calls of a component before it gets any events.

use std::sync::Arc;

use super::loader::LoadedPlugin;
use crate::calling::host_calls::HostCalls;
use crate::calling::run::{Conditions, run};
use crate::error::CallError;
use crate::fairness::room::UnlimitedBudget;
use crate::host::PluginHost;
use crate::worlds::{DecideFallback, DecideSms, HandleEvent, Question, RouteInbound, ShapeBody, sample};
use crate::{PluginRef, World};

impl PluginHost {
    /// Puts a sample question of its world to a component, under the limits of any call.
    pub(crate) async fn try_out(&self, loaded: &LoadedPlugin) -> Result<(), String> {
        let tried = match loaded.program.linked.world() {
            World::Chatbot => {
                let (event, session) = sample::hello();
                self.trial(loaded, &HandleEvent::new(&event, &session)).await.map(drop)
            }
            World::SmsFallback => self.trial(loaded, &DecideFallback::new(&sample::undeliverable())).await.map(drop),
            World::WebhookShaper => self.trial(loaded, &ShapeBody::new(&sample::webhook_event())).await.map(drop),
            World::Router => self.trial(loaded, &RouteInbound::new(&sample::inbound())).await.map(drop),
            World::SmsRouter => self.trial(loaded, &DecideSms::new(&[sample::sms()])).await.map(drop),
        };
        match tried {
            // An error that the plugin returns is an answer: it may lack its configuration here.
            Ok(()) | Err(CallError::Refused { .. }) => Ok(()),
            Err(error) => Err(format!("the trial call failed: {error}")),
        }
    }

    /// Puts one question to a component that is not in use yet.
    pub(crate) async fn trial<Q: Question>(&self, loaded: &LoadedPlugin, question: &Q) -> Result<Q::Answer, CallError> {
        let plugin = PluginRef::shipped(&loaded.name);
        let call = sample::call(&plugin);
        let answered = run(
            self.engine(),
            self.limits(),
            loaded,
            &call,
            HostCalls::none(),
            question,
            Conditions { placement: self.placement_of_trials(), room: Arc::new(UnlimitedBudget), secrets: None },
        )
        .await;
        answered.map(|answered| answered.answer)
    }
}
