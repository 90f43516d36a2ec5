//! The state that handlers share.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use axum::{extract::FromRef, response::Response};
use base::{Context, audit::Administration};
use chrono::{DateTime, Utc};
use ipnet::IpNet;
use metrics_exporter_prometheus::PrometheusHandle;
use tenancy::{accounts::Authenticator, request_log::RequestLog};

use crate::{admission::gate::AdmissionGate, error::ApiError};

/// The state of every request. Layers and handlers get a clone, which is one reference count.
#[derive(Clone)]
pub struct ApiState(Arc<CommonServices>);

impl Deref for ApiState {
    type Target = CommonServices;

    fn deref(&self) -> &CommonServices {
        &self.0
    }
}

impl From<CommonServices> for ApiState {
    fn from(common: CommonServices) -> Self {
        Self(Arc::new(common))
    }
}

/// The state of handlers that need one more service.
pub struct StateWith<S> {
    state: ApiState,
    pub service: Arc<S>,
}

impl<S> StateWith<S> {
    pub fn new(state: &ApiState, service: Arc<S>) -> Self {
        Self { state: state.clone(), service }
    }
}

impl<S> Clone for StateWith<S> {
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), service: Arc::clone(&self.service) }
    }
}

impl<S> Deref for StateWith<S> {
    type Target = ApiState;

    fn deref(&self) -> &ApiState {
        &self.state
    }
}

impl<S> FromRef<StateWith<S>> for ApiState {
    fn from_ref(with: &StateWith<S>) -> Self {
        with.state.clone()
    }
}

/// Makes the answer to an outage in the form of a product. `None`: the path has no form of its own.
pub type OutageAnswer = fn(&ApiError, &str, DateTime<Utc>) -> Option<Response>;

/// The services that all requests use.
pub struct CommonServices {
    pub context: Arc<Context>,
    pub authenticator: Authenticator,
    pub settings: Arc<ApiSettings>,
    pub admission: Arc<AdmissionGate>,
    pub request_log: Arc<RequestLog>,
    /// Renders `/metrics`.
    pub metrics: Arc<dyn MetricsPage>,
    /// Makes `/readyz` fail while the process stops.
    pub readiness: Arc<Readiness>,
    pub outage_answer: OutageAnswer,
}

/// Held by work that continues after its request was answered. Until the last clone is gone, the listener does not treat
/// the connection as idle. It is in the extensions of requests.
#[derive(Clone)]
pub struct UseGuard(#[expect(dead_code, reason = "it is only held")] Arc<dyn std::any::Any + Send + Sync>);

impl UseGuard {
    pub fn new(held: Arc<dyn std::any::Any + Send + Sync>) -> Self {
        Self(held)
    }
}

impl CommonServices {
    pub fn administration(&self) -> Administration<'_> {
        Administration::from(self.context.as_ref())
    }
}

/// Settings of the HTTP surface.
pub struct ApiSettings {
    /// Largest request body in bytes. Provider callbacks have their own limit.
    pub max_body_bytes: usize,
    /// Longest time for the arrival of a request body.
    pub body_timeout: Duration,
    /// XML namespace of the batch gateway's answers.
    pub batch_namespace: String,
    /// Refuses requests that did not arrive over TLS, except probes.
    pub require_https: bool,
    /// Proxies with a trusted `X-Forwarded-Proto`.
    pub trusted_proxies: Vec<IpNet>,
    /// If set, `/testing/clock/advance` is served (`testing.clock`).
    pub testing_clock: Option<Arc<dyn ClockControl>>,
    /// True if `/metrics` has its own address (`api::metrics_router`) and is not served here.
    pub metrics_elsewhere: bool,
    /// Host name on which only Lite numbers send (`server.lite_host`). Empty: none.
    pub lite_host: String,
    /// Host name on which only the JSON SMS gateway is served (`server.sms_host`). Empty: it is served on every host.
    pub sms_host: String,
    /// The same for the batch SMS gateway (`server.batch_host`).
    pub batch_host: String,
    /// Accepts unsigned callbacks from this machine while no app secret is set, for the simulator. A wrong signature is
    /// refused in any case.
    pub simulator_allows_unsigned: bool,
}

/// The page `/metrics`.
#[async_trait]
pub trait MetricsPage: Send + Sync {
    /// Returns the page in the text format of Prometheus.
    async fn render(&self) -> String;
}

#[async_trait]
impl MetricsPage for PrometheusHandle {
    async fn render(&self) -> String {
        Self::render(self)
    }
}

/// Moves the business clock of all nodes (`testing.clock`).
#[async_trait]
pub trait ClockControl: Send + Sync {
    /// Moves the clock forward and returns the new time. This node has it before the call returns.
    async fn advance(&self, seconds: i64) -> Result<DateTime<Utc>, ClockFailed>;
}

/// The clock could not be moved.
#[derive(Debug, thiserror::Error)]
#[error("the testing clock could not be moved")]
pub struct ClockFailed(#[source] pub Box<dyn std::error::Error + Send + Sync>);

/// Tells if this process still takes requests.
#[derive(Debug, Default)]
pub struct Readiness {
    stopping: AtomicBool,
}

impl Readiness {
    /// Makes `/readyz` answer 503, so that load balancers use another process.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// True once [`stop`](Self::stop) was called.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}
