//! The send request of the JSON gateway (SPEC 2.14), and the rules of SPEC 4.8 that its body alone can break.

#[cfg(test)]
mod tests;
mod wire;

use chrono::{DateTime, Utc};

use super::{boolean::BooleanText, cell};
use crate::{
    body::{self, Faults, FieldFault, extent},
    dates,
    phone::Msisdn,
    sandbox::{KeyMode, TEST_NUMBERS_ONLY},
    segments,
};
pub use wire::{JsonSmsBody, ReplyMethod, WireSettings, WireSms, WireSmsRecipient};

/// Longest tracking id or identifier, in characters.
const NAME_MAX: usize = 255;
/// Longest callback URL, in characters.
const URL_MAX: usize = 2_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonSend {
    /// At least one, with at least one recipient each.
    pub texts: Vec<JsonText>,
    /// When to send it; `None` = now.
    pub scheduled: Option<DateTime<Utc>>,
    /// Texts are forgotten when their messages are through.
    pub forgets: bool,
    pub receipt_url: Option<String>,
    pub reply_url: Option<String>,
    pub posts_replies: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText {
    pub ct_id: Option<String>,
    pub text: String,
    /// UTF-16 for any text.
    pub unicode: bool,
    /// Number and identifier of each.
    pub recipients: Vec<(Msisdn, Option<String>)>,
}

impl JsonSend {
    /// With a test key, all recipients must be test numbers.
    pub fn check_recipients(&self, mode: KeyMode) -> Result<(), Faults> {
        let recipients = self.texts.iter().flat_map(|text| &text.recipients);
        let others = recipients.filter(|(number, _)| !mode.admits(number.as_str()));
        let faults: Faults =
            others.map(|(number, _)| FieldFault::new("to", format!("{number}: {TEST_NUMBERS_ONLY}"))).collect();
        if faults.is_empty() { Ok(()) } else { Err(faults) }
    }

    /// Reads a body with at most `most` recipients. Takes time and memory that grow with its length and no faster.
    pub fn read(bytes: &[u8], most: usize) -> Result<Self, Faults> {
        extent::check(extent::Layout::Gateway, bytes, most)?;
        Self::judge(body::parse_with_homes(bytes)?, most)
    }

    pub fn judge(body: JsonSmsBody, most: usize) -> Result<Self, Faults> {
        let mut check = Check::default();
        let count = |list: &Option<Vec<WireSmsRecipient>>| list.as_ref().map_or(0, Vec::len);
        let wanted: usize =
            body.messages.iter().flatten().map(|one| count(&one.recipients)).sum::<usize>() + count(&body.recipients);
        if wanted > most {
            let said = format!("has {wanted} recipients over all messages, and a request may have {most} at most");
            return Err(FieldFault::new("recipients", said).into());
        }
        let unsaid = Unsaid {
            ct_id: check.short("ctid", body.ctid, NAME_MAX),
            unicode: check.truth("unicode", body.unicode.as_ref()),
        };
        let mut texts = Vec::new();
        let top = WireSms { recipients: body.recipients, message_text: body.message_text, ..WireSms::default() };
        let has_top = top.recipients.is_some() || top.message_text.is_some();
        let messages = body.messages.unwrap_or_default();
        if messages.is_empty() && !has_top {
            check.fault("messages", "is required, or `recipients` with `messageText`: nothing is to be sent");
        }
        if has_top {
            texts.extend(check.text("", top, &unsaid));
        }
        for (at, message) in messages.into_iter().enumerate() {
            texts.extend(check.text(&format!("messages[{at}]."), message, &unsaid));
        }
        let settings = body.settings.unwrap_or_default();
        let send = Self {
            texts,
            scheduled: check.moment("settings.scheduledSmsDate", settings.scheduled_sms_date),
            forgets: check.truth("settings.dsm", settings.dsm.as_ref()),
            receipt_url: check.short("settings.receiptCallBackURL", settings.receipt_call_back_url, URL_MAX),
            reply_url: check.short("settings.replyCallBackURL", settings.reply_call_back_url, URL_MAX),
            posts_replies: check.method("settings.replyCallBackMethod", settings.reply_call_back_method.as_deref()),
        };
        if check.0.is_empty() { Ok(send) } else { Err(check.0) }
    }

    pub fn recipient_count(&self) -> usize {
        self.texts.iter().map(|text| text.recipients.len()).sum()
    }
}

/// The values at the top, for texts that have none of their own.
struct Unsaid {
    ct_id: Option<String>,
    unicode: bool,
}

#[derive(Default)]
struct Check(Faults);

impl Check {
    fn fault(&mut self, field: &str, said: impl Into<String>) {
        self.0.push(FieldFault::new(field, said.into()));
    }

    fn truth(&mut self, field: &str, given: Option<&BooleanText>) -> bool {
        let said = given.map_or(Some(false), BooleanText::read);
        if said.is_none() {
            self.fault(field, "must be `true` or `false`");
        }
        said.unwrap_or(false)
    }

    fn short(&mut self, field: &str, given: Option<String>, most: usize) -> Option<String> {
        let text = given.filter(|text| !text.is_empty())?;
        if text.chars().count() > most {
            self.fault(field, format!("may have {most} characters at most"));
        }
        Some(text)
    }

    fn moment(&mut self, field: &str, given: Option<String>) -> Option<DateTime<Utc>> {
        let text = given.filter(|text| !text.is_empty())?;
        let read = dates::with_offset(&text);
        if read.is_none() {
            self.fault(field, "is no time: write YYYY-MM-DDThh:mm:ssZ, such as 2026-01-31T08:15:00Z");
        }
        read
    }

    fn method(&mut self, field: &str, given: Option<&str>) -> bool {
        let method = ReplyMethod::read(given.unwrap_or_default());
        if method.is_none() {
            self.fault(field, "must be `GET` or `POST`");
        }
        method == Some(ReplyMethod::Post)
    }

    fn text(&mut self, prefix: &str, message: WireSms, unsaid: &Unsaid) -> Option<JsonText> {
        let ct_id = self.short(&format!("{prefix}ctid"), message.ctid, NAME_MAX).or_else(|| unsaid.ct_id.clone());
        let unicode = match &message.unicode {
            Some(said) => self.truth(&format!("{prefix}unicode"), Some(said)),
            None => unsaid.unicode,
        };
        let field = format!("{prefix}messageText");
        let text = message.message_text.filter(|text| !text.trim().is_empty());
        match text.as_deref().map(|text| segments::split(text, unicode)) {
            None => self.fault(&field, "is required: the text of the SMS"),
            Some(Err(wrong)) => self.fault(&field, wrong.to_string()),
            Some(Ok(_)) => {}
        }
        let field = format!("{prefix}recipients");
        let given = message.recipients.unwrap_or_default();
        if given.is_empty() {
            self.fault(&field, "is required and must have at least one element");
        }
        let each = given.into_iter().enumerate();
        let recipients = each.filter_map(|(at, to)| self.recipient(&format!("{field}[{at}]"), to)).collect();
        Some(JsonText { ct_id, text: text?, unicode, recipients })
    }

    fn recipient(&mut self, field: &str, given: WireSmsRecipient) -> Option<(Msisdn, Option<String>)> {
        let identifier = self.short(&format!("{field}.identifier"), given.identifier, NAME_MAX);
        let Some(to) = given.to.filter(|to| !to.is_empty()) else {
            self.fault(&format!("{field}.to"), "is required: a phone number");
            return None;
        };
        match cell::subscriber(&to) {
            Ok(number) => Some((number, identifier)),
            Err(wrong) => {
                self.fault(&format!("{field}.to"), wrong.to_string());
                None
            }
        }
    }
}
