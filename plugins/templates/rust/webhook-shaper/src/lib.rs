//! Reports messages of customers in three fields, and no other events.

use patchbay_plugin_sdk::{json::Object, webhook_shaper::*};

struct Shaper;

impl WebhookShaper for Shaper {
    fn shape(event: WebhookEvent) -> Result<Body, Error> {
        // `Body::Skip`: this event is not sent. `Body::Unchanged`: the body of the host.
        let WebhookEvent::Incoming(message) = event else { return Ok(Body::Skip) };
        let body = Object::new().maybe("from", &message.sender).text("to", &message.receiver);
        Ok(body.maybe("text", &message.text).finish().into())
    }
}

patchbay_plugin_sdk::export_webhook_shaper!(Shaper);
