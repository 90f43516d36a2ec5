//! A router built with nothing but the generator, straight against the last interfaces of the track 0.1. It uses every
//! interface that a router may import, and describes its configuration.

wit_bindgen::generate!({
    path: "../../../wit/plugin-0.1.1",
    inline: "package test:older; world desk { include patchbay:plugin/router@0.1.1; include patchbay:plugin/configurable@0.1.1; }",
    world: "test:older/desk",
    generate_all,
});

use exports::patchbay::plugin::{configuration, routing};
use patchbay::plugin::types::Error;
use patchbay::plugin::{config, kv, log};
use routing::{Decision, Inbound, Target};

struct Older;

impl routing::Guest for Older {
    fn route(asked: Inbound) -> Result<Decision, Error> {
        log::write(log::Level::Warn, "an older desk was asked");
        let _ = kv::set(kv::Scope::Client, "seen", b"1");
        let _ = kv::delete(kv::Scope::Participant, "seen");
        let reason = format!("{} {}", config::get(), asked.business_number);
        Ok(Decision { target: Target::Queue, reason, note: None })
    }
}

impl configuration::Guest for Older {
    fn schema() -> String {
        r#"{"type":"object"}"#.to_owned()
    }
}

export!(Older);
