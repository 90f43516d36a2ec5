//! A webhook shaper that answers nonsense on command: the status of a session event is the deed.

use patchbay_plugin_sdk::webhook_shaper::*;

struct Hostile;

impl WebhookShaper for Hostile {
    fn shape(event: WebhookEvent) -> Result<Body, Error> {
        let WebhookEvent::SessionStatus(event) = event else { return Ok(Body::Skip) };
        let (deed, number) = event.status.split_once(' ').unwrap_or((&event.status, "0"));
        match deed {
            "not-json" => Ok(Body::json("{\"half\":")),
            "trailing" => Ok(Body::json("{} {}")),
            "long" => Ok(Body::json(format!("\"{}\"", "x".repeat(number.parse().unwrap_or(0))))),
            "panic" => panic!("the shaper gives up on purpose"),
            "unchanged" => Ok(Body::Unchanged),
            "custom" => Ok(Body::Custom("{}".into())),
            "custom-not-json" => Ok(Body::Custom("{".into())),
            _ => Ok(Body::json("{}")),
        }
    }
}

patchbay_plugin_sdk::export_webhook_shaper!(Hostile);
