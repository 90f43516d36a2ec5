//! The fields of answers in SPEC 2.6, 2.7, 2.9, 2.10, 2.13 and CONTRACT 7. If a field is left out without a value, it
//! is never null.

use std::collections::BTreeSet;

use harness::{eventually, inbound_text};
use reqwest::Method;
use serde_json::{Value, json};

use super::{CHATS, Desk, MESSAGES};

const CONTACTS: &str = "/messaging-service/WhatsApp/contacts";

fn names(object: &Value) -> BTreeSet<&str> {
    object.as_object().unwrap_or_else(|| panic!("no object: {object}")).keys().map(String::as_str).collect()
}

fn has(object: &Value, fields: &[&str]) {
    let names = names(object);
    let missing: Vec<&&str> = fields.iter().filter(|field| !names.contains(**field)).collect();
    assert!(missing.is_empty(), "{missing:?} of {object}");
}

fn is(object: &Value, fields: &[&str]) {
    assert_eq!(names(object), fields.iter().copied().collect(), "{object}");
}

fn has_no_null(value: &Value) {
    match value {
        Value::Null => panic!("a null"),
        Value::Array(all) => all.iter().for_each(has_no_null),
        Value::Object(fields) => {
            for (name, value) in fields {
                assert!(!value.is_null(), "{name} is null");
                has_no_null(value);
            }
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn a_chat_has_the_fields_of_the_specification_and_omits_empty_ones() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    let waits = desk.chat().await;
    has(&waits, &["id", "phoneNumber", "userId", "name", "lastMessageTime"]);
    assert_eq!((waits.get("assignedTo"), waits.get("lastAssignedAgent")), (None, None));
    let taken = thandi.does(&desk.chat, "assign").await.ok();
    is(&taken["assignedTo"], &["id", "name", "email"]);
    let ended = thandi.does(&desk.chat, "terminate").await.ok();
    assert_eq!((ended.get("assignedTo"), &ended["lastAssignedAgent"]), (None, &taken["assignedTo"]));
    for chat in [&waits, &taken, &ended] {
        has_no_null(chat);
        for flag in [
            "conversationClosed",
            "missedConversation",
            "afterHoursConversation",
            "sendRatingWidget",
            "chatBotConversation",
        ] {
            assert!(chat[flag].is_boolean(), "{flag} of {chat}");
        }
    }
}

#[tokio::test]
async fn a_chat_names_the_parent_of_the_user_id_that_a_callback_named_and_keeps_it() {
    let desk = Desk::set().await;
    let user = desk.phone.user_id().await;
    let number = desk.phone.msisdn.as_str();
    let writes = |text: &'static str, parent: Value| {
        let mut value = inbound_text(&format!("wamid.{number}.{text}"), Some(number), Some(&user), text);
        value["messages"][0]["from_parent_user_id"] = parent;
        let (callback, patchbay) = (desk.client.callback(value), &desk.patchbay);
        async move { assert_eq!(patchbay.callback(&callback).await.status, 200) }
    };
    writes("one", json!("ZA.ENT.9")).await;
    let listed = || async {
        let page = desk.client.get(&format!("{CHATS}?scope=all&search={number}")).await.ok();
        let chat = page["content"][0].clone();
        (chat["parentUserId"] == "ZA.ENT.9").then_some(chat)
    };
    let chat = eventually("the parent", listed).await;
    assert_eq!((&chat["id"], &chat["userId"]), (&json!(desk.chat), &json!(user)));

    for (text, says_nothing) in [("two", Value::Null), ("three", json!("no user id"))] {
        writes(text, says_nothing).await;
        let last = || async { (desk.history().await.pop()?["text"] == text).then_some(()) };
        eventually("the next message", last).await;
        assert_eq!(desk.chat().await["parentUserId"], "ZA.ENT.9", "after {text}");
    }
}

#[tokio::test]
async fn a_message_has_the_fields_of_the_specification_and_omits_empty_ones() {
    let desk = Desk::set().await;
    let came = desk.history().await.remove(0);
    let every = ["id", "sequenceNumber", "direction", "contentType", "channel", "text", "createdTime"];
    let of_both = [&every[..], &["userOriginated", "messageOwner", "sender", "receiver"]].concat();
    has(&came, &of_both);
    assert!(came["whatsAppMessageId"].is_string(), "{came}");
    let mut body = desk.text("That one?");
    (body["tempId"], body["ctId"]) = (json!("t"), json!("c"));
    body["quotedExternalMessageId"] = came["whatsAppMessageId"].clone();
    let sent = desk.client.post(MESSAGES, &body).await.ok();
    has(&sent, &[&of_both[..], &["tempId", "ctId", "quotedExternalMessageId"]].concat());
    for message in [&came, &sent] {
        has_no_null(message);
        assert!(message["sequenceNumber"].is_i64() && message["userOriginated"].is_boolean(), "{message}");
        let time = message["createdTime"].as_str().unwrap();
        assert!(time.ends_with('Z') && chrono::DateTime::parse_from_rfc3339(time).is_ok(), "{time}");
    }
    for absent in ["fileExtension", "played", "playedTime", "facebookMessageId", "mediaUrl", "latitude"] {
        assert_eq!((came.get(absent), sent.get(absent)), (None, None), "{absent}");
    }
}

#[tokio::test]
async fn every_page_is_the_wrapper_of_the_specification() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    thandi.does(&desk.chat, "assign").await.ok();
    let tickets = format!(
        "/chat-service/ticket/search?page=0&size=7&startDateTime=2020-01-01T00:00:00Z&endDateTime=2100-01-01T00:00:00Z&clientRef={}",
        desk.client.client_ref
    );
    for path in [
        format!("{CHATS}?scope=all&size=7"),
        "/chat-service/ChatParticipant?size=7".to_owned(),
        tickets,
        format!("{CONTACTS}?size=7"),
        "/api/v1/users?size=7".to_owned(),
        "/api/v1/teams?size=7".to_owned(),
        "/api/v1/clients/me/children?size=7".to_owned(),
    ] {
        let page = desk.client.get(&path).await.ok();
        is(&page, &["content", "totalElements", "totalPages", "size", "number", "first", "last"]);
        let [total, pages] = ["totalElements", "totalPages"].map(|name| page[name].as_i64().unwrap());
        assert_eq!((&page["size"], &page["number"], &page["first"]), (&json!(7), &json!(0), &json!(true)), "{path}");
        assert_eq!(page["content"].as_array().unwrap().len(), usize::try_from(total).unwrap(), "{path}");
        assert_eq!((page["last"].as_bool(), pages), (Some(true), i64::from(total > 0)), "{path}: {page}");
    }
}

#[tokio::test]
async fn tickets_contacts_users_and_clients_have_the_fields_that_were_agreed_on() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    let taken = thandi.does(&desk.chat, "assign").await.ok();
    let tickets = format!(
        "/chat-service/ticket/search?page=0&size=10&startDateTime=2020-01-01T00:00:00Z&endDateTime=2100-01-01T00:00:00Z&clientRef={}",
        desk.client.client_ref
    );
    let ticket = desk.client.get(&tickets).await.ok()["content"][0].clone();
    is(
        &ticket,
        &[
            "id",
            "ticketNumber",
            "status",
            "participantId",
            "phoneNumber",
            "customerName",
            "whatsAppNumber",
            "clientRef",
            "agentId",
            "agentName",
            "rating",
            "createdTime",
            "updatedTime",
            "closedTime",
        ],
    );
    assert_eq!((&ticket["participantId"], &ticket["agentId"]), (&taken["id"], &json!(thandi.id)));
    assert!(ticket["ticketNumber"].is_string() && ticket["rating"].is_null(), "{ticket}");

    let contact = json!({ "fullName": "Thandi", "phoneNumber": desk.phone.msisdn });
    let contact = desk.client.post(CONTACTS, &contact).await.json();
    is(&contact, &["id", "fullName", "phoneNumber", "customerUserId", "createdTime", "attributes"]);

    let user = desk.client.get("/api/v1/users/me").await.ok();
    has(&user, &["id", "email", "name", "role", "team", "available", "chatLimit", "createdTime"]);
    let client = desk.client.get("/api/v1/clients/me").await.ok();
    has(&client, &["clientRef", "displayName", "parentRef", "popiaCompliant", "smsFallback", "createdTime"]);
    is(&client["smsFallback"], &["enabled", "smsUsername"]);
}

#[tokio::test]
async fn html_in_a_text_stays_text_and_no_browser_renders_an_answer_as_a_page() {
    let desk = Desk::set().await;
    let html = "<img src=x onerror=alert(1)>\"'&<script>alert(1)</script>";
    let named = |field: &str| json!({ field: html });
    let client = &desk.client;
    desk.phone.write(&client.number, html).await;
    client.post(MESSAGES, &desk.text(html)).await.ok();
    let mut contact = named("fullName");
    contact["phoneNumber"] = json!(desk.phone.msisdn);
    let contact = client.post(CONTACTS, &contact).await;
    let team = client.post("/api/v1/teams", &named("name")).await;
    let mut user = named("name");
    (user["email"], user["role"], user["team"]) = (json!("html@example.org"), json!("AGENT"), json!(html));
    let user = client.post("/api/v1/users", &user).await;
    let renamed = client.request(Method::PUT, "/api/v1/clients/me", Some(&named("displayName")), &[]).await;
    let mut site = named("name");
    site["origins"] = json!(["https://shop.example"]);
    let site = client.post("/messaging-service/web/sites", &site).await;
    for (made, field) in [
        (&contact, "fullName"),
        (&team, "name"),
        (&user, "name"),
        (&user, "team"),
        (&renamed, "displayName"),
        (&site, "name"),
    ] {
        assert!(made.status < 300, "{field}: {}", made.json());
        assert_eq!(made.json()[field], html);
    }
    // An error text can repeat a part of the request.
    let refused =
        client.get("/chat-service/ticket/by-ticket-number?ticketNumber=%3Cscript%3Ealert(1)%3C/script%3E").await;
    let unknown = client.get("/no/such/%3Cscript%3Ealert(1)%3C/script%3E").await;
    assert_eq!((refused.status, unknown.status), (404, 404));
    let chats = client.get(&format!("{CHATS}?scope=all")).await;
    let history = eventually("the messages of both sides", || async {
        let history = client.get(&format!("{MESSAGES}?participantId={}", desk.chat)).await;
        let said = history.json().as_array().unwrap().iter().filter(|message| message["text"] == html).count();
        (said == 2).then_some(history)
    })
    .await;
    assert_eq!(chats.json()["content"][0]["name"], html);
    for answer in [&contact, &team, &user, &renamed, &site, &refused, &unknown, &chats, &history] {
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
}
