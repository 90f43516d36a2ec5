//! Calls without effect, so that authors can see the answers of a plugin.

use std::sync::Arc;

use domain::ids::ClientId;
use serde_json::Value;

use super::{call::PluginCall, end::CheckedAnswer, key_values::KeyValueSnapshot};
use crate::{
    error::CallError,
    host::PluginHost,
    worlds::{
        json::DryAnswer,
        world_question::{DryResult, WorldQuestion, typed},
    },
};

impl PluginHost {
    /// Puts a question to a plugin without counting the result. Its only effects are requests to allowed hosts.
    pub async fn dry_run(
        &self,
        call: PluginCall<'_>,
        question: &WorldQuestion,
        key_values: Arc<dyn KeyValueSnapshot>,
    ) -> Result<DryAnswer, CallError> {
        let values = Some(key_values);
        typed!(question, |asked, case| self.ask_once(&call, values, &asked).await.map(|answered| dry(answered, case)))
    }

    /// Removes the secrets of a configuration from the texts of an answer. Fails if they do not open.
    pub fn leave_out_secrets(&self, client: ClientId, config: &str, answer: &mut Value) -> Result<(), CallError> {
        if let Some(secrets) = self.opened(client, "the configuration", config)? {
            secrets.leave_out_of_texts(answer);
        }
        Ok(())
    }
}

fn dry<A>(answered: CheckedAnswer<A>, result: fn(A) -> DryResult) -> DryAnswer {
    let CheckedAnswer { answer, writes, requests, files, trace } = answered;
    DryAnswer { answer: result(answer), writes, requests, files, trace }
}
