//! Messages and the state of a chat as the visitor sees them. All text is plain text: widgets never interpret it as HTML.

use base::Context;
use domain::iso_time::iso_time;
use domain::{
    chat::{ChatContent, ContentType, ParticipantState},
    content::{CardParameters, Location, MediaKind, OutboundContent, OutboundMedia, QuickReply, TemplateSend},
    ids::ClientId,
    inbound::InboundContent,
};
use inbound::web_chat::{Thread, ThreadMessage, key_of_message, media_url};
use serde_json::{Value, json};

/// The name of the numbering of a chat's messages. Another name means another numbering.
pub(super) fn numbering(chat: &Thread) -> String {
    format!("{}.{}", chat.participant, chat.epoch)
}

pub(super) fn state_of(chat: &Thread) -> Value {
    json!({
        "chat": numbering(chat),
        "newest": chat.next_sequence - 1,
        "state": match chat.state {
            ParticipantState::Bot => "bot",
            ParticipantState::Queued => "queued",
            ParticipantState::Active => "active",
            ParticipantState::Closed => "closed",
        },
        "agent": chat.agent,
        "afterHours": chat.after_hours,
        "seen": chat.unread == 0,
    })
}

pub(super) fn message(ctx: &Context, client: ClientId, message: &ThreadMessage) -> Value {
    let (from, author, content) = match &message.content {
        ChatContent::Incoming(received) => ("visitor", None, incoming(ctx, client, message, &received.content)),
        ChatContent::Outgoing(sent) => {
            let is_bot = message.owner == "BOT";
            let author = (!is_bot).then_some(message.owner.as_str());
            (if is_bot { "bot" } else { "agent" }, author, outgoing(message, sent))
        }
    };
    let mut shown = json!({
        "id": message.id,
        "sequence": message.sequence,
        "from": from,
        "time": iso_time(message.created_at),
        "content": content,
    });
    if let Some(shown) = shown.as_object_mut() {
        if let Some(author) = author {
            shown.insert("author".to_owned(), json!(author));
        }
        // A tap shows no quote, because its position shows the message.
        if let Some(quoted) = message.quoted.as_ref().filter(|_| from != "visitor") {
            shown.insert("quotes".to_owned(), json!({ "id": quoted.id, "text": quoted.body }));
        }
        if let Some(key) = key_of_message(message) {
            shown.insert("key".to_owned(), json!(key));
        }
    }
    shown
}

fn text(text: &str) -> Value {
    json!({ "kind": "text", "text": text })
}

fn incoming(ctx: &Context, client: ClientId, message: &ThreadMessage, content: &InboundContent) -> Value {
    match content {
        InboundContent::Text { body } => text(body),
        InboundContent::Button { text: said, .. } | InboundContent::Interactive { text: said, .. } => text(said),
        InboundContent::Location(place) => location(place),
        InboundContent::Media(file) => json!({
            "kind": "file",
            "media": media_name(file.media_kind),
            "url": message.media.map(|id| media_url(ctx, client, id)),
            "name": file.filename,
            "caption": file.caption,
        }),
        InboundContent::Reaction { emoji, .. } => text(emoji.as_deref().unwrap_or_default()),
        InboundContent::Contact { formatted } => text(formatted),
        InboundContent::Unmodelled(other) => text(&other.text),
    }
}

fn outgoing(message: &ThreadMessage, content: &OutboundContent) -> Value {
    match content {
        OutboundContent::Text { body } => text(body),
        OutboundContent::Sms(sms) => text(&sms.text),
        OutboundContent::Location(place) => location(place),
        // The widget has no reactions, so agents cannot send one here.
        OutboundContent::Reaction(reaction) => text(reaction.emoji.as_deref().unwrap_or_default()),
        OutboundContent::Media(media) => file(media),
        OutboundContent::Buttons(buttons) => json!({
            "kind": if message.content_type == ContentType::Rating { "rating" } else { "buttons" },
            "header": buttons.header,
            "text": buttons.body,
            "footer": buttons.footer,
            "choices": buttons.buttons.iter().map(|one| json!({ "id": one.id, "title": one.title })).collect::<Vec<_>>(),
        }),
        OutboundContent::List(list) => {
            let sections = list.sections.iter().map(|section| {
                let rows = section.rows.iter();
                let rows = rows.map(|row| json!({ "id": row.id, "title": row.title, "description": row.description }));
                json!({ "title": section.title, "choices": rows.collect::<Vec<_>>() })
            });
            json!({
                "kind": "list",
                "header": list.header,
                "text": list.body,
                "footer": list.footer,
                "button": list.button,
                "sections": sections.collect::<Vec<_>>(),
            })
        }
        OutboundContent::Template(sent) => template(sent),
    }
}

fn template(sent: &TemplateSend) -> Value {
    // Older messages with cards have their text and choices next to the cards.
    json!({
        "kind": "cards",
        "text": sent.text_without_cards(),
        "image": sent.header.as_ref().filter(|header| header.kind == MediaKind::Image).and_then(|header| web(&header.url)),
        "cards": sent.cards.iter().map(card).collect::<Vec<_>>(),
        "choices": replies(sent.replies_without_cards()),
    })
}

fn replies(all: &[QuickReply]) -> Vec<Value> {
    all.iter().map(|reply| json!({ "id": reply.payload, "title": reply.label })).collect()
}

fn card(card: &CardParameters) -> Value {
    let image = card.header.as_ref().filter(|header| header.kind == MediaKind::Image);
    json!({
        "text": card.rendered_text,
        "image": image.and_then(|header| web(&header.url)),
        "choices": replies(&card.replies),
    })
}

fn location(place: &Location) -> Value {
    json!({
        "kind": "place",
        "latitude": place.latitude,
        "longitude": place.longitude,
        "name": place.name,
        "address": place.address,
    })
}

fn file(media: &OutboundMedia) -> Value {
    json!({
        "kind": "file",
        "media": media_name(media.kind),
        "url": web(&media.url),
        "name": media.filename,
        "caption": media.caption,
    })
}

/// Returns an address that a browser may open. A bot may give any address, including `javascript:`.
fn web(url: &str) -> Option<&str> {
    let lower = url.get(..8).unwrap_or(url).to_ascii_lowercase();
    (lower.starts_with("https://") || lower.starts_with("http://")).then_some(url)
}

fn media_name(kind: MediaKind) -> &'static str {
    match kind {
        MediaKind::Image | MediaKind::Sticker => "image",
        MediaKind::Video => "video",
        MediaKind::Audio | MediaKind::Voice => "audio",
        MediaKind::Document => "document",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_shown() {
        assert_eq!(web("HTTPS://shop.example/a.png"), Some("HTTPS://shop.example/a.png"));
        for odd in ["javascript:alert(1)", "data:text/html,x", "//shop.example", "", "https:/", "é"] {
            assert_eq!(web(odd), None, "{odd}");
        }
    }
}
