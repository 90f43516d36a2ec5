//! Settings of each session. They override those of the role or database (`ALTER ROLE ... SET`) that change the meaning
//! of our statements.

use sqlx::{Executor, PgConnection};

use crate::work::lanes::LEASE;

/// A statement has one plan per connection for all arguments, because planning is expensive. Every touched row is found
/// by an index; these settings leave no other way (ADR 0020). `jit` and `enable_memoize` cost more than they gain.
const ONE_PLAN: [(&str, &str); 6] = [
    ("plan_cache_mode", "force_generic_plan"),
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
    ("enable_memoize", "off"),
    ("jit", "off"),
];

/// The meaning of statements. Our transactions are written for `read committed`. A blank is escaped, because blanks
/// separate options.
const MEANING: [(&str, &str); 13] = [
    ("default_transaction_isolation", r"read\ committed"),
    ("default_transaction_deferrable", "off"),
    ("statement_timeout", "0"),
    ("exit_on_error", "off"),
    ("timezone", "UTC"),
    ("datestyle", "ISO,MDY"),
    ("intervalstyle", "postgres"),
    ("bytea_output", "hex"),
    ("standard_conforming_strings", "on"),
    ("array_nulls", "on"),
    ("transform_null_equals", "off"),
    ("gin_fuzzy_search_limit", "0"),
    ("row_security", "on"),
];

/// Settings that need an open session:
///
/// - Timeouts that older versions of PostgreSQL do not have.
/// - How often the server looks whether its caller is still there while it works or waits for a lock. A statement that was given up
///   here ends there, too. Before version 15 not every system can.
/// - `default_transaction_read_only` of the role. That of the server or the database stays: it is how they are made read-only.
///   `pg_settings`, which takes milliseconds, is read only if the setting is on.
/// - `synchronous_commit`, if a commit would be answered before it is on the disk. Other values stay: they differ in the wait for
///   standby servers.
/// - The schema: the one on the path of the role that has our tables, else `public` if that has them, else the first of the path,
///   where a first migration makes them. From then on a changed path of the role leads no session elsewhere.
const ONCE_CONNECTED: [&str; 5] = [
    "SELECT set_config(name, '0', false) FROM unnest(ARRAY['transaction_timeout', 'idle_session_timeout']) AS name
     WHERE current_setting(name, true) IS NOT NULL",
    "SELECT set_config('client_connection_check_interval', '1s', false)
     WHERE current_setting('server_version_num')::integer >= 150000",
    "SELECT set_config('default_transaction_read_only', 'off', false)
     WHERE current_setting('default_transaction_read_only') = 'on' AND EXISTS (
         SELECT FROM pg_settings
         WHERE name = 'default_transaction_read_only' AND source IN ('user', 'database user'))",
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
    "SELECT set_config('search_path', coalesce(
         (SELECT quote_ident(step.name) FROM unnest(current_schemas(false)) WITH ORDINALITY AS step (name, place)
          WHERE to_regclass(quote_ident(step.name) || '._sqlx_migrations') IS NOT NULL ORDER BY step.place LIMIT 1),
         CASE WHEN to_regclass('public._sqlx_migrations') IS NOT NULL THEN 'public' END,
         quote_ident(current_schema()),
         'public'), false)",
];

/// Limits for a frozen process: an idle transaction, or a wait for a lock, ends after the length of a lease.
/// A vanished machine is noticed in the same time: PostgreSQL asks after 5 s of silence, every 3 s, three times.
fn patience() -> [(&'static str, String); 6] {
    let lease = LEASE.as_millis().to_string();
    [
        ("idle_in_transaction_session_timeout", lease.clone()),
        ("lock_timeout", lease.clone()),
        ("tcp_user_timeout", lease),
        ("tcp_keepalives_idle", "5".to_owned()),
        ("tcp_keepalives_interval", "3".to_owned()),
        ("tcp_keepalives_count", "3".to_owned()),
    ]
}

pub(crate) fn settings() -> impl Iterator<Item = (&'static str, String)> {
    let fixed = MEANING.into_iter().chain(ONE_PLAN).map(|(name, value)| (name, value.to_owned()));
    fixed.chain(patience())
}

pub(crate) async fn complete(db: &mut PgConnection) -> sqlx::Result<()> {
    // One message, and one answer.
    db.execute(ONCE_CONNECTED.join(";\n").as_str()).await.map(drop)
}
