//! Reports messages of customers in three fields, and no other events.

use patchbay_plugin_sdk::{json::Object, webhook_shaper::*};

struct Shaper;

impl WebhookShaper for Shaper {
    fn shape(event: WebhookEvent) -> Result<Option<String>, Error> {
        // `None`: this event is not sent.
        let WebhookEvent::Incoming(message) = event else { return Ok(None) };
        let body = Object::new().maybe("from", &message.sender).text("to", &message.receiver);
        Ok(Some(body.maybe("text", &message.text).finish()))
    }
}

patchbay_plugin_sdk::export_webhook_shaper!(Shaper);
