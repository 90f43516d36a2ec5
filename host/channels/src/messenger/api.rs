//! Calls of a page: send, show presence, ask for a name or a file.

use std::{
    collections::HashMap,
    fmt,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use domain::{
    carriage::{Acceptance, SendFailure},
    messenger::FILE_MAX,
};
use parking_lot::{Mutex, MutexGuard};
use reqwest::{
    Body, Method, RequestBuilder,
    multipart::{Form, Part},
};
use serde_json::{Value, json};
use tokio_util::io::ReaderStream;
use url::Url;

use super::error_codes::send_failure;
use crate::{
    carrier::{OurFile, UnsupportedContent},
    http::ClientBuildError,
    media_download::{DownloadedMedia, MediaError, MediaExpectation},
    whatsapp_cloud::{CloudApi, CloudSettings, CloudSetupError, GraphError, NoAnswer, answer, fetch_file, is_of_meta},
};

/// Longest time for a name, because a message waits for it.
const NAME_TIMEOUT: Duration = Duration::from_secs(3);
/// How long a page is not asked for names after it gave none. Without the permission it never does.
const NAMES_PAUSE: Duration = Duration::from_secs(60);

/// A page and its token. `Debug` hides the token.
#[derive(Clone, PartialEq, Eq)]
pub struct MessengerPage {
    pub page_id: String,
    pub access_token: String,
}

impl fmt::Debug for MessengerPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessengerPage").field("page_id", &self.page_id).finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum MessengerSetupError {
    #[error("messenger.graph_url `{0}` is not an http or https URL; give one like https://graph.facebook.com")]
    GraphUrl(String),
    #[error(transparent)]
    Client(#[from] ClientBuildError),
}

impl From<CloudSetupError> for MessengerSetupError {
    fn from(error: CloudSetupError) -> Self {
        match error {
            CloudSetupError::GraphUrl(url) => Self::GraphUrl(url),
            CloudSetupError::Client(error) => Self::Client(error),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SenderAction {
    TypingOn,
    TypingOff,
    MarkSeen,
}

impl SenderAction {
    fn as_str(self) -> &'static str {
        match self {
            Self::TypingOn => "typing_on",
            Self::TypingOff => "typing_off",
            Self::MarkSeen => "mark_seen",
        }
    }
}

#[derive(Clone)]
pub struct MessengerApi {
    graph: CloudApi,
    /// Pages that gave no name, and until when they are not asked.
    nameless: Arc<Mutex<HashMap<String, Instant>>>,
}

impl MessengerApi {
    pub fn new(settings: CloudSettings) -> Result<Self, MessengerSetupError> {
        Ok(Self { graph: CloudApi::new(settings)?, nameless: Arc::default() })
    }

    /// Never sends twice by itself. A message that Messenger accepted counts as sent, because no other report of that comes.
    pub(super) async fn send(&self, page: &MessengerPage, body: &Value) -> Result<Acceptance, SendFailure> {
        let value = self.post(page, body).await?;
        match value.get("message_id").and_then(Value::as_str).filter(|id| !id.is_empty()) {
            Some(id) => Ok(Acceptance { provider_id: Some(id.to_owned()), sent: true, ..Acceptance::default() }),
            None => Err(SendFailure::Unknown { reason: "the answer names no message id".to_owned() }),
        }
    }

    /// A reaction is not a message, so it has no id, and a repetition changes nothing.
    pub(super) async fn react(&self, page: &MessengerPage, body: &Value) -> Result<Acceptance, SendFailure> {
        self.post(page, body).await.map(|_| Acceptance { sent: true, ..Acceptance::default() })
    }

    /// Uploads a file that Messenger cannot download. It is not visible before a message names it, so it may be
    /// repeated.
    pub(super) async fn upload(
        &self,
        page: &MessengerPage,
        kind: &str,
        file: OurFile,
        name: Option<&str>,
    ) -> Result<String, SendFailure> {
        let OurFile { content, mime_type, filename } = file;
        if content.bytes > FILE_MAX {
            let reason = format!("a file of Messenger has at most {FILE_MAX} bytes, and this one {}", content.bytes);
            return Err(UnsupportedContent { reason }.into());
        }
        let unusable = |_| UnsupportedContent { reason: format!("the file has no MIME type but `{mime_type}`") };
        let bytes = Body::wrap_stream(ReaderStream::new(content.reader));
        let part = Part::stream_with_length(bytes, content.bytes).file_name(name.map_or(filename, str::to_owned));
        let part = part.mime_str(&mime_type).map_err(unusable)?;
        let message = json!({ "attachment": { "type": kind, "payload": { "is_reusable": true } } });
        let form = Form::new().text("message", message.to_string()).part("filedata", part);
        let path = [page.page_id.as_str(), "message_attachments"];
        let call = self.graph.call(Method::POST, &path, &page.access_token).timeout(self.graph.timeout() * 2);
        let value = match self.call_api(call.multipart(form)).await {
            Err(SendFailure::Unknown { reason }) => return Err(SendFailure::NotSent { reason, after: None }),
            answered => answered?,
        };
        let id = value.get("attachment_id");
        let id = id.and_then(|id| id.as_str().map(str::to_owned).or_else(|| id.as_u64().map(|id| id.to_string())));
        id.filter(|id| !id.is_empty()).ok_or_else(|| {
            let reason = "the upload was answered without an id".to_owned();
            SendFailure::NotSent { reason, after: None }
        })
    }

    async fn post(&self, page: &MessengerPage, body: &Value) -> Result<Value, SendFailure> {
        self.call_api(self.graph.call(Method::POST, &[&page.page_id, "messages"], &page.access_token).json(body)).await
    }

    async fn call_api(&self, call: RequestBuilder) -> Result<Value, SendFailure> {
        let response = self.graph.client().send(call).await?;
        match answer(response).await {
            Ok(value) => Ok(value),
            Err(NoAnswer::Lost(reason)) => Err(SendFailure::Unknown { reason }),
            Err(NoAnswer::Error(error)) => Err(send_failure(error)),
        }
    }

    pub async fn act(&self, page: &MessengerPage, psid: &str, action: SenderAction) -> Result<(), GraphError> {
        let body = json!({ "recipient": { "id": psid }, "sender_action": action.as_str() });
        let call = self.graph.call(Method::POST, &[&page.page_id, "messages"], &page.access_token).json(&body);
        self.graph.read::<Value>(call).await.map(|_| ())
    }

    /// Returns the name of a customer; `None` if the page may not see it. Such a page is not asked again for a while.
    pub async fn name_of(&self, page: &MessengerPage, psid: &str) -> Option<String> {
        if self.nameless().get(&page.page_id).is_some_and(|until| *until > Instant::now()) {
            return None;
        }
        let call = self
            .graph
            .call(Method::GET, &[psid], &page.access_token)
            .query(&[("fields", "first_name,last_name")])
            .timeout(NAME_TIMEOUT);
        match self.graph.read::<Value>(call).await {
            Ok(profile) => {
                let part = |name: &str| profile.get(name).and_then(Value::as_str).map(str::trim);
                let parts: Vec<&str> = [part("first_name"), part("last_name")].into_iter().flatten().collect();
                Some(parts.join(" ").trim().to_owned()).filter(|name| !name.is_empty())
            }
            Err(error) => {
                tracing::info!(
                    page.id = page.page_id,
                    error = &error as &dyn std::error::Error,
                    "a page may not read the names of persons"
                );
                self.nameless().insert(page.page_id.clone(), Instant::now() + NAMES_PAUSE);
                None
            }
        }
    }

    fn nameless(&self) -> MutexGuard<'_, HashMap<String, Instant>> {
        self.nameless.lock()
    }

    pub async fn download(
        &self,
        url: &str,
        expectation: &MediaExpectation,
        to: &Path,
    ) -> Result<DownloadedMedia, MediaError> {
        let parsed = Url::parse(url).map_err(|_| MediaError::HostNotAllowed("not a URL".to_owned()))?;
        if parsed.origin() != self.graph.base().origin() && !is_of_meta(&parsed) {
            return Err(MediaError::HostNotAllowed(parsed.host_str().unwrap_or("no host").to_owned()));
        }
        fetch_file(self.graph.client(), self.graph.client().get(parsed), expectation, to).await
    }
}
