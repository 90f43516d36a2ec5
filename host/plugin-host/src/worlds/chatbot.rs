//! World `chatbot`.

use std::borrow::Cow;

use plugin_bindings::track_0_1;
use wasmtime::Store;

use super::{
    Given, Question,
    answer::{self, Fault},
};
use crate::{
    World,
    calling::{guest::Guest, limits::Limits},
    chatbot::{Action, Event, Session},
    loading::link::Linked,
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

    async fn ask(&self, plugin: &Linked, store: &mut Store<Guest>) -> Option<Given<Self::Answer>> {
        let pre = match plugin {
            Linked::Chatbot(pre) => pre,
            Linked::Older(older) if older.world() == World::Chatbot => {
                let asked = (self.event.as_ref(), self.session.as_ref());
                let given: Given<Vec<track_0_1::Action>> = older.ask(store, asked).await;
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

    fn judge(&self, answer: &Self::Answer, limits: &Limits) -> Result<(), Fault> {
        answer::chatbot::judge(answer, limits)
    }
}
