//! Live events of other tags and of other facts of a customer (`docs/live-events.md`).

use harness::{SharedPatchbay, TestClient, guest, inbound_text};
use reqwest::Method;
use serde_json::{Value, json};

use crate::live_events::{Socket, socket, until};

const CONTACTS: &str = "/messaging-service/WhatsApp/contacts";

async fn contact(client: &TestClient, name: &str, number: &str) -> String {
    let made = client.post(CONTACTS, &json!({ "fullName": name, "phoneNumber": number })).await;
    assert_eq!(made.status, 201, "{}", made.text);
    made.json()["id"].as_str().unwrap().to_owned()
}

async fn put(client: &TestClient, path: &str, body: &Value) {
    client.request(Method::PUT, &format!("{CONTACTS}/{path}"), Some(body), &[]).await.ok();
}

async fn updated(live: &mut Socket) -> Value {
    until(live, "chat.updated").await.pop().unwrap()["chat"].clone()
}

async fn came(live: &mut Socket) -> Value {
    until(live, "message.received").await.pop().unwrap()["chat"].clone()
}

#[tokio::test]
async fn each_change_of_a_contact_updates_the_chat_of_its_customer_once() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    let email = format!("updates@{}.example", client.client_ref);
    let agent = patchbay.new_user(&client.client_ref, &email, "AGENT")["apiKey"].as_str().unwrap().to_owned();
    let mut live = socket(&patchbay.url(), "", &agent).await;
    phone.write(&client.number, "hello").await;
    let before = came(&mut live).await;
    assert_eq!(before["tags"], json!([]), "tags of chats are those of chatbots");

    let id = contact(&client, "Zanele", &phone.msisdn).await;
    put(&client, &format!("{id}/tags"), &json!({ "tags": ["vip"] })).await;
    put(&client, &id, &json!({ "fullName": "Zanele (gold)" })).await;
    let deleted = client.request(Method::DELETE, &format!("{CONTACTS}/{id}"), None, &[]).await;
    assert_eq!(deleted.status, 204, "{}", deleted.text);
    phone.write(&client.number, "that is all").await;

    let told = until(&mut live, "message.received").await;
    let types: Vec<&str> = told.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["chat.updated", "chat.updated", "chat.updated", "chat.updated", "message.received"]);
    assert!(told.iter().all(|event| event["chat"]["id"] == before["id"]), "{told:?}");
    assert_eq!(told[4]["chat"]["name"], before["name"], "the name of the deleted contact is gone");
}

#[tokio::test]
async fn a_merge_of_contacts_and_its_undo_update_the_chats_of_both() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    let (mut chats, mut contacts) = (Vec::new(), Vec::new());
    for name in ["Thandi", "Mokoena"] {
        let phone = patchbay.new_phone();
        phone.write(&client.number, "hello").await;
        chats.push(came(&mut live).await["id"].clone());
        contacts.push(contact(&client, name, &phone.msisdn).await);
        assert_eq!(updated(&mut live).await["name"], name);
    }
    let [kept, second] = <[String; 2]>::try_from(contacts).unwrap();
    let path = format!("{CONTACTS}/{kept}/merges");

    let merged = client.post(&path, &json!({ "contactId": second })).await;

    assert_eq!(merged.status, 201, "{}", merged.text);
    for _ in 0..2 {
        let chat = updated(&mut live).await;
        assert!(chats.contains(&chat["id"]) && chat["name"] == "Thandi", "{chat}");
    }
    let undone = client.request(Method::DELETE, &format!("{path}/{second}"), None, &[]).await;
    assert_eq!(undone.status, 204, "{}", undone.text);
    let mut names = Vec::new();
    for _ in 0..2 {
        names.push(updated(&mut live).await["name"].as_str().unwrap().to_owned());
    }
    names.sort();
    assert_eq!(names, ["Mokoena", "Thandi"]);
}

#[tokio::test]
async fn an_import_updates_the_chats_of_its_changed_contacts() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    phone.write(&client.number, "hello").await;
    let chat = came(&mut live).await;
    let csv = format!("fullName,phoneNumber,tags\nThandi,+{},vip\n", phone.msisdn);

    for _ in 0..2 {
        client.post(&format!("{CONTACTS}/import"), &json!({ "csv": csv, "commit": true })).await.ok();
    }
    phone.write(&client.number, "that is all").await;

    let told = until(&mut live, "message.received").await;
    let types: Vec<&str> = told.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["chat.updated", "message.received"], "the second import changed nothing");
    assert_eq!((&told[0]["chat"]["id"], &told[0]["chat"]["name"]), (&chat["id"], &json!("Thandi")));
}

#[tokio::test]
async fn a_name_that_the_provider_reports_updates_the_chat_of_the_customer() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let number = patchbay.new_phone().msisdn;
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    for (turn, (name, changed)) in [("Zo", false), ("Zo", false), ("Zolani", true)].into_iter().enumerate() {
        let id = format!("wamid.{number}.{turn}");
        let mut value = inbound_text(&id, Some(&number), None, "hello");
        value["contacts"][0]["profile"]["name"] = json!(name);
        assert_eq!(patchbay.callback(&client.callback(value)).await.status, 200);
        let told = until(&mut live, "message.received").await;
        let updates: Vec<&Value> = told.iter().filter(|event| event["type"] == "chat.updated").collect();
        assert_eq!(!updates.is_empty(), changed, "{told:?}");
        assert!(told.iter().filter_map(|event| event.get("chat")).all(|chat| chat["name"] == name), "{told:?}");
    }
}

#[tokio::test]
async fn a_tag_that_a_chatbot_sets_updates_its_chat_once() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    client.install("clerk", guest("clerk")).await;
    let phone = patchbay.new_phone();
    let mut live = socket(&patchbay.url(), "", &client.key).await;

    phone.write(&client.number, "vip").await;

    let chat = updated(&mut live).await;
    assert_eq!((&chat["state"], &chat["tags"]), (&json!("BOT"), &json!(["vip"])));
    for text in ["vip", "say that is all"] {
        phone.write(&client.number, text).await;
    }
    let mut told: Vec<Value> = Vec::new();
    while told.iter().filter(|event| event["type"] == "message.sent").count() < 2 {
        told.extend(until(&mut live, "message.sent").await);
    }
    assert!(told.iter().all(|event| event["type"] != "chat.updated"), "it has the tag already: {told:?}");
    assert!(told.iter().all(|event| event["chat"]["tags"] == json!(["vip"])), "{told:?}");
}
