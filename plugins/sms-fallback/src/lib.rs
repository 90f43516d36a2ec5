//! The rule of SPEC 2.4: if a message could not be delivered because its recipient is not on WhatsApp, it is sent as an
//! SMS, if the sender requested it. A recipient that was seen on WhatsApp gets it too, because the host has judged that
//! by the mode of the client.

use patchbay_plugin_sdk::{log, sms_fallback::*};

struct Rule;

impl SmsFallback for Rule {
    fn decide(undeliverable: Undeliverable) -> Result<Decision, Error> {
        if !undeliverable.requested.send_fallback {
            return Ok(Decision::skip("the sender did not ask for a fallback"));
        }
        let unicode = undeliverable.requested.unicode;
        let own_text = undeliverable.requested.text.filter(|text| !text.trim().is_empty());
        log::debug(if own_text.is_some() { "using the sender's own text" } else { "using the text of the template" });
        Ok(match own_text.or(undeliverable.auto_text).filter(|text| !text.trim().is_empty()) {
            Some(text) => Decision::Send(Sms { text, unicode, sender: None }),
            None => {
                Decision::skip("there is no text to send: give `fallback.text`, or send a template that has a body")
            }
        })
    }
}

patchbay_plugin_sdk::export_sms_fallback!(Rule);
