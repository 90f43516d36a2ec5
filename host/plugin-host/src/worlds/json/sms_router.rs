//! World `sms-router`. The messages of a call are an object with a list, so that an event is an object in every world.
//! Its decisions are a list.

use super::forms::{lists, record, variant, words};
use super::{JsonNode, ReadableJson};
use crate::sms_router::{Change, Decision, Direction, Sms};
use crate::worlds::sample;

words!(Direction { "outgoing" => Outgoing, "incoming" => Incoming });
record!(Sms {
    id,
    direction,
    client_ref,
    destination,
    source,
    product,
    traffic,
    text,
    segments,
    bind,
    binds,
    metadata,
});
record!(Change { bind, source, priority, validity_seconds, text, reason });
variant!(Decision {
    alone { "as-is" => AsIs }
    value { "refuse" => Refuse as "reason" }
    record { "change" => Change }
    json { "custom" => Custom as "payload" }
});
lists!(Decision);

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Messages {
    messages: Vec<Sms>,
}

impl From<Vec<Sms>> for Messages {
    fn from(messages: Vec<Sms>) -> Self {
        Self { messages }
    }
}

impl From<Messages> for Vec<Sms> {
    fn from(messages: Messages) -> Self {
        messages.messages
    }
}

record!(Messages { messages });

/// If a message leaves a field out, it comes from the sample.
impl ReadableJson for Vec<Sms> {
    fn read(node: &JsonNode<'_>, base: Option<&Self>) -> Option<Self> {
        let sample = base.and_then(|base| base.first()).cloned().unwrap_or_else(sample::sms);
        let read = node.items()?.map(|item| Sms::read(&item, Some(&sample)));
        read.collect::<Vec<_>>().into_iter().collect()
    }

    fn write(&self) -> serde_json::Value {
        serde_json::Value::Array(self.iter().map(ReadableJson::write).collect())
    }
}
