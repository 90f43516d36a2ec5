//! If the sender asked for a fallback, sends the sender's own text; if there is none, that of the template.

use patchbay_plugin_sdk::sms_fallback::*;

struct Rule;

impl SmsFallback for Rule {
    fn decide(undeliverable: Undeliverable) -> Result<Decision, Error> {
        let requested = undeliverable.requested;
        if !requested.send_fallback {
            return Ok(Decision::skip("not asked for"));
        }
        Ok(match requested.text.or(undeliverable.auto_text) {
            Some(text) => Decision::Send(Sms { text, unicode: requested.unicode, sender: None }),
            None => Decision::skip("there is no text"),
        })
    }
}

patchbay_plugin_sdk::export_sms_fallback!(Rule);
