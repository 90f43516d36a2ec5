//! The registry of columns that hold personal data. Erasure and "do not save" build on it; a test compares it with the
//! schema, so that a new table cannot be forgotten.

/// A table and its columns that say something about a customer or a user; none when it holds nothing of the kind.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Name of the table.
    pub name: &'static str,
    /// Columns with personal data.
    pub columns: &'static [&'static str],
}

const fn table(name: &'static str, columns: &'static [&'static str]) -> Table {
    Table { name, columns }
}

/// Every table of the schema.
pub const REGISTRY: &[Table] = &[
    table("api_key", &[]),
    table("audit", &["actor", "object_id"]),
    table("batch_hold", &[]),
    table("blocked_recipient", &["value", "reason"]),
    table("callback", &["item"]),
    table("callback_seen", &[]),
    table("chat_message", &["body", "content", "owner", "provider_id", "quoted_provider_id"]),
    table("chatbot_value", &["key", "value"]),
    table("chatbot_value_usage", &[]),
    table("client", &[]),
    table("client_user", &["email", "name"]),
    table("conversation", &["recipient", "customer_user_id", "ct_id", "tqrmt_id"]),
    table("customer", &["full_name", "username"]),
    table("customer_address", &["value"]),
    table("delivery_receipt", &["error_text"]),
    table("fallback", &["error_text", "reason"]),
    table("idempotency", &["response"]),
    table("inbox", &[]),
    table("inbox_customer", &[]),
    table("lane", &[]),
    table("login_failure", &["account_hash"]),
    table("marketing_stop", &[]),
    table("master_key_check", &[]),
    table("media", &["filename", "source_url", "provider_media_id"]),
    table("media_content", &["bytes"]),
    table("message_count", &[]),
    table("message_count_change", &[]),
    table("messaging_tier", &[]),
    table("messenger_inbox", &[]),
    table("node", &[]),
    table("number_quality", &[]),
    table("outbound_leg", &["address_value", "content", "provider_id", "error_text"]),
    table("outbound_message", &["address_value", "other_value", "ct_id", "gst_id"]),
    table("outbound_part", &["content", "fallback", "quoted_provider_id"]),
    table("outbound_work", &["recipient"]),
    table("parked_receipt", &["error"]),
    table("participant", &["bot_state", "tags", "queued_reason"]),
    table("participant_event", &["payload"]),
    table("phone_number_directory", &[]),
    table("plugin", &[]),
    table("plugin_activation", &[]),
    table("plugin_activation_history", &[]),
    table("plugin_component", &[]),
    table("plugin_difference", &["live", "shadow"]),
    table("plugin_event", &["reason"]),
    table("plugin_invocation", &["logs", "error"]),
    table("plugin_recording", &["recording"]),
    table("plugin_shadow_skip", &[]),
    table("plugin_upload", &[]),
    table("plugin_version", &["created_by"]),
    table("provider_call", &["error_text"]),
    table("provider_message", &["provider_id"]),
    table("rate", &[]),
    table("routing_decision", &["target_name", "reason"]),
    table("sms_inbound", &["sender", "body"]),
    table("sms_inbox", &[]),
    table("sms_part", &[]),
    table("smsc_message", &[]),
    table("template", &[]),
    table("testing_clock", &[]),
    table("tier_count", &[]),
    table("tier_recipient", &["recipient"]),
    table("waba_directory", &[]),
    table("web_inbox", &[]),
    table("webhook_attempt", &["response_start"]),
    table("webhook_config", &[]),
    table("webhook_delivery", &["event", "body"]),
    table("webhook_endpoint", &[]),
    table("whatsapp_cloud_inbox", &[]),
    table("whatsapp_lite_inbox", &[]),
];
