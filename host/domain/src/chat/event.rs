//! Events of a participant that its chatbot must see.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::ids::ChatMessageId;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParticipantEvent {
    /// The conversation began with this message. A router decides about its chat.
    Route(ArrivedMessage),
    /// The conversation began with this message, which follows as an event of its own.
    Started(ArrivedMessage),
    Message(ArrivedMessage),
    Rating(ArrivedMessage),
    Timer(ChatbotTimer),
    Custom(CustomEvent),
    /// A request that the chatbot started has ended. Stored as a custom event, so that the release before reads it too.
    RequestEnded(Box<EndedRequest>),
    /// An agent gave the conversation back.
    Released,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParticipantEventKind {
    Route,
    Started,
    Message,
    Rating,
    Timer,
    Custom,
    Released,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArrivedMessage {
    pub message: ChatMessageId,
    #[serde(default)]
    pub reopened: bool,
    /// The template that the customer had been sent last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<SentTemplate>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_team: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentTemplate {
    /// The provider's template id.
    pub id: String,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatbotTimer {
    pub name: String,
    /// The chatbot that set it; `None` if a process of an earlier release did. Then any chatbot gets it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plugin: Option<String>,
    /// When it runs out; `None` in those that were started before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CustomEvent {
    pub name: String,
    /// More about it: a JSON text.
    pub payload: String,
}

/// The end of a request that a chatbot started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndedRequest {
    /// The id that the chatbot got.
    pub job: String,
    pub plugin: String,
    /// The control version of the chat when the request was started.
    pub control_version: i64,
    pub end: RequestEnd,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum RequestEnd {
    Response {
        status: u16,
        headers: Vec<(String, String)>,
        /// The body in base64.
        body: String,
    },
    TimedOut,
    /// Larger than this number of bytes.
    TooLarge(u32),
    /// The host refused the address.
    Refused(String),
    Failed(String),
}

impl ParticipantEvent {
    pub fn kind(&self) -> ParticipantEventKind {
        match self {
            Self::Route(_) => ParticipantEventKind::Route,
            Self::Started(_) => ParticipantEventKind::Started,
            Self::Message(_) => ParticipantEventKind::Message,
            Self::Rating(_) => ParticipantEventKind::Rating,
            Self::Timer(_) => ParticipantEventKind::Timer,
            Self::Custom(_) | Self::RequestEnded(_) => ParticipantEventKind::Custom,
            Self::Released => ParticipantEventKind::Released,
        }
    }

    /// False if another chatbot set this timer or started this request.
    pub fn is_for(&self, plugin: &str) -> bool {
        match self {
            Self::Timer(timer) => timer.plugin.as_deref().is_none_or(|owner| owner == plugin),
            Self::RequestEnded(ended) => ended.plugin == plugin,
            Self::Route(_)
            | Self::Started(_)
            | Self::Message(_)
            | Self::Rating(_)
            | Self::Custom(_)
            | Self::Released => true,
        }
    }

    pub fn message(&self) -> Option<&ArrivedMessage> {
        match self {
            Self::Route(message) | Self::Started(message) | Self::Message(message) | Self::Rating(message) => {
                Some(message)
            }
            Self::Timer(_) | Self::Custom(_) | Self::RequestEnded(_) | Self::Released => None,
        }
    }

    pub fn message_mut(&mut self) -> Option<&mut ArrivedMessage> {
        match self {
            Self::Route(message) | Self::Started(message) | Self::Message(message) | Self::Rating(message) => {
                Some(message)
            }
            Self::Timer(_) | Self::Custom(_) | Self::RequestEnded(_) | Self::Released => None,
        }
    }
}

impl ParticipantEventKind {
    pub const ALL: [Self; 7] =
        [Self::Route, Self::Started, Self::Message, Self::Rating, Self::Timer, Self::Custom, Self::Released];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Route => "ROUTE",
            Self::Started => "STARTED",
            Self::Message => "MESSAGE",
            Self::Rating => "RATING",
            Self::Timer => "TIMER",
            Self::Custom => "CUSTOM",
            Self::Released => "RELEASED",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}
