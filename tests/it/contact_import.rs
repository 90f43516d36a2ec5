//! Import of contacts from CSV, and notes and tags of contacts.

use harness::{SharedPatchbay, TestClient};
use reqwest::Method;
use serde_json::{Value, json};

const CONTACTS: &str = "/messaging-service/WhatsApp/contacts";
const CSV: &str = "fullName;phoneNumber;tags;age\n\
                   Thandi Mokoena;+27 82 000-0001;vip|new;41\n\
                   ;+27820000002;;\n\
                   Nomsa;+27820000003;;\n\
                   Nomsa again;27820000003;;\n";

async fn import(client: &TestClient, csv: &str, commit: bool) -> Value {
    client.post(&format!("{CONTACTS}/import"), &json!({ "csv": csv, "commit": commit })).await.ok()
}

async fn names(client: &TestClient) -> Vec<String> {
    let page = client.get(CONTACTS).await.ok();
    page["content"].as_array().unwrap().iter().map(|one| one["fullName"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_preview_names_each_row_and_finding_and_changes_nothing() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();

    let preview = import(&client, CSV, false).await;

    assert_eq!(json!([preview["committed"], preview["created"], preview["updated"]]), json!([false, 2, 0]));
    assert_eq!(preview["ignoredColumns"], json!(["age"]));
    let row = &preview["rows"][0];
    assert_eq!(json!([row["line"], row["fullName"], row["phoneNumber"]]), json!([2, "Thandi Mokoena", "27820000001"]));
    assert_eq!(json!([row["tags"], row["action"]]), json!([["vip", "new"], "CREATE"]));
    let faults: Vec<_> =
        preview["faults"].as_array().unwrap().iter().map(|one| (&one["line"], &one["field"])).collect();
    assert_eq!(faults, [(&json!(3), &json!("fullName")), (&json!(5), &json!("phoneNumber"))]);
    assert!(names(&client).await.is_empty());
}

#[tokio::test]
async fn a_commit_creates_and_updates_contacts_and_is_repeatable() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let body = json!({ "fullName": "T. Mokoena", "phoneNumber": "27820000001" });
    let known = client.post(CONTACTS, &body).await.json();

    let done = import(&client, CSV, true).await;

    assert_eq!(json!([done["committed"], done["created"], done["updated"], done["unchanged"]]), json!([true, 1, 1, 0]));
    assert_eq!(names(&client).await, ["Nomsa", "Thandi Mokoena"]);
    let tags = client.get(&format!("{CONTACTS}/{}/tags", known["id"].as_str().unwrap())).await.ok();
    assert_eq!(tags, json!({ "tags": ["vip", "new"] }));
    let again = import(&client, CSV, true).await;
    assert_eq!(json!([again["created"], again["updated"], again["unchanged"]]), json!([0, 0, 2]));
}

#[tokio::test]
async fn a_text_without_contacts_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for body in [json!({}), json!({ "csv": "" }), json!({ "csv": "a,b\n1,2\n" })] {
        assert_eq!(client.post(&format!("{CONTACTS}/import"), &body).await.faulty_fields(), ["csv"]);
    }
}

#[tokio::test]
async fn a_contact_has_tags_and_notes_of_users() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let body = json!({ "fullName": "Thandi", "phoneNumber": "27820000001" });
    let path = format!("{CONTACTS}/{}", client.post(CONTACTS, &body).await.json()["id"].as_str().unwrap());
    let (tags, notes) = (format!("{path}/tags"), format!("{path}/notes"));

    let tagged = client.request(Method::PUT, &tags, Some(&json!({ "tags": ["vip", "VIP"] })), &[]).await.ok();
    assert_eq!(tagged, json!({ "tags": ["vip"] }));
    assert_eq!(client.get(&tags).await.ok(), tagged);
    let bad = client.request(Method::PUT, &tags, Some(&json!({ "tags": [""] })), &[]).await;
    assert_eq!(bad.faulty_fields(), ["tags"]);

    let note = client.post(&notes, &json!({ "text": "calls in the morning" })).await;
    assert_eq!(note.status, 201, "{}", note.text);
    let note = note.json();
    assert_eq!(client.get(&notes).await.ok()["content"], json!([note]));
    let email = format!("agent@{}.example", client.client_ref);
    let mut agent = client.clone();
    agent.key = patchbay.new_user(&client.client_ref, &email, "AGENT")["apiKey"].as_str().unwrap().to_owned();
    let one = format!("{notes}/{}", note["id"].as_str().unwrap());
    assert_eq!(agent.request(Method::DELETE, &one, None, &[]).await.status, 404, "it is of another user");
    assert_eq!(client.request(Method::DELETE, &one, None, &[]).await.status, 204);
    assert_eq!(client.get(&notes).await.ok()["totalElements"], 0);
}
