//! Decides by words in the text: `quiet` sends nothing, `trap` fails, `later` and `never` return an error, after which another try is or is not worth it, `when` tells the time, `how old` the age of the message, `seen` whether its recipient was seen on WhatsApp, `once` sends to a customer only once, everything else is sent with a note added.

use patchbay_plugin_sdk::{
    kv::{self, Scope},
    sms_fallback::*,
};

struct Picky;

impl SmsFallback for Picky {
    fn decide(undeliverable: Undeliverable) -> Result<Decision, Error> {
        let text = undeliverable.requested.text.or(undeliverable.auto_text).unwrap_or_default();
        if text.contains("quiet") {
            return Ok(Decision::skip("the text asks for quiet"));
        }
        assert!(!text.contains("trap"), "the plugin gives up on purpose");
        if text.contains("later") {
            return Err(Error::temporary("later", "the text asks for another try"));
        }
        if text.contains("never") {
            return Err(Error::new("never", "the text asks for no other try"));
        }
        if text.contains("once") {
            if kv::get(Scope::Participant, "sent")?.is_some() {
                return Ok(Decision::skip("this customer has had one"));
            }
            kv::set(Scope::Participant, "sent", &undeliverable.recipient)?;
        }
        if text.contains("when") {
            let LocalTime { weekday, hour, .. } = undeliverable.local_time;
            return Ok(Decision::skip(format!("{weekday:?} at {hour}, for {}", undeliverable.client_ref)));
        }
        if text.contains("how old") {
            return Ok(Decision::skip(format!("{} hours old", undeliverable.age_seconds / 3_600)));
        }
        if text.contains("seen") {
            return Ok(Decision::skip(format!("seen: {}", undeliverable.seen_on_whatsapp)));
        }
        let text = format!("{text} (from {}, code {})", undeliverable.sender, undeliverable.error_code);
        Ok(Decision::Send(Sms { text, unicode: false, sender: Some("SHOP".into()) }))
    }
}

patchbay_plugin_sdk::export_sms_fallback!(Picky);
