//! World `sms-fallback`.

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
    sms_fallback::{Decision, Undeliverable},
};

/// The question of world `sms-fallback`: whether a message goes out as an SMS.
#[derive(serde::Serialize)]
pub(crate) struct DecideFallback<'a>(Cow<'a, Undeliverable>);

impl<'a> DecideFallback<'a> {
    pub(crate) fn new(asked: &'a Undeliverable) -> Self {
        Self(Cow::Borrowed(asked))
    }
}

impl Question for DecideFallback<'_> {
    type Answer = Decision;
    type Owned = DecideFallback<'static>;

    fn owned(&self) -> Self::Owned {
        DecideFallback(Cow::Owned(self.0.as_ref().clone()))
    }

    fn world(&self) -> World {
        World::SmsFallback
    }

    async fn ask(&self, plugin: &LinkedComponent, store: &mut Store<GuestState>) -> Option<PluginResult<Self::Answer>> {
        let pre = match plugin {
            LinkedComponent::SmsFallback(pre) => pre,
            LinkedComponent::Older(older) if older.world() == World::SmsFallback => {
                return Some(older.ask(store, (self.0.as_ref(),)).await.map(Ok));
            }
            _ => return None,
        };
        let plugin = match pre.instantiate_async(&mut *store).await {
            Ok(plugin) => plugin,
            Err(fault) => return Some(Err(fault)),
        };
        Some(plugin.patchbay_plugin_fallback().call_decide(store, &self.0).await.map(Ok))
    }

    fn judge(&self, answer: &Self::Answer, _limits: &CallLimits) -> Result<(), AnswerFault> {
        answer::sms::judge(answer)
    }
}
