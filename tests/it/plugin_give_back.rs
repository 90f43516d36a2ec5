//! After a hand-over an author of a chatbot gives the chat of a phone back to the chatbot, without an agent.

use harness::{SharedPatchbay, TestClient, TestPhone, eventually, guest};
use serde_json::json;

use crate::plugin_commands::{NUMBER, office};

const RELEASE: &str = "/plugin-service/api/v1/chats/release";

async fn asks(phone: &TestPhone, client: &TestClient, text: &str, answer: &str) {
    phone.write(&client.number, text).await;
    hears(phone, answer).await;
}

async fn hears(phone: &TestPhone, text: &str) {
    phone.receives(text, |message| message["text"] == text).await;
}

/// The same client with the key of a DEVELOPER.
fn developer(patchbay: &SharedPatchbay, client: &TestClient) -> TestClient {
    let user = patchbay.new_user(&client.client_ref, &format!("dev@{}.example", client.client_ref), "DEVELOPER");
    let mut developer = client.clone();
    user["apiKey"].as_str().unwrap().clone_into(&mut developer.key);
    developer
}

/// The id of the only chat of a client.
async fn chat(client: &TestClient) -> String {
    eventually("the chat", || async {
        let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
        chats["content"][0]["id"].as_str().map(str::to_owned)
    })
    .await
}

#[tokio::test]
async fn a_command_gives_the_chat_of_a_phone_back_to_the_chatbot() {
    let (patchbay, client, machine) = office().await;
    client.install("clerk", guest("clerk")).await;
    let phone = patchbay.phone("27820000001");
    asks(&phone, &client, "person", "one moment").await;

    let said = machine.does(&["give-back", "27820000001", "--number", NUMBER]);

    assert_eq!(said, "the chatbot has the chat of 27820000001\n");
    hears(&phone, "back with the clerk").await;
    asks(&phone, &client, "say here again", "here again").await;
    let refused = machine.fails(&["give-back", "27820000009", "--number", NUMBER]);
    assert!(
        refused.contains("27820000009 has no chat on 27110000001: check the number, or write a message"),
        "{refused}"
    );
}

#[tokio::test]
async fn a_developer_gives_a_waiting_chat_back_and_no_chat_of_an_agent() {
    let patchbay = SharedPatchbay::with_guests().await;
    let client = patchbay.new_client().await;
    client.activate("clerk").await;
    let (developer, phone) = (developer(&patchbay, &client), patchbay.new_phone());
    asks(&phone, &client, "person", "one moment").await;
    let id = chat(&client).await;
    let (by_id, desk) = (json!({ "participantId": id }), format!("/chat-service/api/v2/chats/{id}"));
    client.post(&format!("{desk}/assign"), &json!({})).await.ok();

    let refused = developer.post(RELEASE, &by_id).await;

    assert_eq!(refused.status, 409, "{}", refused.text);
    assert!(refused.text.contains("an agent has this chat"), "{}", refused.text);
    client.post(&format!("{desk}/release"), &json!({})).await.ok();
    let of_bot = json!({ "participantId": id, "closed": false });
    assert_eq!(developer.post(RELEASE, &by_id).await.ok(), of_bot, "it is the chatbot's already");
    asks(&phone, &client, "person-of nobody", "one moment, a colleague of nobody").await;
    let by_customer = json!({ "whatsAppNumberId": client.number_id, "customer": phone.msisdn });
    assert_eq!(developer.post(RELEASE, &by_customer).await.ok(), of_bot);
    asks(&phone, &client, "bye", "goodbye").await;
    let closed = json!({ "participantId": id, "closed": true });
    assert_eq!(developer.post(RELEASE, &by_id).await.ok(), closed);
}

#[tokio::test]
async fn a_chat_is_given_back_only_if_a_chatbot_would_answer() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    phone.write(&client.number, "hello").await;
    let id = chat(&client).await;

    let refused = client.post(RELEASE, &json!({ "participantId": id })).await;

    assert_eq!(refused.status, 409, "{}", refused.text);
    assert!(refused.text.contains("no chatbot is active"), "{}", refused.text);
    assert_eq!(client.post(RELEASE, &json!({})).await.faulty_fields(), ["participantId"]);
    let unknown = json!({ "whatsAppNumberId": client.number_id, "customer": "27829999999" });
    assert_eq!(client.post(RELEASE, &unknown).await.status, 404);
}
