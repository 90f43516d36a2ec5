//! Platform webhooks (SPEC 2.12, 6): their types, their configuration, when an event is emitted and when it is tried
//! again.

mod config;
mod retry;
#[cfg(test)]
mod tests;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

pub use config::{
    NumberScope, PayloadVersion, UnknownPayloadVersion, WebhookConfig, WebhookConfigRequest, WebhookSettings, in_force,
};
pub use retry::{AfterFailure, FailedAttempt, Verdict, after_failure};

/// The five webhook types (SPEC 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum WebhookType {
    /// A customer messages the business number.
    IncomingMessage,
    /// The delivery status of an outbound message changes.
    StatusUpdate,
    /// A WhatsApp Lite session changes.
    SessionStatus,
    /// Platform events.
    PartnerEvent,
    /// Chatbot conversation events.
    Chatbot,
}

/// A stored webhook type that this version does not know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown webhook type `{0}`")]
pub struct UnknownWebhookType(String);

impl WebhookType {
    /// All of them, in the order of SPEC 6.
    pub const ALL: [Self; 5] =
        [Self::IncomingMessage, Self::StatusUpdate, Self::SessionStatus, Self::PartnerEvent, Self::Chatbot];

    /// The name that is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::IncomingMessage => "INCOMING_MESSAGE",
            Self::StatusUpdate => "STATUS_UPDATE",
            Self::SessionStatus => "SESSION_STATUS",
            Self::PartnerEvent => "PARTNER_EVENT",
            Self::Chatbot => "CHATBOT",
        }
    }

    /// The field of a configuration that holds its URL.
    pub fn url_field(self) -> &'static str {
        match self {
            Self::IncomingMessage => "incomingMessageURL",
            Self::StatusUpdate => "statusUpdateURL",
            Self::SessionStatus => "sessionStatusURL",
            Self::PartnerEvent => "eventWebhookURL",
            Self::Chatbot => "chatbotWebhookURL",
        }
    }
}

impl fmt::Display for WebhookType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for WebhookType {
    type Err = UnknownWebhookType;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|kind| kind.as_str() == text);
        known.ok_or_else(|| UnknownWebhookType(text.to_owned()))
    }
}

/// Why a webhook was turned off until its address is saved again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DisabledReason {
    /// Its receiver answered 410.
    Gone,
    /// It failed for days, without one success.
    Failing,
}

impl DisabledReason {
    /// The name shown to clients and stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "GONE",
            Self::Failing => "FAILING",
        }
    }

    /// From the name that is stored.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Gone, Self::Failing].into_iter().find(|reason| reason.as_str() == name)
    }
}

/// The kind of a chatbot event, for the rules that hold it back (SPEC 6.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChatbotEvent {
    /// `INCOMING`: the customer wrote.
    Incoming,
    /// `OUTGOING`: the bot or an agent said something.
    Reply,
    /// `OUTGOING`, without a message: the chat was assigned to an agent or a team. Customers do not see it, and a
    /// receiver that answers incoming messages must not take it for one.
    Assignment,
    /// A template went out: reported on `statusUpdateURL` instead.
    TemplateSend,
}

impl WebhookSettings {
    /// Gating of SPEC 6.5: nothing while an agent is assigned when that is switched on; `INCOMING` always otherwise;
    /// `OUTGOING` only when included; template sends never. Without a URL nothing is emitted at all.
    pub fn emits_chatbot_event(&self, event: ChatbotEvent, agent_assigned: bool) -> bool {
        if self.url(WebhookType::Chatbot).is_none() || (agent_assigned && self.chatbot_stop_on_agent_assignment) {
            return false;
        }
        match event {
            ChatbotEvent::Incoming => true,
            ChatbotEvent::Reply | ChatbotEvent::Assignment => self.chatbot_include_outgoing,
            ChatbotEvent::TemplateSend => false,
        }
    }
}
