//! Building clients. Nothing else in the workspace calls `reqwest::Client::builder`.

use std::time::Duration;

use reqwest::{Client, ClientBuilder, header::InvalidHeaderValue, redirect::Policy};

/// The HTTP client could not be built: the TLS backend or the user agent is unusable.
#[derive(Debug, thiserror::Error)]
#[error("the HTTP client could not be set up: {0}")]
pub struct ClientNotBuilt(#[source] Box<dyn std::error::Error + Send + Sync>);

impl From<reqwest::Error> for ClientNotBuilt {
    fn from(error: reqwest::Error) -> Self {
        Self(Box::new(error))
    }
}

impl From<rustls::Error> for ClientNotBuilt {
    fn from(error: rustls::Error) -> Self {
        Self(Box::new(error))
    }
}

impl From<InvalidHeaderValue> for ClientNotBuilt {
    fn from(error: InvalidHeaderValue) -> Self {
        Self(Box::new(error))
    }
}

/// How many idle connections to keep to one host: as many as an endpoint has calls in flight, so that a busy one is not
/// connected to anew for every call.
pub(super) const IDLE_PER_HOST: usize = 64;
/// How long an idle connection is kept: hosts are many, and most are called rarely.
pub(super) const IDLE_FOR: Duration = Duration::from_secs(15);

/// What all clients have in common: no redirects, no proxy from the environment, no referer, bounded times.
fn common_builder(connect_timeout: Duration, total_timeout: Duration, user_agent: &str) -> ClientBuilder {
    unbounded_builder(connect_timeout, user_agent).timeout(total_timeout)
}

/// The same, but for a bound on the time of a whole call.
#[expect(clippy::disallowed_methods, reason = "the one place where HTTP clients are built")]
fn unbounded_builder(connect_timeout: Duration, user_agent: &str) -> ClientBuilder {
    Client::builder()
        .redirect(Policy::none())
        .no_proxy()
        .referer(false)
        .connect_timeout(connect_timeout)
        .pool_idle_timeout(IDLE_FOR)
        .pool_max_idle_per_host(IDLE_PER_HOST)
        .tcp_nodelay(true)
        .user_agent(user_agent)
}

/// A client for URLs that the operator configured (the Graph API): no address policy, everything else the same.
pub(crate) fn operator_client(total_timeout: Duration) -> Result<Client, ClientNotBuilt> {
    let connect_timeout = Duration::from_secs(10).min(total_timeout / 2);
    Ok(common_builder(connect_timeout, total_timeout, super::guarded::USER_AGENT)
        .pool_max_idle_per_host(128)
        .build()?)
}

/// A client for URLs that the operator configured and whose answers are read as slowly as somebody else takes them: only
/// the other side's silence is bounded.
pub(crate) fn streaming_client(silence: Duration) -> Result<Client, ClientNotBuilt> {
    let connect_timeout = Duration::from_secs(10).min(silence / 2);
    Ok(unbounded_builder(connect_timeout, super::guarded::USER_AGENT).read_timeout(silence).build()?)
}
