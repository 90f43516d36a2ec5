//! Plugins on the author's own machine, without a server: one component in this process, conversations in memory, time
//! that moves when it is told to. What the server does with an answer is done here by the same rules.

pub(crate) mod bot_message;
pub(crate) mod chat;
pub(crate) mod effects;
pub(crate) mod local_host;
pub(crate) mod time;
pub(crate) mod values;
pub(crate) mod web;

pub use local_host::LocalError;
pub(crate) use local_host::{Loaded, LocalHost};
