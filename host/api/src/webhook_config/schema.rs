//! The JSON of a webhook configuration, for the document: `domain` reads and writes it and does not know of OpenAPI.
#![expect(dead_code, reason = "described, never made")]

use utoipa::ToSchema;
use uuid::Uuid;

/// Form of the chatbot events.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
pub(super) enum PayloadVersion {
    /// Flat; deprecated, still the default.
    V1,
    /// With teams, quoted replies and BSUIDs.
    V2,
}

/// What a configuration is made from. Any subset of the addresses may be set.
#[derive(ToSchema)]
#[schema(
    rename_all = "camelCase",
    examples(json!({
        "statusUpdateURL": "https://hooks.acme.example/status",
        "incomingMessageURL": "https://hooks.acme.example/incoming",
        "chatbotWebhookURL": "https://hooks.acme.example/chatbot",
        "chatbotPayloadVersion": "v2",
    })),
)]
pub(super) struct WebhookConfiguration {
    /// Of the nested `whatsAppNumber` of a number; absent, null or empty = the client's default.
    whats_app_number_id: Option<String>,
    /// Customers' messages. Empty = off, like all of them.
    #[schema(rename = "incomingMessageURL")]
    incoming_message_url: Option<String>,
    /// Delivery statuses.
    #[schema(rename = "statusUpdateURL")]
    status_update_url: Option<String>,
    /// Sessions of WhatsApp Lite.
    #[schema(rename = "sessionStatusURL")]
    session_status_url: Option<String>,
    /// Events of the platform.
    #[schema(rename = "eventWebhookURL")]
    event_webhook_url: Option<String>,
    /// Chatbot conversations.
    #[schema(rename = "chatbotWebhookURL")]
    chatbot_webhook_url: Option<String>,
    /// Also report what the bot writes.
    #[schema(default = false)]
    chatbot_include_outgoing: Option<bool>,
    /// Report nothing while an agent is assigned.
    #[schema(default = false)]
    chatbot_stop_on_agent_assignment: Option<bool>,
    /// Form of the chatbot events; set it: the default will change.
    chatbot_payload_version: Option<PayloadVersion>,
}

/// What a configuration is changed to. What is left out stays as it is.
#[derive(ToSchema)]
#[schema(
    rename_all = "camelCase",
    examples(json!({
        "id": "01a1fb88-0000-7000-8000-000000000000",
        "statusUpdateURL": "https://hooks.acme.example/status",
        "incomingMessageURL": "",
    })),
)]
pub(super) struct WebhookConfigurationUpdate {
    /// Of the configuration.
    id: Uuid,
    /// Ignored: to change the number, delete and create.
    whats_app_number_id: Option<String>,
    /// Ignored.
    whats_app_number_msisdn: Option<String>,
    /// Customers' messages. Empty = off, like all of them.
    #[schema(rename = "incomingMessageURL")]
    incoming_message_url: Option<String>,
    /// Delivery statuses.
    #[schema(rename = "statusUpdateURL")]
    status_update_url: Option<String>,
    /// Sessions of WhatsApp Lite.
    #[schema(rename = "sessionStatusURL")]
    session_status_url: Option<String>,
    /// Events of the platform.
    #[schema(rename = "eventWebhookURL")]
    event_webhook_url: Option<String>,
    /// Chatbot conversations.
    #[schema(rename = "chatbotWebhookURL")]
    chatbot_webhook_url: Option<String>,
    /// Also report what the bot writes.
    chatbot_include_outgoing: Option<bool>,
    /// Report nothing while an agent is assigned.
    chatbot_stop_on_agent_assignment: Option<bool>,
    /// Form of the chatbot events.
    chatbot_payload_version: Option<PayloadVersion>,
}

/// A configuration.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(super) struct StoredWebhookConfiguration {
    /// Of the configuration.
    id: Uuid,
    /// Null for the client's default.
    whats_app_number_id: Option<Uuid>,
    /// Null for the client's default.
    whats_app_number_msisdn: Option<String>,
    /// Empty = off.
    #[schema(rename = "incomingMessageURL")]
    incoming_message_url: String,
    /// Empty = off.
    #[schema(rename = "statusUpdateURL")]
    status_update_url: String,
    /// Empty = off.
    #[schema(rename = "sessionStatusURL")]
    session_status_url: String,
    /// Empty = off.
    #[schema(rename = "eventWebhookURL")]
    event_webhook_url: String,
    /// Empty = off.
    #[schema(rename = "chatbotWebhookURL")]
    chatbot_webhook_url: String,
    /// Whether what the bot writes is reported, too.
    chatbot_include_outgoing: bool,
    /// Whether nothing is reported while an agent is assigned.
    chatbot_stop_on_agent_assignment: bool,
    /// Form of the chatbot events.
    chatbot_payload_version: PayloadVersion,
}
