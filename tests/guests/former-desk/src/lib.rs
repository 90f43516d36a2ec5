//! A router built with nothing but the generator, straight against the last interfaces of the track 0.2.

wit_bindgen::generate!({ path: "../../../wit/plugin-0.2.1", world: "router" });

use exports::patchbay::plugin::routing::{Decision, Guest, Inbound, Target};
use patchbay::plugin::log;
use patchbay::plugin::types::Error;

struct Former;

impl Guest for Former {
    fn route(asked: Inbound) -> Result<Decision, Error> {
        log::write(log::Level::Warn, "a former desk was asked");
        let reason = format!("day {}, {:?}, {:?}", asked.local_time.weekday, asked.channel, asked.metadata);
        Ok(Decision { target: Target::Queue, reason, note: None })
    }
}

export!(Former);
