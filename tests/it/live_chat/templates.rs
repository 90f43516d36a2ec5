//! Templates that agents send in their chats: in or out of the window, by the rules of a send request.

use harness::{Patchbay, TestClient, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Agent, CHATS, Desk, MESSAGES, chat_of};

const HOUR: u64 = 3600;

fn order_ready(client: &TestClient) -> Value {
    json!({
        "templateId": client.template_id("order_ready"),
        "templateName": "order_ready",
        "components": [
            { "type": "body", "parameters": ["Thandi", "#42"] },
            { "type": "button", "parameters": ["42"] },
        ],
        "tempId": "t-1",
        "ctId": "c-1",
    })
}

fn welcome(client: &TestClient) -> Value {
    json!({ "templateId": client.template_id("welcome"), "templateName": "welcome" })
}

fn path(chat: &str) -> String {
    format!("{CHATS}/{chat}/template")
}

#[tokio::test]
async fn an_agent_sends_a_template_once_and_finds_it_in_the_chat_with_its_receipt() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    thandi.does(&desk.chat, "assign").await.ok();
    let sent = thandi.client.post(&path(&desk.chat), &order_ready(&desk.client)).await.ok();
    let text = "Hi Thandi, order #42 is ready.";
    assert!(sent["text"].as_str().unwrap().starts_with(text), "{sent}");
    assert_eq!(
        (&sent["direction"], &sent["tempId"], &sent["ctId"]),
        (&json!("OUTGOING"), &json!("t-1"), &json!("c-1"))
    );
    assert_eq!(sent["userOriginated"], true);
    let again = thandi.client.post(&path(&desk.chat), &order_ready(&desk.client)).await.ok();
    assert_eq!(again["id"], sent["id"]);

    desk.phone.receives("the template", |message| message["type"] == "template").await;
    let delivered = || async {
        let last = desk.history().await.pop()?;
        (last["id"] == sent["id"] && last["status"] == "DELIVERED").then_some(())
    };
    eventually("the receipt", delivered).await;
    assert_eq!(desk.history().await.len(), 2);
    let templates = desk.phone.inbox().await.into_iter().filter(|message| message["type"] == "template");
    assert_eq!(templates.count(), 1);
    let found = desk.client.get(&format!("{MESSAGES}/ctid/c-1")).await.ok();
    assert_eq!(found["id"], sent["id"]);
}

#[tokio::test]
async fn a_template_is_checked_as_in_a_send_request() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    thandi.does(&desk.chat, "assign").await.ok();
    let faults = |change: fn(&mut Value)| {
        let mut body = order_ready(&desk.client);
        change(&mut body);
        let (client, path) = (thandi.client.clone(), path(&desk.chat));
        async move { client.post(&path, &body).await.faulty_fields() }
    };
    assert_eq!(faults(|body| body["templateId"] = json!("1")).await, ["templateId"]);
    assert_eq!(faults(|body| body["templateName"] = json!("invoice")).await, ["templateName"]);
    assert_eq!(faults(|body| body["tempId"] = json!("")).await, ["tempId"]);
    let missing = faults(|body| *body = json!({})).await;
    assert_eq!(missing, ["templateId", "templateName"]);
    let fewer = faults(|body| body["components"][0]["parameters"] = json!(["Thandi"])).await;
    assert!(fewer.len() == 1 && fewer[0].starts_with("components"), "{fewer:?}");
    let link = json!([{ "type": "header", "format": "IMAGE", "url": "javascript:alert(1)" }]);
    let mut unsafe_link = order_ready(&desk.client);
    unsafe_link["components"] = link;
    assert_eq!(thandi.client.post(&path(&desk.chat), &unsafe_link).await.faulty_fields(), ["components[0].url"]);
    let paused = json!({ "templateId": desk.client.template_id("paused_offer"), "templateName": "paused_offer" });
    assert_eq!(thandi.client.post(&path(&desk.chat), &paused).await.faulty_fields(), ["templateId"]);
    assert_eq!(desk.history().await.len(), 1, "nothing was sent");
}

#[tokio::test]
async fn only_those_who_may_write_in_the_chat_send_templates() {
    let desk = Desk::set().await;
    let (thandi, sipho) = (desk.agent("thandi"), desk.agent("sipho"));
    thandi.does(&desk.chat, "assign").await.ok();
    let refused = sipho.client.post(&path(&desk.chat), &order_ready(&desk.client)).await;
    assert_eq!(refused.status, 409);
    assert!(refused.json()["message"].as_str().unwrap().contains("has this chat"), "{}", refused.json());
    thandi.does(&desk.chat, "resolve").await.ok();
    assert_eq!(thandi.client.post(&path(&desk.chat), &order_ready(&desk.client)).await.status, 409, "it is closed");
}

#[tokio::test]
async fn blocked_customers_and_those_who_stopped_marketing_get_no_template() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    thandi.does(&desk.chat, "assign").await.ok();
    let stop = json!({
        "type": "user_preferences", "phoneNumberId": format!("1{}", desk.client.number), "msisdn": desk.phone.msisdn,
        "value": "stop",
    });
    desk.patchbay.simulate("/simulator/events", &stop).await;
    let refused = || async {
        let refused = thandi.client.post(&path(&desk.chat), &welcome(&desk.client)).await;
        let said = refused.json()["message"].as_str().unwrap_or_default().contains("marketing");
        (refused.status == 409 && said).then_some(())
    };
    eventually("the stop", refused).await;
    thandi.client.post(&path(&desk.chat), &order_ready(&desk.client)).await.ok();

    let block = json!({ "recipients": [desk.phone.msisdn] });
    desk.client.post("/messaging-service/WhatsApp/blocklist", &block).await;
    let mut body = order_ready(&desk.client);
    body["tempId"] = json!("t-2");
    let refused = thandi.client.post(&path(&desk.chat), &body).await;
    assert_eq!(refused.status, 409);
    assert!(refused.json()["message"].as_str().unwrap().contains("blocklist"), "{}", refused.json());
}

#[tokio::test]
async fn a_template_needs_no_open_window() {
    let patchbay = Patchbay::start().await;
    let (client, phone) = (patchbay.client("acme", "27110000001").await, patchbay.phone("27820000001"));
    phone.write(&client.number, "hello").await;
    let chat = chat_of(&client, &phone).await;
    let thandi = Agent::of(&client, &patchbay.new_user("acme", "thandi@acme.example", "AGENT"));
    thandi.client.request(Method::POST, &format!("{CHATS}/{chat}/assign"), None, &[]).await.ok();
    patchbay.advance_clock(25 * HOUR).await;
    let text = json!({ "participantId": chat, "channel": "WHATSAPP", "text": "too late" });
    assert_eq!(thandi.client.post(MESSAGES, &text).await.status, 409);
    thandi.client.post(&path(&chat), &order_ready(&client)).await.ok();
    phone.receives("the template", |message| message["type"] == "template").await;
}
