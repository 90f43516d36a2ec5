//! Internal notes, viewers of chats, canned replies, counts of lists, and the customer of a chat.

use reqwest::Method;
use serde_json::{Value, json};

use super::{Agent, CHATS, Desk, MESSAGES};
use crate::live_events::{socket, until};

const REPLIES: &str = "/chat-service/api/v2/canned-replies";

fn notes(desk: &Desk) -> String {
    format!("{CHATS}/{}/notes", desk.chat)
}

fn viewers(desk: &Desk) -> String {
    format!("{CHATS}/{}/viewers", desk.chat)
}

fn texts(page: &Value) -> Vec<&str> {
    page["content"].as_array().unwrap().iter().map(|note| note["text"].as_str().unwrap()).collect()
}

async fn watch(desk: &Desk, agent: &Agent) -> crate::live_events::Socket {
    let mut live = socket(&desk.patchbay.url(), "", &agent.client.key).await;
    until(&mut live, "hello").await;
    live
}

#[tokio::test]
async fn a_note_is_for_users_and_in_no_history() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    let mut live = watch(&desk, &thandi).await;

    let written = desk.client.post(&notes(&desk), &json!({ "text": "a difficult customer" })).await;

    assert_eq!(written.status, 201, "{}", written.text);
    let event = until(&mut live, "note.written").await.pop().unwrap();
    assert_eq!((&event["note"]["id"], &event["note"]["text"]), (&written.json()["id"], &json!("a difficult customer")));
    assert_eq!(event["chat"]["id"], desk.chat);
    let listed = thandi.client.get(&notes(&desk)).await.ok();
    assert_eq!(texts(&listed), ["a difficult customer"]);
    let history = json!(desk.history().await).to_string();
    assert!(!history.contains("difficult"), "{history}");
    let outbox = desk.phone.inbox().await;
    assert!(!format!("{outbox:?}").contains("difficult"));
    for bad in [json!({}), json!({ "text": " " }), json!({ "text": "x".repeat(4_001) })] {
        assert_eq!(desk.client.post(&notes(&desk), &bad).await.faulty_fields(), ["text"]);
    }
}

#[tokio::test]
async fn a_mentioned_user_finds_the_note_whichever_chats_it_sees() {
    let desk = Desk::set().await;
    let (thandi, nomsa) = (desk.agent("thandi"), desk.agent("nomsa"));
    thandi.does(&desk.chat, "assign").await.ok();
    let mut live = watch(&desk, &nomsa).await;

    let body = json!({ "text": "@nomsa, please help", "mentions": [nomsa.id] });
    assert_eq!(thandi.client.post(&notes(&desk), &body).await.status, 201);

    let event = until(&mut live, "note.written").await.pop().unwrap();
    assert_eq!(event["note"]["mentions"], json!([{ "id": nomsa.id, "name": "AGENT" }]));
    let mentions = "/chat-service/api/v2/mentions";
    assert_eq!(texts(&nomsa.client.get(mentions).await.ok()), ["@nomsa, please help"]);
    assert!(texts(&thandi.client.get(mentions).await.ok()).is_empty());
    let unknown = json!({ "text": "hi", "mentions": [uuid::Uuid::nil()] });
    assert_eq!(thandi.client.post(&notes(&desk), &unknown).await.faulty_fields(), ["mentions"]);
}

#[tokio::test]
async fn a_whisper_is_for_the_agent_of_the_chat_and_users_above_agents() {
    let desk = Desk::set().await;
    let (thandi, nomsa) = (desk.agent("thandi"), desk.agent("nomsa"));
    desk.team("Sales", &[&thandi, &nomsa]).await;
    let whisper = json!({ "text": "offer a discount", "whisper": true, "mentions": [thandi.id, nomsa.id] });
    assert_eq!(desk.client.post(&notes(&desk), &whisper).await.status, 409, "no agent has the chat");
    thandi.does(&desk.chat, "assign").await.ok();
    assert_eq!(nomsa.client.post(&notes(&desk), &whisper).await.status, 403);
    let (mut agent, mut other) = (watch(&desk, &thandi).await, watch(&desk, &nomsa).await);

    let written = desk.client.post(&notes(&desk), &whisper).await.json();
    desk.client.post(&notes(&desk), &json!({ "text": "for all" })).await;

    assert_eq!(written["whisperTo"]["id"], thandi.id);
    assert_eq!(written["mentions"], json!([{ "id": thandi.id, "name": "AGENT" }]), "others are left out");
    let heard = until(&mut agent, "note.written").await.pop().unwrap();
    assert_eq!(heard["note"]["text"], "offer a discount");
    let heard = until(&mut other, "note.written").await.pop().unwrap();
    assert_eq!(heard["note"]["text"], "for all", "the whisper was for another agent");
    assert_eq!(texts(&thandi.client.get(&notes(&desk)).await.ok()), ["for all", "offer a discount"]);
    assert_eq!(texts(&nomsa.client.get(&notes(&desk)).await.ok()), ["for all"]);
    assert_eq!(texts(&desk.client.get(&notes(&desk)).await.ok()), ["for all", "offer a discount"]);
    let mentions = "/chat-service/api/v2/mentions";
    assert_eq!(texts(&thandi.client.get(mentions).await.ok()), ["offer a discount"]);
    assert!(texts(&nomsa.client.get(mentions).await.ok()).is_empty());
}

#[tokio::test]
async fn others_see_who_looks_at_a_chat_and_writes_in_it() {
    let desk = Desk::set().await;
    let (thandi, nomsa) = (desk.agent("thandi"), desk.agent("nomsa"));
    let mut live = watch(&desk, &nomsa).await;

    let alone = thandi.client.post(&viewers(&desk), &json!({})).await.ok();

    assert_eq!(alone["viewers"], json!([{ "id": thandi.id, "name": "AGENT", "writing": false }]));
    let event = until(&mut live, "chat.viewers").await.pop().unwrap();
    assert_eq!(event["viewers"], alone["viewers"]);
    thandi.client.post(&viewers(&desk), &json!({ "writing": true })).await.ok();
    let event = until(&mut live, "chat.viewers").await.pop().unwrap();
    assert_eq!(event["viewers"][0]["writing"], true);
    let both = nomsa.client.post(&viewers(&desk), &json!({})).await.ok();
    assert_eq!(both["viewers"].as_array().unwrap().len(), 2);

    assert_eq!(thandi.client.request(Method::DELETE, &viewers(&desk), None, &[]).await.status, 204);

    let left = nomsa.client.get(&viewers(&desk)).await.ok();
    assert_eq!(left["viewers"], json!([{ "id": nomsa.id, "name": "AGENT", "writing": false }]));
}

#[tokio::test]
async fn the_sizes_of_all_lists_come_in_one_answer() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    let counts = async || thandi.client.get(&format!("{CHATS}/counts")).await.ok();
    let waits = counts().await;
    assert_eq!(
        waits,
        json!({
            "my": 0, "team": 0, "unassigned": 1, "closed": 0, "missed-agent": 0, "missed-after-hours": 0,
            "my-missed": 0, "open": 1, "all": 1,
        })
    );
    thandi.does(&desk.chat, "assign").await.ok();
    let taken = counts().await;
    assert_eq!((&taken["my"], &taken["unassigned"], &taken["open"]), (&json!(1), &json!(0), &json!(1)));
    thandi.does(&desk.chat, "resolve").await.ok();
    let resolved = counts().await;
    assert_eq!((&resolved["my"], &resolved["closed"], &resolved["open"]), (&json!(0), &json!(1), &json!(0)));
}

async fn reply(desk: &Desk, body: &Value) -> String {
    let made = desk.client.post(REPLIES, body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    made.json()["id"].as_str().unwrap().to_owned()
}

fn shortcuts(page: &Value) -> Vec<&str> {
    page["content"].as_array().unwrap().iter().map(|reply| reply["shortcut"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_agent_has_the_replies_of_all_teams_and_of_its_own() {
    let desk = Desk::set().await;
    let (thandi, nomsa) = (desk.agent("thandi"), desk.agent("nomsa"));
    let sales = desk.team("Sales", &[&thandi]).await;
    let body = json!({ "shortcut": "hours", "text": "Öffnungszeiten: 8 to 17." });
    let hours = reply(&desk, &body).await;
    let offer = reply(&desk, &json!({ "shortcut": "offer", "text": "Our offer", "teamId": sales })).await;

    assert_eq!(shortcuts(&thandi.client.get(REPLIES).await.ok()), ["hours", "offer"]);
    assert_eq!(shortcuts(&nomsa.client.get(REPLIES).await.ok()), ["hours"]);
    assert_eq!(shortcuts(&thandi.client.get(&format!("{REPLIES}?search=OFFNUNG")).await.ok()), ["hours"]);
    assert_eq!(desk.client.post(REPLIES, &body).await.status, 409, "the shortcut is taken");
    let fill = json!({ "participantId": desk.chat });
    assert_eq!(nomsa.client.post(&format!("{REPLIES}/{offer}/fill"), &fill).await.status, 404);

    let path = format!("{REPLIES}/{hours}");
    let changed = json!({ "shortcut": "open", "text": "8 to 18" });
    let changed = desk.client.request(Method::PUT, &path, Some(&changed), &[]).await.ok();
    assert_eq!((&changed["shortcut"], &changed["teamId"]), (&json!("open"), &Value::Null));
    assert_eq!(desk.client.request(Method::DELETE, &path, None, &[]).await.status, 204);
    assert_eq!(desk.client.request(Method::DELETE, &path, None, &[]).await.status, 404);
    assert_eq!(shortcuts(&desk.client.get(REPLIES).await.ok()), ["offer"]);
}

#[tokio::test]
async fn a_reply_gets_the_values_of_a_chat() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    let contact = json!({ "fullName": "Zodwa", "phoneNumber": desk.phone.msisdn });
    desk.client.post("/messaging-service/WhatsApp/contacts", &contact).await;
    let text = "Hello {{customer.name}}, this is {{agent.name}} about {{ticket.number}}.";
    let id = reply(&desk, &json!({ "shortcut": "hi", "text": text })).await;

    let path = format!("{REPLIES}/{id}/fill");
    let filled = thandi.client.post(&path, &json!({ "participantId": desk.chat })).await.ok();

    assert_eq!(filled["text"], "Hello Zodwa, this is AGENT about .");
    assert_eq!(filled["missing"], json!(["ticket.number"]));
    assert!(
        desk.client.get(&format!("{MESSAGES}?participantId={}", desk.chat)).await.ok()[1].is_null(),
        "nothing is sent"
    );
    assert_eq!(thandi.client.post(&path, &json!({ "participantId": "x" })).await.faulty_fields(), ["participantId"]);
}

#[tokio::test]
async fn the_customer_of_a_chat_has_a_contact_and_all_its_chats() {
    let desk = Desk::set().await;
    let path = format!("{CHATS}/{}/customer", desk.chat);
    let unknown = desk.client.get(&path).await.ok();
    assert_eq!((&unknown["contactId"], &unknown["tags"]), (&Value::Null, &json!([])));
    assert_eq!(unknown["chats"][0]["id"], desk.chat);

    let contact = json!({ "fullName": "Zodwa", "phoneNumber": desk.phone.msisdn });
    let contact = desk.client.post("/messaging-service/WhatsApp/contacts", &contact).await.json();

    let known = desk.client.get(&path).await.ok();
    assert_eq!((&known["contactId"], &known["fullName"]), (&contact["id"], &json!("Zodwa")));
}
