//! The body of `POST /sms/json` as it comes (SPEC 2.14).

use serde::Deserialize;
use utoipa::ToSchema;

use crate::{
    body::{self, FieldHomes, Homes},
    sms_products::boolean::BooleanText,
};

/// SMS to send: one text at the top to many recipients, or several texts in `messages`.
// Unknown fields are ignored, except those that are nearly right ([`FieldHomes`]).
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GatewaySend, examples(json!({"messages": [{"ctid": "order-7", "recipients": [{"to": "27820000001", "identifier": "Thandi"}], "messageText": "Your order is ready."}]})))]
pub struct JsonSmsBody {
    /// Texts with their recipients.
    #[serde(default, deserialize_with = "body::objects_with_homes")]
    #[schema(nullable = false)]
    pub messages: Option<Vec<WireSms>>,
    /// The client's tracking id, for the text at the top and for entries of `messages` without their own.
    #[schema(nullable = false, max_length = 255)]
    pub ctid: Option<String>,
    /// Recipients of the text at the top. At most 1,000 recipients in the whole request.
    #[serde(default, deserialize_with = "body::objects_with_homes")]
    #[schema(nullable = false, max_items = 1000)]
    pub recipients: Option<Vec<WireSmsRecipient>>,
    /// The text at the top.
    #[schema(nullable = false)]
    pub message_text: Option<String>,
    /// `true`: Unicode, 70 characters per segment, for any text.
    #[schema(nullable = false)]
    pub unicode: Option<BooleanText>,
    /// Options for all messages of the request.
    #[serde(default, deserialize_with = "body::object_with_homes")]
    #[schema(nullable = false)]
    pub settings: Option<WireSettings>,
}

impl FieldHomes for JsonSmsBody {
    const HOMES: Homes = HOMES;
}

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

/// A text with its recipients.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GatewayMessage)]
pub struct WireSms {
    /// The client's tracking id.
    #[schema(nullable = false, max_length = 255)]
    pub ctid: Option<String>,
    /// The recipients.
    #[serde(default, deserialize_with = "body::objects_with_homes")]
    #[schema(required, nullable = false, min_items = 1)]
    pub recipients: Option<Vec<WireSmsRecipient>>,
    /// The text.
    #[schema(required, nullable = false)]
    pub message_text: Option<String>,
    /// `true`: Unicode, 70 characters per segment. If it is absent, the value at the top.
    #[schema(nullable = false)]
    pub unicode: Option<BooleanText>,
}

impl FieldHomes for WireSms {
    const HOMES: Homes = HOMES;
}

/// A recipient.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[schema(as = GatewayRecipient)]
pub struct WireSmsRecipient {
    /// A number in international format. A South African number may begin with `0`.
    #[schema(required, nullable = false)]
    pub to: Option<String>,
    /// The client's own name of the recipient. Receipts and replies carry it.
    #[schema(nullable = false, max_length = 255)]
    pub identifier: Option<String>,
}

impl FieldHomes for WireSmsRecipient {
    const HOMES: Homes = HOMES;
}

/// The HTTP method for replies. Requests may write it in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ToSchema)]
#[schema(rename_all = "UPPERCASE")]
pub enum ReplyMethod {
    /// The reply is in the query.
    Get,
    /// The reply is a form.
    Post,
}

impl ReplyMethod {
    const ALL: [Self; 2] = [Self::Get, Self::Post];

    fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }

    /// Reads it. Without a text it is GET.
    pub fn read(text: &str) -> Option<Self> {
        let named = Self::ALL.into_iter().find(|method| method.as_str().eq_ignore_ascii_case(text));
        named.or(text.is_empty().then_some(Self::Get))
    }
}

/// Options for all messages of a request.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GatewaySettings)]
pub struct WireSettings {
    /// Time of sending: `YYYY-MM-DDThh:mm:ssZ`, at most a year ahead.
    #[schema(nullable = false, format = DateTime)]
    pub scheduled_sms_date: Option<String>,
    /// `true`: the text is deleted when the message has its final state.
    #[schema(nullable = false)]
    pub dsm: Option<BooleanText>,
    /// Address for receipts, called with GET.
    #[serde(rename = "receiptCallBackURL")]
    #[schema(nullable = false)]
    pub receipt_call_back_url: Option<String>,
    /// Address for replies.
    #[serde(rename = "replyCallBackURL")]
    #[schema(nullable = false)]
    pub reply_call_back_url: Option<String>,
    /// HTTP method for replies.
    #[schema(value_type = Option<ReplyMethod>, nullable = false)]
    pub reply_call_back_method: Option<String>,
}

impl FieldHomes for WireSettings {
    const HOMES: Homes = HOMES;
}
