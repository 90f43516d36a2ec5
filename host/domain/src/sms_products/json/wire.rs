//! The body of `POST /sms/json` as it comes (SPEC 2.14).

use serde::Deserialize;

use crate::{
    body::{self, Spelling},
    sms_products::truth::Truth,
};

/// The body of `POST /sms/json`. Fields that there are not are ignored, but for those that are nearly right ([`Spelling`]).
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonBody {
    /// Several texts.
    #[serde(default, deserialize_with = "body::spelled_objects")]
    pub messages: Option<Vec<WireSms>>,
    /// Of one text to many, and of each element of `messages` that has none.
    pub ctid: Option<String>,
    /// Of one text to many.
    #[serde(default, deserialize_with = "body::spelled_objects")]
    pub recipients: Option<Vec<WireTo>>,
    /// One text to many.
    pub message_text: Option<String>,
    /// 70 characters per segment.
    pub unicode: Option<Truth>,
    /// What holds for all of it.
    #[serde(default, deserialize_with = "body::spelled_object")]
    pub settings: Option<WireSettings>,
}

impl Spelling for JsonBody {
    const FIELDS: &'static [&'static str] = &["messages", "ctid", "recipients", "messageText", "unicode", "settings"];
    const ELSEWHERE: &'static [(&'static str, &'static str)] = &ELSEWHERE;
}

/// Where each field of a request is written.
const ELSEWHERE: [(&str, &str); 14] = [
    ("scheduledSmsDate", "`settings.scheduledSmsDate`"),
    ("dsm", "`settings.dsm`"),
    ("receiptCallBackURL", "`settings.receiptCallBackURL`"),
    ("replyCallBackURL", "`settings.replyCallBackURL`"),
    ("replyCallBackMethod", "`settings.replyCallBackMethod`"),
    ("otpToken", "the header `otpToken`"),
    ("to", "`recipients[].to`"),
    ("identifier", "`recipients[].identifier`"),
    ("messages", "`messages` at the top"),
    ("settings", "`settings` at the top"),
    ("unicode", "`unicode` at the top"),
    ("ctid", "`ctid` at the top, or of an element of `messages`"),
    ("recipients", "`recipients` at the top, or of an element of `messages`"),
    ("messageText", "`messageText` at the top, or of an element of `messages`"),
];

/// One element of `messages`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireSms {
    /// The client's tracking id.
    pub ctid: Option<String>,
    /// Whom it goes to.
    #[serde(default, deserialize_with = "body::spelled_objects")]
    pub recipients: Option<Vec<WireTo>>,
    /// What it says.
    pub message_text: Option<String>,
    /// 70 characters per segment; as at the top, unless said.
    pub unicode: Option<Truth>,
}

impl Spelling for WireSms {
    const FIELDS: &'static [&'static str] = &["ctid", "recipients", "messageText", "unicode"];
    const ELSEWHERE: &'static [(&'static str, &'static str)] = &ELSEWHERE;
}

/// One recipient.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct WireTo {
    /// Number.
    pub to: Option<String>,
    /// The client's name for it.
    pub identifier: Option<String>,
}

impl Spelling for WireTo {
    const FIELDS: &'static [&'static str] = &["to", "identifier"];
    const ELSEWHERE: &'static [(&'static str, &'static str)] = &ELSEWHERE;
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

impl Spelling for WireSettings {
    const FIELDS: &'static [&'static str] =
        &["scheduledSmsDate", "dsm", "receiptCallBackURL", "replyCallBackURL", "replyCallBackMethod"];
    const ELSEWHERE: &'static [(&'static str, &'static str)] = &ELSEWHERE;
}
