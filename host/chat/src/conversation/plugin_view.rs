//! The customer, the channel, a message and the wall clock in the words of `wit/` that routers and chatbots share.

use chrono::{DateTime, Datelike, FixedOffset, Offset, TimeZone, Timelike, Utc};
use chrono_tz::Tz;
use domain::{content::MediaKind as FileKind, inbound::InboundContent};
use plugin_host::chatbot::{
    Channel, Choice, Content, Customer, IncomingMessage, LocalTime, Location, Media, MediaKind, QuotedMessage,
    Reaction, Weekday,
};
use storage::people::customers::Customer as StoredCustomer;

use super::message::CustomerMessage;

/// Who writes.
pub(crate) fn customer(customer: &StoredCustomer) -> Customer {
    Customer {
        phone: customer.phone().map(str::to_owned),
        bsuid: customer.bsuid().map(str::to_owned),
        username: customer.username.clone(),
        name: customer.name.clone(),
    }
}

/// Where the conversation takes place. Chats take place on the first three only.
pub(crate) fn channel(channel: domain::channel::Channel) -> Channel {
    use domain::channel::Channel as Known;
    match channel {
        Known::Whatsapp | Known::Sms => Channel::Whatsapp,
        Known::Web => Channel::Web,
        Known::Facebook => Channel::Facebook,
    }
}

/// What the customer wrote.
pub(crate) fn message(wrote: &CustomerMessage) -> IncomingMessage {
    IncomingMessage {
        id: wrote.message.id.to_string(),
        content: content(wrote),
        quoted: wrote.quoted.clone().map(|(id, text)| QuotedMessage { id, text }),
    }
}

fn content(wrote: &CustomerMessage) -> Content {
    let choice = |text: &String, payload: &String| Choice { text: text.clone(), payload: payload.clone() };
    match &wrote.content {
        InboundContent::Text { body } => match &wrote.provider_type {
            Some(kind) if body.is_empty() && kind != "text" => Content::Unsupported(kind.clone()),
            _ => Content::Text(body.clone()),
        },
        InboundContent::Media(file) => {
            let (url, extension) = wrote.file.clone().unwrap_or_default();
            Content::Media(Media {
                url,
                mime: Some(file.mime_type.clone()),
                extension,
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
        InboundContent::Button { text, payload } if wrote.carousel => Content::Carousel(choice(text, payload)),
        InboundContent::Button { text, payload } => Content::Button(choice(text, payload)),
        InboundContent::Interactive { text, payload } => Content::Interactive(choice(text, payload)),
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

/// The wall clock of a client. Its zone is an IANA name or an offset such as `+02:00`; anything else counts as UTC.
pub(crate) fn local_time(zone: &str, now: DateTime<Utc>) -> LocalTime {
    let offset: FixedOffset = match (zone.parse::<Tz>(), zone.parse::<FixedOffset>()) {
        (Ok(zone), _) => zone.offset_from_utc_datetime(&now.naive_utc()).fix(),
        (Err(_), Ok(offset)) => offset,
        (Err(_), Err(_)) => Utc.fix(),
    };
    let local = now.with_timezone(&offset);
    LocalTime {
        utc_offset_minutes: i16::try_from(offset.local_minus_utc() / 60).unwrap_or(0),
        weekday: match local.weekday() {
            chrono::Weekday::Mon => Weekday::Monday,
            chrono::Weekday::Tue => Weekday::Tuesday,
            chrono::Weekday::Wed => Weekday::Wednesday,
            chrono::Weekday::Thu => Weekday::Thursday,
            chrono::Weekday::Fri => Weekday::Friday,
            chrono::Weekday::Sat => Weekday::Saturday,
            chrono::Weekday::Sun => Weekday::Sunday,
        },
        hour: u8::try_from(local.hour()).unwrap_or(0),
        minute: u8::try_from(local.minute()).unwrap_or(0),
    }
}

/// As plugins are told times.
pub(crate) fn millis(moment: DateTime<Utc>) -> u64 {
    u64::try_from(moment.timestamp_millis()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn wall(zone: &str, now: &str) -> (i16, Weekday, u8, u8) {
        let local = local_time(zone, at(now));
        (local.utc_offset_minutes, local.weekday, local.hour, local.minute)
    }

    #[test]
    fn the_wall_clock_of_a_named_zone_follows_its_daylight_saving_time() {
        assert_eq!(wall("Europe/Berlin", "2026-01-15T23:30:00Z"), (60, Weekday::Friday, 0, 30));
        assert_eq!(wall("Europe/Berlin", "2026-07-15T22:30:00Z"), (120, Weekday::Thursday, 0, 30));
    }

    #[test]
    fn a_zone_may_be_an_offset_and_an_unknown_one_is_utc() {
        assert_eq!(wall("+05:30", "2026-07-15T00:00:00Z"), (330, Weekday::Wednesday, 5, 30));
        assert_eq!(wall("Middle/Earth", "2026-07-15T00:00:00Z"), (0, Weekday::Wednesday, 0, 0));
    }
}
