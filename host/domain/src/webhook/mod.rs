//! Platform webhooks (SPEC 2.12, 6): types, configuration, conditions for events, and repetition of attempts.

mod config;
mod failure_period;
mod retry;
#[cfg(test)]
mod tests;

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

pub use config::{
    NumberScope, PayloadVersion, UnknownPayloadVersion, WebhookConfig, WebhookConfigRequest, WebhookSettings, in_force,
};
pub use failure_period::FailurePeriod;
pub use retry::{AfterFailure, AnswerVerdict, FailedAttempt, after_failure};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum WebhookType {
    IncomingMessage,
    StatusUpdate,
    SessionStatus,
    PartnerEvent,
    Chatbot,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown webhook type `{0}`")]
pub struct UnknownWebhookType(String);

impl WebhookType {
    /// In the order of SPEC 6.
    pub const ALL: [Self; 5] =
        [Self::IncomingMessage, Self::StatusUpdate, Self::SessionStatus, Self::PartnerEvent, Self::Chatbot];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::IncomingMessage => "INCOMING_MESSAGE",
            Self::StatusUpdate => "STATUS_UPDATE",
            Self::SessionStatus => "SESSION_STATUS",
            Self::PartnerEvent => "PARTNER_EVENT",
            Self::Chatbot => "CHATBOT",
        }
    }

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DisabledReason {
    Gone,
    /// It failed for days without a success.
    Failing,
}

impl DisabledReason {
    pub const ALL: [Self; 2] = [Self::Gone, Self::Failing];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "GONE",
            Self::Failing => "FAILING",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == name)
    }
}

/// The kinds of chatbot event that [`WebhookSettings::emits_chatbot_event`] distinguishes (SPEC 6.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChatbotEvent {
    /// `INCOMING`: the customer wrote.
    Incoming,
    Reply,
    /// `OUTGOING` without a message: the chat was assigned. A receiver that answers messages must not treat it as one.
    Assignment,
    /// A template was sent. `statusUpdateURL` reports it instead.
    TemplateSend,
}

impl WebhookSettings {
    /// The rules of SPEC 6.5: nothing without a URL, or while an agent is assigned with
    /// `chatbot_stop_on_agent_assignment`. Otherwise `INCOMING` always, `OUTGOING` if included, template sends never.
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
