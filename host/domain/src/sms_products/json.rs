//! The send request of the JSON gateway (SPEC 2.14), and the rules of SPEC 4.8 that its body alone can break.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use super::{cell, truth::Truth};
use crate::{
    body::{self, Faults, FieldFault},
    phone::Msisdn,
    segments,
};

/// Longest tracking id or identifier, in characters.
const NAME_MAX: usize = 255;
/// Longest callback URL, in characters.
const URL_MAX: usize = 2_000;

/// The body of `POST /sms/json`. Unknown fields are ignored.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonBody {
    /// Several texts.
    #[serde(default, deserialize_with = "body::objects")]
    pub messages: Option<Vec<WireSms>>,
    /// Of one text to many.
    pub ctid: Option<String>,
    /// Of one text to many.
    #[serde(default, deserialize_with = "body::objects")]
    pub recipients: Option<Vec<WireTo>>,
    /// One text to many.
    pub message_text: Option<String>,
    /// 70 characters per segment.
    pub unicode: Option<Truth>,
    /// What holds for all of it.
    #[serde(default, deserialize_with = "body::object")]
    pub settings: Option<WireSettings>,
}

/// One element of `messages`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireSms {
    /// The client's tracking id.
    pub ctid: Option<String>,
    /// Whom it goes to.
    #[serde(default, deserialize_with = "body::objects")]
    pub recipients: Option<Vec<WireTo>>,
    /// What it says.
    pub message_text: Option<String>,
}

/// One recipient.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct WireTo {
    /// Number.
    pub to: Option<String>,
    /// The client's name for it.
    pub identifier: Option<String>,
}

/// `settings`
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireSettings {
    /// When to send it.
    pub scheduled_sms_date: Option<String>,
    /// Do not save the message.
    pub dsm: Option<Truth>,
    /// Where receipts are told.
    #[serde(rename = "receiptCallBackURL")]
    pub receipt_call_back_url: Option<String>,
    /// Where replies are told.
    #[serde(rename = "replyCallBackURL")]
    pub reply_call_back_url: Option<String>,
    /// `GET` or `POST`, of replies.
    pub reply_call_back_method: Option<String>,
}

/// A request that is right as far as the body alone can tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonSend {
    /// At least one, with at least one recipient each.
    pub texts: Vec<JsonText>,
    /// UTF-16 whatever the text.
    pub unicode: bool,
    /// When to send it; `None` = now.
    pub scheduled: Option<DateTime<Utc>>,
    /// Texts are forgotten when their messages are through.
    pub forgets: bool,
    /// Where receipts are told; not yet judged as an address.
    pub receipt_url: Option<String>,
    /// Where replies are told; not yet judged as an address.
    pub reply_url: Option<String>,
    /// Replies are posted.
    pub posts_replies: bool,
}

/// A text to some recipients.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonText {
    /// The client's tracking id.
    pub ct_id: Option<String>,
    /// What it says.
    pub text: String,
    /// Number and identifier of each.
    pub recipients: Vec<(Msisdn, Option<String>)>,
}

impl JsonSend {
    /// Reads a body with at most `most` recipients.
    pub fn read(bytes: &[u8], most: usize) -> Result<Self, Faults> {
        Self::judge(body::parse(bytes)?, most)
    }

    /// Judges a request with at most `most` recipients over all messages.
    pub fn judge(body: JsonBody, most: usize) -> Result<Self, Faults> {
        let mut check = Check::default();
        let count = |list: &Option<Vec<WireTo>>| list.as_ref().map_or(0, Vec::len);
        let wanted: usize =
            body.messages.iter().flatten().map(|one| count(&one.recipients)).sum::<usize>() + count(&body.recipients);
        if wanted > most {
            let said = format!("has {wanted} recipients over all messages, and a request may have {most} at most");
            return Err(FieldFault::new("recipients", said).into());
        }
        let unicode = check.truth("unicode", body.unicode.as_ref());
        let mut texts = Vec::new();
        let top = WireSms { ctid: body.ctid, recipients: body.recipients, message_text: body.message_text };
        let has_top = top.recipients.is_some() || top.message_text.is_some();
        let messages = body.messages.unwrap_or_default();
        if messages.is_empty() && !has_top {
            check.fault("messages", "is required, or `recipients` with `messageText`: nothing is to be sent");
        }
        if has_top {
            texts.extend(check.text("", top, unicode));
        }
        for (at, message) in messages.into_iter().enumerate() {
            texts.extend(check.text(&format!("messages[{at}]."), message, unicode));
        }
        let settings = body.settings.unwrap_or_default();
        let send = Self {
            texts,
            unicode,
            scheduled: check.moment("settings.scheduledSmsDate", settings.scheduled_sms_date),
            forgets: check.truth("settings.dsm", settings.dsm.as_ref()),
            receipt_url: check.short("settings.receiptCallBackURL", settings.receipt_call_back_url, URL_MAX),
            reply_url: check.short("settings.replyCallBackURL", settings.reply_call_back_url, URL_MAX),
            posts_replies: check.method("settings.replyCallBackMethod", settings.reply_call_back_method.as_deref()),
        };
        if check.0.is_empty() { Ok(send) } else { Err(check.0) }
    }

    /// Recipients over all texts.
    pub fn recipient_count(&self) -> usize {
        self.texts.iter().map(|text| text.recipients.len()).sum()
    }
}

#[derive(Default)]
struct Check(Faults);

impl Check {
    fn fault(&mut self, field: &str, said: impl Into<String>) {
        self.0.push(FieldFault::new(field, said.into()));
    }

    fn truth(&mut self, field: &str, given: Option<&Truth>) -> bool {
        let said = given.map_or(Some(false), Truth::read);
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
        let read = DateTime::parse_from_rfc3339(&text);
        if read.is_err() {
            self.fault(field, "is no time: write YYYY-MM-DDThh:mm:ssZ, such as 2026-01-31T08:15:00Z");
        }
        read.ok().map(|moment| moment.to_utc())
    }

    fn method(&mut self, field: &str, given: Option<&str>) -> bool {
        match given.unwrap_or("GET").to_ascii_uppercase().as_str() {
            "GET" | "" => false,
            "POST" => true,
            _ => {
                self.fault(field, "must be `GET` or `POST`");
                false
            }
        }
    }

    fn text(&mut self, prefix: &str, message: WireSms, unicode: bool) -> Option<JsonText> {
        let ct_id = self.short(&format!("{prefix}ctid"), message.ctid, NAME_MAX);
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
        Some(JsonText { ct_id, text: text?, recipients })
    }

    fn recipient(&mut self, field: &str, given: WireTo) -> Option<(Msisdn, Option<String>)> {
        let identifier = self.short(&format!("{field}.identifier"), given.identifier, NAME_MAX);
        let Some(to) = given.to.filter(|to| !to.is_empty()) else {
            self.fault(&format!("{field}.to"), "is required: a phone number");
            return None;
        };
        // South African numbers may be written as people write them there.
        let local = to.starts_with('0').then(|| cell::number(&to)).flatten();
        match Msisdn::parse(local.as_deref().unwrap_or(&to)) {
            Ok(number) => Some((number, identifier)),
            Err(wrong) => {
                self.fault(&format!("{field}.to"), wrong.to_string());
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<JsonSend, Vec<String>> {
        JsonSend::read(json.as_bytes(), 1000).map_err(|faults| faults.iter().map(|one| one.field.clone()).collect())
    }

    #[test]
    fn one_message_to_one_recipient_is_an_element_of_messages() {
        let json =
            r#"{"messages":[{"ctid":"a","recipients":[{"to":"+27821234567","identifier":"x"}],"messageText":"Hi"}]}"#;
        let send = read(json).unwrap();
        let number = Msisdn::parse("27821234567").unwrap();
        let text = JsonText {
            ct_id: Some("a".to_owned()),
            text: "Hi".to_owned(),
            recipients: vec![(number, Some("x".to_owned()))],
        };
        assert_eq!((send.texts, send.unicode, send.scheduled, send.forgets), (vec![text], false, None, false));
    }

    #[test]
    fn one_text_goes_to_many_at_the_top_and_many_to_many_in_messages() {
        let top =
            read(r#"{"ctid":"a","recipients":[{"to":"27821234567"},{"to":"0821234568"}],"messageText":"Hi"}"#).unwrap();
        assert_eq!((top.texts.len(), top.recipient_count()), (1, 2));
        let many = r#"{"messages":[{"recipients":[{"to":"27821234567"}],"messageText":"A"},{"recipients":[{"to":"27821234567"}],"messageText":"B"}]}"#;
        assert_eq!(read(many).unwrap().texts.len(), 2);
    }

    #[test]
    fn a_thousand_recipients_are_taken_and_one_more_is_not() {
        let with = |count: usize| {
            let to = vec![r#"{"to":"27821234567"}"#; count].join(",");
            read(&format!(r#"{{"recipients":[{to}],"messageText":"Hi"}}"#))
        };
        assert_eq!(with(1000).unwrap().recipient_count(), 1000);
        assert_eq!(with(1001), Err(vec!["recipients".to_owned()]));
    }

    #[test]
    fn settings_are_read() {
        let json = r#"{"recipients":[{"to":"27821234567"}],"messageText":"Hi","unicode":"true","settings":{
            "scheduledSmsDate":"2026-01-31T08:15:00Z","dsm":"true","receiptCallBackURL":"https://a.example/r",
            "replyCallBackURL":"https://a.example/m","replyCallBackMethod":"POST"}}"#;
        let send = read(json).unwrap();
        assert!(send.unicode && send.forgets && send.posts_replies);
        assert_eq!(send.scheduled.unwrap().to_rfc3339(), "2026-01-31T08:15:00+00:00");
        assert_eq!(send.receipt_url.as_deref(), Some("https://a.example/r"));
    }

    #[test]
    fn every_fault_names_its_field() {
        let json = r#"{"messages":[{"recipients":[{"to":"12"},{}],"messageText":" "}],"unicode":"maybe",
            "settings":{"scheduledSmsDate":"tomorrow","dsm":"x","replyCallBackMethod":"PUT"}}"#;
        let expected = [
            "unicode",
            "messages[0].messageText",
            "messages[0].recipients[0].to",
            "messages[0].recipients[1].to",
            "settings.scheduledSmsDate",
            "settings.dsm",
            "settings.replyCallBackMethod",
        ];
        assert_eq!(read(json), Err(expected.map(str::to_owned).to_vec()));
        assert_eq!(read("{}"), Err(vec!["messages".to_owned()]));
        assert_eq!(read(r#"{"messageText":"Hi"}"#), Err(vec!["recipients".to_owned()]));
        assert_eq!(read("{"), Err(vec!["body".to_owned()]));
    }
}
