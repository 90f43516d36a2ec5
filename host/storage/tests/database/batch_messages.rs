//! The messages of one batch among those of many.

use domain::{delivery::DeliveryState, page::PageRequest};
use sqlx::Row;
use storage::{
    PgConnection,
    outbound::{batches::IdRange, reports},
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, database};

/// Batches of the client, and the messages of each. Every tenth message has failed.
const BATCHES: i64 = 20;
const EACH: i64 = 1_000;

/// Ids of a kind, in the order of their numbers.
fn id(kind: u128, number: i64) -> Uuid {
    Uuid::from_u128((kind << 96) + (0x7000_8000 << 48) + u128::from(number.unsigned_abs()))
}

fn part(batch: i64) -> Uuid {
    id(1, batch)
}

fn message(number: i64) -> Uuid {
    id(2, number)
}

async fn fill(db: &mut PgConnection) {
    let parts: Vec<Uuid> = (0..BATCHES).map(part).collect();
    sqlx::query(
        "INSERT INTO outbound_part (client_id, id, batch_id, inbox_id, message_type, content, accepted, rejected)
         SELECT $1, id, id, $2, 'CHAT', '{\"v\":1,\"value\":{\"kind\":\"text\",\"body\":\"hi\"}}', $4, 0
         FROM unnest($3::uuid[]) AS id",
    )
    .bind(CLIENT.0)
    .bind(INBOX.0)
    .bind(&parts)
    .bind(i32::try_from(EACH).unwrap())
    .execute(&mut *db)
    .await
    .unwrap();
    let messages: Vec<Uuid> = (0..BATCHES * EACH).map(message).collect();
    let of_parts: Vec<Uuid> = (0..BATCHES * EACH).map(|number| part(number / EACH)).collect();
    sqlx::query(
        "INSERT INTO outbound_message (client_id, id, part_id, inbox_id, address_kind, address_value, gst_id, order_key)
         SELECT $1, id, part, $2, 'PHONE', '27820000001', id::text, 1
         FROM unnest($3::uuid[], $4::uuid[]) AS given (id, part)",
    )
    .bind(CLIENT.0)
    .bind(INBOX.0)
    .bind(&messages)
    .bind(&of_parts)
    .execute(&mut *db)
    .await
    .unwrap();
    let states: Vec<&str> =
        (0..BATCHES * EACH).map(|number| if number % 10 == 0 { "FAILED" } else { "DELIVERED" }).collect();
    sqlx::query(
        "INSERT INTO outbound_leg (client_id, message_id, ordinal, channel, inbox_id, address_kind, address_value, state,
                                   error_code, error_text, updated_at)
         SELECT $1, id, 0, 'WHATSAPP', $2, 'PHONE', '27820000001', state,
                CASE state WHEN 'FAILED' THEN '131026' END, CASE state WHEN 'FAILED' THEN 'undeliverable' END, now()
         FROM unnest($3::uuid[], $4::text[]) AS given (id, state)",
    )
    .bind(CLIENT.0)
    .bind(INBOX.0)
    .bind(&messages)
    .bind(&states)
    .execute(&mut *db)
    .await
    .unwrap();
    sqlx::raw_sql("ANALYZE outbound_part; ANALYZE outbound_message; ANALYZE outbound_leg").execute(db).await.unwrap();
}

#[tokio::test]
async fn a_page_of_the_failed_messages_of_one_batch_is_found_by_the_primary_keys() {
    let mut db = database().await;
    fill(&mut db).await;
    let extent = IdRange { messages: (message(3 * EACH), message(4 * EACH - 1)), parts: (part(3), part(3)) };
    let page = PageRequest { page: 1, size: 30 };

    let found = reports::messages_of_batch(&mut db, CLIENT, extent, Some(DeliveryState::Failed), page).await.unwrap();

    let expected: Vec<Uuid> = (30..60).map(|place| message(3 * EACH + 10 * place)).collect();
    assert_eq!(found.iter().map(|one| one.id).collect::<Vec<_>>(), expected);
    assert!(found.iter().all(|one| one.state == "FAILED" && one.error_code.as_deref() == Some("131026")), "{found:?}");
    let rest = PageRequest { page: 3, size: 30 };
    let last = reports::messages_of_batch(&mut db, CLIENT, extent, Some(DeliveryState::Failed), rest).await.unwrap();
    assert_eq!(last.len(), 10);
    let all = PageRequest { page: 0, size: 500 };
    assert_eq!(reports::messages_of_batch(&mut db, CLIENT, extent, None, all).await.unwrap().len(), 500);
    let read = read_whole(&mut db).await;
    assert!(read.is_empty(), "{read:#?}");
}

/// The lines of the plan that read messages or legs from the first to the last.
async fn read_whole(db: &mut PgConnection) -> Vec<String> {
    let statement = reports::batch_statement();
    sqlx::raw_sql(&format!("PREPARE looked_at AS {statement}")).execute(&mut *db).await.unwrap();
    let (first, last) = (message(3 * EACH), message(4 * EACH - 1));
    let arguments = format!("'{}', '{first}', '{last}', '{}', '{}', 'FAILED', 30, 0", CLIENT.0, part(3), part(3));
    let explain = format!("EXPLAIN (COSTS OFF) EXECUTE looked_at({arguments})");
    let rows = sqlx::raw_sql(&explain).fetch_all(db).await.unwrap();
    let is_large = |line: &str| ["outbound_message", "outbound_leg"].iter().any(|table| line.contains(table));
    let lines = rows.iter().map(|row| row.get::<String, _>(0));
    lines.filter(|line| line.contains("Seq Scan") && is_large(line)).collect()
}
