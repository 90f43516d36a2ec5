//! The parts of a chat message other than its text, in the fields of answers and live events (SPEC 2.7).

use super::ChatContent;
use crate::{
    content::{Location, MediaKind, OutboundContent},
    inbound::{InboundContent, ProviderFailure},
};

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MessageDetails<'a> {
    pub media_url: Option<&'a str>,
    pub place: Option<&'a Location>,
    pub payload: Option<&'a str>,
    /// Of a reaction: the provider's id of the message that it is about.
    pub reaction_to: Option<&'a str>,
    pub is_voice: bool,
    /// The reason why the provider does not deliver the customer's content.
    pub error: Option<&'a ProviderFailure>,
}

impl ChatContent {
    pub fn details(&self) -> MessageDetails<'_> {
        match self {
            Self::Incoming(received) => of_received(&received.content),
            Self::Outgoing(content) => of_sent(content),
        }
    }
}

fn of_received(content: &InboundContent) -> MessageDetails<'_> {
    let nothing = MessageDetails::default();
    match content {
        InboundContent::Location(place) => MessageDetails { place: Some(place), ..nothing },
        InboundContent::Button { payload, .. } | InboundContent::Interactive { payload, .. } => {
            MessageDetails { payload: Some(payload), ..nothing }
        }
        InboundContent::Reaction { message_id, .. } => MessageDetails { reaction_to: Some(message_id), ..nothing },
        InboundContent::Text { .. } | InboundContent::Media(_) | InboundContent::Contact { .. } => nothing,
        InboundContent::Unmodelled(other) => MessageDetails { error: other.error.as_ref(), ..nothing },
    }
}

fn of_sent(content: &OutboundContent) -> MessageDetails<'_> {
    let nothing = MessageDetails::default();
    match content {
        OutboundContent::Location(place) => MessageDetails { place: Some(place), ..nothing },
        OutboundContent::Reaction(reaction) => MessageDetails { reaction_to: Some(&reaction.message_id), ..nothing },
        OutboundContent::Media(file) => {
            MessageDetails { media_url: Some(&file.url), is_voice: file.kind == MediaKind::Voice, ..nothing }
        }
        OutboundContent::Text { .. }
        | OutboundContent::Template(_)
        | OutboundContent::Buttons(_)
        | OutboundContent::List(_)
        | OutboundContent::Sms(_) => nothing,
    }
}
