//! A fallback rule built with nothing but the generator, straight against the release before the newest on the same track.

wit_bindgen::generate!({ path: "../../../wit/plugin-0.2.0", world: "sms-fallback" });

use exports::patchbay::plugin::fallback::{Decision, Guest, Sms, Undeliverable};
use patchbay::plugin::{config, log};

struct Former;

impl Guest for Former {
    fn decide(undeliverable: Undeliverable) -> Decision {
        log::write(log::Level::Info, &config::get());
        Decision::Send(Sms { text: format!("for {}", undeliverable.recipient), unicode: false, sender: None })
    }
}

export!(Former);
