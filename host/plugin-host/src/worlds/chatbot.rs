//! World `chatbot`.

use wasmtime::Store;

use super::{Given, Question};
use crate::World;
use crate::answer::{self, Fault};
use crate::chatbot::{Action, Event, Session};
use crate::guest::Guest;
use crate::limits::Limits;
use crate::loader::Linked;

/// What is to be done about an event.
pub(crate) struct HandleEvent<'a> {
    pub(crate) event: &'a Event,
    pub(crate) session: &'a Session,
}

impl Question for HandleEvent<'_> {
    type Answer = Vec<Action>;

    const WORLD: World = World::Chatbot;

    async fn ask(&self, plugin: &Linked, store: &mut Store<Guest>) -> Option<Given<Self::Answer>> {
        let Linked::Chatbot(pre) = plugin else { return None };
        let plugin = match pre.instantiate_async(&mut *store).await {
            Ok(plugin) => plugin,
            Err(fault) => return Some(Err(fault)),
        };
        Some(plugin.patchbay_plugin_bot().call_handle(store, self.event, self.session).await)
    }

    fn judge(&self, answer: &Self::Answer, limits: &Limits) -> Result<(), Fault> {
        answer::chatbot::judge(answer, limits)
    }
}
