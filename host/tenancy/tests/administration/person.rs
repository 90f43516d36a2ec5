//! Export and erasure of a person. Rows are planted in every table of the registry.

use std::{path::PathBuf, sync::Arc};

use base::{MediaLocation, audit::Actor, media_store};
use bytes::Bytes;
use channels::media_store::{MediaContent, MediaStore};
use domain::{
    address::Address,
    ids::{ClientId, MediaId},
    phone::Msisdn,
};
use storage::personal_data::{REGISTRY, RowScope, RowTreatment, TableRule};
use tenancy::person::{self, Certificate, EraseError, ErasureAction, StopEntries, WantedErasure};
use uuid::Uuid;

use crate::{
    office::Office,
    planted_rows::{Planted, new_id, rows_with},
};

const THANDI: &str = "27820000001";
const SIPHO: &str = "27820000077";

struct Stage {
    office: Office,
    store: Arc<dyn MediaStore>,
    _folder: tempfile::TempDir,
}

impl Stage {
    async fn open() -> Self {
        let office = Office::open().await;
        let folder = tempfile::tempdir().unwrap();
        let store = media_store(&MediaLocation::InDatabase, &office.db, folder.path());
        Self { office, store, _folder: folder }
    }

    /// A person with rows in every table and a file.
    async fn planted(&self, client: Uuid, phone: &'static str) -> Planted {
        let planted = Planted::new(&self.office.db, client, phone).await;
        planted.plant(&self.office.db).await;
        let content = MediaContent::Bytes(Bytes::from(planted.marker.clone()));
        self.store.put(ClientId(client), MediaId(planted.id), content).await.unwrap();
        planted
    }

    async fn erase(&self, planted: &Planted) -> Result<Certificate, EraseError> {
        self.erase_with(planted, StopEntries::Erase).await
    }

    async fn erase_with(&self, planted: &Planted, stops: StopEntries) -> Result<Certificate, EraseError> {
        let admin = self.office.administration();
        let wanted = WantedErasure { address: &address(planted.phone), stops };
        person::erase(&admin, self.store.as_ref(), ClientId(planted.client), wanted, Actor::Operator).await
    }

    async fn run(&self, sql: &str) {
        sqlx::raw_sql(sql).execute(&self.office.db).await.unwrap();
    }
}

fn address(phone: &str) -> Address {
    Msisdn::parse(phone).unwrap().into()
}

#[tokio::test]
async fn an_erasure_leaves_nothing_of_a_person_in_any_table_and_touches_no_other_person_and_no_other_client() {
    let stage = Stage::open().await;
    let (client, other_client) = (new_id(), new_id());
    let thandi = stage.planted(client, THANDI).await;
    let sipho = stage.planted(client, SIPHO).await;
    let elsewhere = stage.planted(other_client, THANDI).await;
    let db = &stage.office.db;
    let (of_sipho, of_elsewhere) = (sipho.rows(db).await, elsewhere.rows(db).await);
    assert!(thandi.rows(db).await > 50 && of_sipho > 50, "the rows were not planted");

    let certificate = stage.erase(&thandi).await.unwrap();

    assert!(certificate.is_complete);
    assert_eq!(thandi.rows(db).await, 0);
    let of_no_client = REGISTRY
        .iter()
        .filter(|table| matches!(table.rule, TableRule::Tied(_, RowTreatment::Delete, RowScope::Anywhere)))
        .count();
    let of_no_client = i64::try_from(of_no_client).unwrap();
    assert_eq!((sipho.rows(db).await, elsewhere.rows(db).await), (of_sipho, of_elsewhere - of_no_client));
    for table in &certificate.tables {
        // The waiting leg was cancelled before.
        assert!(table.rows > 0 || table.table == "outbound_work", "nothing was erased in {}", table.table);
    }
    assert_eq!((certificate.cancelled, certificate.files), (1, 1));
    let gone = stage.store.open(ClientId(client), MediaId(thandi.id)).await.unwrap();
    assert!(gone.is_none());
    assert!(stage.store.open(ClientId(client), MediaId(sipho.id)).await.unwrap().is_some());
}

#[tokio::test]
async fn an_erasure_keeps_the_stops_of_a_person_without_free_text_and_names_the_reason() {
    let stage = Stage::open().await;
    let thandi = stage.planted(new_id(), THANDI).await;

    let first = stage.erase_with(&thandi, StopEntries::Keep).await.unwrap();
    let second = stage.erase_with(&thandi, StopEntries::Keep).await.unwrap();

    for certificate in [&first, &second] {
        let kept = certificate.tables.iter().filter(|one| one.action == ErasureAction::Kept);
        let kept: Vec<_> = kept.map(|one| (one.table, one.rows, one.action.reason())).collect();
        let reason = Some("keeps the wish of the person to get no messages");
        assert_eq!(kept, [("blocked_recipient", 1, reason), ("sms_opt_out", 1, reason)]);
        assert!(certificate.is_complete);
    }
    let left: Vec<(String, Option<String>)> =
        sqlx::query_as("SELECT value, reason FROM blocked_recipient").fetch_all(&stage.office.db).await.unwrap();
    assert_eq!(left, [(THANDI.to_owned(), None)]);
    assert_eq!(rows_with(&stage.office.db, &thandi.marker).await, 0);
    assert_eq!(rows_with(&stage.office.db, THANDI).await, 2, "the two stops");
}

#[tokio::test]
async fn after_a_rewrite_no_byte_of_an_erased_person_is_in_the_files_of_the_database() {
    let stage = Stage::open().await;
    let thandi = stage.planted(new_id(), "27829991234").await;
    stage.run("ANALYZE").await;
    stage.run("CHECKPOINT").await;
    let folder: String = sqlx::query_scalar("SHOW data_directory").fetch_one(&stage.office.db).await.unwrap();
    let folder = PathBuf::from(folder);
    let found = |text: &str| scratch::files_with(&folder, text);
    let before = found(&thandi.marker);
    assert!(before.iter().any(|path| path.starts_with(folder.join("base"))), "{before:?}");
    assert!(before.iter().any(|path| path.starts_with(folder.join("pg_wal"))), "{before:?}");

    stage.erase(&thandi).await.unwrap();
    assert!(!found(&thandi.marker).is_empty(), "the rewrite has nothing to do");
    let done = person::rewrite(&stage.office.db, u64::MAX).await.unwrap();

    assert!(done.is_clean(), "{done:?}");
    assert_eq!(found(&thandi.marker), Vec::<PathBuf>::new());
    assert_eq!(found(thandi.phone), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn a_rewrite_leaves_relations_above_the_limit_and_names_them() {
    let stage = Stage::open().await;
    stage.planted(new_id(), THANDI).await;

    let done = person::rewrite(&stage.office.db, 8192).await.unwrap();

    assert!(!done.is_clean());
    assert!(done.not_rewritten.iter().any(|relation| relation == "chat_message_default"), "{done:?}");
}

#[tokio::test]
async fn an_export_has_the_rows_of_every_table_and_of_no_other_person() {
    let stage = Stage::open().await;
    let client = new_id();
    let thandi = stage.planted(client, THANDI).await;
    let sipho = stage.planted(client, SIPHO).await;
    let admin = stage.office.administration();

    let export = person::export(&admin, ClientId(client), &address(THANDI), Actor::Operator).await.unwrap();

    let exported: Vec<&str> = export.tables.iter().map(|table| table.table).collect();
    for table in REGISTRY {
        if let TableRule::Tied(_, _, RowScope::Client | RowScope::SmsSource) = table.rule {
            assert!(exported.contains(&table.name), "{} is not exported", table.name);
        }
    }
    let text = format!("{:?}", export.tables);
    assert!(text.contains(&thandi.marker) && !text.contains(&sipho.marker));
    let values = export.tables.iter().find(|table| table.table == "chatbot_value").unwrap();
    let is_text =
        |row: &serde_json::Value| row["value"].as_str().is_some_and(|value| value.starts_with(&thandi.marker));
    assert!(values.rows.iter().any(is_text), "bytes are shown as text");
    assert_eq!(export.files.iter().map(|file| file.id).collect::<Vec<_>>(), [MediaId(thandi.id)]);
    assert!(export.addresses.contains(&address(THANDI)));
}

#[tokio::test]
async fn a_message_whose_call_has_begun_refuses_the_erasure_and_a_repetition_completes_it() {
    let stage = Stage::open().await;
    let thandi = stage.planted(new_id(), THANDI).await;
    stage.run("UPDATE outbound_work SET phase = 'SENDING'").await;
    let before = thandi.rows(&stage.office.db).await;

    let refused = stage.erase(&thandi).await;

    assert!(matches!(refused, Err(EraseError::InFlight(1))), "{refused:?}");
    assert_eq!(thandi.rows(&stage.office.db).await, before);
    stage.run("DELETE FROM outbound_work").await;
    assert!(stage.erase(&thandi).await.unwrap().is_complete);
    assert_eq!(thandi.rows(&stage.office.db).await, 0);
}

#[tokio::test]
async fn a_second_erasure_finds_nothing_and_names_the_same_person() {
    let stage = Stage::open().await;
    let thandi = stage.planted(new_id(), THANDI).await;

    let first = stage.erase(&thandi).await.unwrap();
    let second = stage.erase(&thandi).await.unwrap();

    assert_eq!(first.person, second.person);
    assert!(second.is_complete && second.tables.iter().all(|table| table.rows == 0));
    let audited: Vec<(String, String, String)> =
        sqlx::query_as("SELECT action, object_kind, object_id FROM audit WHERE action = 'erase'")
            .fetch_all(&stage.office.db)
            .await
            .unwrap();
    let entry = ("erase".to_owned(), "person".to_owned(), first.person.clone());
    assert_eq!(audited, [entry.clone(), entry]);
    assert_eq!(rows_with(&stage.office.db, THANDI).await, 0);
}

#[tokio::test]
async fn a_number_that_contains_the_number_of_the_person_is_not_a_mention() {
    let stage = Stage::open().await;
    let thandi = stage.planted(new_id(), THANDI).await;
    let others = ["+278200000012", "127820000001", "1278200000019", "278200000012"];
    let mentions = ["to=%2B27820000001", "\"27820000001\"", "wa.me/27820000001?text"];
    for text in others.iter().chain(&mentions) {
        sqlx::query(
            "INSERT INTO failed_callback (client_id, id, dedupe_hash, provider, kind, reason, content, size_bytes, received_at)
             VALUES ($1, gen_random_uuid(), convert_to($2, 'UTF8'), 'p', 'k', 'r', $2, 1, now())",
        )
        .bind(thandi.client)
        .bind(*text)
        .execute(&stage.office.db)
        .await
        .unwrap();
    }

    stage.erase(&thandi).await.unwrap();

    let left: Vec<String> = sqlx::query_scalar("SELECT content FROM failed_callback ORDER BY content COLLATE \"C\"")
        .fetch_all(&stage.office.db)
        .await
        .unwrap();
    assert_eq!(left, others);
}

#[tokio::test]
async fn waiting_work_of_another_person_who_writes_the_number_stays() {
    let stage = Stage::open().await;
    let client = new_id();
    let thandi = stage.planted(client, THANDI).await;
    let sipho = stage.planted(client, SIPHO).await;
    let said = format!("{} says {THANDI}", sipho.marker);
    stage
        .run(&format!(
            "UPDATE callback SET item = '{{\"from\": \"{SIPHO}\", \"body\": \"{said}\", \"text\": \"{THANDI}\"}}'
                        WHERE item::text LIKE '%{SIPHO}%'"
        ))
        .await;
    stage
        .run(&format!(
            "UPDATE sms_callback SET form = 'from={SIPHO}&messageText={THANDI}+{}&time=1'
                        WHERE form LIKE '%{SIPHO}%'",
            sipho.marker
        ))
        .await;
    stage.run(&format!("UPDATE webhook_delivery SET event = '{said}' WHERE event LIKE '%{}%'", sipho.marker)).await;
    let before = sipho.rows(&stage.office.db).await;

    stage.erase(&thandi).await.unwrap();

    assert_eq!(sipho.rows(&stage.office.db).await, before);
}

#[tokio::test]
async fn a_row_of_several_persons_keeps_the_others() {
    let stage = Stage::open().await;
    let thandi = stage.planted(new_id(), THANDI).await;
    sqlx::query("UPDATE idempotency SET response = convert_to($1, 'UTF8')")
        .bind(format!("{{\"é\":[\"{SIPHO}\",\"{THANDI}\",\"{THANDI}\"]}}"))
        .execute(&stage.office.db)
        .await
        .unwrap();

    let certificate = stage.erase(&thandi).await.unwrap();

    let response: String = sqlx::query_scalar("SELECT convert_from(response, 'UTF8') FROM idempotency")
        .fetch_one(&stage.office.db)
        .await
        .unwrap();
    assert_eq!(response, format!("{{\"é\":[\"{SIPHO}\",\"erased\",\"erased\"]}}"));
    let redacted = certificate.tables.iter().find(|table| table.table == "idempotency").unwrap();
    assert_eq!((redacted.action, redacted.rows), (ErasureAction::Redacted, 1));
}

#[tokio::test]
async fn the_use_of_the_key_value_store_shrinks_with_the_values() {
    let stage = Stage::open().await;
    let thandi = stage.planted(new_id(), THANDI).await;
    let stored: i64 = sqlx::query_scalar("SELECT sum(octet_length(key) + octet_length(value) + 64) FROM chatbot_value")
        .fetch_one(&stage.office.db)
        .await
        .unwrap();

    stage.erase(&thandi).await.unwrap();

    let used: i64 = sqlx::query_scalar("SELECT sum(bytes)::bigint FROM chatbot_value_usage")
        .fetch_one(&stage.office.db)
        .await
        .unwrap();
    assert_eq!(used, -stored);
}

#[tokio::test]
async fn a_part_of_a_batch_that_others_share_keeps_its_text() {
    let stage = Stage::open().await;
    let thandi = stage.planted(new_id(), THANDI).await;
    let shared = new_id();
    stage.run(&format!("UPDATE outbound_message SET part_id = '{shared}' WHERE id = '{}'", thandi.id)).await;
    sqlx::query(
        "INSERT INTO outbound_part (client_id, id, batch_id, inbox_id, message_type, content)
         VALUES ($1, $2, $2, $2, 'CHAT', '\"for all\"')",
    )
    .bind(thandi.client)
    .bind(shared)
    .execute(&stage.office.db)
    .await
    .unwrap();
    sqlx::query(
        "INSERT INTO outbound_message (client_id, id, part_id, inbox_id, gst_id, order_key, address_kind, address_value)
         VALUES ($1, gen_random_uuid(), $2, $2, 'g', 1, 'PHONE', $3)",
    )
    .bind(thandi.client)
    .bind(shared)
    .bind(SIPHO)
    .execute(&stage.office.db)
    .await
    .unwrap();

    stage.erase(&thandi).await.unwrap();

    let content: String = sqlx::query_scalar("SELECT content::text FROM outbound_part WHERE id = $1")
        .bind(shared)
        .fetch_one(&stage.office.db)
        .await
        .unwrap();
    assert_eq!(content, "\"for all\"");
}
