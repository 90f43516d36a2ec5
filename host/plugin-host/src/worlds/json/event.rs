//! Events of a chatbot: the fields of the event and of its kind, in one object.

use serde_json::{Map, Value};

use super::content::read_words;
use super::forms::{record, record_form, words};
use super::{JsonObject, JsonRecord, ReadableJson};
use crate::chatbot::{CustomEvent, Event, EventKind, IncomingMessage, Rating, RatingScore};

const KINDS: [&str; 6] = ["message", "timer", "conversation-started", "agent-released", "rating", "custom"];

words!(RatingScore { "poor" => Poor, "average" => Average, "excellent" => Excellent });
record!(Rating { score, comment });

impl JsonRecord for Event {
    fn read_fields(object: &mut JsonObject<'_>, base: Option<&Self>) -> Option<Self> {
        let id = object.field("id", base.map(|base| &base.id));
        let sequence = object.field("sequence", base.map(|base| &base.sequence));
        let timestamp_ms = object.field("timestamp_ms", base.map(|base| &base.timestamp_ms));
        let metadata = object.field("metadata", base.map(|base| &base.metadata));
        let kind = read_kind(object, base.map(|base| &base.kind));
        Some(Self { id: id?, sequence: sequence?, timestamp_ms: timestamp_ms?, kind: kind?, metadata: metadata? })
    }

    fn write_fields(&self, into: &mut Map<String, Value>) {
        into.insert("id".into(), self.id.write());
        into.insert("sequence".into(), self.sequence.write());
        into.insert("timestampMs".into(), self.timestamp_ms.write());
        into.insert("metadata".into(), self.metadata.write());
        into.insert("type".into(), kind_of(&self.kind).into());
        match &self.kind {
            EventKind::Message(message) => drop(into.insert("message".into(), message.write())),
            EventKind::Timer(name) => drop(into.insert("name".into(), name.write())),
            EventKind::ConversationStarted | EventKind::AgentReleased => {}
            EventKind::Rating(rating) => rating.write_fields(into),
            EventKind::Custom(custom) => {
                into.insert("name".into(), custom.name.write());
                into.insert("payload".into(), custom.payload.write());
            }
        }
    }
}
record_form!(Event);

fn kind_of(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Message(_) => "message",
        EventKind::Timer(_) => "timer",
        EventKind::ConversationStarted => "conversation-started",
        EventKind::AgentReleased => "agent-released",
        EventKind::Rating(_) => "rating",
        EventKind::Custom(_) => "custom",
    }
}

/// An event without `type` but with a content is a message.
fn read_kind(object: &mut JsonObject<'_>, base: Option<&EventKind>) -> Option<EventKind> {
    let says_something = ["message", "text", "content"].iter().any(|name| object.has(name));
    let untyped = !object.has("type");
    match object.kind() {
        Some("message") => read_message(object, base),
        None if untyped && says_something => read_message(object, base),
        Some("timer") => object.field("name", None).map(EventKind::Timer),
        Some("conversation-started") => Some(EventKind::ConversationStarted),
        Some("agent-released") => Some(EventKind::AgentReleased),
        Some("rating") => Rating::read_fields(object, None).map(EventKind::Rating),
        Some("custom") => {
            let name = object.field("name", None);
            let payload = object.json_text("payload").unwrap_or_else(|| "{}".into());
            Some(EventKind::Custom(CustomEvent { name: name?, payload }))
        }
        _ => object.unknown_kind(&KINDS),
    }
}

fn read_message(object: &mut JsonObject<'_>, base: Option<&EventKind>) -> Option<EventKind> {
    let base = match base {
        Some(EventKind::Message(message)) => Some(message),
        _ => None,
    };
    if object.has("message") {
        return object.field("message", base).map(EventKind::Message);
    }
    let (content, quoted) = read_words(object, None);
    let id = base.map_or_else(|| "sample".to_owned(), |base| base.id.clone());
    Some(EventKind::Message(IncomingMessage { id, content: content?, quoted: quoted? }))
}
