//! The body of `POST /sms/json` as it comes (SPEC 2.14).

use serde::Deserialize;

use crate::{
    body::{self, FieldHomes, Homes},
    sms_products::truth::Truth,
};

/// The body of `POST /sms/json`. Fields that there are not are ignored, but for those that are nearly right ([`FieldHomes`]).
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JsonBody {
    /// Several texts.
    #[serde(default, deserialize_with = "body::objects_with_homes")]
    pub messages: Option<Vec<WireSms>>,
    /// Of one text to many, and of each element of `messages` that has none.
    pub ctid: Option<String>,
    /// Of one text to many.
    #[serde(default, deserialize_with = "body::objects_with_homes")]
    pub recipients: Option<Vec<WireTo>>,
    /// One text to many.
    pub message_text: Option<String>,
    /// 70 characters per segment.
    pub unicode: Option<Truth>,
    /// The settings of the whole request.
    #[serde(default, deserialize_with = "body::object_with_homes")]
    pub settings: Option<WireSettings>,
}

impl FieldHomes for JsonBody {
    const HOMES: Homes = HOMES;
}

/// Where each field of a request is written.
const HOMES: Homes = &[
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
    /// The recipients.
    #[serde(default, deserialize_with = "body::objects_with_homes")]
    pub recipients: Option<Vec<WireTo>>,
    /// The text.
    pub message_text: Option<String>,
    /// 70 characters per segment; as at the top, unless said.
    pub unicode: Option<Truth>,
}

impl FieldHomes for WireSms {
    const HOMES: Homes = HOMES;
}

/// One recipient.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct WireTo {
    /// Number.
    pub to: Option<String>,
    /// The client's name for it.
    pub identifier: Option<String>,
}

impl FieldHomes for WireTo {
    const HOMES: Homes = HOMES;
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

impl FieldHomes for WireSettings {
    const HOMES: Homes = HOMES;
}
