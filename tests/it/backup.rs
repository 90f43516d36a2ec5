//! `patchbay backup` and `patchbay restore` (CONTRACT 9).

use std::{fs, path::Path};

use harness::{Patchbay, PatchbaySetup, TestClient, WebhookSink, eventually};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};
use tempfile::TempDir;

/// A new database without tables, in the same cluster but of another owner. Returns its URL.
pub(crate) async fn database_of_another_owner(patchbay: &Patchbay) -> String {
    let new = scratch::empty_database().await;
    let name = new.url.split(['/', '?']).nth(3).unwrap().to_owned();
    let mut db = patchbay.database().await;
    let owner = format!("owner_of_{name}");
    for statement in [format!("CREATE ROLE {owner} LOGIN"), format!("ALTER DATABASE {name} OWNER TO {owner}")] {
        sqlx::query(&statement).execute(&mut db).await.unwrap();
    }
    let (_, rest) = new.url.split_once('@').unwrap();
    format!("postgres://{owner}@{rest}")
}

/// A program that accepts sends and does not work on them.
async fn program_with_waiting_messages(recipients: &[&str]) -> (Patchbay, TestClient) {
    let patchbay = PatchbaySetup::new().set("server.workers", "false").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    client.send(&client.order_ready(recipients)).await.accepted();
    (patchbay, client)
}

pub(crate) fn place(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

pub(crate) async fn count(url: &str, statement: &str) -> i64 {
    let mut db = PgConnection::connect(url).await.unwrap();
    sqlx::query_scalar(statement).fetch_one(&mut db).await.unwrap()
}

fn manifest(backup: &str) -> Value {
    serde_json::from_slice(&fs::read(Path::new(backup).join("manifest.json")).unwrap()).unwrap()
}

#[tokio::test]
async fn a_restored_database_of_another_owner_sends_the_waiting_messages_once() {
    let files = tempfile::tempdir().unwrap();
    let mut patchbay = PatchbaySetup::new().set("media.store", &place(&files, "kept")).start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let image = json!({ "type": "image", "base64": "aGVsbG8=", "mimeType": "image/jpeg", "to": client.number });
    patchbay.phone("27820000009").send(image).await;
    let incoming = sink.receives("incoming", "the file", |_| true).await;
    let ready = "SELECT count(*) FROM media WHERE state = 'READY'";
    eventually("the file is fetched", || async { (count(patchbay.database_url(), ready).await == 1).then_some(()) })
        .await;
    patchbay.terminate().await;
    patchbay.set("server.workers", "false");
    patchbay.launch().await;
    let numbers: Vec<String> = (0..20).map(|at| format!("2782100{at:04}")).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    client.send(&client.order_ready(&numbers)).await.accepted();

    let backup = place(&files, "backup");
    let saved = patchbay.admin(&["backup", &backup]);
    assert!(saved["rows"].as_u64().unwrap() > 40, "{saved}");
    patchbay.kill();
    let url = database_of_another_owner(&patchbay).await;
    patchbay.set("database.url", &url);
    patchbay.set("media.store", &place(&files, "restored"));
    let restored = patchbay.admin(&["restore", &backup]);
    assert_eq!((&restored["rows"], &restored["files"]), (&saved["rows"], &json!(1)));
    patchbay.set("server.workers", "true");
    patchbay.launch().await;

    for number in &numbers {
        patchbay.phone(number).receives("the template", |_| true).await;
    }
    let waiting = "SELECT count(*) FROM outbound_work";
    eventually("all work is done", || async { (count(&url, waiting).await == 0).then_some(()) }).await;
    assert_eq!(patchbay.provider_sends(&client).await.len(), numbers.len());
    let (_, path) = incoming["mediaUrl"].as_str().unwrap().split_once("/media/").unwrap();
    let file = patchbay.get(&format!("/media/{path}")).await;
    assert_eq!((file.status, file.text.as_str()), (200, "hello"));
}

#[tokio::test]
async fn a_message_in_flight_at_the_moment_of_the_backup_is_in_doubt_after_the_restore() {
    let mut patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    patchbay.simulate("/simulator/faults", &json!({ "delayMillis": 600_000 })).await;
    let (phone, other) = (patchbay.phone("27820000001"), patchbay.phone("27820000002"));
    phone.set(json!({ "timeout": true })).await;
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    let sends = async |patchbay: &Patchbay| patchbay.provider_sends(&client).await.len();
    eventually("the call", || async { (sends(&patchbay).await == 1).then_some(()) }).await;

    let files = tempfile::tempdir().unwrap();
    let backup = place(&files, "backup");
    patchbay.admin(&["backup", &backup]);
    patchbay.kill();
    let url = database_of_another_owner(&patchbay).await;
    patchbay.set("database.url", &url);
    patchbay.admin(&["restore", &backup]);
    phone.set(json!({ "timeout": false })).await;
    patchbay.launch().await;

    client.send(&client.order_ready(&[&other.msisdn])).await.accepted();
    other.receives("the template", |_| true).await;
    assert_eq!(sends(&patchbay).await, 2, "the call in doubt is not repeated at once");
    patchbay.advance_clock(61).await;
    eventually("the repetition", || async { (sends(&patchbay).await == 3).then_some(()) }).await;
    assert_eq!(count(&url, "SELECT count(*) FROM outbound_leg WHERE ambiguous").await, 1);
    patchbay.advance_clock(700).await;
    eventually("all work is done", || async {
        (count(&url, "SELECT count(*) FROM outbound_work").await == 0).then_some(())
    })
    .await;
    assert_eq!(sends(&patchbay).await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_holds_one_moment_while_messages_are_accepted() {
    let (patchbay, client) = program_with_waiting_messages(&["27820000001"]).await;
    let files = tempfile::tempdir().unwrap();
    let backup = place(&files, "backup");
    let numbers: Vec<String> = (0..50).map(|at| format!("2782200{at:04}")).collect();

    let (stop, mut stopped) = tokio::sync::oneshot::channel::<()>();
    let sending = async {
        for number in numbers.iter().cycle() {
            client.send(&client.order_ready(&[number])).await.accepted();
            if stopped.try_recv().is_ok() {
                break;
            }
        }
    };
    let saving = async {
        let saved = tokio::task::block_in_place(|| patchbay.admin(&["backup", &backup]));
        stop.send(()).unwrap();
        saved
    };
    let (saved, ()) = tokio::join!(saving, sending);

    let manifest = manifest(&backup);
    let rows = |name: &str| {
        let table = manifest["tables"].as_array().unwrap().iter().find(|table| table["name"] == name);
        table.unwrap()["rows"].as_u64().unwrap()
    };
    assert!(saved["rows"].as_u64().unwrap() > 0);
    assert_eq!(rows("outbound_message"), rows("outbound_leg"));
    assert_eq!(rows("outbound_message"), rows("outbound_work"));
}

#[tokio::test]
async fn a_backup_as_a_stream_is_restored_from_standard_input() {
    let (mut patchbay, _) = program_with_waiting_messages(&["27820000001", "27820000002"]).await;
    let stream = patchbay.output(&["backup", "-"], &[]);
    assert!(stream.status.success(), "{}", String::from_utf8_lossy(&stream.stderr));
    let url = database_of_another_owner(&patchbay).await;
    patchbay.set("database.url", &url);

    let cut = patchbay.output(&["restore", "-"], &stream.stdout[..stream.stdout.len() / 2]);
    let said = String::from_utf8_lossy(&cut.stderr);
    assert!(!cut.status.success() && (said.contains("ends too early") || said.contains("not a complete")), "{said}");
    let restored = patchbay.output(&["restore", "-"], &stream.stdout);

    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
    assert_eq!(count(&url, "SELECT count(*) FROM outbound_work").await, 2);
    assert!(!patchbay.data_dir().join("data/restore.partial").exists());
}

#[tokio::test]
async fn the_master_key_is_not_in_a_backup_and_another_one_is_refused() {
    let (mut patchbay, _) = program_with_waiting_messages(&["27820000001"]).await;
    let key = fs::read_to_string(patchbay.data_dir().join("data/master.key")).unwrap();
    let stream = patchbay.output(&["backup", "-"], &[]).stdout;
    assert!(!stream.windows(key.trim().len()).any(|window| window == key.trim().as_bytes()));
    let files = tempfile::tempdir().unwrap();
    let backup = place(&files, "backup");
    patchbay.admin(&["backup", &backup]);
    let url = database_of_another_owner(&patchbay).await;
    patchbay.set("database.url", &url);

    patchbay.set("security.master_key", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=");
    let said = patchbay.refused(&["restore", &backup]);
    assert!(said.contains("sealed with the master key") && said.contains("`master.key`"), "{said}");

    patchbay.set("security.master_key", "");
    patchbay.set("data_dir", &place(&files, "elsewhere"));
    let said = patchbay.refused(&["restore", &backup]);
    assert!(said.contains("the master key is missing"), "{said}");
    assert!(!files.path().join("elsewhere/master.key").exists(), "a restore makes no key");
    assert_eq!(count(&url, "SELECT count(*) FROM pg_class WHERE relname = 'client'").await, 0, "nothing was changed");
}

#[tokio::test]
async fn a_database_with_rows_or_with_a_running_program_is_refused() {
    let (mut patchbay, _) = program_with_waiting_messages(&["27820000001"]).await;
    let files = tempfile::tempdir().unwrap();
    let backup = place(&files, "backup");
    patchbay.admin(&["backup", &backup]);

    let said = patchbay.refused(&["restore", &backup]);
    assert!(said.contains("sessions of other Patchbay processes"), "{said}");
    patchbay.kill();
    eventually("the sessions of the killed program end", || async {
        let said = patchbay.refused(&["restore", &backup]);
        said.contains("the database is not empty").then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_damaged_or_incomplete_backup_is_refused() {
    let (mut patchbay, _) = program_with_waiting_messages(&["27820000001"]).await;
    let files = tempfile::tempdir().unwrap();
    let backup = place(&files, "backup");
    patchbay.admin(&["backup", &backup]);
    let said = patchbay.refused(&["backup", &backup]);
    assert!(said.contains("is not an empty folder"), "{said}");
    patchbay.set("database.url", &database_of_another_owner(&patchbay).await);

    let piece = Path::new(&backup).join("database/client/000001.copy");
    let whole = fs::read_to_string(&piece).unwrap();
    fs::write(&piece, whole.replace("acme", "evil")).unwrap();
    let said = patchbay.refused(&["restore", &backup]);
    assert!(said.contains("its SHA-256 differs"), "{said}");
    fs::write(&piece, whole).unwrap();

    let (file, mut newer) = (Path::new(&backup).join("manifest.json"), manifest(&backup));
    newer["migrations"].as_array_mut().unwrap().push(json!({ "version": 9999, "checksum": "00" }));
    let whole = fs::read(&file).unwrap();
    fs::write(&file, newer.to_string()).unwrap();
    let said = patchbay.refused(&["restore", &backup]);
    assert!(said.contains("schema 9999, which is newer than this program"), "{said}");

    fs::remove_file(&file).unwrap();
    let said = patchbay.refused(&["restore", &backup]);
    assert!(said.contains("it is not a complete backup"), "{said}");
    fs::write(&file, whole).unwrap();
    patchbay.admin(&["restore", &backup]);
}
