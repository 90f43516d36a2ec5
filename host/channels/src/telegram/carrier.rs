//! A place is one message of the bot's rate and its call. A chat takes one message per second, which `admit` keeps.

use std::{
    borrow::Cow,
    collections::HashMap,
    time::{Duration, Instant},
};

use async_trait::async_trait;
use domain::{
    address::{Address, AddressKind},
    carriage::{Acceptance, SendFailure},
    content::OutboundContent,
    ids::InboxId,
    inbox::InboxKind,
};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::{
    TelegramApi, content,
    send_body::{self, BotCall},
};
use crate::{
    account::AccountLogin,
    carrier::{
        Carrier, CarrierInbox, CarrierPause, OutgoingMessage, PresenceRefused, PresenceSignal, SendPlace,
        UnsupportedContent,
        rate_gate::{RateCall, RateGate, SETTINGS_LAST},
    },
};

/// Time after which a bot without credentials is tried again.
const WITHOUT_CREDENTIALS: Duration = Duration::from_secs(60);
/// Time between messages to one chat: the Bot API takes one per second.
const CHAT_INTERVAL: Duration = Duration::from_secs(1);
/// Remembered chats before idle ones are removed.
const CHATS_REMEMBERED: usize = 10_000;

#[derive(Debug, Clone, Copy)]
pub struct TelegramLimits {
    /// Messages per second and bot (`telegram.rate_per_bot`).
    pub rate_per_second: u32,
    pub in_flight: usize,
}

pub struct TelegramCarrier {
    api: TelegramApi,
    gates: RateGate,
    chats: Mutex<HashMap<(InboxId, String), Instant>>,
}

impl TelegramCarrier {
    pub fn new(api: TelegramApi, limits: TelegramLimits) -> Self {
        Self { api, gates: RateGate::new(limits.rate_per_second, limits.in_flight), chats: Mutex::default() }
    }
}

fn login_of(inbox: &CarrierInbox) -> Option<&AccountLogin> {
    inbox.credentials.get()
}

fn chat_of(address: &Address) -> Option<&str> {
    address.as_kind(AddressKind::Telegram)
}

#[async_trait]
impl Carrier for TelegramCarrier {
    fn kind(&self) -> InboxKind {
        InboxKind::Telegram
    }

    fn window(&self, _inbox: &CarrierInbox) -> usize {
        self.gates.window()
    }

    fn take(&self, inbox: &CarrierInbox, wanted: usize) -> Result<Vec<SendPlace>, CarrierPause> {
        if login_of(inbox).is_none() {
            let reason = "this bot has no token".to_owned();
            return Err(CarrierPause { reason, look_again: WITHOUT_CREDENTIALS });
        }
        Ok(self.gates.take(inbox, wanted))
    }

    async fn ready(&self, inbox: &CarrierInbox) {
        self.gates.ready(inbox).await;
    }

    fn admit(&self, inbox: &CarrierInbox, to: &Address) -> Result<(), Duration> {
        let Some(chat) = chat_of(to) else { return Ok(()) };
        let now = Instant::now();
        let mut chats = self.chats.lock();
        if chats.len() > CHATS_REMEMBERED {
            chats.retain(|_, free_at| *free_at > now);
        }
        let free_at = chats.entry((inbox.id, chat.to_owned())).or_insert(now);
        let wait = free_at.saturating_duration_since(now);
        if !wait.is_zero() {
            return Err(wait);
        }
        *free_at = now + CHAT_INTERVAL;
        Ok(())
    }

    fn pace(&self, _inbox: &CarrierInbox) -> Duration {
        CHAT_INTERVAL
    }

    async fn show(&self, inbox: &CarrierInbox, presence: &PresenceSignal<'_>) -> Result<(), PresenceRefused> {
        // The Bot API has no read marks.
        let chat = chat_of(presence.to).filter(|_| presence.typing).ok_or(PresenceRefused::NoSuchThing)?;
        let login = login_of(inbox).ok_or_else(|| PresenceRefused::Failed("this bot has no token".to_owned()))?;
        let fields = json!({ "chat_id": send_body::chat_id(chat), "action": "typing" });
        let shown = self.api.call(&login.access_token, "sendChatAction", &fields).await;
        shown.map(drop).map_err(|failure| PresenceRefused::Failed(failure.to_string()))
    }

    fn carry<'a>(&self, content: &'a OutboundContent) -> Result<Cow<'a, OutboundContent>, UnsupportedContent> {
        content::carriable_content(content)
    }

    fn settings_last(&self) -> Option<Duration> {
        Some(SETTINGS_LAST)
    }

    async fn send(
        &self,
        inbox: &CarrierInbox,
        place: SendPlace,
        outgoing: &OutgoingMessage<'_>,
    ) -> Result<Acceptance, SendFailure> {
        let (Some(mut call), Some(login)) = (place.into_held::<RateCall>(), login_of(inbox)) else {
            let reason = "no place or no token for a message over Telegram".to_owned();
            return Err(SendFailure::NotSent { reason, after: None });
        };
        let Some(chat) = chat_of(outgoing.to) else {
            return Err(UnsupportedContent { reason: "a bot writes to its own customers only".to_owned() }.into());
        };
        let carried = content::carriable_content(outgoing.content)?;
        let file = match &*carried {
            OutboundContent::Media(media) => outgoing.files.open(&media.url).await?,
            _ => None,
        };
        let prepared = send_body::prepare(&carried, chat, outgoing.quoted, file)?;
        call.begins();
        let is_message = prepared.is_message();
        let answered = match prepared {
            BotCall::Json { method, fields, .. } => self.api.call(&login.access_token, method, &fields).await,
            BotCall::Form { method, form } => self.api.upload(&login.access_token, method, form).await,
        };
        let mut result = match answered {
            Ok(answer) if is_message => read_acceptance(&answer, login, chat),
            // A reaction is not a message, so it has no id, and a repetition changes nothing.
            Ok(_) => Ok(Acceptance { sent: true, ..Acceptance::default() }),
            Err(failure) => Err(failure.into()),
        };
        call.rest(&mut result, outgoing.attempt);
        result
    }
}

/// A message that the Bot API took counts as sent, because no other report of it comes.
fn read_acceptance(answer: &Value, login: &AccountLogin, chat: &str) -> Result<Acceptance, SendFailure> {
    let id = answer.get("message_id").and_then(Value::as_i64);
    let id = id.ok_or_else(|| SendFailure::Unknown { reason: "the answer names no message id".to_owned() })?;
    let provider_id = Some(content::message_id(&login.account_id, chat, id));
    Ok(Acceptance { provider_id, sent: true, ..Acceptance::default() })
}
