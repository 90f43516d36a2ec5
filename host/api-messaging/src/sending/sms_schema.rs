//! The JSON of an SMS send, for the OpenAPI document. `domain` reads it and does not know OpenAPI.
#![expect(dead_code, reason = "described, never made")]

use utoipa::ToSchema;

use super::recipient_schema::SendRecipient;

/// An SMS send: up to 1,000 recipients in all its messages together (`limits.max_recipients`).
#[derive(ToSchema)]
#[schema(
    rename_all = "camelCase",
    examples(
        json!({
            "messages": [{
                "recipients": [{"to": "27830000001", "ctId": "order-42"}],
                "messageText": "Your order is on its way.",
            }],
        }),
    ),
)]
pub(super) struct SmsSend {
    /// One of the client's SMS source addresses. If it is absent, the client's default source.
    #[schema(max_length = 17, examples("PATCHBAY"))]
    sender: Option<String>,
    /// The messages; at least one.
    #[schema(min_items = 1, max_items = 1000)]
    messages: Vec<SmsMessage>,
    /// `true` forces Unicode: 70 characters per part. A text outside the GSM alphabet is sent as Unicode in any case.
    unicode: Option<bool>,
}

/// One text and its recipients.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct SmsMessage {
    /// The recipients. Each needs `to`.
    #[schema(min_items = 1, max_items = 1000)]
    recipients: Vec<SendRecipient>,
    /// The text. One part has up to 160 characters; longer texts have 153 per part. In Unicode it is 70 and 67.
    message_text: String,
}
