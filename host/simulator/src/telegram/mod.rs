//! Telegram: a simulated Bot API, and the phones of the people who write to its bots. The Bot API is at `/telegram`, so a
//! client of it takes `http://HOST:PORT/telegram` as its base. A bot is known as soon as a call has its token.

mod calls;
mod hand;
mod messages;
mod params;
pub(crate) mod state;
mod webhook;

use std::sync::Arc;

use axum::Router;

use crate::world::SimulatedWorld;

/// The Bot API, its files, phones and controls.
pub(crate) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new().merge(calls::routes()).merge(hand::routes())
}
