//! World `webhook-shaper`.

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
    webhook_shaper::WebhookEvent,
};

/// The question of world `webhook-shaper`: the body of a webhook.
#[derive(serde::Serialize)]
pub(crate) struct ShapeBody<'a>(Cow<'a, WebhookEvent>);

impl<'a> ShapeBody<'a> {
    pub(crate) fn new(asked: &'a WebhookEvent) -> Self {
        Self(Cow::Borrowed(asked))
    }
}

impl Question for ShapeBody<'_> {
    type Answer = Option<String>;
    type Owned = ShapeBody<'static>;

    fn owned(&self) -> Self::Owned {
        ShapeBody(Cow::Owned(self.0.as_ref().clone()))
    }

    fn world(&self) -> World {
        World::WebhookShaper
    }

    async fn ask(&self, plugin: &LinkedComponent, store: &mut Store<GuestState>) -> Option<PluginResult<Self::Answer>> {
        let pre = match plugin {
            LinkedComponent::WebhookShaper(pre) => pre,
            LinkedComponent::Older(older) if older.world() == World::WebhookShaper => {
                return Some(older.ask(store, (self.0.as_ref(),)).await);
            }
            _ => return None,
        };
        let plugin = match pre.instantiate_async(&mut *store).await {
            Ok(plugin) => plugin,
            Err(fault) => return Some(Err(fault)),
        };
        Some(plugin.patchbay_plugin_shaper().call_shape(store, &self.0).await)
    }

    fn judge(&self, answer: &Self::Answer, limits: &CallLimits) -> Result<(), AnswerFault> {
        answer::body::judge(answer.as_deref(), limits)
    }
}

/// The bodies of several webhooks, made one after the other by the same instance. For plugins that keep no state
/// between them.
#[derive(serde::Serialize)]
pub(crate) struct ShapeBodies<'a>(Cow<'a, [WebhookEvent]>);

impl<'a> ShapeBodies<'a> {
    pub(crate) fn new(asked: &'a [WebhookEvent]) -> Self {
        Self(Cow::Borrowed(asked))
    }
}

impl Question for ShapeBodies<'_> {
    type Answer = Vec<Option<String>>;
    type Owned = ShapeBodies<'static>;

    fn owned(&self) -> Self::Owned {
        ShapeBodies(Cow::Owned(self.0.to_vec()))
    }

    fn world(&self) -> World {
        World::WebhookShaper
    }

    async fn ask(&self, plugin: &LinkedComponent, store: &mut Store<GuestState>) -> Option<PluginResult<Self::Answer>> {
        // Built-in plugins use the newest interface.
        let LinkedComponent::WebhookShaper(pre) = plugin else { return None };
        let plugin = match pre.instantiate_async(&mut *store).await {
            Ok(plugin) => plugin,
            Err(fault) => return Some(Err(fault)),
        };
        let mut bodies = Vec::with_capacity(self.0.len());
        for event in self.0.iter() {
            match plugin.patchbay_plugin_shaper().call_shape(&mut *store, event).await {
                Ok(Ok(body)) => bodies.push(body),
                Ok(Err(refused)) => return Some(Ok(Err(refused))),
                Err(fault) => return Some(Err(fault)),
            }
        }
        Some(Ok(Ok(bodies)))
    }

    fn judge(&self, answer: &Self::Answer, limits: &CallLimits) -> Result<(), AnswerFault> {
        answer.iter().try_for_each(|body| answer::body::judge(body.as_deref(), limits))
    }
}
