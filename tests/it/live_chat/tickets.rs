//! Tickets: opened when an agent takes a chat, changed by events of the chat, and found by search.

use harness::{TestClient, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use super::{CHATS, Desk, MESSAGES};

const TICKETS: &str = "/chat-service/ticket";

fn search(client: &TestClient, more: &str) -> String {
    let client_ref = &client.client_ref;
    format!(
        "{TICKETS}/search?page=0&size=10&startDateTime=2020-01-01T00:00:00Z&endDateTime=2100-01-01T00:00:00Z&clientRef={client_ref}{more}"
    )
}

pub(super) async fn found(client: &TestClient, more: &str) -> Vec<Value> {
    client.get(&search(client, more)).await.ok()["content"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_ticket_follows_its_chat() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    assert!(found(&desk.client, "").await.is_empty(), "no agent has taken the chat");
    thandi.does(&desk.chat, "assign").await.ok();
    let opened = &found(&desk.client, "").await[0];
    assert_eq!((&opened["ticketNumber"], &opened["status"]), (&json!("1"), &json!("OPEN")));
    assert_eq!((&opened["agentId"], &opened["participantId"]), (&json!(thandi.id), &json!(desk.chat)));
    assert_eq!(
        (&opened["phoneNumber"], &opened["whatsAppNumber"]),
        (&json!(desk.phone.msisdn), &json!(desk.client.number))
    );
    assert_eq!((&opened["clientRef"], &opened["rating"]), (&json!(desk.client.client_ref), &Value::Null));

    thandi.client.post(MESSAGES, &desk.text("How can I help?")).await.ok();
    assert_eq!(found(&desk.client, "").await[0]["status"], "AWAITING_CUSTOMER");
    desk.phone.write(&desk.client.number, "like this").await;
    let waits = eventually("the ticket to wait for the agent", || async {
        found(&desk.client, "&selectedStatus=awaiting%20agent").await.pop()
    })
    .await;
    assert_eq!(waits["id"], opened["id"]);
    thandi.does(&desk.chat, "resolve").await.ok();
    let solved = &found(&desk.client, "").await[0];
    assert_eq!((&solved["status"], solved["closedTime"].is_string()), (&json!("RESOLVED"), true));

    thandi.does(&desk.chat, "open").await.ok();
    thandi.does(&desk.chat, "terminate").await.ok();
    let tickets = found(&desk.client, "").await;
    assert_eq!((&tickets[0]["ticketNumber"], &tickets[0]["status"]), (&json!("2"), &json!("CLOSED")));
    assert_eq!(tickets[1]["status"], "RESOLVED", "each episode has its own");
}

#[tokio::test]
async fn a_ticket_gets_any_status_by_hand_and_is_found_by_its_number() {
    let desk = Desk::set().await;
    desk.agent("thandi").does(&desk.chat, "assign").await.ok();
    let ticket = found(&desk.client, "").await[0].clone();
    let id = ticket["id"].as_str().unwrap();
    for status in ["AWAITING_AGENT", "RESOLVED", "CLOSED", "OPEN", "AWAITING_CUSTOMER"] {
        let path = format!("{TICKETS}/{id}/status?newStatus={status}");
        let moved = desk.client.request(Method::PUT, &path, None, &[]).await.ok();
        let over = matches!(status, "RESOLVED" | "CLOSED");
        assert_eq!((&moved["status"], moved["closedTime"].is_string()), (&json!(status), over));
    }
    let path = |query: &str| format!("{TICKETS}/{id}/status{query}");
    for query in ["", "?newStatus=open", "?newStatus=DONE"] {
        assert_eq!(desk.client.request(Method::PUT, &path(query), None, &[]).await.faulty_fields(), ["newStatus"]);
    }
    let by_number = |number: &str| format!("{TICKETS}/by-ticket-number?ticketNumber={number}");
    assert_eq!(desk.client.get(&by_number("1")).await.ok()["id"], id);
    assert_eq!(desk.client.get(&by_number("2")).await.status, 404);
    assert_eq!(desk.client.get(&by_number("x")).await.status, 404);
    assert_eq!(desk.client.get(&format!("{TICKETS}/by-ticket-number")).await.faulty_fields(), ["ticketNumber"]);
}

#[tokio::test]
async fn a_search_wants_its_parameters_and_knows_only_the_callers_clients() {
    let desk = Desk::set().await;
    desk.agent("thandi").does(&desk.chat, "assign").await.ok();
    let none = desk.client.get(&format!("{TICKETS}/search")).await;
    assert_eq!(none.faulty_fields(), ["page", "size", "startDateTime", "endDateTime", "clientRef"]);
    let number = &desk.client.number;
    for (more, expected) in [
        (format!("&whatsAppNumber={number}"), 1),
        ("&whatsAppNumber=27999999999".to_owned(), 0),
        ("&ticketNumber=1".to_owned(), 1),
        ("&ticketNumber=9".to_owned(), 0),
        ("&selectedStatus=open".to_owned(), 1),
        ("&selectedStatus=resolved".to_owned(), 0),
        ("&rating=poor".to_owned(), 0),
        (format!("&agentId={}", desk.chat), 0),
        (format!("&participantId={}", desk.chat), 1),
        (format!("&participantId={}&customer=nemo", desk.chat), 0),
        (format!("&participantId={}&customer={}", desk.chat, desk.phone.msisdn), 1),
        (format!("&participantId={}", uuid::Uuid::nil()), 0),
        ("&participantId=nemo".to_owned(), 0),
        (format!("&customer={}", &desk.phone.msisdn[4..9]), 1),
        (format!("&customer=%2B{}", desk.phone.msisdn), 1),
        ("&customer=".to_owned(), 1),
        ("&customer=nemo".to_owned(), 0),
        (format!("&customer={}&selectedStatus=resolved", desk.phone.msisdn), 0),
    ] {
        assert_eq!(found(&desk.client, &more).await.len(), expected, "{more}");
    }
    let other = Desk::set().await;
    let theirs = other.client.get(&search(&desk.client, "")).await.ok();
    assert_eq!((&theirs["content"], &theirs["totalElements"]), (&json!([]), &json!(0)));
}

#[tokio::test]
async fn tickets_and_mentions_name_the_customer_as_chats_do() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    thandi.does(&desk.chat, "assign").await.ok();
    let note = json!({ "text": "please help", "mentions": [thandi.id] });
    assert_eq!(desk.client.post(&format!("{CHATS}/{}/notes", desk.chat), &note).await.status, 201);
    let named = async || {
        let mention = thandi.client.get("/chat-service/api/v2/mentions").await.ok()["content"][0].clone();
        let ticket = found(&desk.client, "").await.remove(0);
        [mention["customerName"].clone(), ticket["customerName"].clone()]
    };
    let own = desk.chat().await["name"].clone();
    assert!(own.is_string());
    assert_eq!(named().await, [own.clone(), own]);

    let contact = json!({ "fullName": "Zodwa", "phoneNumber": desk.phone.msisdn });
    assert_eq!(desk.client.post("/messaging-service/WhatsApp/contacts", &contact).await.status, 201);

    assert_eq!(named().await, ["Zodwa", "Zodwa"]);
}

#[tokio::test]
async fn a_ticket_and_a_mention_of_a_customer_without_a_name_have_none() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    thandi.does(&desk.chat, "assign").await.ok();
    let note = json!({ "text": "please help", "mentions": [thandi.id] });
    assert_eq!(desk.client.post(&format!("{CHATS}/{}/notes", desk.chat), &note).await.status, 201);
    let mut db = desk.patchbay.database().await;
    let forget = "UPDATE customer SET full_name = NULL
                  WHERE id = (SELECT customer_id FROM participant WHERE id = $1)";
    let chat: uuid::Uuid = desk.chat.parse().unwrap();
    sqlx::query(forget).bind(chat).execute(&mut db).await.unwrap();

    let mention = thandi.client.get("/chat-service/api/v2/mentions").await.ok()["content"][0].clone();
    assert_eq!((&mention["text"], mention.get("customerName")), (&json!("please help"), None));
    assert_eq!(found(&desk.client, "").await[0].get("customerName"), Some(&Value::Null));
}
