//! Sends customers with the tag `vip` to the team VIP, and all others to the default bot.

use patchbay_plugin_sdk::router::*;

struct Rules;

impl Router for Rules {
    fn route(inbound: Inbound) -> Result<Decision, Error> {
        if inbound.tags.iter().any(|tag| tag == "vip") {
            return Ok(Decision::team("VIP", "the contact has the tag vip"));
        }
        Ok(Decision::default_bot("nothing special"))
    }
}

patchbay_plugin_sdk::export_router!(Rules);
