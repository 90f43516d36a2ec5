use serde::{Deserialize, Serialize};

use super::Direction;
use crate::{content::OutboundContent, inbound::InboundContent, opaque_json::OpaqueJson, referral::Referral};

#[derive(Debug, Clone, PartialEq)]
pub enum ChatContent {
    Incoming(Box<ReceivedContent>),
    Outgoing(Box<OutboundContent>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReceivedContent {
    #[serde(flatten)]
    pub content: InboundContent,
    #[serde(default)]
    pub raw: OpaqueJson,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referral: Option<Box<Referral>>,
}

impl ChatContent {
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

    pub fn incoming(&self) -> Option<&ReceivedContent> {
        match self {
            Self::Incoming(content) => Some(content),
            Self::Outgoing(_) => None,
        }
    }

    pub fn referral(&self) -> Option<&Referral> {
        self.incoming()?.referral.as_deref()
    }

    pub fn outgoing(&self) -> Option<&OutboundContent> {
        match self {
            Self::Incoming(_) => None,
            Self::Outgoing(content) => Some(content),
        }
    }
}
