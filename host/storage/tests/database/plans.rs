//! The plan of every fixed statement, in a database that was never filled, in one with a little in it and in one with much. A
//! connection keeps one plan of each statement, so none may depend on how much lay there when it was made.

use std::fmt::Write;

use serde_json::Value;
use sqlx::Row;
use storage::{Db, PgConnection, work::partitions};
use tokio::sync::OnceCell;

use crate::statements::{Statement, statements};

/// Rows in each table: none, a little, much.
const SIZES: [u32; 3] = [0, 300, 6_000];

/// Tables that a statement may read as a whole.
const READ_WHOLE: [&str; 13] = [
    // One row each.
    "master_key_check",
    "testing_clock",
    // Once for each process that starts or dies: an index by owner would be written with each lease.
    "lane",
    // Once for each start.
    "_sqlx_migrations",
    // A row for each process.
    "node",
    "process_report",
    // Partitions of all tables, for the report about them.
    "pg_inherits",
    // A row for each operator.
    "operator_key",
    // Failures only, for the command `patchbay status`.
    "provider_call",
    // Once for each client that is removed.
    "sms_inbound",
    // A row for each Lite number, every few seconds for the metrics.
    "lite_session",
    // A row for each inbox with a fault, for `patchbay status` and the metrics.
    "inbox_fault",
    // At most 10,000 rows, and mostly none: callbacks for no client.
    "stray_callback",
];

/// Sources with statements for each message: these find rows by more than their client.
const FOR_EACH_MESSAGE: [&str; 9] = [
    "src/chat/conversations/fold.rs",
    "src/chat/conversations/messages.rs",
    "src/chat/conversations/mod.rs",
    "src/inbound/callbacks.rs",
    "src/inbound/media",
    "src/outbound/",
    "src/people/",
    "src/sms/",
    "src/webhooks/deliveries.rs",
];

/// Indexes that hold few rows of a client, and statements that are for all of its rows.
const READ_OF_A_CLIENT: [(&str, &str); 12] = [
    (
        "SELECT chat.owner, customer.last_inbound_at",
        "in an empty partition every index is as good; a filled one is read by its key",
    ),
    (") said ON true", "in an empty partition every index is as good; a filled one is read by its key"),
    ("other_value = ANY (", "a look-up of a caller; in a small partition every index is as good"),
    (
        "SELECT id, item, received_at, due_at FROM callback",
        "if few items wait, every index of waiting items is as good; of many, the lane is read by its key",
    ),
    ("inbox_address_unique", "a client has few inboxes"),
    ("inbox_pk", "a client has few inboxes"),
    ("sms_inbox_default_unique", "a client has one"),
    ("waba_directory_by_client", "a client has few business accounts"),
    ("template_by_name", "in an empty catalogue every index is as good; a filled one is read by its key"),
    ("webhook_config_default_unique", "a client has one"),
    ("count(*) FROM outbound_work", "a figure for /metrics"),
    ("SET state = $3 WHERE client_id = $1 AND lane_id = $2 AND state = 'PENDING'", "once for each endpoint that ends"),
];

/// One access to a table or an index, in a plan.
#[derive(Debug)]
struct Access {
    node: String,
    /// The table that is read whole, or the index.
    name: String,
    condition: Option<String>,
    /// Only its beginning is read.
    is_limited: bool,
}

fn accesses(node: &Value, is_limited: bool, found: &mut Vec<Access>) {
    let text = |key: &str| node[key].as_str().map(str::to_owned);
    let kind = text("Node Type").unwrap_or_default();
    let name = match kind.as_str() {
        "Seq Scan" => text("Relation Name"),
        _ => text("Index Name"),
    };
    if let Some(name) = name {
        found.push(Access { node: kind.clone(), name, condition: text("Index Cond"), is_limited });
    }
    for child in node["Plans"].as_array().into_iter().flatten() {
        accesses(child, kind == "Limit", found);
    }
}

/// The plan that a connection of the program keeps of a statement. Partitions that the arguments rule out are shown, too.
async fn plan(db: &mut PgConnection, statement: &Statement) -> Vec<Access> {
    let fail = |error: sqlx::Error| -> String { panic!("{}: {error}\n{}", statement.place, statement.sql) };
    sqlx::raw_sql(&format!("PREPARE looked_at AS {}", statement.sql)).execute(&mut *db).await.map_err(fail).unwrap();
    let arguments = "SELECT cardinality(parameter_types) FROM pg_prepared_statements WHERE name = 'looked_at'";
    let arguments: i32 = sqlx::query_scalar(arguments).fetch_one(&mut *db).await.unwrap();
    let nulls = vec!["NULL"; usize::try_from(arguments).unwrap()].join(", ");
    let nulls = if nulls.is_empty() { nulls } else { format!("({nulls})") };
    let explained = format!("EXPLAIN (FORMAT JSON, COSTS OFF) EXECUTE looked_at{nulls}");
    let rows = sqlx::raw_sql(&explained).fetch_one(&mut *db).await.map_err(fail).unwrap();
    let explained: Value = rows.get(0);
    sqlx::raw_sql("DEALLOCATE looked_at").execute(&mut *db).await.unwrap();
    let mut found = Vec::new();
    accesses(explained.pointer("/0/Plan").unwrap(), false, &mut found);
    found
}

/// A statement, the rows in each table, and the plan.
type Planned = (Statement, u32, Vec<Access>);

/// The plans of all statements, for each size. Made once.
async fn plans() -> &'static [Planned] {
    static PLANS: OnceCell<Vec<Planned>> = OnceCell::const_new();
    PLANS.get_or_init(make_plans).await
}

async fn make_plans() -> Vec<Planned> {
    let mut plans = Vec::new();
    for rows in SIZES {
        let pool = filled(rows).await;
        let mut db = pool.acquire().await.unwrap();
        sqlx::raw_sql("SET enable_partition_pruning = off").execute(&mut *db).await.unwrap();
        for statement in statements() {
            let plan = plan(&mut db, &statement).await;
            plans.push((statement, rows, plan));
        }
    }
    assert!(plans.len() > 600, "only {} plans: is the search for statements broken?", plans.len());
    plans
}

async fn filled(rows: u32) -> Db {
    let pool = scratch::database().await.pool(2).await;
    let mut db = pool.acquire().await.unwrap();
    let now = "2026-11-18T12:00:00Z".parse().unwrap();
    for table in partitions::PARTITIONED {
        for partition in partitions::missing(&mut db, table, now, 1).await.unwrap() {
            partitions::make(&mut db, &partition).await.unwrap();
        }
    }
    if rows > 0 {
        let mut filling = db.detach();
        sqlx::raw_sql(&format!("SET filled.rows = {rows}")).execute(&mut filling).await.unwrap();
        sqlx::raw_sql(include_str!("filled.sql")).execute(&mut filling).await.unwrap();
    }
    pool
}

#[tokio::test]
async fn no_statement_reads_the_whole_of_a_table_that_grows() {
    let mut whole = String::new();
    for (statement, rows, plan) in plans().await {
        let read = plan.iter().filter(|access| access.node == "Seq Scan");
        for access in read.filter(|access| !READ_WHOLE.contains(&access.name.as_str())) {
            writeln!(whole, "{rows} rows, {}: {}\n    {}", statement.place, access.name, statement.sql).unwrap();
        }
    }
    assert!(whole.is_empty(), "read as a whole:\n{whole}");
}

#[tokio::test]
async fn statements_of_each_message_find_their_rows_by_key_in_large_tables() {
    let mut vague = String::new();
    for (statement, rows, plan) in plans().await {
        if !FOR_EACH_MESSAGE.iter().any(|sources| statement.place.starts_with(sources)) {
            continue;
        }
        let is_meant = |access: &Access| {
            READ_OF_A_CLIENT.iter().any(|(what, _)| access.name == *what || statement.sql.contains(what))
        };
        for access in plan.iter().filter(|access| says_only_whose(access) && !is_meant(access)) {
            writeln!(vague, "{rows} rows, {}: {access:?}\n    {}", statement.place, statement.sql).unwrap();
        }
    }
    assert!(vague.is_empty(), "reads all rows of a client, or of all of them:\n{vague}");
}

/// Whether an index is read for all rows of a client, or from end to end.
fn says_only_whose(access: &Access) -> bool {
    match &access.condition {
        Some(condition) => !condition.contains(" AND ") && condition.trim_start_matches('(').starts_with("client_id "),
        None => access.node != "Seq Scan" && !access.is_limited,
    }
}
