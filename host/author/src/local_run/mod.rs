//! Plugins on the author's own machine: one component in this process, conversations in memory, a manual clock.

pub(crate) mod attributes;
pub(crate) mod bot_message;
pub(crate) mod chat;
mod config_check;
pub(crate) mod conversation_facts;
pub(crate) mod effects;
pub(crate) mod local_host;
pub(crate) mod time;
pub(crate) mod values;
pub(crate) mod web;

pub use config_check::ConfigRefusal;
pub use effects::Cost;
pub use local_host::LocalError;
pub(crate) use local_host::{LoadedProgram, LocalHost};
