//! The fields of SMS callbacks (SPEC 6.6).

#![expect(dead_code, reason = "these types only describe bodies")]

use utoipa::ToSchema;
use uuid::Uuid;

use super::closed_sets::ReceiptCode;

/// A receipt of an SMS of the gateways.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", examples(json!({
    "ctid": "order-7",
    "gstid": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f40",
    "stid": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f42",
    "to": "27830000001",
    "identifier": "",
    "statusCode": "600",
    "statusDescription": "Delivery Success",
    "time": "2026-01-31T08:15:32.000Z",
})))]
pub(super) struct SmsReceipt {
    /// Client tracking id, or an empty text.
    ctid: String,
    /// Id of the request.
    gstid: Uuid,
    /// Id of the message.
    stid: Uuid,
    /// Number of the recipient.
    to: String,
    /// The client's name of the recipient, or an empty text.
    identifier: String,
    /// The state as a code.
    #[schema(value_type = ReceiptCode)]
    status_code: String,
    /// The state.
    status_description: String,
    /// The time of the state.
    #[schema(format = DateTime)]
    time: String,
}

/// A reply to an SMS of the gateways.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", examples(json!({
    "ctid": "order-7",
    "gstid": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f40",
    "stid": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f42",
    "from": "27830000001",
    "to": "27870000001",
    "identifier": "",
    "messageText": "Thanks",
    "time": "2026-01-31T08:20:02.000Z",
})))]
pub(super) struct SmsReply {
    /// Client tracking id of the answered message, or an empty text.
    ctid: String,
    /// Id of its request.
    gstid: Uuid,
    /// Id of the answered message.
    stid: Uuid,
    /// Number of the subscriber.
    from: String,
    /// The source address that the subscriber wrote to.
    to: String,
    /// The client's name of the recipient, or an empty text.
    identifier: String,
    /// The text.
    message_text: String,
    /// The time of arrival.
    #[schema(format = DateTime)]
    time: String,
}
