//! A fallback rule built with nothing but the generator, straight against the last interfaces of the track 0.1.

wit_bindgen::generate!({ path: "../../../wit/plugin-0.1.1", world: "sms-fallback" });

use exports::patchbay::plugin::fallback::{Decision, Guest, Sms, Undeliverable};
use patchbay::plugin::{config, log};

struct Older;

impl Guest for Older {
    fn decide(undeliverable: Undeliverable) -> Decision {
        log::write(log::Level::Info, &config::get());
        Decision::Send(Sms { text: format!("for {}", undeliverable.recipient), unicode: false, sender: None })
    }
}

export!(Older);
