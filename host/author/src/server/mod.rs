//! A Patchbay server, as the author's tools talk to it (CONTRACT 6).

mod activate;
mod error;
mod logs;
mod push;
mod replay;

use std::time::Duration;

use channels::http::{ApiAnswer, ApiCall, ApiClient};
use serde::de::DeserializeOwned;
use serde_json::Value;

pub use activate::{Activate, Scope};
pub use error::ServerError;
pub use logs::{Invocation, Logs};
pub use push::Pushed;
pub(crate) use push::size;
pub use replay::{ReplayError, Replayed};

/// Where the plugin API lies.
const BASE: &str = "/plugin-service/api/v1/plugins";
/// Where a server listens unless its configuration says otherwise.
const USUAL_ADDRESS: &str = "http://127.0.0.1:8080";
/// Time for calls that do not upload or replay.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server and the key that is shown to it.
#[derive(Clone)]
pub struct Server {
    client: ApiClient,
}

impl Server {
    /// The server that `PATCHBAY_URL` and `PATCHBAY_API_KEY` name; without an address, the one on this machine.
    ///
    /// # Errors
    /// When there is no key.
    pub fn from_environment() -> Result<Self, ServerError> {
        let given = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let address = given("PATCHBAY_URL").unwrap_or_else(|| USUAL_ADDRESS.to_owned());
        let key = given("PATCHBAY_API_KEY").ok_or(ServerError::NoKey)?;
        Self::new(address.trim(), key.trim())
    }

    /// The server at an address.
    ///
    /// # Errors
    /// When the address is none, or the key has characters that no key has.
    pub fn new(address: &str, key: &str) -> Result<Self, ServerError> {
        if !address.starts_with("http://") && !address.starts_with("https://") {
            return Err(ServerError::NoAddress(address.to_owned()));
        }
        if !key.chars().all(|letter| letter.is_ascii_graphic()) {
            return Err(ServerError::BadKey);
        }
        Ok(Self { client: ApiClient::new(address, key)? })
    }

    /// Where it is.
    pub fn address(&self) -> &str {
        self.client.base()
    }

    /// A call with or without JSON; the answer as `T`.
    async fn json<T: DeserializeOwned>(
        &self,
        method: &str,
        path: String,
        body: Option<&Value>,
        patience: Duration,
    ) -> Result<T, ServerError> {
        let body = body.map(|body| ("application/json", body.to_string().into()));
        let call = ApiCall { method, path, headers: &[], body, sent: None, timeout: patience };
        let answer = self.good(call).await?;
        serde_json::from_slice(&answer.body).map_err(|fault| ServerError::Strange(fault.to_string()))
    }

    /// A call whose answer is good.
    async fn good(&self, call: ApiCall<'_>) -> Result<ApiAnswer, ServerError> {
        let answer = self.client.call(call).await;
        let answer = answer.map_err(|source| ServerError::NoAnswer { address: self.address().to_owned(), source })?;
        match answer.status {
            200..=299 => Ok(answer),
            status => Err(ServerError::of_answer(status, &answer.body, self.address())),
        }
    }

    /// Path of a plugin, `rest` beginning with `/` or empty.
    fn path(name: &str, rest: &str) -> Result<String, ServerError> {
        crate::project::check_name(name).map_err(ServerError::Name)?;
        Ok(format!("{BASE}/{name}{rest}"))
    }
}
