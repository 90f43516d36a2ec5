//! A webhook shaper built with nothing but the generator, straight against the last interfaces of the track 0.1.

wit_bindgen::generate!({ path: "../../../wit/plugin-0.1.1", world: "webhook-shaper" });

use exports::patchbay::plugin::shaper::{Guest, WebhookEvent};
use patchbay::plugin::types::Error;
use patchbay::plugin::{config, log};

struct Older;

impl Guest for Older {
    fn shape(event: WebhookEvent) -> Result<Option<String>, Error> {
        log::write(log::Level::Info, &config::get());
        match event {
            WebhookEvent::SessionStatus(status) => Ok(Some(format!("{{\"status\":\"{}\"}}", status.status))),
            WebhookEvent::Incoming(event) => {
                let participant = event.participant_id.as_deref().unwrap_or("none");
                Ok(Some(format!("\"incoming of {participant}{}\"", shown(&event.metadata))))
            }
            WebhookEvent::Chatbot(event) => {
                Ok(Some(format!("\"chat of {}{}\"", event.chat_participant_id, shown(&event.metadata))))
            }
            WebhookEvent::Partner(event) => Ok(Some(format!(
                "\"partner {} at {}{}\"",
                event.event_type,
                event.timestamp_ms,
                shown(&event.metadata)
            ))),
            WebhookEvent::Status(event) => {
                Ok(Some(format!("\"status of {}\"", event.participant_id.as_deref().unwrap_or("none"))))
            }
        }
    }
}

export!(Older);

/// The metadata, in a JSON text.
fn shown(metadata: &[(String, String)]) -> String {
    metadata.iter().map(|(name, value)| format!(", {name}={}", value.replace('"', "'"))).collect()
}
