//! What the handlers share.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use base::{Context, audit::Administration};
use chrono::{DateTime, Utc};
use events::live::Hub;
use inbound::callbacks::Intake;
use ipnet::IpNet;
use metrics_exporter_prometheus::PrometheusHandle;
use outbound::accept::Acceptor;
use plugins::Uploads;
use sms_products::Gateways;
use tenancy::accounts::Authenticator;

use crate::{admission::Admission, web_chat::WebChat};

/// The surroundings of every request. Each layer of the router and each handler has a clone, which is one count of references.
#[derive(Clone)]
pub struct ApiState(Arc<SharedState>);

impl Deref for ApiState {
    type Target = SharedState;

    fn deref(&self) -> &SharedState {
        &self.0
    }
}

impl From<SharedState> for ApiState {
    fn from(shared: SharedState) -> Self {
        Self(Arc::new(shared))
    }
}

/// What the process gives to all requests.
pub struct SharedState {
    /// For the use cases.
    pub context: Arc<Context>,
    /// Takes send requests.
    pub acceptor: Arc<Acceptor>,
    /// Takes requests of both SMS gateways.
    pub sms: Arc<Gateways>,
    /// Takes callbacks of providers.
    pub callbacks: Arc<Intake>,
    /// Whose turn it is to upload a plugin.
    pub uploads: Arc<Uploads>,
    /// What widgets of this process share.
    pub web_chat: Arc<WebChat>,
    /// Knows whose key it is.
    pub authenticator: Authenticator,
    /// What the operator decided.
    pub settings: Arc<ApiSettings>,
    /// Live events.
    pub live: Arc<Hub>,
    /// Decides which requests are taken on.
    pub admission: Arc<Admission>,
    /// Writes `/metrics`.
    pub metrics: PrometheusHandle,
    /// Turns `/readyz` off while the process stops.
    pub readiness: Arc<Readiness>,
}

/// Held by whatever goes on after its request was answered: until the last clone is gone, the listener does not take the
/// connection for an idle one. Found in the extensions of requests.
#[derive(Clone)]
pub struct InUse(#[expect(dead_code, reason = "it is only held")] Arc<dyn std::any::Any + Send + Sync>);

impl InUse {
    /// Holds this.
    pub fn new(held: Arc<dyn std::any::Any + Send + Sync>) -> Self {
        Self(held)
    }
}

impl SharedState {
    /// For the use cases of administration.
    pub(crate) fn administration(&self) -> Administration<'_> {
        Administration::from(self.context.as_ref())
    }
}

/// Settings of the HTTP surface.
pub struct ApiSettings {
    /// Largest request body, in bytes; provider callbacks have a limit of their own.
    pub max_body_bytes: usize,
    /// Longest time in which a request body must have arrived.
    pub body_timeout: Duration,
    /// XML namespace of the batch gateway's answers.
    pub batch_namespace: String,
    /// Refuse requests that did not arrive over TLS; probes excepted.
    pub require_https: bool,
    /// Whose `X-Forwarded-Proto` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Serves `/testing/clock/advance` when set (`testing.clock`).
    pub testing_clock: Option<Arc<dyn ClockControl>>,
    /// `/metrics` has an address of its own ([`metrics_router`](crate::metrics_router)) and is not served here.
    pub metrics_elsewhere: bool,
    /// Host name on which only Lite numbers send (`server.lite_host`); empty = none.
    pub lite_host: String,
    /// Host name on which the JSON SMS gateway is served alone (`server.sms_host`); empty = everywhere.
    pub sms_host: String,
    /// The same of the batch SMS gateway (`server.batch_host`).
    pub batch_host: String,
    /// Take unsigned callbacks from this machine while no app secret is set: the simulator's. A wrong signature stays
    /// wrong.
    pub simulator_allows_unsigned: bool,
}

/// Moves the business clock of all nodes (`testing.clock`).
#[async_trait]
pub trait ClockControl: Send + Sync {
    /// Moves it forward and answers the new moment; this node follows before the call returns.
    async fn advance(&self, seconds: i64) -> Result<DateTime<Utc>, ClockFailed>;
}

/// The clock could not be moved.
#[derive(Debug, thiserror::Error)]
#[error("the testing clock could not be moved")]
pub struct ClockFailed(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Whether this process still takes requests.
#[derive(Debug, Default)]
pub struct Readiness {
    stopping: AtomicBool,
}

impl Readiness {
    /// From now on `/readyz` answers 503, so that balancers look elsewhere.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// True once [`stop`](Self::stop) was called.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}
