//! The registry of tables with personal columns and the rule of their rows. A test compares it with the schema.

use super::rule::{ColumnForm, PersonLink, PersonalTable, RowScope, RowTreatment, TableRule};

const fn table(name: &'static str, columns: &'static [&'static str], rule: TableRule) -> PersonalTable {
    PersonalTable { name, columns, rule }
}

const fn delete_rows(ties: &'static [PersonLink]) -> TableRule {
    TableRule::Tied(ties, RowTreatment::Delete, RowScope::Client)
}

const fn redact_columns(ties: &'static [PersonLink], columns: &'static [(&'static str, ColumnForm)]) -> TableRule {
    TableRule::Tied(ties, RowTreatment::Redact(columns), RowScope::Client)
}

const fn keep_stops(ties: &'static [PersonLink], blank: &'static [(&'static str, &'static str)]) -> TableRule {
    TableRule::Tied(ties, RowTreatment::KeepStop(blank), RowScope::Client)
}

const OF_CUSTOMER: TableRule = delete_rows(&[PersonLink::Id("customer_id")]);
const OF_CHAT: TableRule = delete_rows(&[PersonLink::Id("participant_id")]);
const OF_MESSAGE: TableRule = delete_rows(&[PersonLink::Id("message_id")]);

const METERED: TableRule = TableRule::Tied(
    &[
        PersonLink::Id("participant_id"),
        PersonLink::Mention("key", ColumnForm::Text),
        PersonLink::Mention("value", ColumnForm::Bytes),
    ],
    RowTreatment::DeleteMetered,
    RowScope::Client,
);

/// A part is an element of a batch, whose figures stay. `KnownPerson::ids` has it only if no other person shares it.
const PART: TableRule = TableRule::Tied(
    &[PersonLink::Id("id")],
    RowTreatment::Blank(&[
        ("content", r#"'{"v":1,"value":{"kind":"text","body":""}}'::jsonb"#),
        ("fallback", "NULL::jsonb"),
        ("quoted_provider_id", "NULL::text"),
    ]),
    RowScope::Client,
);

/// The receipt itself is needed until its message is known. Parked receipts last a day.
const PARKED: TableRule = TableRule::Tied(
    &[PersonLink::Mention("error", ColumnForm::Text)],
    RowTreatment::Redact(&[("error", ColumnForm::Text)]),
    RowScope::Anywhere,
);

/// Callbacks for no client, until one adds their number or page.
const STRAY: TableRule =
    TableRule::Tied(&[PersonLink::Mention("item", ColumnForm::Json)], RowTreatment::Delete, RowScope::Anywhere);

/// Outcome and duration of a call are figures of the plugin.
const INVOCATION: TableRule = TableRule::Tied(
    &[
        PersonLink::Id("subject_id"),
        PersonLink::Mention("logs", ColumnForm::Text),
        PersonLink::Mention("error", ColumnForm::Text),
        PersonLink::Mention("consequence", ColumnForm::Text),
    ],
    RowTreatment::Blank(&[("logs", "''::text"), ("error", "NULL::text"), ("consequence", "NULL::text")]),
    RowScope::Client,
);

/// Readers count on numbers without a gap. The customer of no chat types: nothing is to be loaded.
const LIVE: TableRule = TableRule::Tied(
    &[PersonLink::Subject("event", ColumnForm::Json)],
    RowTreatment::Blank(&[(
        "event",
        r#"'{"v":1,"value":{"chat":"00000000-0000-0000-0000-000000000000","what":"customerTypes"}}'::json"#,
    )]),
    RowScope::Client,
);

const INBOUND_SMS: TableRule =
    TableRule::Tied(&[PersonLink::Value("sender")], RowTreatment::Delete, RowScope::SmsSource);

const DELIVERY: TableRule = delete_rows(&[
    PersonLink::Order("order_key"),
    PersonLink::Id("id"),
    PersonLink::Subject("event", ColumnForm::Text),
    PersonLink::Subject("body", ColumnForm::Bytes),
]);

const REQUEST: TableRule =
    delete_rows(&[PersonLink::Mention("path", ColumnForm::Text), PersonLink::Mention("body", ColumnForm::Text)]);

/// A note may be about a person in the chat of another one.
const NOTE: TableRule = delete_rows(&[PersonLink::Id("participant_id"), PersonLink::Mention("body", ColumnForm::Text)]);

const CANNED: TableRule =
    redact_columns(&[PersonLink::Mention("body", ColumnForm::Text)], &[("body", ColumnForm::Text)]);

/// Every table of the schema.
pub const REGISTRY: &[PersonalTable] = &[
    table("account_directory", &[], TableRule::Unrelated),
    table("account_inbox", &[], TableRule::Unrelated),
    table("account_link", &[], TableRule::Unrelated),
    table("api_key", &[], TableRule::OfUsers),
    table(
        "audit",
        &["actor", "object_id"],
        redact_columns(&[PersonLink::Mention("object_id", ColumnForm::Text)], &[("object_id", ColumnForm::Text)]),
    ),
    table("audit_chain", &[], TableRule::Unrelated),
    table("batch_hold", &[], TableRule::Unrelated),
    table("blocked_recipient", &["value", "reason"], keep_stops(&[PersonLink::Value("value")], &[("reason", "NULL")])),
    table("canned_reply", &["body"], CANNED),
    table("callback", &["item"], delete_rows(&[PersonLink::Party("item", ColumnForm::Json)])),
    table("callback_seen", &[], TableRule::Unrelated),
    table("chat_due", &[], delete_rows(&[PersonLink::Id("lane_id")])),
    table("chat_episode", &["rating"], OF_CHAT),
    table(
        "chat_message",
        &["body", "content", "owner", "provider_id", "quoted_provider_id"],
        delete_rows(&[PersonLink::Id("participant_id")]),
    ),
    table("chat_note", &["body"], NOTE),
    table("chat_note_mention", &[], TableRule::OfUsers),
    table("chat_viewer", &[], TableRule::OfUsers),
    table("chatbot_value", &["key", "value"], METERED),
    table("chatbot_value_usage", &[], TableRule::Unrelated),
    table("client", &[], TableRule::Unrelated),
    table("client_user", &["email", "name"], TableRule::OfUsers),
    table("contact", &["full_name", "folded_name", "parts", "tags"], OF_CUSTOMER),
    table("contact_attribute", &[], TableRule::Unrelated),
    table("contact_attribute_value", &["value"], OF_CUSTOMER),
    table("contact_merge", &["tags_added"], OF_CUSTOMER),
    table("conversation", &["recipient", "customer_user_id", "ct_id", "tqrmt_id"], OF_CUSTOMER),
    table("credit_account", &[], TableRule::Unrelated),
    table("credit_entry", &[], TableRule::Unrelated),
    table("customer", &["full_name", "username", "parent_user_id"], delete_rows(&[PersonLink::Id("id")])),
    table("customer_address", &["value"], OF_CUSTOMER),
    table("customer_note", &["body"], OF_CUSTOMER),
    table("delivery_receipt", &["error_text"], OF_MESSAGE),
    table(
        "email_out",
        &["recipient", "subject", "body", "in_reply_to"],
        delete_rows(&[PersonLink::Mention("subject", ColumnForm::Text), PersonLink::Mention("body", ColumnForm::Text)]),
    ),
    table("email_request", &["sender", "message_id"], TableRule::OfUsers),
    table("email_sender", &["address"], TableRule::OfUsers),
    // Keyed hashes, which a restore compares with addresses.
    table("erasure", &[], TableRule::Unrelated),
    table("failed_callback", &["content"], delete_rows(&[PersonLink::Mention("content", ColumnForm::Text)])),
    table("fallback", &["error_text", "reason"], OF_MESSAGE),
    table(
        "idempotency",
        &["response"],
        redact_columns(&[PersonLink::Mention("response", ColumnForm::Bytes)], &[("response", ColumnForm::Bytes)]),
    ),
    table("inbox", &[], TableRule::Unrelated),
    table("inbox_customer", &[], OF_CUSTOMER),
    table("inbox_fault", &[], TableRule::Unrelated),
    table("lane", &[], TableRule::Unrelated),
    table("lite_device_value", &["key", "value"], delete_rows(&[PersonLink::Mention("key", ColumnForm::Text)])),
    table("lite_offer", &["provider_id", "choices"], OF_CUSTOMER),
    table("lite_session", &[], TableRule::Unrelated),
    table("live_event", &["event"], LIVE),
    table("live_event_new", &["event"], delete_rows(&[PersonLink::Subject("event", ColumnForm::Json)])),
    table("live_stream", &[], TableRule::Unrelated),
    table("live_ticket", &[], TableRule::OfUsers),
    table("login_failure", &["account_hash"], TableRule::OfUsers),
    table("login_place", &["account_hash", "place_hash"], TableRule::OfUsers),
    table("marketing_stop", &[], OF_CUSTOMER),
    table("master_key_check", &[], TableRule::Unrelated),
    table("media", &["filename", "source_url", "provider_media_id"], delete_rows(&[PersonLink::Id("id")])),
    table("media_content", &["bytes"], TableRule::OfFiles),
    table("message_count", &[], TableRule::Unrelated),
    table("message_count_change", &[], TableRule::Unrelated),
    table("message_original", &["content"], OF_MESSAGE),
    table("message_version", &["body", "content"], OF_MESSAGE),
    table("messaging_tier", &[], TableRule::Unrelated),
    table("messenger_inbox", &[], TableRule::Unrelated),
    table("messenger_unread", &["psid"], delete_rows(&[PersonLink::Value("psid"), PersonLink::Id("message_id")])),
    table("node", &[], TableRule::Unrelated),
    table("number_quality", &[], TableRule::Unrelated),
    table("offer_in_flight", &["choices"], OF_CUSTOMER),
    table("openid_identity", &["subject"], TableRule::OfUsers),
    table("openid_login", &[], TableRule::Unrelated),
    table("openid_rule", &[], TableRule::Unrelated),
    table("operator_key", &[], TableRule::Unrelated),
    table("outbound_leg", &["address_value", "content", "provider_id", "error_text", "sms_route"], OF_MESSAGE),
    table(
        "outbound_message",
        &["address_value", "other_value", "ct_id", "gst_id"],
        delete_rows(&[PersonLink::Id("id")]),
    ),
    table("outbound_part", &["content", "fallback", "quoted_provider_id"], PART),
    table("outbound_work", &["recipient"], OF_MESSAGE),
    table("page_directory", &[], TableRule::Unrelated),
    table("parked_receipt", &["error"], PARKED),
    table("participant", &["bot_state", "bot_state_hash", "tags", "queued_reason", "found_by"], OF_CUSTOMER),
    table("participant_event", &["payload"], delete_rows(&[PersonLink::Id("lane_id")])),
    table("participant_search", &["grams", "words"], OF_CHAT),
    table("phone_number_directory", &[], TableRule::Unrelated),
    table("plugin", &[], TableRule::Unrelated),
    table("plugin_activation", &[], TableRule::Unrelated),
    table("plugin_activation_history", &[], TableRule::Unrelated),
    table("plugin_component", &[], TableRule::Unrelated),
    table(
        "plugin_difference",
        &["live", "shadow"],
        delete_rows(&[
            PersonLink::Id("subject_id"),
            PersonLink::Mention("live", ColumnForm::Json),
            PersonLink::Mention("shadow", ColumnForm::Json),
        ]),
    ),
    table(
        "plugin_event",
        &["reason"],
        redact_columns(&[PersonLink::Mention("reason", ColumnForm::Text)], &[("reason", ColumnForm::Text)]),
    ),
    table("plugin_invocation", &["logs", "error", "consequence"], INVOCATION),
    table("plugin_policy", &[], TableRule::Unrelated),
    table(
        "plugin_recording",
        &["recording"],
        delete_rows(&[PersonLink::Id("subject_id"), PersonLink::Mention("recording", ColumnForm::Text)]),
    ),
    // The request itself is sealed, and the row is gone after two minutes.
    table("plugin_request", &["request_sealed"], OF_CHAT),
    // The sealed value is of the client and of no person.
    table("plugin_secret", &[], TableRule::Unrelated),
    table("plugin_shadow_skip", &[], TableRule::Unrelated),
    table("plugin_signing_key", &["created_by"], TableRule::OfUsers),
    table("plugin_upload", &[], TableRule::Unrelated),
    table("plugin_version", &["created_by", "signature", "origin"], TableRule::OfUsers),
    table("process_report", &[], TableRule::Unrelated),
    table("provider_call", &["error_text"], OF_MESSAGE),
    table(
        "provider_message",
        &["provider_id"],
        delete_rows(&[PersonLink::Id("outbound_message_id"), PersonLink::Id("chat_message_id")]),
    ),
    table("rate", &[], TableRule::Unrelated),
    table("routing_decision", &["target_name", "reason"], OF_CHAT),
    table("scheduled_template", &["name", "template"], OF_CHAT),
    table("session_key", &[], TableRule::OfUsers),
    table("session_link", &[], TableRule::OfUsers),
    table(
        "sms_callback",
        &["url", "form"],
        delete_rows(&[PersonLink::Mention("url", ColumnForm::Text), PersonLink::Party("form", ColumnForm::Text)]),
    ),
    table("sms_correspondent", &["subscriber"], delete_rows(&[PersonLink::Value("subscriber")])),
    table("sms_inbound", &["sender", "body", "sms_route"], INBOUND_SMS),
    table("sms_inbox", &[], TableRule::Unrelated),
    table(
        "sms_message",
        &["recipient", "ct_id", "identifier"],
        delete_rows(&[PersonLink::Value("recipient"), PersonLink::Id("id")]),
    ),
    table("sms_opt_out", &["subscriber"], keep_stops(&[PersonLink::Value("subscriber")], &[])),
    table("sms_other_correspondent", &["subscriber"], delete_rows(&[PersonLink::Value("subscriber")])),
    table("sms_part", &[], OF_MESSAGE),
    table("sms_price", &[], TableRule::Unrelated),
    table(
        "sms_reply",
        &["subscriber", "body"],
        delete_rows(&[PersonLink::Value("subscriber"), PersonLink::Id("message_id")]),
    ),
    table(
        "sms_request",
        &["response"],
        redact_columns(&[PersonLink::Mention("response", ColumnForm::Text)], &[("response", ColumnForm::Text)]),
    ),
    table("sms_sent_once", &[], delete_rows(&[PersonLink::Id("request_id")])),
    table(
        "sms_tracking_use",
        &["tracked"],
        delete_rows(&[PersonLink::Name("tracked"), PersonLink::Mention("tracked", ColumnForm::Text)]),
    ),
    table("smsc_message", &[], OF_MESSAGE),
    table("stray_callback", &["item"], STRAY),
    table("team", &[], TableRule::Unrelated),
    table("template", &[], TableRule::Unrelated),
    table("testing_clock", &[], TableRule::Unrelated),
    table("ticket", &["rating"], OF_CHAT),
    table("ticket_counter", &[], TableRule::Unrelated),
    table("tier_count", &[], TableRule::Unrelated),
    table("tier_recipient", &["recipient"], delete_rows(&[PersonLink::Value("recipient")])),
    // By its file, not by its chat: a row that comes during an erasure stays until the bytes of its file are deleted.
    table("unsent_file", &[], delete_rows(&[PersonLink::Id("media_id")])),
    table("waba_directory", &[], TableRule::Unrelated),
    table("waiting_referral", &["address", "referral"], delete_rows(&[PersonLink::Value("address")])),
    table("web_inbox", &[], TableRule::Unrelated),
    table("web_site_directory", &[], TableRule::Unrelated),
    table(
        "web_visitor",
        &["visitor", "proven_id", "joined_to"],
        delete_rows(&[PersonLink::Value("visitor"), PersonLink::Value("joined_to")]),
    ),
    table("request_log", &["path", "body"], REQUEST),
    table("webhook_attempt", &["response_start"], delete_rows(&[PersonLink::Id("delivery_id")])),
    table("webhook_config", &[], TableRule::Unrelated),
    table("webhook_delivery", &["event", "body"], DELIVERY),
    table(
        "webhook_copy",
        &["body"],
        delete_rows(&[PersonLink::Id("delivery_id"), PersonLink::Mention("body", ColumnForm::Bytes)]),
    ),
    table("webhook_listener", &[], TableRule::Unrelated),
    table("webhook_endpoint", &[], TableRule::Unrelated),
    table("whatsapp_cloud_inbox", &[], TableRule::Unrelated),
    table("whatsapp_lite_inbox", &[], TableRule::Unrelated),
];
