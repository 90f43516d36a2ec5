//! Decides by words in the text: `quiet` sends nothing, `trap` fails, everything else is sent with a note added.

use patchbay_plugin_sdk::sms_fallback::*;

struct Picky;

impl SmsFallback for Picky {
    fn decide(undeliverable: Undeliverable) -> Decision {
        let text = undeliverable.requested.text.or(undeliverable.auto_text).unwrap_or_default();
        if text.contains("quiet") {
            return Decision::skip("the text asks for quiet");
        }
        assert!(!text.contains("trap"), "the plugin gives up on purpose");
        let text = format!("{text} (from {}, code {})", undeliverable.sender, undeliverable.error_code);
        Decision::Send(Sms { text, unicode: false, sender: Some("SHOP".into()) })
    }
}

patchbay_plugin_sdk::export_sms_fallback!(Picky);
