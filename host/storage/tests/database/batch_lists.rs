//! Long lists of batches: their counts and their ends.

use domain::page::PageRequest;
use storage::outbound::batches::{self, COUNTED_MAX};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, database};

#[tokio::test]
async fn the_last_page_of_a_list_works_with_many_batches_before_it() {
    let mut db = database().await;
    sqlx::query(
        "INSERT INTO outbound_part (client_id, id, batch_id, inbox_id, message_type, content, accepted, rejected)
         SELECT $1, id, id, $2, 'CHAT', '{\"v\":1,\"value\":{\"kind\":\"text\",\"body\":\"hi\"}}', 1, 0
         FROM generate_series(1, $3) at,
              LATERAL (SELECT ('00000000-0000-7000-8000-' || lpad(to_hex(at), 12, '0'))::uuid AS id) one",
    )
    .bind(CLIENT.0)
    .bind(INBOX.0)
    .bind(i32::try_from(COUNTED_MAX).unwrap() + 101)
    .execute(&mut db)
    .await
    .unwrap();
    let everything = (Uuid::nil(), Uuid::max());
    let mut told = Vec::new();
    for page in [0, 98, 99, 100, 101] {
        let found = batches::page(&mut db, CLIENT, everything, PageRequest { page, size: 100 }).await.unwrap();
        told.push((found.items.len(), found.total));
    }
    assert_eq!(told, [(100, 10_000), (100, 10_000), (100, 10_001), (100, 10_101), (1, 10_101)]);
}
