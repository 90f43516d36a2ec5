//! The differences between worlds: the questions to a plugin (one file per world, here), the checks of its answers
//! (`answer`), the readable JSON of both (`json`), and values that several questions share.

pub(crate) mod answer;
mod chatbot;
mod configuration;
pub mod json;
mod partner_event;
mod router;
pub(crate) mod sample;
mod sms_fallback;
mod sms_router;
pub(crate) mod wall_clock;
mod webhook_shaper;
pub(crate) mod world;

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
pub(crate) use chatbot::HandleEvent;
pub(crate) use configuration::ReadSchema;
pub use partner_event::partner_event;
pub(crate) use router::RouteInbound;
pub(crate) use sms_fallback::DecideFallback;
pub(crate) use sms_router::DecideSms;
pub(crate) use webhook_shaper::{ShapeBodies, ShapeBody};

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
