//! Listeners for operators only, without TLS and access control.

use api::EarlyAnswers;
use axum::Router;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::listeners::{self, ConnectionLimits, ConnectionPlaces, ConnectionTimeouts, ListenerState};

/// Connections of such a listener.
const CONNECTIONS: usize = 64;

/// Serves the router until `stop`.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    timeouts: ConnectionTimeouts,
    answers: EarlyAnswers,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let limits = ConnectionLimits { connections: CONNECTIONS, per_address: CONNECTIONS, proxies: Vec::new() };
    let reception = ListenerState { places: ConnectionPlaces::new(limits), timeouts, answers };
    listeners::serve(listener, None, router, reception, stop).await;
    Ok(())
}
