//! Writes bodies of its own. The text of an incoming message can make it misbehave: `trap`, `nonsense`, `nothing`,
//! `unchanged`, `custom`.

use patchbay_plugin_sdk::json::Object;
use patchbay_plugin_sdk::webhook_shaper::*;

/// Tests write JSON of the same length over this in the finished component.
static NONSENSE: &str = "{\"half\": \"of a body that never ends";

struct Stamp;

impl WebhookShaper for Stamp {
    fn shape(event: WebhookEvent) -> Result<Body, Error> {
        let stamped = Object::new().text("stampedBy", "stamping-shaper");
        let body = match &event {
            WebhookEvent::Incoming(event) => match event.text.as_deref() {
                Some("trap") => panic!("the shaper gives up on purpose"),
                Some("nonsense") => return Ok(Body::json(std::hint::black_box(NONSENSE))),
                Some("nothing") => return Ok(Body::Skip),
                Some("unchanged") => return Ok(Body::Unchanged),
                Some("custom") => return Ok(Body::Custom(r#"{"answer":"later"}"#.into())),
                _ => stamped.maybe("words", &event.text).maybe("channel", &channel(event.channel)),
            },
            WebhookEvent::Status(event) => stamped.text("state", &event.status).maybe("reference", &event.ct_id),
            WebhookEvent::Chatbot(event) => {
                stamped.maybe("words", &event.message_text).maybe("channel", &channel(event.channel))
            }
            WebhookEvent::Other(event) => stamped.text("words", &event.name).raw("details", &event.payload),
            _ => stamped,
        };
        Ok(body.finish().into())
    }
}

patchbay_plugin_sdk::export_webhook_shaper!(Stamp);

/// The channel, if it is known and not WhatsApp.
fn channel(channel: Option<Channel>) -> Option<String> {
    let name = match channel? {
        Channel::Whatsapp => return None,
        Channel::Sms => "SMS",
        Channel::Web => "WEB",
        Channel::Messenger => "MESSENGER",
        Channel::Telegram => "TELEGRAM",
        Channel::Other => "OTHER",
    };
    Some(name.to_owned())
}
