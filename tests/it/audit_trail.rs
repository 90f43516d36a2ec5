//! The audit trail by API and its chain of hashes.

use harness::{Patchbay, SharedPatchbay, TestClient};
use serde_json::{Value, json};

const AUDIT: &str = "/api/v1/audit";

/// Adds contacts, which are administrative changes.
async fn add_contacts(client: &TestClient, numbers: &[impl AsRef<str>]) {
    for number in numbers {
        let contact = json!({ "fullName": "Thandi", "phoneNumber": number.as_ref() });
        assert_eq!(client.post("/messaging-service/WhatsApp/contacts", &contact).await.status, 201);
    }
}

async fn run(patchbay: &Patchbay, client: &TestClient, statement: &str) {
    let of = "client_id = (SELECT id FROM client WHERE client_ref = $1)";
    let statement = format!("{statement} AND {of}");
    let mut db = patchbay.database().await;
    let done = sqlx::query(&statement).bind(&client.client_ref).execute(&mut db).await.unwrap();
    assert_eq!(done.rows_affected(), 1, "{statement}");
}

/// Adds an entry as the previous release writes it.
async fn add_entry(patchbay: &Patchbay, client: &TestClient, object_id: &str) {
    let statement = "INSERT INTO audit (client_id, id, happened_at, actor, action, object_kind, object_id)
         SELECT id, 'ffffffff-0000-7000-8000-000000000000', now(), 'operator', 'create', 'contact', $2
         FROM client WHERE client_ref = $1";
    let mut db = patchbay.database().await;
    sqlx::query(statement).bind(&client.client_ref).bind(object_id).execute(&mut db).await.unwrap();
}

async fn verified(client: &TestClient) -> Value {
    client.get(&format!("{AUDIT}/verify")).await.ok()
}

#[tokio::test]
async fn entries_are_listed_newest_first_and_by_filters() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    add_contacts(&client, &["27820000001", "27820000002"]).await;
    let me = client.get("/api/v1/users/me").await.ok()["id"].clone();

    let all = client.get(AUDIT).await.ok();
    let numbers: Vec<i64> =
        all["content"].as_array().unwrap().iter().map(|one| one["number"].as_i64().unwrap()).collect();
    assert_eq!(numbers, [4, 3, 2, 1]);
    let newest = &all["content"][0];
    assert_eq!(
        (&newest["actor"], &newest["action"], &newest["targetKind"]),
        (&me, &json!("create"), &json!("contact"))
    );

    let total = async |query: &str| client.get(&format!("{AUDIT}?{query}")).await.ok()["totalElements"].clone();
    assert_eq!(total("actor=operator").await, 2);
    assert_eq!(total("targetKind=contact&action=create").await, 2);
    assert_eq!(total(&format!("targetId={}", newest["targetId"].as_str().unwrap())).await, 1);
    assert_eq!(total("to=2020-01-01T00:00:00Z").await, 0);
    assert_eq!(total("from=2020-01-01T00:00:00Z&size=1").await, 4);
    let refused = client.get(&format!("{AUDIT}?from=yesterday&to=x")).await;
    assert_eq!((refused.status, refused.faulty_fields()), (400, vec!["from".to_owned(), "to".to_owned()]));
}

#[tokio::test]
async fn an_export_has_every_entry_in_order_and_no_formula() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    add_contacts(&client, &["27820000001"]).await;
    add_entry(&patchbay, &client, "=1+1").await;

    let csv = client.get(&format!("{AUDIT}/export")).await;
    assert_eq!(csv.header("content-type"), Some("text/csv; charset=utf-8"));
    let text = &csv.text;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "number,id,time,actor,action,targetKind,targetId,hash");
    assert_eq!(lines.len(), 5);
    assert!(lines[1].starts_with("1,") && lines[4].starts_with("4,") && lines[4].contains(",\"'=1+1\","), "{text}");

    let export = client.get(&format!("{AUDIT}/export?format=ndjson&targetKind=contact")).await;
    let entries: Vec<Value> = export.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(entries.len(), 2);
    assert_eq!((&entries[1]["number"], &entries[1]["targetId"]), (&json!(4), &json!("=1+1")));
}

#[tokio::test]
async fn a_removed_and_a_changed_entry_are_named() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    add_contacts(&client, &["27820000001", "27820000002"]).await;
    let intact = verified(&client).await;
    assert_eq!((&intact["intact"], &intact["entries"]), (&json!(true), &json!(4)));
    let verify = ["audit", "verify", "--client", &client.client_ref];
    assert_eq!(patchbay.admin(&verify)["clients"][0]["lastHash"], intact["lastHash"]);

    run(&patchbay, &client, "UPDATE audit SET actor = 'platform' WHERE number = 3").await;
    let changed = verified(&client).await;
    assert_eq!((&changed["intact"], &changed["firstFault"]["number"]), (&json!(false), &json!(3)));
    assert!(changed["firstFault"]["changedId"].is_string(), "{changed}");

    run(&patchbay, &client, "DELETE FROM audit WHERE number = 2").await;
    assert_eq!(verified(&client).await["firstFault"], json!({ "number": 2 }));
    let said = patchbay.refused(&verify);
    assert!(said.contains("entry 2 is missing"), "{said}");
}

#[tokio::test]
async fn a_missing_last_entry_is_named() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    add_contacts(&client, &["27820000001"]).await;
    run(&patchbay, &client, "DELETE FROM audit WHERE number = 3").await;
    assert_eq!(verified(&client).await["firstFault"], json!({ "number": 3 }));
}

#[tokio::test]
async fn an_erasure_of_a_person_leaves_the_chain_intact() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    // A known person with an entry that names it.
    add_contacts(&client, &["27820000077"]).await;
    add_entry(&patchbay, &client, "27820000077").await;
    assert!(client.get(AUDIT).await.ok().to_string().contains("27820000077"));
    patchbay.admin(&["person", "erase", "--client", &client.client_ref, "--number", "27820000077"]);
    assert!(!client.get(AUDIT).await.ok().to_string().contains("27820000077"));
    let found = verified(&client).await;
    assert_eq!((&found["intact"], &found["erased"]), (&json!(true), &json!(1)));
}

#[tokio::test]
async fn changes_at_the_same_time_make_one_chain() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let numbers: Vec<String> = (10..30).map(|n| format!("278200000{n}")).collect();
    futures::future::join_all(numbers.iter().map(|number| add_contacts(&client, std::slice::from_ref(number)))).await;
    let found = verified(&client).await;
    assert_eq!((&found["intact"], &found["entries"]), (&json!(true), &json!(22)));
}
