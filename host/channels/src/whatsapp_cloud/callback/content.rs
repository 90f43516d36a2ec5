//! Content of a customer's message, by type (PROVIDERS A.8).

use domain::{
    content::{Location, MediaKind},
    file_name,
    inbound::{InboundContent, InboundMedia, ProviderFailure},
};
use serde_json::Value;

use super::{
    fields::{elements, list, number, owned, text},
    order,
};
use crate::{unknown_content, whatsapp_cloud::graph::integer};

pub(crate) fn content_of(kind: &str, message: &Value) -> InboundContent {
    let read = match kind {
        "text" => read_text(message),
        "image" => media(message, kind, MediaKind::Image),
        "video" => media(message, kind, MediaKind::Video),
        "document" => media(message, kind, MediaKind::Document),
        "sticker" => media(message, kind, MediaKind::Sticker),
        "audio" => media(message, kind, sound(message)),
        "location" => location(message),
        "contacts" => contacts(message),
        "reaction" => reaction(message),
        "button" => button(message),
        "interactive" => interactive(message),
        _ => None,
    };
    read.unwrap_or_else(|| unmodelled_content(kind, message))
}

fn unmodelled_content(kind: &str, message: &Value) -> InboundContent {
    let part = message.get(kind).unwrap_or(&Value::Null);
    let error = elements(message, "errors").iter().find_map(refusal);
    match kind {
        "order" => unknown_content::content(kind, order::order_text(part), error),
        "request_welcome" => unknown_content::described_event(kind, "The customer opened the chat for the first time."),
        "interactive" => {
            let named = text(part, "type").unwrap_or(kind);
            let inner = part.get(named).unwrap_or(part);
            match (named, call_permission(inner)) {
                ("call_permission_reply", Some(answer)) => unknown_content::content(named, Some(answer), error),
                _ => unknown_content::from_json(named, inner, error),
            }
        }
        "unsupported" => {
            // Meta may name the content that it does not pass on.
            let named = text(part, "type").filter(|named| *named != "unknown").unwrap_or(kind);
            unknown_content::content(named, None, error)
        }
        _ => unknown_content::from_json(kind, part, error),
    }
}

/// The reason why the provider does not pass a message on. Its title is the shortest text.
fn refusal(error: &Value) -> Option<ProviderFailure> {
    let code = integer(error.get("code")?)?;
    let details = error.get("error_data").and_then(|data| owned(data, "details"));
    let words = owned(error, "title").or_else(|| owned(error, "message")).or(details);
    Some(ProviderFailure { code, text: words.unwrap_or_else(|| "no description".to_owned()) })
}

fn call_permission(reply: &Value) -> Option<String> {
    let answer = match text(reply, "response")? {
        "accept" => "given",
        "reject" => "refused",
        other => other,
    };
    Some(format!("Permission to call: {answer}"))
}

fn read_text(message: &Value) -> Option<InboundContent> {
    Some(InboundContent::Text { body: owned(message.get("text")?, "body")? })
}

fn sound(message: &Value) -> MediaKind {
    let voice = message.get("audio").and_then(|audio| audio.get("voice")).and_then(Value::as_bool);
    if voice == Some(true) { MediaKind::Voice } else { MediaKind::Audio }
}

fn media(message: &Value, part: &str, media_kind: MediaKind) -> Option<InboundContent> {
    let part = message.get(part)?;
    let mime_type = owned(part, "mime_type").unwrap_or_else(|| "application/octet-stream".to_owned());
    Some(InboundContent::Media(InboundMedia {
        media_kind,
        provider_media_id: owned(part, "id")?,
        url: owned(part, "url"),
        filename: file_name::given(text(part, "filename"), &mime_type),
        mime_type,
        sha256: owned(part, "sha256"),
        caption: owned(part, "caption"),
    }))
}

fn location(message: &Value) -> Option<InboundContent> {
    let part = message.get("location")?;
    Some(InboundContent::Location(Location {
        latitude: number(part, "latitude")?,
        longitude: number(part, "longitude")?,
        name: owned(part, "name"),
        address: owned(part, "address"),
    }))
}

/// An empty or absent `emoji` removes the reaction.
fn reaction(message: &Value) -> Option<InboundContent> {
    let part = message.get("reaction")?;
    Some(InboundContent::Reaction { message_id: owned(part, "message_id")?, emoji: owned(part, "emoji") })
}

fn button(message: &Value) -> Option<InboundContent> {
    let part = message.get("button")?;
    let label = owned(part, "text").or_else(|| owned(part, "payload"))?;
    let payload = owned(part, "payload").unwrap_or_else(|| label.clone());
    Some(InboundContent::Button { text: label, payload })
}

/// Replies to buttons and lists; a finished flow gives its answers as JSON text.
fn interactive(message: &Value) -> Option<InboundContent> {
    let part = message.get("interactive")?;
    let reply = |name: &str| {
        let reply = part.get(name)?;
        let payload = owned(reply, "id")?;
        Some(InboundContent::Interactive { text: owned(reply, "title").unwrap_or_else(|| payload.clone()), payload })
    };
    let flow = || {
        let reply = part.get("nfm_reply")?;
        let words = owned(reply, "body").or_else(|| owned(reply, "name"));
        Some(InboundContent::Interactive {
            text: words.unwrap_or_else(|| "form".to_owned()),
            payload: answers(reply.get("response_json")?)?,
        })
    };
    reply("button_reply").or_else(|| reply("list_reply")).or_else(flow)
}

fn answers(response: &Value) -> Option<String> {
    match response {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Object(_) => Some(response.to_string()),
        _ => None,
    }
}

/// One line per contact card: name, then numbers and addresses.
fn contacts(message: &Value) -> Option<InboundContent> {
    let cards = list(message, "contacts");
    let lines: Vec<String> = cards.iter().map(card_line).filter(|line| !line.is_empty()).collect();
    (!lines.is_empty()).then(|| InboundContent::Contact { formatted: lines.join("\n") })
}

fn card_line(card: &Value) -> String {
    let name = card.get("name").and_then(|name| {
        owned(name, "formatted_name").or_else(|| {
            let parts: Vec<&str> = ["first_name", "last_name"].iter().filter_map(|part| text(name, part)).collect();
            (!parts.is_empty()).then(|| parts.join(" "))
        })
    });
    let phones = list(card, "phones").iter().filter_map(|phone| text(phone, "phone").or_else(|| text(phone, "wa_id")));
    let emails = list(card, "emails").iter().filter_map(|email| text(email, "email"));
    let reach: Vec<&str> = phones.chain(emails).collect();
    match (name, reach.is_empty()) {
        (Some(name), true) => name,
        (Some(name), false) => format!("{name}: {}", reach.join(", ")),
        (None, _) => reach.join(", "),
    }
}
