//! The message of a stored event, for the trace of its deliveries.

use base::traces;
use serde::Deserialize;
use serde_json::value::RawValue;
use uuid::Uuid;

/// The parts of an `events::WebhookReport` that are read.
#[derive(Deserialize)]
struct Report {
    recorded: Recorded,
}

#[derive(Deserialize)]
struct Recorded {
    event: MessageEvent,
}

/// Of the events about a message (`domain::event::Event`) those whose message has a trace.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MessageEvent {
    message_moved: Option<NamedMessage>,
    message_came: Option<NamedMessage>,
}

#[derive(Deserialize)]
struct NamedMessage {
    message: Uuid,
}

/// The message of an event. `None`: it has none, or traces are off.
pub(super) fn message_of(event: &RawValue) -> Option<Uuid> {
    if traces::is_on() { read(event.get()) } else { None }
}

fn read(event: &str) -> Option<Uuid> {
    let Report { recorded: Recorded { event } } = serde_json::from_str(event).ok()?;
    Some(event.message_moved.or(event.message_came)?.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_names_its_message_if_it_is_about_one() {
        let message = "01a22107-f851-7001-96d2-a82f2883be2a";
        let moved = format!(
            r#"{{"kind":"status","recorded":{{"v":1,"event":{{"messageMoved":{{"message":"{message}","leg":0}}}}}}}}"#
        );
        assert_eq!(read(&moved), message.parse().ok());
        assert_eq!(read(r#"{"kind":"partner","recorded":{"v":1,"event":{"sessionChanged":{}}}}"#), None);
    }
}
