//! A webhook shaper that answers nonsense on command: the status of a session event is the deed.

use patchbay_plugin_sdk::webhook_shaper::*;

struct Hostile;

impl WebhookShaper for Hostile {
    fn shape(event: WebhookEvent) -> Result<Option<String>, Error> {
        let WebhookEvent::SessionStatus(event) = event else { return Ok(None) };
        let (deed, number) = event.status.split_once(' ').unwrap_or((&event.status, "0"));
        match deed {
            "not-json" => Ok(Some("{\"half\":".into())),
            "trailing" => Ok(Some("{} {}".into())),
            "long" => Ok(Some(format!("\"{}\"", "x".repeat(number.parse().unwrap_or(0))))),
            "panic" => panic!("the shaper gives up on purpose"),
            _ => Ok(Some("{}".into())),
        }
    }
}

patchbay_plugin_sdk::export_webhook_shaper!(Hostile);
