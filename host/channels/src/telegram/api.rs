//! Calls of a bot: `POST {base}/bot{token}/{method}`. The token is part of the address, so errors never have an address.

use std::{path::Path, time::Duration};

use reqwest::{Method, RequestBuilder, multipart::Form};
use serde_json::{Value, json};
use url::Url;

use super::errors::CallFailure;
use crate::{
    account::AccountLogin,
    http::{ClientBuildError, OperatorClient, body_within, operator_client},
    media_download::{DownloadedMedia, MediaError, MediaExpectation, fetch_file},
    provider_json,
};

/// Largest file that the Bot API gives out, in bytes.
const DOWNLOAD_MAX: u64 = 20 << 20;
/// Largest JSON answer that we read, in bytes: 100 updates.
const MAX_ANSWER: usize = 8 << 20;
/// Time for an answer in addition to the time that the Bot API waits for updates.
const POLL_GRACE: Duration = Duration::from_secs(10);
/// Longest time for the answer to a tap, because updates wait for it.
const TAP_TIMEOUT: Duration = Duration::from_secs(5);
/// The updates that are wanted. Reactions come only if they are named.
const WANTED: [&str; 4] = ["message", "edited_message", "callback_query", "message_reaction"];
/// Most updates of one answer.
const MOST_UPDATES: u32 = 100;

#[derive(Debug, Clone)]
pub struct TelegramSettings {
    pub api_url: String,
    pub timeout: Duration,
    /// Time for which the Bot API waits for updates.
    pub poll_wait: Duration,
}

#[derive(Debug, thiserror::Error)]
pub enum TelegramSetupError {
    #[error("telegram.api_url `{0}` is not an http or https URL; give one like https://api.telegram.org")]
    ApiUrl(String),
    #[error(transparent)]
    Client(#[from] ClientBuildError),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TelegramBot {
    pub id: String,
    /// Its user name without `@`.
    pub username: String,
}

/// The Bot API. Cloning is cheap.
#[derive(Clone)]
pub struct TelegramApi {
    client: OperatorClient,
    base: Url,
    timeout: Duration,
    poll_wait: Duration,
}

/// True if a text has the form of a token: the id of a bot, a colon, and a secret.
pub fn is_token(text: &str) -> bool {
    text.len() <= 128
        && text.split_once(':').is_some_and(|(id, secret)| {
            let of_secret = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
            let is_id = (1..=20).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_digit());
            is_id && secret.len() >= 20 && secret.bytes().all(of_secret)
        })
}

impl TelegramApi {
    pub fn new(settings: TelegramSettings) -> Result<Self, TelegramSetupError> {
        let TelegramSettings { api_url, timeout, poll_wait } = settings;
        let base = Url::parse(&api_url).ok();
        let base = base.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
        let base = base.ok_or(TelegramSetupError::ApiUrl(api_url))?;
        Ok(Self { client: operator_client(timeout.max(poll_wait + POLL_GRACE))?, base, timeout, poll_wait })
    }

    fn address<'a>(&self, segments: impl IntoIterator<Item = &'a str>) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(segments);
        }
        url
    }

    fn request(&self, token: &str, method: &str) -> RequestBuilder {
        let url = self.address([format!("bot{token}").as_str(), method]);
        self.client.request(Method::POST, url).timeout(self.timeout)
    }

    async fn result(&self, request: RequestBuilder) -> Result<Value, CallFailure> {
        let response = self.client.send(request).await.map_err(|error| CallFailure::before_an_answer(&error))?;
        let status = response.status();
        let body = match body_within(response, MAX_ANSWER).await {
            Ok(body) => provider_json::read(&body).ok(),
            Err(error) if status.is_success() => return Err(CallFailure::Lost(error.to_string())),
            Err(_) => None,
        };
        match body {
            Some(mut body) if status.is_success() && body.get("ok") == Some(&Value::Bool(true)) => {
                Ok(body.get_mut("result").map(Value::take).unwrap_or_default())
            }
            None if status.is_success() => Err(CallFailure::Lost("the answer is not JSON".to_owned())),
            body => Err(CallFailure::from_answer(status.as_u16(), body.as_ref())),
        }
    }

    pub(super) async fn call(&self, token: &str, method: &str, fields: &Value) -> Result<Value, CallFailure> {
        self.result(self.request(token, method).json(fields)).await
    }

    pub(super) async fn upload(&self, token: &str, method: &str, form: Form) -> Result<Value, CallFailure> {
        self.result(self.request(token, method).timeout(self.timeout * 4).multipart(form)).await
    }

    pub async fn bot_of(&self, token: &str) -> Result<TelegramBot, CallFailure> {
        let me = self.call(token, "getMe", &json!({})).await?;
        let id = me.get("id").and_then(Value::as_u64);
        let username = me.get("username").and_then(Value::as_str).unwrap_or_default().to_owned();
        let id = id.ok_or_else(|| CallFailure::Lost("the answer to getMe has no id".to_owned()))?;
        Ok(TelegramBot { id: id.to_string(), username })
    }

    /// Lets the Bot API post updates to this URL, with the secret in `X-Telegram-Bot-Api-Secret-Token`.
    pub async fn set_webhook(&self, token: &str, url: &str, secret: &str) -> Result<(), CallFailure> {
        let fields = json!({ "url": url, "secret_token": secret, "allowed_updates": WANTED });
        self.call(token, "setWebhook", &fields).await.map(drop)
    }

    /// Ends the webhook, so that updates can be asked for. Updates that wait are kept.
    pub async fn delete_webhook(&self, token: &str) -> Result<(), CallFailure> {
        self.call(token, "deleteWebhook", &json!({})).await.map(drop)
    }

    /// Waits for updates from this id on. The Bot API forgets the updates before it.
    pub(super) async fn updates(&self, token: &str, offset: i64) -> Result<Vec<Value>, CallFailure> {
        let fields = json!({
            "offset": offset,
            "limit": MOST_UPDATES,
            "timeout": self.poll_wait.as_secs(),
            "allowed_updates": WANTED,
        });
        let request = self.request(token, "getUpdates").timeout(self.poll_wait + POLL_GRACE).json(&fields);
        match self.result(request).await? {
            Value::Array(updates) => Ok(updates),
            _ => Err(CallFailure::Lost("the answer to getUpdates is not a list".to_owned())),
        }
    }

    /// Ends the waiting sign on the button that a customer tapped.
    pub(super) async fn answer_tap(&self, token: &str, id: &str) -> Result<(), CallFailure> {
        let fields = json!({ "callback_query_id": id });
        self.result(self.request(token, "answerCallbackQuery").timeout(TAP_TIMEOUT).json(&fields)).await.map(drop)
    }

    pub(super) async fn download(
        &self,
        login: &AccountLogin,
        file_id: &str,
        expectation: &MediaExpectation,
        to: &Path,
    ) -> Result<DownloadedMedia, MediaError> {
        let limit = expectation.max_bytes.min(DOWNLOAD_MAX);
        let file = match self.call(&login.access_token, "getFile", &json!({ "file_id": file_id })).await {
            Ok(file) => file,
            Err(CallFailure::Refused { text, .. }) if text.contains("file is too big") => {
                return Err(MediaError::TooLarge { limit });
            }
            Err(failure) => return Err(MediaError::Unreachable(failure.to_string())),
        };
        let path = file.get("file_path").and_then(Value::as_str).unwrap_or_default();
        // A Bot API server of one's own in local mode names a file on its disk.
        if path.is_empty() || path.starts_with('/') || path.split('/').any(|part| part.is_empty() || part == "..") {
            return Err(MediaError::Unreadable("the answer to getFile has no path below the server".to_owned()));
        }
        let bot = format!("bot{}", login.access_token);
        let url = self.address(["file", bot.as_str()].into_iter().chain(path.split('/')));
        let call = self.client.get(url).timeout(self.timeout * 4);
        let expectation = MediaExpectation { max_bytes: limit, ..expectation.clone() };
        fetch_file(&self.client, call, &expectation, to).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_an_id_and_a_secret() {
        assert!(is_token("123456789:AAE-abcdefghijklmnopqrstuvwxyz_0123"));
        for wrong in [
            "",
            "123456789",
            ":AAEabcdefghijklmnopqrstuvwxyz",
            "12a:AAEabcdefghijklmnopqrstuvwxyz",
            "123456789:short",
            "123456789:AAEabcdefghij/../klmnopqrstuvwxyz",
        ] {
            assert!(!is_token(wrong), "{wrong}");
        }
    }

    #[test]
    fn the_base_may_have_a_path_and_the_token_is_one_segment() {
        let settings = TelegramSettings {
            api_url: "http://127.0.0.1:1/botapi/".to_owned(),
            timeout: Duration::from_secs(1),
            poll_wait: Duration::from_secs(1),
        };
        let api = TelegramApi::new(settings).unwrap();
        assert_eq!(api.address(["bot1:a", "getMe"]).as_str(), "http://127.0.0.1:1/botapi/bot1:a/getMe");
    }
}
