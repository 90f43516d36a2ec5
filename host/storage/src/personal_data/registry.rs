//! The registry of tables with the columns of personal data and the rule of their rows. A test compares it with the schema,
//! so that no new table is missing.

use super::rule::{Fate, Form, Rule, Scope, Table, Tie};

const fn table(name: &'static str, columns: &'static [&'static str], rule: Rule) -> Table {
    Table { name, columns, rule }
}

const fn deleted(ties: &'static [Tie]) -> Rule {
    Rule::Tied(ties, Fate::Delete, Scope::Client)
}

const fn redacted(ties: &'static [Tie], columns: &'static [(&'static str, Form)]) -> Rule {
    Rule::Tied(ties, Fate::Redact(columns), Scope::Client)
}

const OF_CUSTOMER: Rule = deleted(&[Tie::Id("customer_id")]);
const OF_CHAT: Rule = deleted(&[Tie::Id("participant_id")]);
const OF_MESSAGE: Rule = deleted(&[Tie::Id("message_id")]);

const METERED: Rule = Rule::Tied(
    &[Tie::Id("participant_id"), Tie::Mention("key", Form::Text), Tie::Mention("value", Form::Bytes)],
    Fate::DeleteMetered,
    Scope::Client,
);

/// A part is an element of a batch, whose figures stay. `Person::ids` has it only if no other person shares it.
const PART: Rule = Rule::Tied(
    &[Tie::Id("id")],
    Fate::Blank(&[
        ("content", r#"'{"v":1,"value":{"kind":"text","body":""}}'::jsonb"#),
        ("fallback", "NULL::jsonb"),
        ("quoted_provider_id", "NULL::text"),
    ]),
    Scope::Client,
);

/// The receipt itself is needed until its message is known. Parked receipts last a day.
const PARKED: Rule =
    Rule::Tied(&[Tie::Mention("error", Form::Text)], Fate::Redact(&[("error", Form::Text)]), Scope::Anywhere);

/// Outcome and duration of a call are figures of the plugin.
const INVOCATION: Rule = Rule::Tied(
    &[Tie::Id("subject_id"), Tie::Mention("logs", Form::Text), Tie::Mention("error", Form::Text)],
    Fate::Blank(&[("logs", "''::text"), ("error", "NULL::text")]),
    Scope::Client,
);

/// Readers count on numbers without a gap. The customer of no chat types: nothing is to be loaded.
const LIVE: Rule = Rule::Tied(
    &[Tie::Mention("event", Form::Json)],
    Fate::Blank(&[(
        "event",
        r#"'{"v":1,"value":{"chat":"00000000-0000-0000-0000-000000000000","what":"customerTypes"}}'::json"#,
    )]),
    Scope::Client,
);

const INBOUND_SMS: Rule = Rule::Tied(&[Tie::Value("sender")], Fate::Delete, Scope::SmsSource);

const DELIVERY: Rule = deleted(&[
    Tie::Order("order_key"),
    Tie::Id("id"),
    Tie::Mention("event", Form::Text),
    Tie::Mention("body", Form::Bytes),
]);

/// Every table of the schema.
pub const REGISTRY: &[Table] = &[
    table("api_key", &[], Rule::OfUsers),
    table(
        "audit",
        &["actor", "object_id"],
        redacted(&[Tie::Mention("object_id", Form::Text)], &[("object_id", Form::Text)]),
    ),
    table("batch_hold", &[], Rule::Unrelated),
    table("blocked_recipient", &["value", "reason"], deleted(&[Tie::Value("value")])),
    table("callback", &["item"], deleted(&[Tie::Mention("item", Form::Json)])),
    table("callback_seen", &[], Rule::Unrelated),
    table("chat_due", &[], deleted(&[Tie::Id("lane_id")])),
    table(
        "chat_message",
        &["body", "content", "owner", "provider_id", "quoted_provider_id"],
        deleted(&[Tie::Id("participant_id")]),
    ),
    table("chatbot_value", &["key", "value"], METERED),
    table("chatbot_value_usage", &[], Rule::Unrelated),
    table("client", &[], Rule::Unrelated),
    table("client_user", &["email", "name"], Rule::OfUsers),
    table("contact", &["full_name", "folded_name", "parts"], OF_CUSTOMER),
    table("conversation", &["recipient", "customer_user_id", "ct_id", "tqrmt_id"], OF_CUSTOMER),
    table("credit_account", &[], Rule::Unrelated),
    table("credit_entry", &[], Rule::Unrelated),
    table("customer", &["full_name", "username", "parent_user_id"], deleted(&[Tie::Id("id")])),
    table("customer_address", &["value"], OF_CUSTOMER),
    table("delivery_receipt", &["error_text"], OF_MESSAGE),
    table(
        "email_out",
        &["recipient", "subject", "body", "in_reply_to"],
        deleted(&[Tie::Mention("subject", Form::Text), Tie::Mention("body", Form::Text)]),
    ),
    table("email_request", &["sender", "message_id"], Rule::OfUsers),
    table("email_sender", &["address"], Rule::OfUsers),
    table("failed_callback", &["content"], deleted(&[Tie::Mention("content", Form::Text)])),
    table("fallback", &["error_text", "reason"], OF_MESSAGE),
    table(
        "idempotency",
        &["response"],
        redacted(&[Tie::Mention("response", Form::Bytes)], &[("response", Form::Bytes)]),
    ),
    table("inbox", &[], Rule::Unrelated),
    table("inbox_customer", &[], OF_CUSTOMER),
    table("lane", &[], Rule::Unrelated),
    table("lite_device_value", &["key", "value"], deleted(&[Tie::Mention("key", Form::Text)])),
    table("lite_offer", &["provider_id", "choices"], OF_CUSTOMER),
    table("lite_session", &[], Rule::Unrelated),
    table("live_event", &["event"], LIVE),
    table("live_event_new", &["event"], deleted(&[Tie::Mention("event", Form::Json)])),
    table("live_stream", &[], Rule::Unrelated),
    table("live_ticket", &[], Rule::OfUsers),
    table("login_failure", &["account_hash"], Rule::OfUsers),
    table("login_place", &["account_hash", "place_hash"], Rule::OfUsers),
    table("marketing_stop", &[], OF_CUSTOMER),
    table("master_key_check", &[], Rule::Unrelated),
    table("media", &["filename", "source_url", "provider_media_id"], deleted(&[Tie::Id("id")])),
    table("media_content", &["bytes"], Rule::OfFiles),
    table("message_count", &[], Rule::Unrelated),
    table("message_count_change", &[], Rule::Unrelated),
    table("message_original", &["content"], OF_MESSAGE),
    table("message_version", &["body", "content"], OF_MESSAGE),
    table("messaging_tier", &[], Rule::Unrelated),
    table("messenger_inbox", &[], Rule::Unrelated),
    table("messenger_unread", &["psid"], deleted(&[Tie::Value("psid"), Tie::Id("message_id")])),
    table("node", &[], Rule::Unrelated),
    table("number_quality", &[], Rule::Unrelated),
    table("offer_in_flight", &["choices"], OF_CUSTOMER),
    table("outbound_leg", &["address_value", "content", "provider_id", "error_text", "sms_route"], OF_MESSAGE),
    table("outbound_message", &["address_value", "other_value", "ct_id", "gst_id"], deleted(&[Tie::Id("id")])),
    table("outbound_part", &["content", "fallback", "quoted_provider_id"], PART),
    table("outbound_work", &["recipient"], OF_MESSAGE),
    table("page_directory", &[], Rule::Unrelated),
    table("parked_receipt", &["error"], PARKED),
    table("participant", &["bot_state", "tags", "queued_reason", "found_by"], OF_CUSTOMER),
    table("participant_event", &["payload"], deleted(&[Tie::Id("lane_id")])),
    table("participant_search", &["grams", "words"], OF_CHAT),
    table("phone_number_directory", &[], Rule::Unrelated),
    table("plugin", &[], Rule::Unrelated),
    table("plugin_activation", &[], Rule::Unrelated),
    table("plugin_activation_history", &[], Rule::Unrelated),
    table("plugin_component", &[], Rule::Unrelated),
    table(
        "plugin_difference",
        &["live", "shadow"],
        deleted(&[Tie::Id("subject_id"), Tie::Mention("live", Form::Json), Tie::Mention("shadow", Form::Json)]),
    ),
    table("plugin_event", &["reason"], redacted(&[Tie::Mention("reason", Form::Text)], &[("reason", Form::Text)])),
    table("plugin_invocation", &["logs", "error"], INVOCATION),
    table("plugin_recording", &["recording"], deleted(&[Tie::Id("subject_id"), Tie::Mention("recording", Form::Text)])),
    table("plugin_shadow_skip", &[], Rule::Unrelated),
    table("plugin_upload", &[], Rule::Unrelated),
    table("plugin_version", &["created_by"], Rule::OfUsers),
    table("provider_call", &["error_text"], OF_MESSAGE),
    table("provider_message", &["provider_id"], deleted(&[Tie::Id("outbound_message_id"), Tie::Id("chat_message_id")])),
    table("rate", &[], Rule::Unrelated),
    table("routing_decision", &["target_name", "reason"], OF_CHAT),
    table(
        "sms_callback",
        &["url", "form"],
        deleted(&[Tie::Mention("url", Form::Text), Tie::Mention("form", Form::Text)]),
    ),
    table("sms_correspondent", &["subscriber"], deleted(&[Tie::Value("subscriber")])),
    table("sms_inbound", &["sender", "body", "sms_route"], INBOUND_SMS),
    table("sms_inbox", &[], Rule::Unrelated),
    table("sms_message", &["recipient", "ct_id", "identifier"], deleted(&[Tie::Value("recipient"), Tie::Id("id")])),
    table("sms_opt_out", &["subscriber"], deleted(&[Tie::Value("subscriber")])),
    table("sms_part", &[], OF_MESSAGE),
    table("sms_price", &[], Rule::Unrelated),
    table("sms_reply", &["subscriber", "body"], deleted(&[Tie::Value("subscriber"), Tie::Id("message_id")])),
    table("sms_request", &["response"], redacted(&[Tie::Mention("response", Form::Text)], &[("response", Form::Text)])),
    table("sms_sent_once", &[], deleted(&[Tie::Id("request_id")])),
    table("sms_tracking_use", &["tracked"], deleted(&[Tie::Name("tracked"), Tie::Mention("tracked", Form::Text)])),
    table("smsc_message", &[], OF_MESSAGE),
    table("team", &[], Rule::Unrelated),
    table("template", &[], Rule::Unrelated),
    table("testing_clock", &[], Rule::Unrelated),
    table("ticket", &["rating"], OF_CHAT),
    table("ticket_counter", &[], Rule::Unrelated),
    table("tier_count", &[], Rule::Unrelated),
    table("tier_recipient", &["recipient"], deleted(&[Tie::Value("recipient")])),
    table("waba_directory", &[], Rule::Unrelated),
    table("waiting_referral", &["address", "referral"], deleted(&[Tie::Value("address")])),
    table("web_inbox", &[], Rule::Unrelated),
    table("web_site_directory", &[], Rule::Unrelated),
    table(
        "web_visitor",
        &["visitor", "proven_id", "joined_to"],
        deleted(&[Tie::Value("visitor"), Tie::Value("joined_to")]),
    ),
    table("webhook_attempt", &["response_start"], deleted(&[Tie::Id("delivery_id")])),
    table("webhook_config", &[], Rule::Unrelated),
    table("webhook_delivery", &["event", "body"], DELIVERY),
    table("webhook_endpoint", &[], Rule::Unrelated),
    table("whatsapp_cloud_inbox", &[], Rule::Unrelated),
    table("whatsapp_lite_inbox", &[], Rule::Unrelated),
];
