//! World `chatbot`.

use std::borrow::Cow;

use plugin_bindings::track_0_1;
use wasmtime::Store;

use super::{
    PluginResult, Question,
    answer::{self, AnswerFault},
};
use crate::{
    World,
    calling::{guest::GuestState, limits::CallLimits},
    chatbot::{Action, Event, Session},
    loading::link::LinkedComponent,
};

/// The question of world `chatbot`: the actions for an event.
#[derive(serde::Serialize)]
pub(crate) struct HandleEvent<'a> {
    pub(crate) event: Cow<'a, Event>,
    pub(crate) session: Cow<'a, Session>,
}

impl<'a> HandleEvent<'a> {
    pub(crate) fn new(event: &'a Event, session: &'a Session) -> Self {
        Self { event: Cow::Borrowed(event), session: Cow::Borrowed(session) }
    }
}

impl Question for HandleEvent<'_> {
    type Answer = Vec<Action>;
    type Owned = HandleEvent<'static>;

    fn owned(&self) -> Self::Owned {
        HandleEvent {
            event: Cow::Owned(self.event.as_ref().clone()),
            session: Cow::Owned(self.session.as_ref().clone()),
        }
    }

    fn world(&self) -> World {
        World::Chatbot
    }

    async fn ask(&self, plugin: &LinkedComponent, store: &mut Store<GuestState>) -> Option<PluginResult<Self::Answer>> {
        let pre = match plugin {
            LinkedComponent::Chatbot(pre) => pre,
            LinkedComponent::Older(older) if older.world() == World::Chatbot => {
                let asked = (self.event.as_ref(), self.session.as_ref());
                let given: PluginResult<Vec<track_0_1::Action>> = older.ask(store, asked).await;
                let newest = |actions: Vec<track_0_1::Action>| actions.into_iter().map(Action::from).collect();
                return Some(given.map(|answered| answered.map(newest)));
            }
            _ => return None,
        };
        let plugin = match pre.instantiate_async(&mut *store).await {
            Ok(plugin) => plugin,
            Err(fault) => return Some(Err(fault)),
        };
        Some(plugin.patchbay_plugin_bot().call_handle(store, &self.event, &self.session).await)
    }

    fn judge(&self, answer: &Self::Answer, limits: &CallLimits) -> Result<(), AnswerFault> {
        answer::chatbot::judge(answer, limits)
    }
}
