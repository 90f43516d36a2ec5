//! Masking of customers' numbers and names for agents (SPEC 4.7 `popia-compliance`; `docs/roles.md`): every answer of
//! the OpenAPI document that shows a customer to an agent, changes of a chat, live events, and the log.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use futures::StreamExt;
use harness::{Patchbay, PatchbaySetup, TestClient, TestPhone, eventually};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async, tungstenite::client::IntoClientRequest};

use crate::isolation_rows::{Ids, Who, rows};

const NUMBER: &str = "27829998877";
const NAME: &str = "Xolani Qwabe";
const USERNAME: &str = "xolani_q";
const CHATS: &str = "/chat-service/api/v2/chats";
const MESSAGES: &str = "/chat-service/api/v2/messages";
/// Fields of answers that identify a customer.
const OF_CUSTOMERS: [&str; 8] = [
    "phoneNumber",
    "recipient",
    "fullName",
    "username",
    "customerNumber",
    "customerMsisdn",
    "customerName",
    "receiver",
];

/// The part of a text that identifies the customer. Ids of WhatsApp Cloud contain the number in base64.
fn tells(text: &str) -> Option<String> {
    let spelled = base64::engine::general_purpose::STANDARD.encode(&NUMBER[..9]);
    [NUMBER, NAME, USERNAME, &spelled].into_iter().find(|told| text.contains(told)).map(str::to_owned)
}

type Live = WebSocketStream<MaybeTlsStream<TcpStream>>;

struct Scene {
    patchbay: Patchbay,
    client: TestClient,
    agent: TestClient,
    phone: TestPhone,
    chat: String,
    contact: String,
}

impl Scene {
    /// A customer with a name, a ticket, a contact and a conversation, whose chat an agent has taken and answered.
    async fn set() -> Self {
        let patchbay = PatchbaySetup::new().start().await;
        let client = patchbay.client("acme", "27110000001").await;
        let user = patchbay.new_user("acme", "agent@acme.example", "AGENT");
        let mut agent = client.clone();
        user["apiKey"].as_str().unwrap().clone_into(&mut agent.key);
        let phone = patchbay.phone(NUMBER);
        phone.set(json!({ "name": NAME, "username": USERNAME })).await;
        phone.write(&client.number, "hello").await;
        let path = format!("{CHATS}?scope=all&search={NUMBER}");
        let first = |page: Value| page["content"][0]["id"].as_str().map(str::to_owned);
        let chat = eventually("the chat", || async { first(client.get(&path).await.ok()) }).await;
        agent.post(&format!("{CHATS}/{chat}/assign"), &json!({})).await.ok();
        let note = json!({ "text": "please help", "mentions": [user["userId"]] });
        assert_eq!(client.post(&format!("{CHATS}/{chat}/notes"), &note).await.status, 201);
        let answer = json!({ "participantId": chat, "channel": "WHATSAPP", "text": "good day", "ctId": "ct-1" });
        agent.post(MESSAGES, &answer).await.ok();
        let contacts = "/messaging-service/WhatsApp/contacts";
        let mut pair = Vec::new();
        for number in [NUMBER, "27829998800"] {
            let made = client.post(contacts, &json!({ "fullName": NAME, "phoneNumber": number })).await.json();
            pair.push(made["id"].as_str().unwrap().to_owned());
        }
        let merge = json!({ "contactId": pair.pop() });
        let contact = pair.pop().unwrap();
        assert_eq!(client.post(&format!("{contacts}/{contact}/merges"), &merge).await.status, 201);
        let open = "/messaging-service/WhatsApp/WhatsAppConversations/createWhatsAppConversation";
        client.post(open, &json!({ "sender": client.number, "recipient": NUMBER })).await.ok();
        Self { patchbay, client, agent, phone, chat, contact }
    }

    async fn mask(&self, on: bool) {
        let path = "/api/v1/clients/me/popia-compliance";
        self.client.request(Method::PUT, path, Some(&json!({ "popiaCompliant": on })), &[]).await.ok();
    }

    async fn ids(&self) -> Ids {
        let mut db = self.patchbay.database().await;
        let mut ids = Ids::unowned();
        ids.participant.clone_from(&self.chat);
        ids.contact.clone_from(&self.contact);
        ids.message = sqlx::query_scalar("SELECT gst_id FROM chat_message WHERE direction = 'OUTGOING' LIMIT 1")
            .fetch_one(&mut db)
            .await
            .unwrap();
        "ct-1".clone_into(&mut ids.other);
        ids.client_ref.clone_from(&self.client.client_ref);
        ids.number.clone_from(&self.client.number);
        ids.number_id.clone_from(&self.client.number_id);
        ids
    }
}

/// The names of all fields of a schema, at any depth.
fn fields(document: &Value, schema: &Value, seen: &mut BTreeSet<String>, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(reference) = object.get("$ref").and_then(Value::as_str) {
                if seen.insert(reference.to_owned()) {
                    let target = document.pointer(reference.trim_start_matches('#')).unwrap();
                    fields(document, target, seen, found);
                }
                return;
            }
            if let Some(Value::Object(properties)) = object.get("properties") {
                found.extend(properties.keys().cloned());
            }
            object.values().for_each(|value| fields(document, value, seen, found));
        }
        Value::Array(items) => items.iter().for_each(|item| fields(document, item, seen, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The paths whose `GET` identifies a customer, according to the document.
async fn shows_customers(patchbay: &Patchbay) -> BTreeSet<String> {
    let document = patchbay.get("/openapi.json").await.json();
    let paths = document["paths"].as_object().unwrap();
    let shows = paths.iter().filter(|(_, methods)| {
        let mut found = BTreeSet::new();
        fields(&document, &methods["get"]["responses"]["200"], &mut BTreeSet::new(), &mut found);
        OF_CUSTOMERS.iter().any(|field| found.contains(*field))
    });
    shows.map(|(path, _)| path.clone()).collect()
}

/// All answers that an agent may read, by path.
async fn answers(scene: &Scene, ids: &Ids) -> BTreeMap<&'static str, (u16, String)> {
    let mut answers = BTreeMap::new();
    for row in rows().filter(|row| row.method == "GET") {
        let Who::Roles(roles) = row.who else { continue };
        if roles.contains(&"AGENT") {
            let reply = scene.agent.get(&(row.call)(ids).path).await;
            answers.insert(row.path, (reply.status, reply.text));
        }
    }
    answers
}

#[tokio::test]
async fn every_documented_answer_that_shows_an_agent_a_customer_is_masked() {
    let scene = Scene::set().await;
    let ids = scene.ids().await;
    let documented = shows_customers(&scene.patchbay).await;
    let whole = answers(&scene, &ids).await;
    let mut looked_at = 0;
    for path in documented.iter().filter_map(|path| whole.get_key_value(path.as_str()).map(|(path, _)| *path)) {
        let (status, text) = &whole[path];
        assert_eq!(*status, 200, "{path} shows customers, and the walk must find one in it: {text}");
        assert!(tells(text).is_some(), "{path} is documented to show customers, and shows none: {text}");
        looked_at += 1;
    }
    assert!(looked_at >= 12, "only {looked_at} of {documented:?} are for agents");

    scene.mask(true).await;
    for (path, (_, text)) in answers(&scene, &ids).await {
        assert_eq!(tells(&text), None, "{path}: {text}");
    }
    assert_eq!(tells(&scene.patchbay.log()), None);
}

#[tokio::test]
async fn changes_of_chats_and_live_events_are_masked_for_an_agent_too() {
    let scene = Scene::set().await;
    scene.mask(true).await;
    let url = format!("{}/chat-service/api/v2/events", scene.patchbay.url().replace("http://", "ws://"));
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("authorization", scene.agent.key.parse().unwrap());
    let mut live = connect_async(request).await.unwrap().0;

    let mut kinds = BTreeSet::new();
    scene.phone.write(&scene.client.number, "are you there?").await;
    // If the message came after the chat is terminated, it would open the chat again.
    hear(&mut live, &["message.received"], &mut kinds).await;
    let answer = json!({ "participantId": scene.chat, "channel": "WHATSAPP", "text": "here", "tempId": "t-1" });
    let mut replies = vec![scene.agent.post(MESSAGES, &answer).await];
    for call in ["assign", "terminate", "open", "resolve"] {
        replies.push(scene.agent.post(&format!("{CHATS}/{}/{call}", scene.chat), &json!({})).await);
    }
    for reply in &replies {
        assert_eq!(reply.status, 200, "{}", reply.text);
        assert_eq!(tells(&reply.text), None, "{}", reply.text);
    }
    assert_eq!(replies[1].json()["phoneNumber"], "********877");

    let wanted = ["message.sent", "chat.closed", "chat.opened", "chat.changed"];
    hear(&mut live, &wanted, &mut kinds).await;
    assert_eq!(tells(&scene.patchbay.log()), None);
}

/// Waits for events of all these kinds, and checks that none of them identifies the customer.
async fn hear(live: &mut Live, wanted: &[&str], kinds: &mut BTreeSet<String>) {
    while !wanted.iter().all(|kind| kinds.contains(*kind)) {
        let said = tokio::time::timeout(std::time::Duration::from_secs(20), live.next()).await;
        let said = said.expect("it is told live").unwrap().unwrap();
        let Ok(text) = said.to_text() else { continue };
        assert_eq!(tells(text), None, "{text}");
        let Ok(event) = serde_json::from_str::<Value>(text) else { continue };
        kinds.insert(event["type"].as_str().unwrap().to_owned());
    }
}
