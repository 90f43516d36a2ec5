//! Chatbot events, payload version 2 (SPEC 6.5).

use patchbay_plugin_sdk::webhook_shaper::*;

struct Version2;

impl WebhookShaper for Version2 {
    fn shape(event: WebhookEvent) -> Result<Body, Error> {
        Ok(Body::json(webhook_body::version_2(&webhook_body::chatbot_event(event)?)))
    }
}

patchbay_plugin_sdk::export_webhook_shaper!(Version2);
