//! Writes bodies of its own. The text of an incoming message can make it misbehave: `trap`, `nonsense`, `nothing`.

use patchbay_plugin_sdk::json::Object;
use patchbay_plugin_sdk::webhook_shaper::*;

/// Tests write JSON of the same length over this in the finished component.
static NONSENSE: &str = "{\"half\": \"of a body that never ends";

struct Stamp;

impl WebhookShaper for Stamp {
    fn shape(event: WebhookEvent) -> Result<Option<String>, Error> {
        let stamped = Object::new().text("stampedBy", "stamping-shaper");
        let body = match &event {
            WebhookEvent::Incoming(event) => match event.text.as_deref() {
                Some("trap") => panic!("the shaper gives up on purpose"),
                Some("nonsense") => return Ok(Some(std::hint::black_box(NONSENSE).into())),
                Some("nothing") => return Ok(None),
                _ => stamped.maybe("words", &event.text).maybe("channel", &channel(&event.metadata)),
            },
            WebhookEvent::Status(event) => stamped.text("state", &event.status).maybe("reference", &event.ct_id),
            WebhookEvent::Chatbot(event) => {
                stamped.maybe("words", &event.message_text).maybe("channel", &channel(&event.metadata))
            }
            _ => stamped,
        };
        Ok(Some(body.finish()))
    }
}

patchbay_plugin_sdk::export_webhook_shaper!(Stamp);

/// The channel, where the event has no field for it.
fn channel(metadata: &[(String, String)]) -> Option<String> {
    metadata.iter().find(|(name, _)| name == "channel").map(|(_, channel)| channel.clone())
}
