//! The decision about an SMS.

use super::{AnswerFault, CUSTOM, Judgement, json, text};
use crate::sms_fallback::{Decision, Sms};

/// About ten parts of the GSM alphabet.
pub(super) const TEXT: usize = 1_600;
/// An alphanumeric sender id has at most 11 characters, a number at most 15 digits and a `+`.
const SENDER: usize = 16;

pub(crate) fn judge(decision: &Decision) -> Result<(), AnswerFault> {
    let judgement = match decision {
        Decision::Send(sms) => judge_sms(sms),
        Decision::Skip(reason) => text("reason", reason, 500),
        Decision::Custom(custom) => json(custom, CUSTOM),
    };
    judgement.map_err(AnswerFault::Rule)
}

fn judge_sms(sms: &Sms) -> Judgement {
    text("text", &sms.text, TEXT)?;
    let Some(sender) = &sms.sender else { return Ok(()) };
    judge_source("sender", sender)
}

pub(super) fn judge_source(what: &str, sender: &str) -> Judgement {
    text(what, sender, SENDER)?;
    match sender.chars().all(|c| c.is_ascii_alphanumeric() || " +-._&".contains(c)) {
        true => Ok(()),
        false => Err(format!("the {what} has characters other than letters, digits, space and + - . _ &")),
    }
}
