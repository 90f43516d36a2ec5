//! Decides by words in the text: `trap` fails, `quiet` is refused, `shop` goes out from another source, `brief` says nothing else;
//! everything else stays unchanged. Says of each call how many messages it was about.

use patchbay_plugin_sdk::{log, sms_router::*};

struct Picky;

impl SmsRouter for Picky {
    fn decide_sms(messages: Vec<Sms>) -> Result<Vec<Decision>, Error> {
        log::info(&format!("asked about {}", messages.len()));
        decide_each(messages, |sms| {
            assert!(!sms.text.contains("trap"), "the plugin gives up on purpose");
            if sms.text.contains("quiet") {
                return Ok(Decision::refuse("the text asks for quiet"));
            }
            if sms.is_outgoing() && sms.text.contains("shop") {
                return Ok(Change::nothing().from("PICKY").because("it is about the shop").into());
            }
            if sms.text.contains("brief") {
                return Ok(Change::nothing().saying("brief").into());
            }
            Ok(Decision::AsIs)
        })
    }
}

patchbay_plugin_sdk::export_sms_router!(Picky);
