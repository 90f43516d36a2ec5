//! The JSON of a send (SPEC 2.2 to 2.5), for the document: `domain` reads and writes it and does not know of OpenAPI.
#![expect(dead_code, reason = "described, never made")]

use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::sms_schema::SmsSend;

/// A send through the unified endpoint.
#[derive(ToSchema)]
#[schema(examples(json!({
    "channel": "WHATSAPP",
    "payload": {
        "sender": "27820001001",
        "messageType": "NOTIFICATION",
        "templateName": "order_ready",
        "templateId": "594425479261596",
        "messages": [{
            "recipients": [{"to": "+27830000001", "ctId": "order-42"}],
            "components": [{"type": "body", "parameters": ["Thandi", "#42"]}],
        }],
        "fallback": {"sendFallback": true},
    },
})))]
pub(super) struct UnifiedSend {
    /// Which way it goes.
    channel: SendChannel,
    /// What is sent.
    payload: UnifiedPayload,
}

/// What is sent, by the channel that it goes over.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[serde(untagged)]
pub(super) enum UnifiedPayload {
    /// Over `WHATSAPP`.
    Whatsapp(Send),
    /// Over `SMS`.
    Sms(SmsSend),
}

/// `channel` of the unified endpoint.
#[derive(ToSchema)]
#[schema(rename_all = "UPPERCASE")]
pub(super) enum SendChannel {
    /// WhatsApp.
    Whatsapp,
    /// Text messages.
    Sms,
}

/// A send: up to 1,000 recipients over all its messages (`limits.max_recipients`).
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
    message_type: SendMessageType,
    /// Of a `NOTIFICATION`: name of the template.
    template_name: Option<String>,
    /// Of a `NOTIFICATION`: id of the template.
    template_id: Option<String>,
    /// At least one.
    #[schema(min_items = 1, max_items = 1000)]
    messages: Vec<SendMessage>,
    /// What becomes of recipients who are not on WhatsApp.
    fallback: Option<SendFallback>,
}

/// `messageType` of a send.
#[derive(ToSchema)]
#[schema(rename_all = "UPPERCASE")]
pub(super) enum SendMessageType {
    /// An approved template.
    Notification,
    /// Free-form.
    Chat,
}

/// One content and its recipients.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct SendMessage {
    /// Whom it goes to.
    #[schema(min_items = 1, max_items = 1000)]
    recipients: Vec<SendRecipient>,
    /// Of a `NOTIFICATION`: what fills the template.
    components: Option<Vec<SendComponent>>,
    /// Of a `CHAT`: the text.
    #[schema(max_length = 4096)]
    message_text: Option<String>,
    /// Of a `CHAT`: an attachment.
    media: Option<SendMedia>,
}

/// One recipient: `to`, else `customerUserId`.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct SendRecipient {
    /// Phone number in international format, with or without `+`.
    #[schema(examples("+27830000001"))]
    to: Option<String>,
    /// BSUID: country code, a dot, digits.
    #[schema(examples("ZA.1234567890"))]
    customer_user_id: Option<String>,
    /// The client's own id of the message; it comes back in webhooks.
    #[schema(max_length = 255)]
    ct_id: Option<String>,
    /// A system tracking id that the client brings along.
    #[schema(max_length = 255)]
    gst_id: Option<String>,
}

/// An attachment.
#[derive(ToSchema)]
pub(super) struct SendMedia {
    /// Publicly accessible.
    url: String,
    /// Text below it.
    #[schema(max_length = 1024)]
    caption: Option<String>,
    /// What it is: `IMAGE`, `VIDEO`, `AUDIO`, `VOICE`, `DOCUMENT`, `STICKER`, or a media type such as `application/pdf`. Without
    /// it the extension of the link decides, else the `Content-Type` that its server gives.
    #[schema(rename = "type", examples("application/pdf"))]
    kind: Option<String>,
    /// Name of a document; without it, that of the link.
    filename: Option<String>,
}

/// SMS fallback of recipients who are not on WhatsApp.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct SendFallback {
    /// Turns it on.
    send_fallback: bool,
    /// Text of the SMS; absent = the text of the template.
    text: Option<String>,
    /// Force Unicode: 70 characters to a part.
    unicode: Option<bool>,
}

/// What fills one part of a template.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct SendComponent {
    /// Which part.
    #[schema(rename = "type")]
    kind: SendComponentType,
    /// `body` and `button`: values of the placeholders, in order.
    parameters: Option<Vec<String>>,
    /// `header`: what the file is.
    format: Option<SendHeaderFormat>,
    /// `header`: publicly accessible address of the file.
    url: Option<String>,
    /// `header`: name of a document.
    filename: Option<String>,
    /// `button`: what quick replies do, in order.
    conversation_parameters: Option<Vec<SendConversationParameter>>,
    /// `carousel`: one entry a card.
    cards: Option<Vec<SendCard>>,
}

/// `type` of a component.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
pub(super) enum SendComponentType {
    /// The body.
    Body,
    /// The header.
    Header,
    /// The buttons.
    Button,
    /// The cards.
    Carousel,
}

/// `format` of a header.
#[derive(ToSchema)]
#[schema(rename_all = "UPPERCASE")]
pub(super) enum SendHeaderFormat {
    /// Any file.
    Document,
    /// A picture.
    Image,
    /// A film.
    Video,
}

/// What a tap on a quick reply does.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct SendConversationParameter {
    /// Comes back on a tap.
    payload: String,
    /// Keeps the conversation open, or closes it.
    conversation_state: Option<SendConversationState>,
}

/// What becomes of the conversation.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
pub(super) enum SendConversationState {
    /// It stays open.
    Start,
    /// It is closed.
    End,
}

/// One card of a carousel.
#[derive(ToSchema)]
pub(super) struct SendCard {
    /// Header, body and buttons.
    #[schema(no_recursion)]
    components: Option<Vec<SendComponent>>,
}

/// A send that was accepted.
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
        "rejectedRecipients": [{"number": "083", "reason": "a phone number must not start with 0"}],
    })),
)]
pub(super) struct SendAccepted {
    /// For people.
    response: String,
    /// Of this send.
    batch_id: Uuid,
    /// The request as it came.
    #[schema(value_type = Object)]
    req_object: Value,
    /// Whether all recipients were accepted.
    status: SendStatus,
    /// The counts, for people.
    message: String,
    /// Of the request that was accepted: a repeated `Idempotency-Key` gives that of the first.
    request_id: Uuid,
    /// Which way it goes.
    channel: SendChannel,
    /// When it was accepted.
    #[schema(format = DateTime)]
    timestamp: String,
    /// Recipients that will be sent to.
    accepted_count: u32,
    /// Recipients that will not.
    rejected_count: u32,
    /// These, each with the reason.
    rejected_recipients: Vec<RejectedRecipient>,
}

/// `status` of an accepted send.
#[derive(ToSchema)]
#[schema(rename_all = "UPPERCASE")]
pub(super) enum SendStatus {
    /// All of them.
    Accepted,
    /// Some were rejected, or all.
    Partial,
}

/// A recipient that will not be sent to.
#[derive(ToSchema)]
pub(super) struct RejectedRecipient {
    /// As the request had it.
    number: String,
    /// Why, in words.
    reason: String,
}
