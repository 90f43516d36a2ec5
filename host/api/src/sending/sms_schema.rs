//! The JSON of an SMS send, for the document: `domain` reads it and does not know of OpenAPI.
#![expect(dead_code, reason = "described, never made")]

use utoipa::ToSchema;

use super::schema::SendRecipient;

/// An SMS send: up to 1,000 recipients over all its messages (`limits.max_recipients`).
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
    /// One of the client's SMS source addresses; absent = its default one.
    #[schema(max_length = 17, examples("PATCHBAY"))]
    sender: Option<String>,
    /// At least one.
    #[schema(min_items = 1, max_items = 1000)]
    messages: Vec<SmsMessage>,
    /// Force Unicode: 70 characters to a part. A text outside the GSM alphabet goes as Unicode by itself.
    unicode: Option<bool>,
}

/// One text and its recipients.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct SmsMessage {
    /// Whom it goes to: each needs `to`.
    #[schema(min_items = 1, max_items = 1000)]
    recipients: Vec<SendRecipient>,
    /// The text: of 160 characters in one part, then 153 a part; in Unicode 70, then 67.
    message_text: String,
}
