//! Trial calls of a component before it gets any events.

use std::sync::Arc;

use super::loader::LoadedPlugin;
use crate::calling::host_calls::HostCalls;
use crate::calling::run::{Conditions, run};
use crate::error::CallError;
use crate::fairness::room::UnlimitedBudget;
use crate::host::PluginHost;
use crate::worlds::world_question::{WorldQuestion, typed};
use crate::worlds::{Question, sample};
use crate::{PluginCall, PluginRef};

impl PluginHost {
    /// Puts a sample question of its world to a component, under the limits of any call.
    pub(crate) async fn try_out(&self, loaded: &LoadedPlugin) -> Result<(), String> {
        let question = WorldQuestion::sample(loaded.program.linked.world());
        let tried = typed!(&question, |asked, _| self.trial(loaded, &asked, sample::CONFIG).await.map(drop));
        match tried {
            // An error that the plugin returns is an answer: it may lack its configuration here.
            Ok(()) | Err(CallError::Refused { .. }) => Ok(()),
            Err(error) => Err(format!("the trial call failed: {error}")),
        }
    }

    pub(crate) async fn trial<Q: Question>(
        &self,
        loaded: &LoadedPlugin,
        question: &Q,
        config: &str,
    ) -> Result<Q::Answer, CallError> {
        let plugin = PluginRef::shipped(&loaded.name);
        let call = PluginCall { config, ..sample::call(&plugin) };
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
