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
            _ => Ok(None),
        }
    }
}

export!(Older);
