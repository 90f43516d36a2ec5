//! A simulated Bot API at `/telegram` of the simulator, and the phones of people. A call with a new token makes its bot.

mod calls;
mod draft;
mod hand;
mod messages;
mod params;
pub(crate) mod state;
mod webhook;

use std::sync::Arc;

use axum::Router;

use crate::world::SimulatedWorld;

pub(crate) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new().merge(calls::routes()).merge(hand::routes())
}
