//! What the messages of a chat say, in either direction.

use serde::{Deserialize, Serialize};

use super::Direction;
use crate::{content::OutboundContent, inbound::InboundContent, opaque::Opaque, referral::Referral};

/// What a message of a chat says.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatContent {
    /// What a customer sent.
    Incoming(Box<ReceivedContent>),
    /// What a chatbot or an agent sent.
    Outgoing(Box<OutboundContent>),
}

/// What a customer sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReceivedContent {
    /// What we understand of it.
    #[serde(flatten)]
    pub content: InboundContent,
    /// The provider's JSON, for what we do not model.
    #[serde(default)]
    pub raw: Opaque,
    /// The advertisement or link that led to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referral: Option<Box<Referral>>,
}

impl ChatContent {
    /// From or to the customer.
    pub fn direction(&self) -> Direction {
        match self {
            Self::Incoming(_) => Direction::Incoming,
            Self::Outgoing(_) => Direction::Outgoing,
        }
    }

    /// Whether it is an emoji on another message, or taking one off: nothing that stands for itself.
    pub fn is_reaction(&self) -> bool {
        match self {
            Self::Incoming(received) => matches!(received.content, InboundContent::Reaction { .. }),
            Self::Outgoing(content) => matches!(**content, OutboundContent::Reaction(_)),
        }
    }

    /// What a customer sent; `None` when it went to one.
    pub fn incoming(&self) -> Option<&ReceivedContent> {
        match self {
            Self::Incoming(content) => Some(content),
            Self::Outgoing(_) => None,
        }
    }

    /// The advertisement or link that led to a message of a customer.
    pub fn referral(&self) -> Option<&Referral> {
        self.incoming()?.referral.as_deref()
    }

    /// What a chatbot or an agent sent; `None` when it came from a customer.
    pub fn outgoing(&self) -> Option<&OutboundContent> {
        match self {
            Self::Incoming(_) => None,
            Self::Outgoing(content) => Some(content),
        }
    }
}
