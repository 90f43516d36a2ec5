//! Bodies of the JSON SMS gateway (SPEC 2.14).

use chrono::{DateTime, SecondsFormat, Utc};
use domain::{ids::SmsRequestId, sms_products::GatewayStatus};
use serde::Serialize;
use sms_products::json::Tracked;
use utoipa::ToSchema;

/// SMS to send: one text at the top to many recipients, or several texts in `messages`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", examples(json!({"messages": [{"ctid": "order-7", "recipients": [{"to": "27820000001", "identifier": "Thandi"}], "messageText": "Your order is ready."}]})))]
#[expect(dead_code, reason = "the form of `domain::sms_products::json::JsonBody`, which does not know of OpenAPI")]
pub(super) struct GatewaySend {
    /// Texts with their recipients.
    #[schema(nullable = false)]
    messages: Option<Vec<GatewayMessage>>,
    /// The client's tracking id, for the text at the top and for entries of `messages` without their own.
    #[schema(nullable = false, max_length = 255)]
    ctid: Option<String>,
    /// Recipients of the text at the top. At most 1,000 recipients in the whole request.
    #[schema(nullable = false, max_items = 1000)]
    recipients: Option<Vec<GatewayRecipient>>,
    /// The text at the top.
    #[schema(nullable = false)]
    message_text: Option<String>,
    /// `true`: Unicode, 70 characters per segment, for any text.
    #[schema(nullable = false)]
    unicode: Option<String>,
    /// Options for all messages of the request.
    #[schema(nullable = false)]
    settings: Option<GatewaySettings>,
}

/// A text with its recipients.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "see GatewaySend")]
struct GatewayMessage {
    /// The client's tracking id.
    #[schema(nullable = false, max_length = 255)]
    ctid: Option<String>,
    /// The recipients.
    #[schema(min_items = 1)]
    recipients: Vec<GatewayRecipient>,
    /// The text.
    message_text: String,
    /// `true`: Unicode, 70 characters per segment. If it is absent, the value at the top.
    #[schema(nullable = false)]
    unicode: Option<String>,
}

/// A recipient.
#[derive(ToSchema)]
#[expect(dead_code, reason = "see GatewaySend")]
struct GatewayRecipient {
    /// A number in international format. A South African number may begin with `0`.
    to: String,
    /// The client's own name of the recipient. Receipts and replies carry it.
    #[schema(nullable = false, max_length = 255)]
    identifier: Option<String>,
}

/// Options for all messages of a request.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "see GatewaySend")]
struct GatewaySettings {
    /// Time of sending: `YYYY-MM-DDThh:mm:ssZ`, at most a year ahead.
    #[schema(nullable = false, format = DateTime)]
    scheduled_sms_date: Option<String>,
    /// `true`: the text is deleted when the message has its final state.
    #[schema(nullable = false)]
    dsm: Option<String>,
    /// Address for receipts, called with GET.
    #[schema(nullable = false, rename = "receiptCallBackURL")]
    receipt_call_back_url: Option<String>,
    /// Address for replies.
    #[schema(nullable = false, rename = "replyCallBackURL")]
    reply_call_back_url: Option<String>,
    /// HTTP method for replies: `GET`, or `POST` with a form.
    #[schema(nullable = false)]
    reply_call_back_method: Option<String>,
}

/// The result of a request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SmsSendAnswer)]
pub(super) struct SendAnswer {
    /// Id of the request, by which its messages can be tracked. Empty if nothing was stored.
    gstid: String,
    /// `100`, `402` or `502`.
    status_code: &'static str,
    /// The status as a text for people.
    status_description: &'static str,
    /// Time of the answer, with the offset from UTC.
    #[schema(format = DateTime)]
    completion_time: String,
}

impl SendAnswer {
    pub(super) fn new(status: GatewayStatus, id: Option<SmsRequestId>, at: DateTime<Utc>) -> Self {
        Self {
            gstid: id.map(|id| id.to_string()).unwrap_or_default(),
            status_code: status.code(),
            status_description: status.description(),
            completion_time: at.to_rfc3339_opts(SecondsFormat::Millis, false),
        }
    }
}

/// The messages to track. At least one field is needed.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", examples(json!({"ctid": "order-7", "showfinalstatus": "true"})))]
#[expect(dead_code, reason = "the form of `domain::sms_products::tracking::TrackingBody`")]
pub(super) struct GatewayTracking {
    /// The client's tracking id.
    #[schema(nullable = false)]
    ctid: Option<String>,
    /// Id of one message.
    #[schema(nullable = false)]
    stid: Option<String>,
    /// Id of a request.
    #[schema(nullable = false)]
    gstid: Option<String>,
    /// Ids of several requests or messages.
    #[schema(nullable = false, max_items = 100)]
    gstids: Option<Vec<String>>,
    /// The day of acceptance, in UTC.
    #[schema(nullable = false)]
    sent_date: Option<String>,
    /// Accepted at or after this time.
    #[schema(nullable = false)]
    from_date: Option<String>,
    /// Accepted before this time.
    #[schema(nullable = false)]
    to_date: Option<String>,
    /// `true`: only messages with a final state.
    #[schema(nullable = false)]
    showfinalstatus: Option<String>,
}

/// The states of messages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SmsTracking)]
pub(super) struct TrackingAnswer {
    /// `100`, or `228`.
    status_code: &'static str,
    /// The status as a text for people.
    status_description: &'static str,
    /// One entry for each message, at most 1,000 for each selection.
    receipts: Vec<GatewayReceipt>,
}

/// The state of a message.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct GatewayReceipt {
    /// The client's tracking id.
    ctid: Option<String>,
    /// Id of the request.
    gstid: String,
    /// Id of the message.
    stid: String,
    /// The recipient's number.
    to: String,
    /// The client's own name of the recipient.
    identifier: Option<String>,
    /// `100` waiting, `500` sent, `501` queued at the network, `600` delivered, `620` failed.
    status_code: &'static str,
    /// The status as a text for people.
    status_description: &'static str,
    /// Time of the last change.
    #[schema(format = DateTime)]
    time: String,
}

impl TrackingAnswer {
    pub(super) fn new(status: GatewayStatus, found: &[Tracked]) -> Self {
        let one = |tracked: &Tracked| {
            let status = GatewayStatus::of(tracked.state);
            GatewayReceipt {
                ctid: tracked.ct_id.clone(),
                gstid: tracked.request.to_string(),
                stid: tracked.id.to_string(),
                to: tracked.recipient.clone(),
                identifier: tracked.identifier.clone(),
                status_code: status.code(),
                status_description: status.description(),
                time: tracked.moved_at.to_rfc3339_opts(SecondsFormat::Millis, true),
            }
        };
        Self {
            status_code: status.code(),
            status_description: status.description(),
            receipts: found.iter().map(one).collect(),
        }
    }
}

/// Numbers that stopped the client's messages.
#[derive(Serialize, ToSchema)]
#[schema(as = SmsOptOuts)]
pub(super) struct OptOuts {
    /// The numbers in digits.
    pub(super) numbers: Vec<String>,
}

/// A number that may get messages again.
#[derive(Serialize, ToSchema)]
#[schema(as = SmsOptOutRemoved)]
pub(super) struct Removed {
    /// The number in digits.
    pub(super) number: String,
}

/// SMS credits.
#[derive(Serialize, ToSchema)]
#[schema(as = SmsBalance)]
pub(super) struct Balance {
    /// Number of segments at the default price.
    pub(super) balance: i64,
}
