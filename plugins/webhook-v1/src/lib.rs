//! Chatbot events, payload version 1 (SPEC 6.5).

use patchbay_plugin_sdk::webhook_shaper::*;

struct Version1;

impl WebhookShaper for Version1 {
    fn shape(event: WebhookEvent) -> Result<Body, Error> {
        Ok(Body::json(webhook_body::version_1(&webhook_body::chatbot_event(event)?)))
    }
}

patchbay_plugin_sdk::export_webhook_shaper!(Version1);
