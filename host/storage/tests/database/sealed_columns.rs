//! The list of sealed columns and the schema must agree: a change of the master key may not forget one.

use std::collections::BTreeSet;

use storage::tenancy::sealed_columns::SealedColumn;

/// Columns of bytes and of JSON that hold nothing sealed.
const NOT_SEALED: &[(&str, &str)] = &[
    ("api_key", "key_hash"),
    ("audit", "hash"),
    ("audit", "object_digest"),
    ("audit_chain", "last_hash"),
    ("callback", "item"),
    ("callback_seen", "dedupe_hash"),
    ("chat_message", "content"),
    ("chatbot_value", "value"),
    ("failed_callback", "dedupe_hash"),
    ("idempotency", "response"),
    ("lite_offer", "choices"),
    ("live_event", "event"),
    ("live_event_new", "event"),
    ("live_ticket", "key_hash"),
    ("live_ticket", "ticket_hash"),
    ("login_failure", "account_hash"),
    ("login_place", "account_hash"),
    ("login_place", "place_hash"),
    // The mark of the key, which is replaced first.
    ("master_key_check", "sealed"),
    ("media_content", "bytes"),
    ("message_version", "content"),
    ("offer_in_flight", "choices"),
    ("openid_login", "state_hash"),
    ("operator_key", "key_hash"),
    ("outbound_leg", "content"),
    ("outbound_leg", "sms_route"),
    ("outbound_part", "content"),
    ("outbound_part", "fallback"),
    ("participant", "bot_state_hash"),
    ("participant_event", "payload"),
    ("plugin_component", "bytes"),
    ("plugin_difference", "live"),
    ("plugin_difference", "shadow"),
    ("plugin_upload", "refused"),
    ("plugin_version", "config_schema"),
    ("plugin_version", "origin"),
    ("plugin_version", "signature"),
    ("process_report", "report"),
    ("scheduled_template", "template"),
    ("session_key", "key_hash"),
    ("session_link", "token_hash"),
    ("sms_inbound", "sms_route"),
    ("sms_message", "digest"),
    ("sms_sent_once", "digest"),
    ("stray_callback", "dedupe_hash"),
    ("stray_callback", "item"),
    ("team", "business_hours"),
    ("template", "components"),
    ("waiting_referral", "referral"),
    ("web_inbox", "settings"),
    ("webhook_copy", "body"),
    ("webhook_delivery", "body"),
];

#[tokio::test]
async fn every_column_that_can_hold_a_sealed_value_is_in_the_list_or_known_not_to() {
    let scratch = scratch::database().await;
    let mut db = scratch.connection().await;
    let columns: Vec<(String, String)> = sqlx::query_as(
        "SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
           AND c.relname <> '_sqlx_migrations' AND a.attnum > 0 AND NOT a.attisdropped
           AND a.atttypid IN ('bytea'::regtype, 'bytea[]'::regtype, 'jsonb'::regtype, 'json'::regtype)
         ORDER BY 1, 2",
    )
    .fetch_all(&mut db)
    .await
    .unwrap();
    let present: BTreeSet<(&str, &str)> =
        columns.iter().map(|(table, column)| (table.as_str(), column.as_str())).collect();
    let sealed: BTreeSet<(&str, &str)> = SealedColumn::ALL.iter().map(|column| column.place()).collect();
    let known: BTreeSet<(&str, &str)> = sealed.iter().chain(NOT_SEALED).copied().collect();
    let forgotten: Vec<_> = present.difference(&known).collect();
    let gone: Vec<_> = known.difference(&present).collect();
    assert!(forgotten.is_empty(), "say in SealedColumn or in NOT_SEALED what these are: {forgotten:?}");
    assert!(gone.is_empty(), "{gone:?}");
    assert!(sealed.iter().all(|column| !NOT_SEALED.contains(column)));
}
