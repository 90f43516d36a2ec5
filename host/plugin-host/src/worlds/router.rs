//! World `router`.

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
    router::{Inbound, Route},
};

/// The question of world `router`: the route of a new conversation.
#[derive(serde::Serialize)]
pub(crate) struct RouteInbound<'a>(Cow<'a, Inbound>);

impl<'a> RouteInbound<'a> {
    pub(crate) fn new(asked: &'a Inbound) -> Self {
        Self(Cow::Borrowed(asked))
    }
}

impl Question for RouteInbound<'_> {
    type Answer = Route;
    type Owned = RouteInbound<'static>;

    fn owned(&self) -> Self::Owned {
        RouteInbound(Cow::Owned(self.0.as_ref().clone()))
    }

    fn world(&self) -> World {
        World::Router
    }

    async fn ask(&self, plugin: &LinkedComponent, store: &mut Store<GuestState>) -> Option<PluginResult<Self::Answer>> {
        let pre = match plugin {
            LinkedComponent::Router(pre) => pre,
            LinkedComponent::Older(older) if older.world() == World::Router => {
                return Some(older.ask(store, (self.0.as_ref(),)).await);
            }
            _ => return None,
        };
        let plugin = match pre.instantiate_async(&mut *store).await {
            Ok(plugin) => plugin,
            Err(fault) => return Some(Err(fault)),
        };
        Some(plugin.patchbay_plugin_routing().call_route(store, &self.0).await)
    }

    fn judge(&self, answer: &Self::Answer, _limits: &CallLimits) -> Result<(), AnswerFault> {
        answer::router::judge(answer)
    }
}
