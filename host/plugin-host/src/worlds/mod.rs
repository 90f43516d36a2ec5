//! The differences between worlds: questions, checks of answers (`answer`), and their JSON (`json`). Facts:
//! `domain::world`.

pub(crate) mod answer;
pub(crate) mod attribute_value;
pub(crate) mod channel;
pub mod json;
mod older_recordings;
mod partner_event;
pub(crate) mod questions;
pub(crate) mod sample;
pub(crate) mod shaped_body;
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
pub(crate) use questions::{
    DecideFallback, DecideSms, HandleEvent, JudgeConfig, ReadSchema, RouteInbound, ShapeBodies, ShapeBody,
};

/// The result of a plugin. The outer error is a crash, the inner error is the plugin's own.
pub(crate) type PluginResult<A> = wasmtime::Result<Result<A, Error>>;

pub(crate) trait Question: Serialize + Send + Sync {
    type Answer: Serialize + Send + 'static;

    type Owned: Question<Answer = Self::Answer> + 'static;

    fn owned(&self) -> Self::Owned;

    fn world(&self) -> World;

    fn ask(
        &self,
        plugin: &LinkedComponent,
        store: &mut Store<GuestState>,
    ) -> impl Future<Output = Option<PluginResult<Self::Answer>>> + Send;

    fn judge(&self, answer: &Self::Answer, limits: &CallLimits) -> Result<(), AnswerFault>;
}
