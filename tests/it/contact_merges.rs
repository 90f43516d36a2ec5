//! Contacts that users merge by hand, and the undo (ADR 0067).

use harness::{ClientReply, SharedPatchbay, TestClient, eventually};
use reqwest::Method;
use serde_json::{Value, json};

const CONTACTS: &str = "/messaging-service/WhatsApp/contacts";
const CHATS: &str = "/chat-service/api/v2/chats";

async fn contact(client: &TestClient, name: &str, number: &str, tags: &[&str]) -> String {
    let made = client.post(CONTACTS, &json!({ "fullName": name, "phoneNumber": number })).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let id = made.json()["id"].as_str().unwrap().to_owned();
    set_tags(client, &id, tags).await;
    id
}

async fn set_tags(client: &TestClient, contact: &str, tags: &[&str]) {
    let path = format!("{CONTACTS}/{contact}/tags");
    client.request(Method::PUT, &path, Some(&json!({ "tags": tags })), &[]).await.ok();
}

async fn tags(client: &TestClient, contact: &str) -> Value {
    client.get(&format!("{CONTACTS}/{contact}/tags")).await.ok()["tags"].clone()
}

async fn note(client: &TestClient, contact: &str, text: &str) {
    let made = client.post(&format!("{CONTACTS}/{contact}/notes"), &json!({ "text": text })).await;
    assert_eq!(made.status, 201, "{}", made.text);
}

async fn notes(client: &TestClient, contact: &str) -> Vec<String> {
    let page = client.get(&format!("{CONTACTS}/{contact}/notes")).await.ok();
    page["content"].as_array().unwrap().iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
}

async fn names(client: &TestClient, search: &str) -> Vec<String> {
    let page = client.get(&format!("{CONTACTS}?search={search}")).await.ok();
    let content = page["content"].as_array().unwrap();
    assert_eq!(page["totalElements"], content.len());
    content.iter().map(|one| one["fullName"].as_str().unwrap().to_owned()).collect()
}

async fn merge(client: &TestClient, kept: &str, second: &str) -> ClientReply {
    client.post(&format!("{CONTACTS}/{kept}/merges"), &json!({ "contactId": second })).await
}

async fn undo(client: &TestClient, kept: &str, second: &str) -> ClientReply {
    client.request(Method::DELETE, &format!("{CONTACTS}/{kept}/merges/{second}"), None, &[]).await
}

#[tokio::test]
async fn a_merged_contact_is_shown_as_the_other_one_and_an_undo_restores_both() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let kept = contact(&client, "Thandi", "27820000001", &["vip", "old"]).await;
    let second = contact(&client, "Mokoena", "27820000002", &["VIP", "new"]).await;
    note(&client, &kept, "of the first").await;
    note(&client, &second, "of the second").await;

    let merged = merge(&client, &kept, &second).await;
    assert_eq!(merged.status, 201, "{}", merged.text);
    let merged = merged.json();
    assert_eq!(
        json!([merged["contactId"], merged["fullName"], merged["phoneNumber"], merged["tagsAdded"]]),
        json!([second, "Mokoena", "27820000002", ["new"]])
    );
    for search in ["", "Thandi", "Mokoena", "27820000002"] {
        assert_eq!(names(&client, search).await, ["Thandi"], "{search}");
    }
    for id in [&kept, &second] {
        assert_eq!(tags(&client, id).await, json!(["vip", "old", "new"]));
        assert_eq!(notes(&client, id).await, ["of the second", "of the first"]);
    }
    let listed = client.get(&format!("{CONTACTS}/{kept}/merges")).await.ok();
    assert_eq!(listed["content"], json!([merged]));

    assert_eq!(undo(&client, &kept, &second).await.status, 204);
    assert_eq!(names(&client, "").await, ["Mokoena", "Thandi"]);
    assert_eq!(names(&client, "27820000002").await, ["Mokoena"]);
    assert_eq!(
        (tags(&client, &kept).await, tags(&client, &second).await),
        (json!(["vip", "old"]), json!(["VIP", "new"]))
    );
    assert_eq!(
        (notes(&client, &kept).await, notes(&client, &second).await),
        (vec!["of the first".to_owned()], vec!["of the second".to_owned()])
    );
    assert_eq!(undo(&client, &kept, &second).await.status, 404);
    assert_eq!(client.get(&format!("{CONTACTS}/{kept}/merges")).await.ok()["totalElements"], 0);
}

#[tokio::test]
async fn chats_of_merged_contacts_show_one_name_and_stay_apart() {
    // No simulated phone has these names: the search finds names of profiles, too.
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let (one, other) = (patchbay.new_phone(), patchbay.new_phone());
    for phone in [&one, &other] {
        phone.write(&client.number, "hello").await;
    }
    let both = || async {
        let page = client.get(&format!("{CHATS}?scope=all")).await.ok();
        (page["totalElements"] == 2).then_some(())
    };
    eventually("both chats", both).await;
    let kept = contact(&client, "Xenia", &one.msisdn, &[]).await;
    let second = contact(&client, "Quirin", &other.msisdn, &[]).await;
    let found = async |name: &str| {
        let page = client.get(&format!("{CHATS}?scope=all&search={name}")).await.ok();
        let chats = page["content"].as_array().unwrap().clone();
        chats
            .into_iter()
            .map(|chat| (chat["id"].as_str().unwrap().to_owned(), chat["name"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!((found("Xenia").await.len(), found("Quirin").await.len()), (1, 1));

    assert_eq!(merge(&client, &kept, &second).await.status, 201);
    let chats = found("Xenia").await;
    assert_eq!((chats.len(), found("Quirin").await.len()), (2, 0));
    for (id, name) in &chats {
        assert_eq!(*name, "Xenia");
        let panel = client.get(&format!("{CHATS}/{id}/customer")).await.ok();
        assert_eq!((&panel["contactId"], panel["chats"].as_array().unwrap().len()), (&json!(kept), 2));
    }
    let renamed = json!({ "fullName": "Xenia M" });
    client.request(Method::PUT, &format!("{CONTACTS}/{second}"), Some(&renamed), &[]).await.ok();
    assert!(found("Xenia").await.iter().all(|(_, name)| name == "Xenia M"));

    assert_eq!(undo(&client, &kept, &second).await.status, 204);
    assert_eq!((found("Xenia").await.len(), found("Quirin").await.len()), (1, 1));
    let (id, _) = found("Quirin").await.remove(0);
    let panel = client.get(&format!("{CHATS}/{id}/customer")).await.ok();
    assert_eq!((&panel["contactId"], panel["chats"].as_array().unwrap().len()), (&json!(second), 1));
}

#[tokio::test]
async fn merges_of_merges_are_undone_from_the_newest_one() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let a = contact(&client, "A", "27820000001", &["a"]).await;
    let b = contact(&client, "B", "27820000002", &["b"]).await;
    let c = contact(&client, "C", "27820000003", &["c"]).await;
    assert_eq!(merge(&client, &b, &c).await.status, 201);
    assert_eq!(merge(&client, &a, &b).await.status, 201);
    assert_eq!(names(&client, "").await, ["A"]);
    assert_eq!(tags(&client, &c).await, json!(["a", "b", "c"]));

    assert_eq!(undo(&client, &a, &c).await.status, 409, "the merge of B is newer");
    assert_eq!(undo(&client, &a, &b).await.status, 204);
    assert_eq!(names(&client, "").await, ["A", "B"]);
    assert_eq!((tags(&client, &a).await, tags(&client, &c).await), (json!(["a"]), json!(["b", "c"])));
    assert_eq!(undo(&client, &b, &c).await.status, 204);
    assert_eq!(names(&client, "").await, ["A", "B", "C"]);
    assert_eq!(tags(&client, &b).await, json!(["b"]));
}

#[tokio::test]
async fn a_merge_that_cannot_be_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_bare_client(), patchbay.new_bare_client());
    let a = contact(&client, "A", "27820000001", &[]).await;
    let b = contact(&client, "B", "27820000002", &[]).await;
    let foreign = contact(&other, "C", "27820000003", &[]).await;
    assert_eq!(merge(&client, &a, &a).await.faulty_fields(), ["contactId"]);
    assert_eq!(merge(&client, &a, &foreign).await.faulty_fields(), ["contactId"]);
    assert_eq!(merge(&client, &foreign, &a).await.status, 404);
    assert_eq!(merge(&client, &a, &b).await.status, 201);
    assert_eq!(merge(&client, &a, &b).await.status, 409);
    assert_eq!(merge(&client, &b, &a).await.status, 409);
    assert_eq!(undo(&other, &a, &b).await.status, 404);
}

#[tokio::test]
async fn deleting_a_contact_deletes_those_that_are_merged_into_it() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let a = contact(&client, "A", "27820000001", &[]).await;
    let b = contact(&client, "B", "27820000002", &[]).await;
    assert_eq!(merge(&client, &a, &b).await.status, 201);
    assert_eq!(client.request(Method::DELETE, &format!("{CONTACTS}/{a}"), None, &[]).await.status, 204);
    assert!(names(&client, "").await.is_empty());
    contact(&client, "B", "27820000002", &[]).await;
}

#[tokio::test]
async fn an_erasure_of_one_of_two_merged_persons_leaves_the_other_one() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let kept = contact(&client, "Thandi", "27820000001", &[]).await;
    let second = contact(&client, "Mokoena", "27820000002", &["new"]).await;
    note(&client, &second, "of the second").await;
    assert_eq!(merge(&client, &kept, &second).await.status, 201);
    let export = client.post("/chat-service/api/v2/people/export", &json!({ "phoneNumber": "27820000002" })).await.ok();
    assert!(export.to_string().contains("contact_merge"), "{export}");
    let person = json!({ "phoneNumber": "27820000001" });
    client.post("/chat-service/api/v2/people/erase", &person).await.ok();
    assert_eq!(names(&client, "").await, ["Mokoena"]);
    assert_eq!(
        (tags(&client, &second).await, notes(&client, &second).await),
        (json!(["new"]), vec!["of the second".to_owned()])
    );
}
