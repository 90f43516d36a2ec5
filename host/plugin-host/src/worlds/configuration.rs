//! The schema of a plugin's configuration, which a plugin of any world may export.

use plugin_bindings::configurable::ConfigurablePre;
use wasmtime::Store;

use super::{
    PluginResult, Question,
    answer::{self, AnswerFault},
};
use crate::{
    World,
    calling::{guest::GuestState, limits::CallLimits},
    loading::link::LinkedComponent,
};

/// The question for the schema of a plugin's configuration.
#[derive(serde::Serialize)]
pub(crate) struct ReadSchema(pub(crate) World);

impl Question for ReadSchema {
    type Answer = String;
    type Owned = Self;

    fn owned(&self) -> Self {
        Self(self.0)
    }

    fn world(&self) -> World {
        self.0
    }

    async fn ask(&self, plugin: &LinkedComponent, store: &mut Store<GuestState>) -> Option<PluginResult<Self::Answer>> {
        if let LinkedComponent::Older(older) = plugin {
            return older.schema(store).await.map(|schema| schema.map(Ok));
        }
        let given = async {
            let pre = ConfigurablePre::new(plugin.instance_pre().clone())?;
            let plugin = pre.instantiate_async(&mut *store).await?;
            plugin.patchbay_plugin_configuration().call_schema(store).await
        };
        Some(given.await.map(Ok))
    }

    fn judge(&self, answer: &Self::Answer, limits: &CallLimits) -> Result<(), AnswerFault> {
        answer::body::judge_schema(answer, limits)
    }
}
