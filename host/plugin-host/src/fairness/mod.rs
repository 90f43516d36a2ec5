//! Keeps the plugins of one client from slowing down other clients.

pub(crate) mod breaker;
pub(crate) mod call_limiter;
mod pace;
pub(crate) mod places;
pub(crate) mod room;
pub(crate) mod share;
pub(crate) mod threads;
pub(crate) mod turns;
