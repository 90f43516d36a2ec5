//! `patchbay restore` erases persons again that have several addresses, messages in flight or files, and after a change
//! of the master key (ADR 0077).

use std::path::Path;

use base64::{Engine, engine::general_purpose::STANDARD};
use harness::{Patchbay, PatchbaySetup, TestClient, eventually, inbound_text};
use serde_json::json;
use sqlx::{Connection, PgConnection};

use crate::{
    backup::{count, place},
    master_key::{FIRST, SECOND},
    restored_erasures::{SIPHO, Stage, THANDI, written_to},
};

/// The user id of Thandi.
const THANDIS_ID: &str = "ZA.27820000001";

/// Delivers a message from these addresses, and waits until this count has the value.
async fn comes(
    (patchbay, client): (&Patchbay, &TestClient),
    (phone, user_id): (Option<&str>, Option<&str>),
    text: &str,
    (statement, value): (&str, i64),
) {
    let callback = client.callback(inbound_text(&format!("wamid.{text}"), phone, user_id, text));
    assert_eq!(patchbay.callback(&callback).await.status, 200);
    let url = patchbay.database_url();
    eventually("the message", || async { (count(url, statement).await == value).then_some(()) }).await;
}

async fn execute(url: &str, statement: &'static str) {
    let mut db = PgConnection::connect(url).await.unwrap();
    sqlx::raw_sql(statement).execute(&mut db).await.unwrap();
}

#[tokio::test]
async fn a_person_whose_addresses_were_of_two_customers_in_the_backup_is_erased_again_with_both() {
    const MESSAGES: &str = "SELECT count(*) FROM chat_message";
    const CUSTOMERS: &str = "SELECT count(DISTINCT customer_id) FROM customer_address";
    let patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let to = (&patchbay, &client);
    comes(to, (Some(THANDI), None), "number", (MESSAGES, 1)).await;
    comes(to, (None, Some(THANDIS_ID)), "id", (MESSAGES, 2)).await;
    comes(to, (Some(SIPHO), None), "other", (CUSTOMERS, 3)).await;
    let stage = Stage::save(patchbay);
    comes((&stage.patchbay, &client), (Some(THANDI), Some(THANDIS_ID)), "both", (CUSTOMERS, 2)).await;
    stage.erase(&client, THANDI);
    let stage = stage.lose_database().await;

    let restored = stage.restore(&[]);

    assert_eq!(restored["erasedAgain"], 1, "{restored}");
    assert_eq!((stage.customers(THANDI).await, stage.customers(THANDIS_ID).await), (0, 0));
    assert_eq!(stage.customers(SIPHO).await, 1);
    assert_eq!(count(&stage.url, MESSAGES).await, 1);
}

#[tokio::test]
async fn a_person_with_a_message_in_flight_at_the_moment_of_the_backup_is_erased_again() {
    let patchbay = PatchbaySetup::new().set("server.workers", "false").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    client.send(&client.order_ready(&[THANDI, SIPHO])).await.accepted();
    execute(patchbay.database_url(), "UPDATE outbound_work SET phase = 'SENDING'").await;
    let stage = Stage::save(patchbay);
    // The calls have an outcome before the erasure.
    execute(stage.patchbay.database_url(), "DELETE FROM outbound_work").await;
    stage.erase(&client, THANDI);
    let stage = stage.lose_database().await;

    let restored = stage.restore(&[]);

    assert_eq!(restored["erasedAgain"], 1, "{restored}");
    let to = async |number: &str| {
        let statement = format!("SELECT count(*) FROM outbound_message WHERE address_value = '{number}'");
        count(&stage.url, &statement).await
    };
    assert_eq!((to(THANDI).await, to(SIPHO).await), (0, 1));
    assert_eq!(count(&stage.url, "SELECT count(*) FROM outbound_work WHERE phase = 'SENDING'").await, 1);
}

#[tokio::test]
async fn the_files_of_a_person_are_deleted_again() {
    let kept = tempfile::tempdir().unwrap();
    let patchbay = PatchbaySetup::new().set("media.store", &place(&kept, "first")).start().await;
    let client = patchbay.client("acme", "27110000001").await;
    for (number, word) in [(THANDI, "weaverbird"), (SIPHO, "sandgrouse")] {
        let image = json!({
            "type": "image", "base64": STANDARD.encode(word), "mimeType": "image/jpeg", "to": client.number
        });
        patchbay.phone(number).send(image).await;
    }
    let (url, ready) = (patchbay.database_url(), "SELECT count(*) FROM media WHERE state = 'READY'");
    eventually("the files are fetched", || async { (count(url, ready).await == 2).then_some(()) }).await;
    let stage = Stage::save(patchbay);
    stage.erase(&client, THANDI);
    let mut stage = stage.lose_database().await;
    let folder = place(&kept, "restored");
    stage.patchbay.set("media.store", &folder);

    let restored = stage.restore(&[]);

    assert_eq!(json!([restored["files"], restored["erasedAgain"]]), json!([2, 1]), "{restored}");
    let with = |word: &str| scratch::files_with(Path::new(&folder), word).len();
    assert_eq!((with("weaverbird"), with("sandgrouse")), (0, 1));
    assert_eq!(count(&stage.url, ready).await, 1);
}

#[tokio::test]
async fn a_backup_from_before_a_change_of_the_master_key_needs_the_earlier_key_and_repeats_erasures_with_it() {
    let (patchbay, client) = written_to(PatchbaySetup::new().set("security.master_key", FIRST)).await;
    let mut stage = Stage::save(patchbay);
    stage.patchbay.set("security.master_key", SECOND);
    stage.patchbay.set("security.previous_master_key", FIRST);
    stage.patchbay.terminate().await;
    stage.patchbay.launch().await;
    stage.patchbay.admin(&["master-key", "rotate"]);
    stage.erase(&client, THANDI);
    let mut stage = stage.lose_database().await;

    stage.patchbay.set("security.previous_master_key", "");
    let said = stage.refused(&[]);
    assert!(said.contains("sealed with the master key") && said.contains("`security.master_key`"), "{said}");
    assert_eq!(count(&stage.url, "SELECT count(*) FROM pg_class WHERE relname = 'client'").await, 0);
    stage.patchbay.set("security.previous_master_key", FIRST);
    let restored = stage.restore(&[]);

    assert_eq!(restored["erasedAgain"], 1, "{restored}");
    assert_eq!((stage.customers(THANDI).await, stage.customers(SIPHO).await), (0, 1));
}
