//! A client of a Patchbay server for the author's tools (CONTRACT 6).

mod activate;
mod answer;
mod catalogue;
mod error;
mod form;
mod give_back;
mod history;
mod key_values;
mod listed_number;
mod logs;
mod numbers;
mod push;
mod recordings;
mod replay;
mod request_path;
mod rollback;
mod shared_secrets;
mod trial;
mod trust;
mod verification;
mod webhooks;

use std::{sync::Arc, time::Duration};

use channels::http::{ApiAnswer, ApiCall, ApiClient};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::OnceCell;

use self::{
    listed_number::ListedNumber,
    request_path::{BASE, RequestPath},
};
pub use activate::{ActivationRequest, HttpLimitsForm, Scope};
pub use answer::ServerAnswer;
pub use catalogue::{ListedPlugin, PluginStatus};
pub use error::ServerError;
pub use form::UploadParts;
pub use give_back::ReturnedChat;
pub use history::{EventEntry, ShadowDifferences};
pub use key_values::StoredValue;
pub use logs::{LogFilter, LoggedInvocation, Logs};
pub use push::PushedVersion;
pub(crate) use push::size;
pub use recordings::{RecordedCall, RecordingBounds};
pub use replay::{ReplayError, ReplaySummary};
pub use rollback::RollbackReport;
pub use shared_secrets::{SecretEntry, SecretList, SecretUser};
pub use trial::{TrialAnswer, TrialCall};
pub use trust::{KeyEntry, SignatureEntry, TrustReport};
pub use verification::Verification;
pub use webhooks::{ForwardedWebhook, WebhookPage};

const USUAL_ADDRESS: &str = "http://127.0.0.1:8080";
const TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub struct RemoteServer {
    client: ApiClient,
    /// Asked for once.
    numbers: Arc<OnceCell<Vec<ListedNumber>>>,
}

impl RemoteServer {
    /// `PATCHBAY_URL` and `PATCHBAY_API_KEY`. Without an address, the server on this machine; without a key, an error.
    pub fn from_environment() -> Result<Self, ServerError> {
        let given = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let address = given("PATCHBAY_URL").unwrap_or_else(|| USUAL_ADDRESS.to_owned());
        let key = given("PATCHBAY_API_KEY").ok_or(ServerError::NoKey)?;
        Self::new(address.trim(), key.trim())
    }

    pub fn new(address: &str, key: &str) -> Result<Self, ServerError> {
        if !address.starts_with("http://") && !address.starts_with("https://") {
            return Err(ServerError::NoAddress(address.to_owned()));
        }
        if !key.chars().all(|letter| letter.is_ascii_graphic()) {
            return Err(ServerError::BadKey);
        }
        Ok(Self { client: ApiClient::new(address, key)?, numbers: Arc::default() })
    }

    pub fn address(&self) -> &str {
        self.client.base()
    }

    /// A request with or without JSON, and its answer as `T`.
    async fn json<T: DeserializeOwned>(
        &self,
        method: &str,
        path: String,
        body: Option<&Value>,
        patience: Duration,
    ) -> Result<T, ServerError> {
        let answer = self.raw(method, path, body, patience).await?;
        serde_json::from_slice(&answer.body).map_err(|fault| ServerError::Strange(fault.to_string()))
    }

    /// A request with or without JSON, and its answer as bytes.
    async fn raw(
        &self,
        method: &str,
        path: String,
        body: Option<&Value>,
        patience: Duration,
    ) -> Result<ApiAnswer, ServerError> {
        let body = body.map(|body| ("application/json", body.to_string().into()));
        self.good(ApiCall { method, path, headers: &[], body, sent: None, timeout: patience }).await
    }

    async fn send(&self, method: &str, path: String, body: Option<&Value>) -> Result<(), ServerError> {
        self.raw(method, path, body, TIMEOUT).await.map(drop)
    }

    async fn good(&self, call: ApiCall<'_>) -> Result<ApiAnswer, ServerError> {
        let path = call.path.clone();
        let answer = self.client.call(call).await;
        let answer = answer.map_err(|source| ServerError::NoAnswer { address: self.address().to_owned(), source })?;
        match answer.status {
            200..=299 => Ok(answer),
            status => Err(ServerError::of_answer(status, &answer.body, self.address(), RequestPath::of(&path))),
        }
    }

    /// Path of a plugin. `rest` begins with `/` or is empty.
    fn path(name: &str, rest: &str) -> Result<String, ServerError> {
        crate::project::check_name(name).map_err(ServerError::Name)?;
        Ok(format!("{BASE}/{name}{rest}"))
    }
}
