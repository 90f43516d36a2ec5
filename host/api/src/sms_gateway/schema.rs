//! Bodies of the JSON SMS gateway (SPEC 2.14).

use chrono::{DateTime, SecondsFormat, Utc};
use domain::{ids::SmsRequestId, sms_products::GatewayStatus};
use serde::Serialize;
use sms_products::json::Tracked;
use utoipa::ToSchema;

/// SMS to send: one text to many at the top, or several in `messages`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", examples(json!({"messages": [{"ctid": "order-7", "recipients": [{"to": "27820000001", "identifier": "Thandi"}], "messageText": "Your order is ready."}]})))]
#[expect(dead_code, reason = "the form of `domain::sms_products::json::JsonBody`, which does not know of OpenAPI")]
pub(super) struct GatewaySend {
    /// Texts with their recipients.
    #[schema(nullable = false)]
    messages: Option<Vec<GatewayMessage>>,
    /// Your tracking id, of the text at the top and of what in `messages` has none.
    #[schema(nullable = false, max_length = 255)]
    ctid: Option<String>,
    /// Who gets the text at the top; 1,000 recipients over everything.
    #[schema(nullable = false, max_items = 1000)]
    recipients: Option<Vec<GatewayRecipient>>,
    /// The text at the top.
    #[schema(nullable = false)]
    message_text: Option<String>,
    /// `true`: 70 characters per segment, whatever the text.
    #[schema(nullable = false)]
    unicode: Option<String>,
    /// What holds for all of it.
    #[schema(nullable = false)]
    settings: Option<GatewaySettings>,
}

/// A text with its recipients.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "see GatewaySend")]
struct GatewayMessage {
    /// Your tracking id.
    #[schema(nullable = false, max_length = 255)]
    ctid: Option<String>,
    /// Who gets it.
    #[schema(min_items = 1)]
    recipients: Vec<GatewayRecipient>,
    /// What it says.
    message_text: String,
    /// `true`: 70 characters per segment; as at the top, unless said.
    #[schema(nullable = false)]
    unicode: Option<String>,
}

/// A recipient.
#[derive(ToSchema)]
#[expect(dead_code, reason = "see GatewaySend")]
struct GatewayRecipient {
    /// A number in international format; South African ones may begin with `0`.
    to: String,
    /// What you call them: comes back with receipts and replies.
    #[schema(nullable = false, max_length = 255)]
    identifier: Option<String>,
}

/// What holds for all messages of a request.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "see GatewaySend")]
struct GatewaySettings {
    /// When to send: `YYYY-MM-DDThh:mm:ssZ`, a year ahead at most.
    #[schema(nullable = false, format = DateTime)]
    scheduled_sms_date: Option<String>,
    /// `true`: the text is forgotten when the message is through.
    #[schema(nullable = false)]
    dsm: Option<String>,
    /// Where receipts are told, with GET.
    #[schema(nullable = false, rename = "receiptCallBackURL")]
    receipt_call_back_url: Option<String>,
    /// Where replies are told.
    #[schema(nullable = false, rename = "replyCallBackURL")]
    reply_call_back_url: Option<String>,
    /// How replies are told: `GET`, or `POST` with a form.
    #[schema(nullable = false)]
    reply_call_back_method: Option<String>,
}

/// What became of a request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SmsSendAnswer)]
pub(super) struct SendAnswer {
    /// The request, by which its messages can be tracked; empty where nothing was stored.
    gstid: String,
    /// `100`, `402` or `502`.
    status_code: &'static str,
    /// In words.
    status_description: &'static str,
    /// When, with the offset from UTC.
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

/// What is asked after: at least one of these.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", examples(json!({"ctid": "order-7", "showfinalstatus": "true"})))]
#[expect(dead_code, reason = "the form of `domain::sms_products::tracking::TrackingBody`")]
pub(super) struct GatewayTracking {
    /// Your tracking id.
    #[schema(nullable = false)]
    ctid: Option<String>,
    /// The id of one message.
    #[schema(nullable = false)]
    stid: Option<String>,
    /// The id of a request.
    #[schema(nullable = false)]
    gstid: Option<String>,
    /// Several ids of requests or messages.
    #[schema(nullable = false, max_items = 100)]
    gstids: Option<Vec<String>>,
    /// The day they were accepted on, in UTC.
    #[schema(nullable = false)]
    sent_date: Option<String>,
    /// Accepted from then on.
    #[schema(nullable = false)]
    from_date: Option<String>,
    /// Accepted before then.
    #[schema(nullable = false)]
    to_date: Option<String>,
    /// `true`: only what is through.
    #[schema(nullable = false)]
    showfinalstatus: Option<String>,
}

/// What became of messages.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = SmsTracking)]
pub(super) struct TrackingAnswer {
    /// `100`, or `228`.
    status_code: &'static str,
    /// In words.
    status_description: &'static str,
    /// One for each message, 1,000 at most for each thing that is asked after.
    receipts: Vec<GatewayReceipt>,
}

/// Where a message stands.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct GatewayReceipt {
    /// Your tracking id.
    ctid: Option<String>,
    /// The request.
    gstid: String,
    /// The message.
    stid: String,
    /// The number.
    to: String,
    /// What you call it.
    identifier: Option<String>,
    /// `100` waits, `500` sent, `501` queued at the network, `600` delivered, `620` failed.
    status_code: &'static str,
    /// In words.
    status_description: &'static str,
    /// Since when.
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

/// Numbers that stopped your messages.
#[derive(Serialize, ToSchema)]
#[schema(as = SmsOptOuts)]
pub(super) struct OptOuts {
    /// In digits.
    pub(super) numbers: Vec<String>,
}

/// A number that is written to again.
#[derive(Serialize, ToSchema)]
#[schema(as = SmsOptOutRemoved)]
pub(super) struct Removed {
    /// In digits.
    pub(super) number: String,
}

/// SMS credits.
#[derive(Serialize, ToSchema)]
#[schema(as = SmsBalance)]
pub(super) struct Balance {
    /// Segments at the default price.
    pub(super) balance: i64,
}
