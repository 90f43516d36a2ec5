//! Simulated providers: Meta's Graph API, an SMSC, and their phones. The real adapters run against their real protocols.

mod account_events;
mod callbacks;
mod clock;
mod control;
mod faults;
mod graph;
mod host_clock;
mod identity;
mod lite;
mod live_views;
mod mailbox;
mod media;
mod messenger;
mod numbers;
mod page;
mod phone_api;
mod phones;
mod request_log;
mod sites;
mod smsc;
mod telegram;
mod timeline;
mod world;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, serve::ListenerExt};
use tokio::net::TcpListener;
use tokio_util::sync::DropGuard;

pub use callbacks::CallbackLine;
use callbacks::Callbacks;
use world::SimulatedWorld;

const LAST_CALLS: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct SimulatorConfig {
    pub listen: SocketAddr,
    pub smsc_listen: SocketAddr,
    /// Address of the host for WhatsApp callbacks, such as `http://127.0.0.1:8080/providers/whatsapp-cloud/webhook`.
    pub callback_url: String,
    pub app_secret: String,
    pub verify_token: String,
    /// The same for callbacks about pages of Messenger.
    pub messenger: CallbackLine,
    /// Wait before a callback that was not taken is posted again. It doubles with each attempt, up to 30 s.
    pub first_retry: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum SimulatorError {
    #[error("the simulator cannot listen on {address}; set `simulator.listen` to a free address, or stop what uses it")]
    Listen { address: SocketAddr, source: std::io::Error },
    #[error(
        "the simulated SMSC cannot listen on {address}, the port behind that of `simulator.listen`; choose a free one, or stop what uses it"
    )]
    ListenSmsc { address: SocketAddr, source: std::io::Error },
    #[error("the simulator cannot make its HTTP client for callbacks")]
    Client(#[source] reqwest::Error),
}

pub struct Simulator {
    world: Arc<SimulatedWorld>,
    http_addr: SocketAddr,
    smsc_addr: SocketAddr,
    _stop_on_drop: DropGuard,
}

impl SimulatorConfig {
    pub const FIRST_RETRY: Duration = Duration::from_millis(200);
}

impl Simulator {
    /// Both listeners are bound when this returns. Fails if an address is taken.
    pub async fn start(config: SimulatorConfig) -> Result<Self, SimulatorError> {
        let whatsapp =
            CallbackLine { url: config.callback_url, app_secret: config.app_secret, verify_token: config.verify_token };
        let callbacks =
            Callbacks::new(whatsapp, config.messenger, config.first_retry).map_err(SimulatorError::Client)?;
        let (http, http_addr) =
            bind(config.listen).await.map_err(|source| SimulatorError::Listen { address: config.listen, source })?;
        let (smsc, smsc_addr) = bind(config.smsc_listen)
            .await
            .map_err(|source| SimulatorError::ListenSmsc { address: config.smsc_listen, source })?;
        let world = SimulatedWorld::new(callbacks, format!("http://{http_addr}"));
        world.tasks.spawn(serve_http(Arc::clone(&world), http));
        world.tasks.spawn(smsc::serve(Arc::clone(&world), smsc));
        let stop = world.shutdown.clone().drop_guard();
        Ok(Self { world, http_addr, smsc_addr, _stop_on_drop: stop })
    }

    pub fn http_addr(&self) -> SocketAddr {
        self.http_addr
    }

    pub fn smsc_addr(&self) -> SocketAddr {
        self.smsc_addr
    }

    /// Sends callbacks to another address from now on, waiting retries at once.
    pub fn set_callback_url(&self, url: String) {
        self.world.callbacks.set_url(url);
    }

    pub fn set_messenger_callback_url(&self, url: String) {
        self.world.callbacks.set_messenger_url(url);
    }

    /// The page shows controls of the business clock, which this URL moves (`testing.clock`).
    pub fn set_testing_clock(&self, url: String) {
        *self.world.testing_clock.lock() = Some(url);
    }

    pub async fn stop(self) {
        self.world.shutdown.cancel();
        self.world.tasks.close();
        // A caller that never reads its answer must not block the stop.
        let _ = tokio::time::timeout(LAST_CALLS, self.world.tasks.wait()).await;
    }
}

async fn bind(address: SocketAddr) -> std::io::Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address).await?;
    let bound = listener.local_addr()?;
    Ok((listener, bound))
}

async fn serve_http(world: Arc<SimulatedWorld>, listener: TcpListener) {
    let shutdown = world.shutdown.clone();
    let app = Router::new()
        .merge(page::routes())
        .merge(live_views::routes())
        .merge(host_clock::routes())
        .merge(control::routes())
        .merge(phone_api::routes())
        .merge(lite::routes())
        .merge(messenger::routes())
        .merge(telegram::routes())
        .merge(graph::routes())
        .with_state(Arc::clone(&world));
    // Small answers must not wait for each other. Without this the simulator is only slower.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let served = axum::serve(listener, app).with_graceful_shutdown(async move { shutdown.cancelled().await }).await;
    if let Err(error) = served {
        tracing::error!(%error, "the simulator's HTTP listener ended");
    }
}
