//! Plugins on the author's own machine, without a server: one component in this process, conversations in memory, and a
//! manual clock. The rules for answers are those of the server.

pub(crate) mod bot_message;
pub(crate) mod chat;
pub(crate) mod effects;
pub(crate) mod local_host;
pub(crate) mod time;
pub(crate) mod values;
pub(crate) mod web;

pub use effects::Cost;
pub use local_host::LocalError;
pub(crate) use local_host::{LoadedProgram, LocalHost};
