//! The customer, a message and the wall clock in the types of `wit/` that routers and chatbots share.

use domain::{content::MediaKind as FileKind, inbound::InboundContent};
use plugin_host::{
    Zone,
    chatbot::{
        Choice, ChoiceSource, Content, Customer, IncomingMessage, Location, Media, MediaKind, QuotedMessage, Reaction,
    },
};
use storage::people::customers::Customer as StoredCustomer;

use super::message::CustomerMessage;

/// The provider type of a tap in Messenger outside our messages, such as one on the persistent menu.
const POSTBACK: &str = "postback";

pub(crate) fn customer(customer: &StoredCustomer) -> Customer {
    Customer {
        phone: customer.phone().map(str::to_owned),
        user_id: customer.addresses.user_id().map(str::to_owned),
        username: customer.username.clone(),
        name: customer.name.clone(),
    }
}

pub(crate) fn message(wrote: &CustomerMessage) -> IncomingMessage {
    IncomingMessage {
        id: wrote.message.id.to_string(),
        content: content(wrote),
        quoted: wrote.quoted.clone().map(|(id, text)| QuotedMessage { id, text }),
    }
}

fn content(wrote: &CustomerMessage) -> Content {
    let choice = |source, text: &String, payload: &String| {
        Content::Choice(Choice { source, text: text.clone(), payload: payload.clone() })
    };
    match &wrote.content {
        InboundContent::Text { body } => match &wrote.provider_type {
            // Old messages were stored like this, before `Unmodelled` existed.
            Some(kind) if body.is_empty() && kind != "text" => Content::Other(kind.clone()),
            _ => Content::Text(body.clone()),
        },
        InboundContent::Unmodelled(other) if other.has_words => Content::Text(other.text.clone()),
        InboundContent::Unmodelled(other) => Content::Other(other.type_name.clone()),
        InboundContent::Media(file) => {
            let stored = wrote.file.as_ref();
            Content::Media(Media {
                url: stored.map(|stored| stored.url.clone()).unwrap_or_default(),
                mime: Some(file.mime_type.clone()),
                filename: file.filename.clone(),
                size: stored.and_then(|stored| stored.size),
                extension: stored.and_then(|stored| stored.extension.clone()),
                caption: file.caption.clone(),
                kind: media_kind(file.media_kind),
            })
        }
        InboundContent::Location(place) => Content::Location(Location {
            latitude: place.latitude,
            longitude: place.longitude,
            name: place.name.clone(),
            address: place.address.clone(),
        }),
        InboundContent::Button { text, payload } if wrote.carousel => choice(ChoiceSource::Carousel, text, payload),
        InboundContent::Button { text, payload } => {
            let is_postback = wrote.provider_type.as_deref() == Some(POSTBACK);
            choice(if is_postback { ChoiceSource::Other } else { ChoiceSource::Template }, text, payload)
        }
        InboundContent::Interactive { text, payload } => choice(ChoiceSource::Interactive, text, payload),
        InboundContent::Reaction { message_id, emoji } => Content::Reaction(Reaction {
            emoji: emoji.clone(),
            message_id: wrote.reacted_to.clone().unwrap_or_else(|| message_id.clone()),
        }),
        InboundContent::Contact { formatted } => Content::Contact(formatted.clone()),
    }
}

fn media_kind(kind: FileKind) -> MediaKind {
    match kind {
        FileKind::Image => MediaKind::Image,
        FileKind::Video => MediaKind::Video,
        FileKind::Audio => MediaKind::Audio,
        FileKind::Voice => MediaKind::Voice,
        FileKind::Document => MediaKind::Document,
        FileKind::Sticker => MediaKind::Sticker,
    }
}

/// The time zone of a client. An unknown name counts as UTC.
pub(crate) fn zone(text: &str) -> Zone {
    Zone::parse(text).unwrap_or(Zone::UTC)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};

    use super::zone;

    #[test]
    fn a_zone_may_be_an_offset_and_an_unknown_one_is_utc() {
        let now: DateTime<Utc> = "2026-07-15T00:00:00Z".parse().unwrap();
        let wall = |text: &str| {
            let local = zone(text).local_time(now);
            (local.utc_offset_minutes, local.hour, local.minute)
        };
        assert_eq!(wall("+05:30"), (330, 5, 30));
        assert_eq!(wall("Middle/Earth"), (0, 0, 0));
    }
}
