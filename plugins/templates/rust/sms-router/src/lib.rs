//! Sends one-time pins first, refuses long texts of batches, and leaves all other messages unchanged.

use patchbay_plugin_sdk::sms_router::*;

struct Rules;

impl SmsRouter for Rules {
    fn decide_sms(messages: Vec<Sms>) -> Result<Vec<Decision>, Error> {
        decide_each(messages, decide)
    }
}

fn decide(sms: &Sms) -> Result<Decision, Error> {
    if sms.is_outgoing() && sms.traffic == "otp" {
        return Ok(Change::nothing().with_priority(3).valid_for(300).because("a pin").into());
    }
    if sms.product == "batch" && sms.segments > 6 {
        return Ok(Decision::refuse("too long for a batch"));
    }
    Ok(Decision::AsIs)
}

patchbay_plugin_sdk::export_sms_router!(Rules);
