//! The differences between worlds: the questions to a plugin (`questions`), the checks of its answers (`answer`), and the
//! readable JSON of both (`json`). The facts about a world are in `domain::world`.

pub(crate) mod answer;
pub mod json;
mod partner_event;
pub(crate) mod questions;
pub(crate) mod sample;
pub(crate) mod wall_clock;
pub(crate) mod world_question;

use std::future::Future;

use serde::Serialize;
use wasmtime::Store;

use crate::{
    World,
    calling::{guest::GuestState, limits::CallLimits},
    chatbot::Error,
    loading::link::LinkedComponent,
};
use answer::AnswerFault;
pub use partner_event::partner_event;
pub(crate) use questions::{DecideFallback, DecideSms, HandleEvent, ReadSchema, RouteInbound, ShapeBodies, ShapeBody};

/// The result of a plugin. The outer error is a crash, the inner error is the plugin's own.
pub(crate) type PluginResult<A> = wasmtime::Result<Result<A, Error>>;

pub(crate) trait Question: Serialize + Send + Sync {
    type Answer: Serialize + Send + 'static;

    /// The same question for a call that may move to another thread.
    type Owned: Question<Answer = Self::Answer> + 'static;

    fn owned(&self) -> Self::Owned;

    fn world(&self) -> World;

    /// Starts an instance and calls it. `None` if the plugin is of another world.
    fn ask(
        &self,
        plugin: &LinkedComponent,
        store: &mut Store<GuestState>,
    ) -> impl Future<Output = Option<PluginResult<Self::Answer>>> + Send;

    /// Checks the answer like user input.
    fn judge(&self, answer: &Self::Answer, limits: &CallLimits) -> Result<(), AnswerFault>;
}
