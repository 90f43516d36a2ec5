//! An SMSC with SMPP 3.4 (PROVIDERS C): takes messages to phones, and returns receipts and messages from phones.

mod bind_info;
pub(crate) mod control;
mod encoding;
mod reassembly;
mod receipts;
pub(crate) mod registry;
mod session;
mod session_state;
mod submit;
mod unanswered_deliveries;

use std::sync::Arc;

use tokio::net::TcpListener;

use crate::world::SimulatedWorld;

pub(crate) async fn serve(world: Arc<SimulatedWorld>, listener: TcpListener) {
    while let Some(accepted) = world.shutdown.run_until_cancelled(listener.accept()).await {
        match accepted {
            Ok((stream, _)) => {
                world.tasks.spawn(session::run(Arc::clone(&world), stream));
            }
            Err(error) => {
                tracing::warn!(%error, "the simulated SMSC could not accept a connection");
                world.pause(std::time::Duration::from_millis(100)).await;
            }
        }
    }
}
