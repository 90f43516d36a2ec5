//! The questions that can be put to a plugin, one file per world.

mod chatbot;
mod configuration;
mod router;
mod sms_fallback;
mod webhook_shaper;

use std::future::Future;

use serde::Serialize;
use wasmtime::Store;

pub(crate) use chatbot::HandleEvent;
pub(crate) use configuration::ReadSchema;
pub(crate) use router::RouteInbound;
pub(crate) use sms_fallback::DecideFallback;
pub(crate) use webhook_shaper::ShapeBody;

use crate::answer::Fault;
use crate::guest::Guest;
use crate::limits::Limits;
use crate::loader::Linked;
use crate::{World, chatbot::Error};

/// What a plugin gave back: the outer error is a crash, the inner one its own.
pub(crate) type Given<A> = wasmtime::Result<Result<A, Error>>;

/// One question to a plugin.
pub(crate) trait Question: Serialize + Send + Sync {
    /// What comes back.
    type Answer: Serialize + Send + 'static;

    /// The same question, for a call that may go on elsewhere.
    type Owned: Question<Answer = Self::Answer> + 'static;

    /// A copy that borrows nothing.
    fn owned(&self) -> Self::Owned;

    /// The world that understands the question.
    fn world(&self) -> World;

    /// Starts an instance and asks it. `None` when the plugin is of another world.
    fn ask(
        &self,
        plugin: &Linked,
        store: &mut Store<Guest>,
    ) -> impl Future<Output = Option<Given<Self::Answer>>> + Send;

    /// Judges the answer like user input.
    fn judge(&self, answer: &Self::Answer, limits: &Limits) -> Result<(), Fault>;
}
