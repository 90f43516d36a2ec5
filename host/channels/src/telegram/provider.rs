//! Bots as accounts: their callbacks, their updates, and files of their customers.

use std::{path::Path, sync::Arc};

use async_trait::async_trait;
use domain::{carriage::SendFailure, clock::Clock, ids::InboxId, inbox::InboxKind};
use serde_json::{Value, json};

use super::{TelegramApi, update};
use crate::{
    account::{AccountLogin, AccountProvider, News, OpenedCallback, UnreadableCallback},
    media_download::{DownloadedMedia, MediaError, MediaExpectation},
    provider_json,
};

pub struct TelegramProvider {
    api: TelegramApi,
    /// Taps have no time of Telegram's.
    clock: Arc<dyn Clock>,
}

impl TelegramProvider {
    pub fn new(api: TelegramApi, clock: Arc<dyn Clock>) -> Self {
        Self { api, clock }
    }

    fn reader<'a>(&self, bot: &'a str, inbox: InboxId) -> update::Reader<'a> {
        update::Reader { bot, inbox, now: self.clock.now() }
    }
}

#[async_trait]
impl AccountProvider for TelegramProvider {
    fn kind(&self) -> InboxKind {
        InboxKind::Telegram
    }

    fn url_name(&self) -> &'static str {
        "telegram"
    }

    fn secret_header(&self) -> &'static str {
        "x-telegram-bot-api-secret-token"
    }

    fn open(&self, account_id: &str, inbox: InboxId, raw: &[u8]) -> Result<OpenedCallback, UnreadableCallback> {
        let body = provider_json::read(raw).map_err(|error| UnreadableCallback(format!("it is not JSON: {error}")))?;
        if body.get("update_id").and_then(Value::as_i64).is_none() {
            return Err(UnreadableCallback("`update_id` is missing".to_owned()));
        }
        let items = vec![self.reader(account_id, inbox).item(&body)];
        // A bot may give one command as the answer to an update.
        let answer =
            update::tap_of(&body).map(|tap| json!({ "method": "answerCallbackQuery", "callback_query_id": tap }));
        Ok(OpenedCallback { items, answer })
    }

    async fn news(&self, login: &AccountLogin, inbox: InboxId, next: i64) -> Result<News, SendFailure> {
        let updates = self.api.updates(&login.access_token, next).await?;
        let reader = self.reader(&login.account_id, inbox);
        let last = updates.iter().filter_map(|update| update.get("update_id")?.as_i64()).max();
        Ok(News {
            items: updates.iter().map(|update| reader.item(update)).collect(),
            // Without new updates all earlier ones are forgotten. After a week without any, Telegram may number
            // updates from another number on, so no number is kept.
            next: last.map_or(0, |last| last.saturating_add(1)),
            taps: updates.iter().filter_map(update::tap_of).map(str::to_owned).collect(),
        })
    }

    async fn answer_taps(&self, login: &AccountLogin, taps: &[String]) {
        let answers = taps.iter().map(|tap| self.api.answer_tap(&login.access_token, tap));
        for failure in futures::future::join_all(answers).await.into_iter().filter_map(Result::err) {
            tracing::debug!(%failure, "a tap could not be answered; its button shows the waiting sign for a while");
        }
    }

    async fn download(
        &self,
        login: &AccountLogin,
        file_id: &str,
        expectation: &MediaExpectation,
        to: &Path,
    ) -> Result<DownloadedMedia, MediaError> {
        self.api.download(login, file_id, expectation, to).await
    }
}
