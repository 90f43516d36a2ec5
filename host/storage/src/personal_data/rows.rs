//! The rows of a person: reads them, and erases them in batches.

use serde_json::Value;
use sqlx::{Row, types::Json};

use super::{
    marks,
    person::KnownPerson,
    rule::{ColumnForm, PersonalTable, RowScope, RowTreatment, StopEntries, TableRule},
};
use crate::{PgConnection, Result, chat::chatbot_values};

/// Tables by which a person is found, in the order of their erasure, after all others.
const ERASED_LAST: [&str; 13] = [
    "sms_correspondent",
    "webhook_delivery",
    "outbound_leg",
    "outbound_message",
    "sms_message",
    "participant_search",
    "ticket",
    "chat_message",
    "conversation",
    "participant",
    "web_visitor",
    "customer_address",
    "customer",
];

/// Columns that are sealed for a device and say nothing to a reader.
const NOT_EXPORTED: (&str, &str) = ("lite_device_value", "value");

/// The place of a table in an erasure; 0 for those that come first, in any order.
pub fn erased_last(table: &PersonalTable) -> usize {
    ERASED_LAST.iter().position(|last| *last == table.name).map_or(0, |place| place + 1)
}

/// Statements of this transaction are planned for their arguments, because the lists may be long.
pub async fn begin_search(db: &mut PgConnection) -> Result<()> {
    // Not `raw_sql`: the compiler cannot prove that its future is `Send` (its bound `E: Executor<'e>` names no database).
    sqlx::query("SELECT set_config('plan_cache_mode', 'force_custom_plan', true)").execute(db).await?;
    Ok(())
}

/// The relations with rows of a table: its partitions, or the table itself.
pub async fn relations(db: &mut PgConnection, table: &PersonalTable) -> Result<Vec<String>> {
    let found = sqlx::query_scalar(
        "SELECT COALESCE(part.relname, whole.relname)::text FROM pg_class whole
         LEFT JOIN pg_inherits ON inhparent = whole.oid
         LEFT JOIN pg_class part ON part.oid = inhrelid
         WHERE whole.oid = to_regclass($1) ORDER BY 1",
    );
    Ok(found.bind(table.name).fetch_all(db).await?)
}

#[derive(Debug)]
pub struct TableRows {
    pub table: &'static str,
    pub rows: Vec<Value>,
}

pub async fn rows(db: &mut PgConnection, person: &KnownPerson, table: &PersonalTable) -> Result<Option<TableRows>> {
    let (Some(condition), TableRule::Tied(ties, _, scope)) = (table.condition(), table.rule) else { return Ok(None) };
    if scope == RowScope::Anywhere {
        return Ok(None);
    }
    // Not `jsonb`, which refuses some texts of customers.
    let shown = match NOT_EXPORTED {
        (name, column) if name == table.name => format!("(to_jsonb(found) - '{column}')::json"),
        _ => "to_json(found)".to_owned(),
    };
    let sql = format!("SELECT {shown} AS found FROM {} found WHERE {condition}", table.name);
    let mut rows = Vec::new();
    for row in person.bind(&sql).fetch_all(db).await? {
        let Json(mut row): Json<Value> = row.try_get("found")?;
        for column in ties.iter().filter_map(|tie| tie.bytes()) {
            show_text(&mut row, column);
        }
        rows.push(row);
    }
    Ok(Some(TableRows { table: table.name, rows }))
}

fn show_text(row: &mut Value, column: &str) {
    let Some(shown) = row.get_mut(column) else { return };
    let digits = shown.as_str().and_then(|shown| shown.strip_prefix(r"\x")).unwrap_or_default();
    let byte = |at: usize| digits.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
    if let Some(text) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()).filter(|text| !text.is_empty()) {
        *shown = Value::String(text);
    }
}

/// A relation of [`relations`] with its table.
#[derive(Debug, Clone, Copy)]
pub struct TableRelation<'a> {
    pub table: &'a PersonalTable,
    pub relation: &'a str,
}

/// Erases at most `limit` rows of a relation. Fewer than `limit`: these were the last.
pub async fn erase_page(
    db: &mut PgConnection,
    person: &KnownPerson,
    TableRelation { table, relation }: TableRelation<'_>,
    stops: StopEntries,
    limit: i64,
) -> Result<u64> {
    let (Some(condition), TableRule::Tied(_, fate, _)) = (table.condition(), table.rule) else { return Ok(0) };
    let sql = match fate {
        RowTreatment::Delete => deletion(relation, &condition),
        RowTreatment::DeleteMetered => return erase_metered(db, person, relation, &condition, limit).await,
        RowTreatment::KeepStop(_) if stops == StopEntries::Erase => deletion(relation, &condition),
        RowTreatment::KeepStop([]) => return Ok(0),
        RowTreatment::Blank(columns) | RowTreatment::KeepStop(columns) => blanking(relation, &condition, columns),
        RowTreatment::Redact(columns) => {
            let set: Vec<String> = columns.iter().map(|(column, form)| redaction(column, *form)).collect();
            update(relation, &set, &condition)
        }
    };
    Ok(person.bind(&sql).bind(limit).execute(db).await?.rows_affected())
}

/// Counts the blocklist entries or opt-outs of a person that an erasure kept.
pub async fn kept_stops(db: &mut PgConnection, person: &KnownPerson, table: &PersonalTable) -> Result<u64> {
    let (Some(condition), TableRule::Tied(_, RowTreatment::KeepStop(_), _)) = (table.condition(), table.rule) else {
        return Ok(0);
    };
    let sql = format!("SELECT count(*) AS kept FROM {} WHERE {condition}", table.name);
    let kept: i64 = person.bind(&sql).fetch_one(db).await?.try_get("kept")?;
    Ok(u64::try_from(kept).unwrap_or_default())
}

/// The places of a page of rows. A place is unique within a relation that has no partitions.
fn page(relation: &str, condition: &str) -> String {
    format!("ctid = ANY (ARRAY(SELECT ctid FROM {relation} WHERE {condition} LIMIT $9 FOR UPDATE))")
}

fn deletion(relation: &str, condition: &str) -> String {
    format!("DELETE FROM {relation} WHERE {}", page(relation, condition))
}

fn update(relation: &str, set: &[String], condition: &str) -> String {
    format!("UPDATE {relation} SET {} WHERE {}", set.join(", "), page(relation, condition))
}

fn blanking(relation: &str, condition: &str, columns: &[(&str, &str)]) -> String {
    let set: Vec<String> = columns.iter().map(|(column, value)| format!("{column} = {value}")).collect();
    let differ: Vec<String> =
        // As text, because `json` cannot be compared.
        columns.iter().map(|(column, value)| format!("{column}::text IS DISTINCT FROM ({value})::text")).collect();
    update(relation, &set, &format!("{condition} AND ({})", differ.join(" OR ")))
}

fn redaction(column: &str, form: ColumnForm) -> String {
    let text = format!("regexp_replace({}, $6, '{}', 'g')", form.text(column), marks::REPLACEMENT);
    format!("{column} = {}", form.value(&text, column))
}

/// Deletes key-values and lets the use of the client's store shrink by their bytes.
async fn erase_metered(
    db: &mut PgConnection,
    person: &KnownPerson,
    relation: &str,
    condition: &str,
    limit: i64,
) -> Result<u64> {
    let sql = format!(
        "WITH gone AS ({} RETURNING participant_id, octet_length(key) + octet_length(value) + {} AS bytes)
         SELECT participant_id, count(*) AS rows, sum(bytes)::bigint AS bytes FROM gone GROUP BY participant_id",
        deletion(relation, condition),
        chatbot_values::KEY_OVERHEAD
    );
    let gone = person.bind(&sql).bind(limit).fetch_all(&mut *db).await?;
    let mut erased = 0;
    for owner in gone {
        erased += u64::try_from(owner.try_get::<i64, _>("rows")?).unwrap_or_default();
        let participant = domain::ids::ParticipantId(owner.try_get("participant_id")?);
        chatbot_values::grow(db, person.client(), participant, -owner.try_get::<i64, _>("bytes")?).await?;
    }
    Ok(erased)
}

pub async fn cancel_waiting(db: &mut PgConnection, person: &KnownPerson) -> Result<u64> {
    let sql = "DELETE FROM outbound_work WHERE client_id = $1 AND message_id = ANY ($2::uuid[])
                                           AND phase IN ('READY', 'PACED')";
    Ok(sqlx::query(sql).bind(person.client().0).bind(person.id_list()).execute(db).await?.rows_affected())
}

pub async fn in_flight(db: &mut PgConnection, person: &KnownPerson) -> Result<i64> {
    let sql = "SELECT count(*) FROM outbound_work WHERE client_id = $1 AND message_id = ANY ($2::uuid[])
                                                    AND phase NOT IN ('READY', 'PACED')";
    Ok(sqlx::query_scalar(sql).bind(person.client().0).bind(person.id_list()).fetch_one(db).await?)
}

/// Takes the ticket from each chat of the person. The two tables refer to each other.
pub async fn release(db: &mut PgConnection, person: &KnownPerson) -> Result<()> {
    let sql = "UPDATE participant SET ticket_id = NULL
               WHERE client_id = $1 AND id = ANY ($2::uuid[]) AND ticket_id IS NOT NULL";
    sqlx::query(sql).bind(person.client().0).bind(person.id_list()).execute(db).await?;
    Ok(())
}
