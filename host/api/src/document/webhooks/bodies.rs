//! The bodies of webhooks as the built-in shapers write them (SPEC 6). The shapers are components, so their fields are
//! described here; a test compares both (`tests/document`).

#![expect(dead_code, reason = "these types only describe bodies")]

use std::collections::BTreeMap;

use utoipa::ToSchema;

use super::closed_sets::{
    ChannelStatusName, DisabledWebhook, IncomingContent, QualityName, ReportedState, SessionStatusType, SmsReport,
    TemplateApprovalName, TemplateElementName,
};

/// A customer wrote to a business number. Fields that do not belong to the content are absent.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", examples(json!({
    "profileName": "Thandi",
    "sender": "27830000001",
    "senderUserId": "ZA.13491208655302741918",
    "receiver": "27820001001",
    "text": "Where is my order?",
    "messageType": "INTERACTION",
    "messageContentType": "TEXT",
    "gstId": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f45",
    "sentTime": "2026-01-31T08:15:30.000Z",
    "status": "RECEIVED",
})))]
pub(super) struct IncomingMessage {
    /// Display name of the customer.
    #[schema(nullable = false)]
    profile_name: Option<String>,
    /// Phone number of the customer in E.164 without `+`. It may be withheld.
    #[schema(nullable = false)]
    sender: Option<String>,
    /// BSUID of the customer, or the id of the customer on a page or site.
    #[schema(nullable = false)]
    sender_user_id: Option<String>,
    /// User name of the customer, if one is set.
    #[schema(nullable = false)]
    username: Option<String>,
    /// The business number, or the id of the page or site.
    receiver: String,
    /// The text. For a `REACTION` the emoji, empty if the reaction was removed; for a `CONTACT` a formatted text.
    #[schema(nullable = false)]
    text: Option<String>,
    /// Title of the button, for `BUTTON`, `INTERACTIVE` and `CAROUSEL`.
    #[schema(nullable = false)]
    button_text: Option<String>,
    /// Payload of the button.
    #[schema(nullable = false)]
    button_payload: Option<String>,
    /// Degrees north, for a `LOCATION`.
    #[schema(nullable = false)]
    latitude: Option<String>,
    /// Degrees east.
    #[schema(nullable = false)]
    longitude: Option<String>,
    /// Name of the place.
    #[schema(nullable = false)]
    label: Option<String>,
    /// Address of the place.
    #[schema(nullable = false)]
    address: Option<String>,
    /// Address of the file, for `MEDIA`.
    #[schema(nullable = false)]
    media_url: Option<String>,
    /// Text of the file.
    #[schema(nullable = false)]
    caption: Option<String>,
    /// Extension of the file name, by the type of its bytes.
    #[schema(nullable = false)]
    file_extension: Option<String>,
    /// The billing model.
    #[schema(nullable = false)]
    message_type: Option<BillingModel>,
    /// The content.
    #[schema(value_type = IncomingContent)]
    message_content_type: String,
    /// System tracking id. For a `REACTION` that of the message that was reacted to.
    #[schema(nullable = false)]
    gst_id: Option<String>,
    /// Client tracking id of the message that this one answers.
    #[schema(nullable = false)]
    ct_id: Option<String>,
    /// Long-lived conversation.
    #[schema(nullable = false)]
    conversation_id: Option<String>,
    /// Participant of that conversation. It is not the participant of live chat.
    #[schema(nullable = false)]
    participant_id: Option<String>,
    /// The time when the customer sent it.
    #[schema(nullable = false, format = DateTime)]
    sent_time: Option<String>,
    /// `RECEIVED`.
    #[schema(nullable = false)]
    status: Option<String>,
    /// Price of the message by the rate card.
    #[schema(nullable = false)]
    cost: Option<String>,
    /// The template that the message answers.
    #[schema(nullable = false)]
    template_id: Option<String>,
    /// Name of that template.
    #[schema(nullable = false)]
    template_name: Option<String>,
    /// Parameters of the body of that template, by position from `1`.
    #[schema(nullable = false)]
    body_parameters: Option<BTreeMap<String, String>>,
    /// Tracking id of the quick reply.
    #[schema(nullable = false)]
    tqrmt_id: Option<String>,
    /// State of the conversation as a code.
    #[schema(nullable = false)]
    conversation_status_code: Option<String>,
    /// State of the conversation as a text.
    #[schema(nullable = false)]
    conversation_status_message: Option<String>,
    /// The request of the message that this one answers.
    #[schema(nullable = false)]
    request_id: Option<String>,
    /// Code of an error.
    #[schema(nullable = false)]
    error_code: Option<String>,
    /// The error as a text.
    #[schema(nullable = false)]
    error_code_string: Option<String>,
}

#[derive(ToSchema)]
#[schema(rename_all = "UPPERCASE")]
enum BillingModel {
    Interaction,
    Conversation,
}

/// The state of a sent message changed. States come in any order and each at most once; `FAILED` is final.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", examples(json!({
    "sender": "27820001001",
    "receiver": "27830000001",
    "gstId": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f42",
    "ctId": "order-7",
    "status": "DELIVERED",
    "sendTime": "2026-01-31T08:15:31.000Z",
    "deliveryTime": "2026-01-31T08:15:32.000Z",
    "requestId": "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f40",
})))]
pub(super) struct MessageStatus {
    /// The business number or source address that sent the message.
    sender: String,
    /// Phone number of the recipient.
    #[schema(nullable = false)]
    receiver: Option<String>,
    /// BSUID of the recipient.
    #[schema(nullable = false)]
    recipient_user_id: Option<String>,
    /// System tracking id: `acceptedRecipients[].gstId` of the 202.
    gst_id: String,
    /// Client tracking id.
    #[schema(nullable = false)]
    ct_id: Option<String>,
    /// Tracking id of the long-lived conversation.
    #[schema(nullable = false)]
    conversation_ct_id: Option<String>,
    /// `SMS` if the report is about an SMS. Absent for WhatsApp.
    #[schema(value_type = Option<SmsReport>, nullable = false)]
    channel: Option<String>,
    /// The new state.
    #[schema(value_type = ReportedState)]
    status: String,
    /// The time of sending.
    #[schema(nullable = false, format = DateTime)]
    send_time: Option<String>,
    /// The time of delivery.
    #[schema(nullable = false, format = DateTime)]
    delivery_time: Option<String>,
    /// The time of reading.
    #[schema(nullable = false, format = DateTime)]
    read_time: Option<String>,
    /// The time of playing, for voice notes.
    #[schema(nullable = false, format = DateTime)]
    played_time: Option<String>,
    /// Code of the failure, if the state is `FAILED`. `GET /messaging-service/WhatsApp/failure-codes` explains the codes.
    #[schema(nullable = false)]
    error_code: Option<String>,
    /// The failure as a text.
    #[schema(nullable = false)]
    error_code_string: Option<String>,
    /// Long-lived conversation.
    #[schema(nullable = false)]
    conversation_id: Option<String>,
    /// Participant of that conversation.
    #[schema(nullable = false)]
    participant_id: Option<String>,
    /// Price of the message by the rate card.
    #[schema(nullable = false)]
    cost: Option<String>,
    /// `requestId` of the 202.
    #[schema(nullable = false)]
    request_id: Option<String>,
    /// Tracking id of a quick reply of the template.
    #[schema(nullable = false)]
    tqrmt_id: Option<String>,
}

/// The connection of a WhatsApp Lite number changed.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", examples(json!({
    "whatsAppNumber": "27820001002",
    "status": "Connected (Authenticated)",
    "statusType": "success",
    "timestamp": 1769847330000_i64,
})))]
pub(super) struct SessionStatus {
    /// The business number.
    whats_app_number: String,
    /// The state as a text.
    status: String,
    /// The kind of state.
    #[schema(value_type = SessionStatusType)]
    status_type: String,
    /// Milliseconds since 1970-01-01T00:00Z.
    timestamp: i64,
}

/// An event of the provider's platform or of Patchbay. `eventType` decides the other fields.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", examples(json!({
    "eventType": "TEMPLATE_STATUS_CHANGED",
    "whatsAppNumber": "27820001001",
    "timestamp": 1769847330000_i64,
    "templateName": "order_ready",
    "templateStatus": "REJECTED",
    "rejectedReason": "INVALID_FORMAT",
})))]
pub(super) struct PartnerEvent {
    /// The kind of event. Ignore kinds that you do not know.
    #[schema(examples("PHONE_QUALITY_CHANGED"))]
    event_type: String,
    /// The business number. Absent if the event is about the client as a whole.
    #[schema(nullable = false)]
    whats_app_number: Option<String>,
    /// Milliseconds since 1970-01-01T00:00Z.
    timestamp: i64,
    /// `PHONE_QUALITY_CHANGED`: the quality.
    #[schema(value_type = Option<QualityName>, nullable = false)]
    quality_rating: Option<String>,
    /// `PHONE_QUALITY_CHANGED`: `TIER_1K`, `TIER_10K`, `TIER_100K` or `TIER_UNLIMITED`.
    #[schema(nullable = false)]
    messaging_limit_tier: Option<String>,
    /// `PHONE_QUALITY_CHANGED`: whether the number can be used.
    #[schema(value_type = Option<ChannelStatusName>, nullable = false)]
    channel_status: Option<String>,
    /// Name of the template.
    #[schema(nullable = false)]
    template_name: Option<String>,
    /// `TEMPLATE_STATUS_CHANGED`: the new status.
    #[schema(value_type = Option<TemplateApprovalName>, nullable = false)]
    template_status: Option<String>,
    /// The reason of `REJECTED`.
    #[schema(nullable = false)]
    rejected_reason: Option<String>,
    /// `TEMPLATE_QUALITY_CHANGED`: the score before.
    #[schema(value_type = Option<QualityName>, nullable = false)]
    previous_quality_score: Option<String>,
    /// `TEMPLATE_QUALITY_CHANGED`: the new score.
    #[schema(value_type = Option<QualityName>, nullable = false)]
    new_quality_score: Option<String>,
    /// `TEMPLATE_COMPONENTS_CHANGED`: language code.
    #[schema(nullable = false)]
    template_language: Option<String>,
    /// `TEMPLATE_COMPONENTS_CHANGED`: the changed part.
    #[schema(value_type = Option<TemplateElementName>, nullable = false)]
    template_element: Option<String>,
    /// `USER_PREFERENCE`: phone number without `+`.
    #[schema(nullable = false)]
    wa_id: Option<String>,
    /// `USER_PREFERENCE`: the category, such as `MARKETING`.
    #[schema(nullable = false)]
    category: Option<String>,
    /// `USER_PREFERENCE`: `stop` or `resume`. After `stop`, sends of this category to the customer are rejected.
    #[schema(nullable = false)]
    preference_value: Option<String>,
    /// `USER_CHANGED_NUMBER`: the number before.
    #[schema(nullable = false)]
    old_number: Option<String>,
    /// `USER_CHANGED_NUMBER`: the number now.
    #[schema(nullable = false)]
    new_number: Option<String>,
    /// `PLUGIN_SUSPENDED`, `PLUGIN_CANARY_FAILED`: name of the plugin.
    #[schema(nullable = false)]
    plugin: Option<String>,
    /// `PLUGIN_SUSPENDED`, `PLUGIN_CANARY_FAILED`: the version. Absent for a plugin of the server.
    #[schema(nullable = false)]
    plugin_version: Option<String>,
    /// `WEBHOOK_DISABLED`: id of the configuration.
    #[schema(nullable = false)]
    webhook_id: Option<String>,
    /// `WEBHOOK_DISABLED`: the webhook that was turned off.
    #[schema(value_type = Option<DisabledWebhook>, nullable = false)]
    webhook_type: Option<String>,
    /// `WEBHOOK_DISABLED`: its address.
    #[schema(nullable = false)]
    url: Option<String>,
    /// `PLUGIN_SUSPENDED`, `PLUGIN_CANARY_FAILED`, `WEBHOOK_DISABLED`: the reason.
    #[schema(nullable = false)]
    reason: Option<String>,
}
