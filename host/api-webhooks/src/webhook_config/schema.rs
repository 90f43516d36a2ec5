//! The requests for a webhook configuration, for the OpenAPI document. `domain` parses both into one type.
#![expect(dead_code, reason = "described, never made")]

use domain::webhook::PayloadVersion;
use utoipa::ToSchema;
use uuid::Uuid;

/// A new configuration. Any subset of the addresses may be set.
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
    /// The `id` of the nested `whatsAppNumber` of a number. Absent, null or empty: the client's default.
    whats_app_number_id: Option<String>,
    /// Address for messages of customers. Empty: off, as for all of them.
    #[schema(rename = "incomingMessageURL")]
    incoming_message_url: Option<String>,
    /// Address for delivery statuses.
    #[schema(rename = "statusUpdateURL")]
    status_update_url: Option<String>,
    /// Address for sessions of WhatsApp Lite.
    #[schema(rename = "sessionStatusURL")]
    session_status_url: Option<String>,
    /// Address for events of the platform.
    #[schema(rename = "eventWebhookURL")]
    event_webhook_url: Option<String>,
    /// Address for chatbot conversations.
    #[schema(rename = "chatbotWebhookURL")]
    chatbot_webhook_url: Option<String>,
    /// `true`: messages of the chatbot are reported too.
    #[schema(default = false)]
    chatbot_include_outgoing: Option<bool>,
    /// `true`: nothing is reported while an agent is assigned.
    #[schema(default = false)]
    chatbot_stop_on_agent_assignment: Option<bool>,
    /// The form of chatbot events. Set it, because the default will change.
    chatbot_payload_version: Option<PayloadVersion>,
}

/// Changes of a configuration. Absent fields stay as they are.
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
    /// Id of the configuration.
    id: Uuid,
    /// Ignored. To change the number, delete the configuration and create one.
    whats_app_number_id: Option<String>,
    /// Ignored.
    whats_app_number_msisdn: Option<String>,
    /// Address for messages of customers. Empty: off, as for all of them.
    #[schema(rename = "incomingMessageURL")]
    incoming_message_url: Option<String>,
    /// Address for delivery statuses.
    #[schema(rename = "statusUpdateURL")]
    status_update_url: Option<String>,
    /// Address for sessions of WhatsApp Lite.
    #[schema(rename = "sessionStatusURL")]
    session_status_url: Option<String>,
    /// Address for events of the platform.
    #[schema(rename = "eventWebhookURL")]
    event_webhook_url: Option<String>,
    /// Address for chatbot conversations.
    #[schema(rename = "chatbotWebhookURL")]
    chatbot_webhook_url: Option<String>,
    /// `true`: messages of the chatbot are reported too.
    chatbot_include_outgoing: Option<bool>,
    /// `true`: nothing is reported while an agent is assigned.
    chatbot_stop_on_agent_assignment: Option<bool>,
    /// The form of chatbot events.
    chatbot_payload_version: Option<PayloadVersion>,
}
