//! World `sms-router`.

use std::borrow::Cow;

use wasmtime::Store;

use super::{
    PluginResult, Question,
    answer::{self, AnswerFault},
};
use crate::{
    World,
    calling::{guest::GuestState, limits::CallLimits},
    loading::link::LinkedComponent,
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

    async fn ask(&self, plugin: &LinkedComponent, store: &mut Store<GuestState>) -> Option<PluginResult<Self::Answer>> {
        // The track before has no such world.
        let LinkedComponent::SmsRouter(pre) = plugin else { return None };
        let plugin = match pre.instantiate_async(&mut *store).await {
            Ok(plugin) => plugin,
            Err(fault) => return Some(Err(fault)),
        };
        Some(plugin.patchbay_plugin_sms_routing().call_decide_sms(store, &self.0).await)
    }

    fn judge(&self, answer: &Self::Answer, _limits: &CallLimits) -> Result<(), AnswerFault> {
        answer::sms_router::judge(&self.0, answer)
    }
}
