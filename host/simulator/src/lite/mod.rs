//! Lite devices (PROVIDERS D). `wire` is for the host, like the library of a device. `handset` is for people and tests.

mod answer;
mod device;
pub(crate) mod devices;
mod handset;
pub(crate) mod messages;
pub(crate) mod receipts;
mod wire;

use std::sync::Arc;

use axum::Router;

use crate::world::SimulatedWorld;

pub(crate) fn routes() -> Router<Arc<SimulatedWorld>> {
    wire::routes().merge(handset::routes())
}
