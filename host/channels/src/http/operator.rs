//! Builds clients. No other code of the workspace calls `reqwest::Client::builder`.

use std::{sync::Arc, time::Duration};

use hyper_util::client::legacy::Client as Pool;
use reqwest::{
    Body, Client, IntoUrl, Method, RequestBuilder, Response,
    header::{ACCEPT, HeaderValue, USER_AGENT},
};

use super::{
    client_error::ClientBuildError,
    client_settings::{self, IDLE_PER_HOST},
    connector::Connector,
    lookups::Lookups,
    operator_call::{CallTimeout, wait_for_answer},
    post_error::PostError,
    resolver::{MachineNames, PolicyResolver},
    transport::plain_builder,
};

/// The same for hosts of the operator, which are few and busy.
const IDLE_PER_OPERATORS_HOST: usize = 128;

/// A client for the operator's addresses: no policy, no redirects, no proxy from the environment, bounded times and costs.
#[derive(Debug, Clone)]
pub struct OperatorClient {
    /// Builds requests. It makes no calls, because nothing bounds the cost of its answers.
    written: Client,
    pool: Pool<Connector, Body>,
    patience: CallTimeout,
}

impl OperatorClient {
    pub fn request(&self, method: Method, url: impl IntoUrl) -> RequestBuilder {
        self.written.request(method, url)
    }

    pub(crate) fn get(&self, url: impl IntoUrl) -> RequestBuilder {
        self.request(Method::GET, url)
    }

    pub async fn send(&self, request: RequestBuilder) -> Result<Response, PostError> {
        self.execute(request.build().map_err(PostError::from_client)?).await
    }

    pub(crate) async fn execute(&self, request: reqwest::Request) -> Result<Response, PostError> {
        let patience = self.patience.with_limit(request.timeout().copied());
        let mut request = http::Request::<Body>::try_from(request).map_err(PostError::from_client)?;
        let headers = request.headers_mut();
        headers.entry(USER_AGENT).or_insert(HeaderValue::from_static(client_settings::USER_AGENT));
        headers.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
        wait_for_answer(self.pool.request(request), patience).await
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place where HTTP clients are built")]
fn client(
    connect_timeout: Duration,
    idle_per_host: usize,
    patience: CallTimeout,
) -> Result<OperatorClient, ClientBuildError> {
    let resolver =
        PolicyResolver { policy: None, inner: Arc::new(MachineNames), lookups: Arc::new(Lookups::default()) };
    let connector = Connector::new(resolver, connect_timeout)?;
    let pool = plain_builder().pool_max_idle_per_host(idle_per_host).build(connector);
    Ok(OperatorClient { written: Client::builder().no_proxy().build()?, pool, patience })
}

pub fn operator_client(total_timeout: Duration) -> Result<OperatorClient, ClientBuildError> {
    let connect_timeout = Duration::from_secs(10).min(total_timeout / 2);
    client(connect_timeout, IDLE_PER_OPERATORS_HOST, CallTimeout::Total(total_timeout))
}

pub(crate) fn streaming_client(silence: Duration) -> Result<OperatorClient, ClientBuildError> {
    let connect_timeout = Duration::from_secs(10).min(silence / 2);
    client(connect_timeout, IDLE_PER_HOST, CallTimeout::Silence(silence))
}
