//! The schema of a plugin's configuration, which a plugin of any world may export.

use plugin_bindings::configurable::ConfigurablePre;
use wasmtime::Store;

use super::{
    Given, Question,
    answer::{self, Fault},
};
use crate::{
    World,
    calling::{guest::Guest, limits::Limits},
    loading::link::Linked,
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

    async fn ask(&self, plugin: &Linked, store: &mut Store<Guest>) -> Option<Given<Self::Answer>> {
        if let Linked::Older(older) = plugin {
            return older.schema(store).await.map(|schema| schema.map(Ok));
        }
        let given = async {
            let pre = ConfigurablePre::new(plugin.instance_pre().clone())?;
            let plugin = pre.instantiate_async(&mut *store).await?;
            plugin.patchbay_plugin_configuration().call_schema(store).await
        };
        Some(given.await.map(Ok))
    }

    fn judge(&self, answer: &Self::Answer, limits: &Limits) -> Result<(), Fault> {
        answer::body::judge_schema(answer, limits)
    }
}
