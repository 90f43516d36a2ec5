//! The JSON of a send (SPEC 2.2 to 2.5), for the OpenAPI document. `domain` parses all send endpoints into one type, whose
//! fields are optional so that each missing one gets its own message. These types state what each endpoint needs.
#![expect(dead_code, reason = "described, never made")]

use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::recipient_schema::SendRecipient;
use crate::closed_sets::{
    ComponentTypeName, HeaderFormatName, SendChannelName, SendMessageType, SendStatusName, TapEffectName,
};

/// A send: up to 1,000 recipients in all its messages together (`limits.max_recipients`).
#[derive(ToSchema)]
#[schema(
    rename_all = "camelCase",
    examples(
        json!({
            "sender": "27820001001",
            "messageType": "CHAT",
            "messages": [{"recipients": [{"to": "27830000001"}], "messageText": "Your order is on its way."}],
        }),
    ),
)]
pub(super) struct Send {
    /// The business number, in international format.
    #[schema(max_length = 64, examples("27820001001"))]
    sender: String,
    /// A template, or free text within 24 hours of the customer's last message.
    #[schema(value_type = SendMessageType)]
    message_type: String,
    /// Required for a `NOTIFICATION`: name of the template.
    template_name: Option<String>,
    /// Required for a `NOTIFICATION`: id of the template.
    template_id: Option<String>,
    /// The messages; at least one.
    #[schema(min_items = 1, max_items = 1000)]
    messages: Vec<SendMessage>,
    /// SMS fallback for recipients who are not on WhatsApp.
    fallback: Option<SendFallback>,
}

/// One content and its recipients.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct SendMessage {
    /// The recipients.
    #[schema(min_items = 1, max_items = 1000)]
    recipients: Vec<SendRecipient>,
    /// For a `NOTIFICATION`: values for the placeholders of the template.
    components: Option<Vec<SendComponent>>,
    /// For a `CHAT`: the text.
    #[schema(max_length = 4096)]
    message_text: Option<String>,
    /// For a `CHAT`: an attachment.
    media: Option<SendMedia>,
}

/// An attachment.
#[derive(ToSchema)]
pub(super) struct SendMedia {
    /// Publicly accessible address of the file.
    url: String,
    /// The caption.
    #[schema(max_length = 1024)]
    caption: Option<String>,
    /// The type: `IMAGE`, `VIDEO`, `AUDIO`, `VOICE`, `DOCUMENT`, `STICKER`, or a media type such as `application/pdf`.
    /// If it is absent, the extension of the link decides and, if there is none, the `Content-Type` of its server.
    #[schema(rename = "type", examples("application/pdf"))]
    kind: Option<String>,
    /// Name of a document. If it is absent, the name in the link.
    filename: Option<String>,
}

/// SMS fallback for recipients who are not on WhatsApp.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct SendFallback {
    /// `true` turns the fallback on.
    send_fallback: bool,
    /// Text of the SMS. If it is absent, the text of the template.
    text: Option<String>,
    /// `true` forces Unicode: 70 characters per part.
    unicode: Option<bool>,
}

/// The values of one component of a template.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct SendComponent {
    /// The component.
    #[schema(rename = "type", value_type = ComponentTypeName)]
    kind: String,
    /// For `body` and `button`: values of the placeholders, in order.
    parameters: Option<Vec<String>>,
    /// For `header`: type of the file.
    #[schema(value_type = Option<HeaderFormatName>)]
    format: Option<String>,
    /// For `header`: publicly accessible address of the file.
    url: Option<String>,
    /// For `header`: name of a document.
    filename: Option<String>,
    /// For `button`: effects of the quick replies, in order.
    conversation_parameters: Option<Vec<SendConversationParameter>>,
    /// For `carousel`: one entry per card.
    cards: Option<Vec<SendCard>>,
}

/// The effect of a tap on a quick reply.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct SendConversationParameter {
    /// The value that a tap returns.
    payload: String,
    /// Keeps the conversation open, or closes it.
    #[schema(value_type = Option<TapEffectName>)]
    conversation_state: Option<String>,
}

/// One card of a carousel.
#[derive(ToSchema)]
pub(super) struct SendCard {
    /// Header, body and buttons of the card.
    #[schema(no_recursion)]
    components: Option<Vec<SendComponent>>,
}

/// The answer to an accepted send.
#[derive(ToSchema)]
#[schema(
    rename_all = "camelCase",
    examples(json!({
        "response": "Accepted for processing",
        "batchId": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41",
        "reqObject": {
            "sender": "27820001001",
            "messageType": "CHAT",
            "messages": [{"recipients": [{"to": "27830000001"}, {"to": "083"}], "messageText": "Your order is on its way."}],
        },
        "status": "PARTIAL",
        "message": "1 recipient(s) accepted, 1 rejected",
        "requestId": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f40",
        "channel": "WHATSAPP",
        "timestamp": "2026-01-31T08:15:30.123Z",
        "acceptedCount": 1,
        "rejectedCount": 1,
        "acceptedRecipients": [{"number": "27830000001", "gstId": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f42"}],
        "rejectedRecipients": [{"number": "083", "reason": "a phone number must not start with 0"}],
    })),
)]
pub(super) struct SendAccepted {
    /// A text for people.
    response: String,
    /// Id of this send.
    batch_id: Uuid,
    /// The request as it was sent.
    #[schema(value_type = Object)]
    req_object: Value,
    /// Tells if all recipients were accepted.
    #[schema(value_type = SendStatusName)]
    status: String,
    /// The counts as a text for people.
    message: String,
    /// Id of the accepted request. A repeated `Idempotency-Key` gets the id of the first request.
    request_id: Uuid,
    /// The channel.
    #[schema(value_type = SendChannelName)]
    channel: String,
    /// Time of acceptance.
    #[schema(format = DateTime)]
    timestamp: String,
    /// Number of accepted recipients.
    accepted_count: u32,
    /// Number of rejected recipients.
    rejected_count: u32,
    /// The accepted recipients, in the order of the request, each with the id of its message.
    accepted_recipients: Vec<AcceptedRecipient>,
    /// The rejected recipients, each with the reason.
    rejected_recipients: Vec<RejectedRecipient>,
}

/// An accepted recipient.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct AcceptedRecipient {
    /// The recipient as the request had it.
    number: String,
    /// Its client tracking id, if the request had one.
    #[schema(nullable = false)]
    ct_id: Option<String>,
    /// System tracking id of the message: webhooks and the story of the message name it.
    gst_id: String,
}

/// A rejected recipient.
#[derive(ToSchema)]
pub(super) struct RejectedRecipient {
    /// The recipient as the request had it.
    number: String,
    /// The reason, as a text for people.
    reason: String,
}
