//! Accounts at providers with a token and JSON, such as bots: callbacks, updates, files and sends come through these
//! types.

use std::{fmt, path::Path};

use async_trait::async_trait;
use domain::{carriage::SendFailure, ids::InboxId, inbound::CallbackItem, inbox::InboxKind};
use serde_json::Value;
use subtle::ConstantTimeEq;

use crate::media_download::{DownloadedMedia, MediaError, MediaExpectation};

#[derive(Clone, PartialEq, Eq)]
pub struct AccountLogin {
    pub account_id: String,
    pub access_token: String,
}

impl fmt::Debug for AccountLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccountLogin").field("account_id", &self.account_id).finish_non_exhaustive()
    }
}

/// Compares secrets in a time that depends on their lengths only.
pub fn is_same_secret(one: &str, other: &str) -> bool {
    bool::from(one.as_bytes().ct_eq(other.as_bytes()))
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadableCallback(
    /// The reason. It names fields and no values.
    pub String,
);

#[derive(Debug, Clone, Default, PartialEq)]
pub struct News {
    pub items: Vec<CallbackItem>,
    /// The number of the first update after these.
    pub next: i64,
    /// Ids of taps that the provider shows as pending until they are answered.
    pub taps: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpenedCallback {
    pub items: Vec<CallbackItem>,
    /// The body of the answer, if the provider takes one.
    pub answer: Option<Value>,
}

#[async_trait]
pub trait AccountProvider: Send + Sync + 'static {
    fn kind(&self) -> InboxKind;

    /// Its name in the URL of callbacks: `/providers/{name}/webhook/{id}`.
    fn url_name(&self) -> &'static str;

    fn secret_header(&self) -> &'static str;

    /// Reads a callback whose secret was checked.
    fn open(&self, account_id: &str, inbox: InboxId, raw: &[u8]) -> Result<OpenedCallback, UnreadableCallback>;

    /// Waits for updates from the number `next` on, for a time that the provider bounds. The provider deletes older updates.
    async fn news(&self, login: &AccountLogin, inbox: InboxId, next: i64) -> Result<News, SendFailure>;

    /// Answers taps, so that the provider no longer shows them as pending. A failure has no effect.
    async fn answer_taps(&self, login: &AccountLogin, taps: &[String]);

    async fn download(
        &self,
        login: &AccountLogin,
        file_id: &str,
        expectation: &MediaExpectation,
        to: &Path,
    ) -> Result<DownloadedMedia, MediaError>;
}
