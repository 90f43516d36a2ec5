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
    /// Address for messages of customers. If it is empty, none are sent.
    #[schema(rename = "incomingMessageURL")]
    incoming_message_url: Option<String>,
    /// Address for delivery statuses. If it is empty, none are sent.
    #[schema(rename = "statusUpdateURL")]
    status_update_url: Option<String>,
    /// Address for changes of WhatsApp Lite connections. If it is empty, none are sent.
    #[schema(rename = "sessionStatusURL")]
    session_status_url: Option<String>,
    /// Address for changes of quality, templates and preferences, and for plugins and webhooks that were turned off. If
    /// it is empty, none are sent.
    #[schema(rename = "eventWebhookURL")]
    event_webhook_url: Option<String>,
    /// Address for chatbot events. If it is empty, none are sent.
    #[schema(rename = "chatbotWebhookURL")]
    chatbot_webhook_url: Option<String>,
    /// `true`: replies of chatbots and agents, and assignments, are sent too. Templates are never sent.
    #[schema(default = false)]
    chatbot_include_outgoing: Option<bool>,
    /// `true`: while an agent is assigned to a chat, none of its chatbot events is sent, not even for messages of the
    /// customer.
    #[schema(default = false)]
    chatbot_stop_on_agent_assignment: Option<bool>,
    /// Format of chatbot events: `v1` is flat. `v2` adds teams, quoted replies and BSUIDs. Set it, because the default
    /// will change.
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
    /// Address for messages of customers. If it is empty, none are sent.
    #[schema(rename = "incomingMessageURL")]
    incoming_message_url: Option<String>,
    /// Address for delivery statuses. If it is empty, none are sent.
    #[schema(rename = "statusUpdateURL")]
    status_update_url: Option<String>,
    /// Address for changes of WhatsApp Lite connections. If it is empty, none are sent.
    #[schema(rename = "sessionStatusURL")]
    session_status_url: Option<String>,
    /// Address for changes of quality, templates and preferences, and for plugins and webhooks that were turned off. If
    /// it is empty, none are sent.
    #[schema(rename = "eventWebhookURL")]
    event_webhook_url: Option<String>,
    /// Address for chatbot events. If it is empty, none are sent.
    #[schema(rename = "chatbotWebhookURL")]
    chatbot_webhook_url: Option<String>,
    /// `true`: replies of chatbots and agents, and assignments, are sent too. Templates are never sent.
    chatbot_include_outgoing: Option<bool>,
    /// `true`: while an agent is assigned to a chat, none of its chatbot events is sent, not even for messages of the
    /// customer.
    chatbot_stop_on_agent_assignment: Option<bool>,
    /// Format of chatbot events: `v1` is flat. `v2` adds teams, quoted replies and BSUIDs.
    chatbot_payload_version: Option<PayloadVersion>,
}
