//! World `sms-router`.

use std::borrow::Cow;

use wasmtime::Store;

use super::{
    Given, Question,
    answer::{self, Fault},
};
use crate::{
    World,
    calling::{guest::Guest, limits::Limits},
    loading::link::Linked,
    sms_router::{Decision, Sms},
};

/// The question of world `sms-router`: decisions about all messages in one call.
#[derive(serde::Serialize)]
pub(crate) struct DecideSms<'a>(Cow<'a, [Sms]>);

impl<'a> DecideSms<'a> {
    pub(crate) fn new(asked: &'a [Sms]) -> Self {
        Self(Cow::Borrowed(asked))
    }
}

impl Question for DecideSms<'_> {
    type Answer = Vec<Decision>;
    type Owned = DecideSms<'static>;

    fn owned(&self) -> Self::Owned {
        DecideSms(Cow::Owned(self.0.to_vec()))
    }

    fn world(&self) -> World {
        World::SmsRouter
    }

    async fn ask(&self, plugin: &Linked, store: &mut Store<Guest>) -> Option<Given<Self::Answer>> {
        // The track before has no such world.
        let Linked::SmsRouter(pre) = plugin else { return None };
        let plugin = match pre.instantiate_async(&mut *store).await {
            Ok(plugin) => plugin,
            Err(fault) => return Some(Err(fault)),
        };
        Some(plugin.patchbay_plugin_sms_routing().call_decide_sms(store, &self.0).await)
    }

    fn judge(&self, answer: &Self::Answer, _limits: &Limits) -> Result<(), Fault> {
        answer::sms_router::judge(&self.0, answer)
    }
}
