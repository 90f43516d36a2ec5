//! `patchbay person export|erase` and the same by API (CONTRACT 9): the data of one customer as JSON, or gone.

use std::path::{Path, PathBuf};

use base64::{Engine, engine::general_purpose::STANDARD};
use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually};
use serde_json::{Value, json};

const ERASE: &str = "/chat-service/api/v2/people/erase";
const EXPORT: &str = "/chat-service/api/v2/people/export";

/// Lets a customer and a client talk, with this word in every message, name and file. Returns when nothing is on its way.
async fn talk(patchbay: &Patchbay, (client, sink): (&TestClient, &WebhookSink), phone: &TestPhone, word: &str) {
    let contact = json!({ "fullName": format!("name {word}"), "phoneNumber": phone.msisdn });
    assert_eq!(client.post("/messaging-service/WhatsApp/contacts", &contact).await.status, 201);
    phone.write(&client.number, &format!("asks {word}")).await;
    sink.receives("incoming", "the question", |body| body.to_string().contains(word)).await;
    let file = json!({
        "to": client.number, "type": "document", "mimeType": "application/pdf", "filename": format!("{word}.pdf"),
        "caption": format!("see {word}"),
        "base64": STANDARD.encode(format!("%PDF-1.1 file {word}")),
    });
    phone.send(file).await;
    let incoming = sink.receives("incoming", "the file", |body| body["caption"] == format!("see {word}")).await;
    let content = patchbay.http.get(incoming["mediaUrl"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(content.text().await.unwrap(), format!("%PDF-1.1 file {word}"));
    let mut answer = client.chat(&phone.msisdn, &format!("answer {word}"));
    answer["messages"][0]["recipients"][0]["ctId"] = json!(format!("id-{word}"));
    client.send(&answer).await.accepted();
    client.statuses(sink, &format!("id-{word}"), "DELIVERED").await;
    settled(patchbay, client).await;
}

/// Waits until no message of the client is on its way and no webhook waits.
async fn settled(patchbay: &Patchbay, client: &TestClient) {
    let waiting = "SELECT (SELECT count(*) FROM outbound_work WHERE client_id = client.id)
                        + (SELECT count(*) FROM callback WHERE client_id = client.id)
                        + (SELECT count(*) FROM webhook_delivery WHERE client_id = client.id AND state = 'PENDING')
                   FROM client WHERE client_ref = $1";
    eventually("the end of all work", || async {
        let mut db = patchbay.database().await;
        let left: i64 = sqlx::query_scalar(waiting).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
        (left == 0).then_some(())
    })
    .await;
}

async fn database_folder(patchbay: &Patchbay) -> PathBuf {
    let mut db = patchbay.database().await;
    let folder: String = sqlx::query_scalar("SHOW data_directory").fetch_one(&mut db).await.unwrap();
    PathBuf::from(folder)
}

fn person<'a>(command: &'a str, client: &'a TestClient, phone: &'a TestPhone) -> [&'a str; 6] {
    ["person", command, "--client", &client.client_ref, "--number", &phone.msisdn]
}

/// Files that contain a word, in the data directory and in that of the database.
fn places(patchbay: &Patchbay, database: &Path, word: &str) -> Vec<PathBuf> {
    let mut found = scratch::files_with(&patchbay.data_dir(), word);
    found.extend(scratch::files_with(database, word));
    found
}

async fn listening(client: &TestClient) -> WebhookSink {
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    sink
}

/// `words` are those of the person and of another one, `numbers` theirs. Tests share a database server.
async fn erased_without_a_trace(setup: PatchbaySetup, words: [&str; 2], numbers: [&str; 2]) {
    let patchbay = setup.start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = listening(&client).await;
    let (thandi, sipho) = (patchbay.phone(numbers[0]), patchbay.phone(numbers[1]));
    talk(&patchbay, (&client, &sink), &thandi, words[0]).await;
    talk(&patchbay, (&client, &sink), &sipho, words[1]).await;
    let database = database_folder(&patchbay).await;
    assert!(!places(&patchbay, &database, words[0]).is_empty());

    let certificate = patchbay.admin(&person("erase", &client, &thandi));

    assert_eq!(certificate["complete"], true, "{certificate}");
    assert_eq!(certificate["storage"]["clean"], true, "{certificate}");
    assert_eq!(certificate["files"], 1, "{certificate}");
    assert!(!certificate.to_string().contains(&thandi.msisdn), "{certificate}");
    for word in [words[0], &thandi.msisdn] {
        assert_eq!(places(&patchbay, &database, word), Vec::<PathBuf>::new(), "{word}");
        assert!(!patchbay.log().contains(word), "the log has {word}");
    }
    let other = patchbay.admin(&person("export", &client, &sipho));
    assert!(other["tables"]["chat_message"].as_array().unwrap().len() >= 2, "{other}");
    assert!(!places(&patchbay, &database, words[1]).is_empty());
}

#[tokio::test]
async fn no_byte_of_an_erased_person_is_left_if_files_are_in_the_database() {
    let setup = PatchbaySetup::new().set("media.store", "database");
    erased_without_a_trace(setup, ["zebrafinch", "hornbilled"], ["27829980001", "27829980002"]).await;
}

#[tokio::test]
async fn no_byte_of_an_erased_person_is_left_if_files_are_in_the_data_directory() {
    let setup = PatchbaySetup::new().set("media.store", "./kept");
    erased_without_a_trace(setup, ["weaverbird", "sandgrouse"], ["27829980003", "27829980004"]).await;
}

#[tokio::test]
async fn an_export_has_the_messages_and_writes_the_files() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    talk(&patchbay, (&client, &listening(&client).await), &phone, "kingfisher").await;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("files");

    let arguments = [&person("export", &client, &phone)[..], &["--files", folder.to_str().unwrap()]].concat();
    let exported = patchbay.admin(&arguments);

    for table in ["customer", "contact", "chat_message", "outbound_message", "outbound_part", "webhook_delivery"] {
        let rows = exported["tables"][table].to_string();
        assert!(rows.len() > 4, "{table} is missing: {exported}");
    }
    assert!(exported["tables"]["chat_message"].to_string().contains("asks kingfisher"));
    assert!(exported["tables"]["outbound_part"].to_string().contains("answer kingfisher"));
    let file = std::fs::read_to_string(exported["files"][0]["file"].as_str().unwrap()).unwrap();
    assert_eq!(file, "%PDF-1.1 file kingfisher");
}

#[tokio::test]
async fn an_admin_exports_and_erases_a_person_by_api_and_the_person_can_write_again() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    talk(&patchbay, (&client, &listening(&client).await), &phone, "sunbird").await;
    let asked = json!({ "customerUserId": phone.user_id().await });

    let exported = client.post(EXPORT, &asked).await.ok();
    let certificate = client.post(ERASE, &asked).await.ok();
    let nothing = client.post(EXPORT, &json!({ "phoneNumber": format!("+{}", phone.msisdn) })).await.ok();

    assert!(exported["tables"].to_string().contains("asks sunbird"), "{exported}");
    let url = exported["files"][0]["url"].as_str().unwrap();
    assert_eq!(patchbay.http.get(url).send().await.unwrap().status(), 404, "the file is gone");
    assert_eq!(json!([certificate["complete"], certificate["files"]]), json!([true, 1]), "{certificate}");
    assert!(
        certificate["tables"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["table"] == "chat_message" && one["action"] == "deleted" && one["rows"].as_u64() >= Some(2))
    );
    // The audit entry of the export has a hash in place of the person.
    let left: Vec<&String> = nothing["tables"].as_object().unwrap().keys().collect();
    assert_eq!(left, Vec::<&String>::new(), "{nothing}");

    phone.write(&client.number, "here again").await;
    let again = eventually("a new chat", || async {
        let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
        chats["content"].as_array().filter(|chats| chats.len() == 1).cloned()
    })
    .await;
    assert!(!Value::from(again).to_string().contains("sunbird"));
}

#[tokio::test]
async fn a_request_that_names_no_person_or_two_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for (body, field) in [
        (json!({}), "phoneNumber"),
        (json!({ "phoneNumber": "27820000001", "customerUserId": "ZA.1234567890" }), "phoneNumber"),
        (json!({ "phoneNumber": "0820000001" }), "phoneNumber"),
        (json!({ "customerUserId": "27820000001" }), "customerUserId"),
    ] {
        for path in [EXPORT, ERASE] {
            let reply = client.post(path, &body).await;
            assert_eq!((reply.status, reply.faulty_fields()), (400, vec![field.to_owned()]), "{body}: {}", reply.text);
        }
    }
    let unknown = patchbay.refused(&["person", "erase", "--client", "no-such-client", "--number", "27820000001"]);
    assert!(unknown.contains("no-such-client"), "{unknown}");
    let bad = patchbay.refused(&["person", "erase", "--client", &client.client_ref, "--number", "082"]);
    assert!(bad.contains("--number"), "{bad}");
}

#[tokio::test]
async fn an_erased_person_who_asked_for_no_messages_still_gets_none() {
    const BLOCKLIST: &str = "/messaging-service/WhatsApp/blocklist";
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    let blocked = json!({ "recipients": [format!("+{}", phone.msisdn)], "reason": "she said no" });
    assert_eq!(client.post(BLOCKLIST, &blocked).await.ok()["added"], 1);
    let rejected =
        || async { client.send(&client.order_ready(&[&phone.msisdn])).await.accepted()["rejectedCount"].clone() };

    let certificate = patchbay.admin(&[&person("erase", &client, &phone)[..], &["--rewrite", "none"]].concat());

    let of = |certificate: &Value, table: &str| {
        certificate["tables"].as_array().unwrap().iter().find(|one| one["table"] == table).cloned().unwrap()
    };
    let reason = "keeps the wish of the person to get no messages";
    let kept = json!({ "table": "blocked_recipient", "action": "kept", "rows": 1, "reason": reason });
    assert_eq!(of(&certificate, "blocked_recipient"), kept);
    assert_eq!(rejected().await, 1);
    assert_eq!(client.get(BLOCKLIST).await.ok()["content"][0].get("reason").filter(|reason| !reason.is_null()), None);

    let asked = json!({ "phoneNumber": phone.msisdn, "withStops": true });
    let certificate = client.post(ERASE, &asked).await.ok();
    assert_eq!(of(&certificate, "blocked_recipient")["action"], "deleted");
    assert_eq!(rejected().await, 0);
}
