//! What keeps one client's plugins from slowing down everybody else's: how many calls a client may make at once and in a
//! second, how much memory they have, on which threads they run and how much processor time they get, and when a plugin that
//! keeps failing is not called any more.

pub(crate) mod breaker;
pub(crate) mod call_limiter;
mod pace;
pub(crate) mod places;
pub(crate) mod room;
pub(crate) mod share;
pub(crate) mod threads;
pub(crate) mod turns;
