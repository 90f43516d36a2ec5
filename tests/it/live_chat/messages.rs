//! Messages of a chat: history, replies, the 24-hour window, typing and read receipts.

use harness::{Patchbay, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use super::{CHATS, Desk, MESSAGES, chat_of};

#[tokio::test]
async fn an_agents_answer_reaches_the_phone_and_is_in_the_history() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    thandi.does(&desk.chat, "assign").await.ok();
    let mut body = desk.text("How can I help?");
    (body["tempId"], body["ctId"]) = (json!("t-1"), json!("order-7"));

    let sent = thandi.client.post(MESSAGES, &body).await.ok();

    assert_eq!(
        (&sent["tempId"], &sent["ctId"], &sent["text"]),
        (&json!("t-1"), &json!("order-7"), &json!("How can I help?"))
    );
    assert_eq!((&sent["direction"], &sent["contentType"]), (&json!("OUTGOING"), &json!("TEXT")));
    assert_eq!((&sent["sender"], &sent["receiver"]), (&json!(desk.client.number), &json!(desk.phone.msisdn)));
    assert_eq!((&sent["userOriginated"], &sent["sequenceNumber"]), (&json!(true), &json!(2)));
    let came = desk.phone.receives("the answer", |message| message["text"] == "How can I help?").await;
    let past = eventually("the provider's id", || async {
        let past = desk.history().await;
        past[1].get("whatsAppMessageId").is_some().then_some(past)
    })
    .await;
    assert_eq!(past.len(), 2);
    assert_eq!((&past[0]["direction"], &past[0]["text"]), (&json!("INCOMING"), &json!("hello")));
    assert_eq!((&past[0]["sender"], &past[0]["messageOwner"]), (&json!(desk.phone.msisdn), &json!("CUSTOMER")));
    assert_eq!(past[1]["whatsAppMessageId"], came["id"]);
    let by_ct_id = desk.client.get(&format!("{MESSAGES}/ctid/order-7")).await.ok();
    assert_eq!(by_ct_id["id"], sent["id"]);
    let ctn = desk.chat().await["customerTrackingNumber"].as_str().unwrap().to_owned();
    let tracked = desk.client.get(&format!("{MESSAGES}/tracking/{ctn}")).await.ok();
    assert_eq!(tracked.as_array().unwrap().len(), 2);
    for message in &past {
        let gst_id = message["gstId"].as_str().unwrap();
        let tracked = desk.client.get(&format!("{MESSAGES}/tracking/{gst_id}")).await.ok();
        assert_eq!((tracked.as_array().unwrap().len(), &tracked[0]["id"]), (1, &message["id"]));
    }
}

#[tokio::test]
async fn the_same_temp_id_is_one_message_however_often_and_at_once_it_is_sent() {
    let desk = Desk::set().await;
    let mut body = desk.text("once");
    body["tempId"] = json!("any format, even this");
    let replies = futures::future::join_all((0..8).map(|_| desk.client.post(MESSAGES, &body))).await;
    let ids: Vec<Value> = replies.iter().map(|reply| reply.ok()["id"].clone()).collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    desk.phone.receives("it", |message| message["text"] == "once").await;
    assert_eq!(desk.history().await.len(), 2);
    desk.client.request(Method::POST, &format!("{CHATS}/{}/terminate", desk.chat), None, &[]).await.ok();
    let again = desk.client.post(MESSAGES, &body).await.ok();
    assert_eq!((&again["id"], &again["tempId"]), (&ids[0], &body["tempId"]), "also when the chat is closed since");
}

#[tokio::test]
async fn a_message_quotes_one_of_its_own_chat_only() {
    let desk = Desk::set().await;
    let other = desk.patchbay.new_phone();
    other.write(&desk.client.number, "another").await;
    let other = chat_of(&desk.client, &other).await;
    let first = |past: &[Value]| past[0]["whatsAppMessageId"].as_str().unwrap().to_owned();
    let theirs = desk.client.get(&format!("{MESSAGES}?participantId={other}")).await.ok();
    let mut body = desk.text("about that");
    let id = |past: &[Value]| past[0]["id"].as_str().unwrap().to_owned();
    let theirs = theirs.as_array().unwrap();
    for wrong in [first(theirs), id(theirs), "wamid.NONE".to_owned(), uuid::Uuid::nil().to_string()] {
        body["quotedExternalMessageId"] = json!(wrong);
        assert_eq!(desk.client.post(MESSAGES, &body).await.faulty_fields(), ["quotedExternalMessageId"]);
    }
    let own = first(&desk.history().await);
    body["quotedExternalMessageId"] = json!(own);
    let sent = desk.client.post(MESSAGES, &body).await.ok();
    assert_eq!((&sent["quotedExternalMessageId"], &sent["quotedText"]), (&json!(own), &json!("hello")));
    let came = desk.phone.receives("the quote", |message| message["text"] == "about that").await;
    assert!(came.to_string().contains(&own), "{came}");
    assert_eq!(desk.history().await.len(), 2, "a refused message is not there");
}

#[tokio::test]
async fn a_message_is_named_by_its_own_id_too_where_it_is_quoted_or_reacted_to() {
    let desk = Desk::set().await;
    let hello = desk.history().await.remove(0);
    let wamid = hello["whatsAppMessageId"].as_str().unwrap();
    let mut body = desk.text("about that");
    body["quotedExternalMessageId"] = hello["id"].clone();
    let sent = desk.client.post(MESSAGES, &body).await.ok();
    assert_eq!((&sent["quotedExternalMessageId"], &sent["quotedMessageId"]), (&json!(wamid), &hello["id"]));
    let came = desk.phone.receives("the quote", |message| message["text"] == "about that").await;
    assert_eq!(came["body"]["context"]["message_id"], wamid);
    let reaction = json!({ "externalMessageId": hello["id"], "emoji": "👍" });
    let body = json!({ "participantId": desk.chat, "channel": "WHATSAPP", "reaction": reaction });
    desk.client.post(MESSAGES, &body).await.ok();
    let came = desk.phone.receives("the reaction", |message| message["type"] == "reaction").await;
    assert_eq!(came["body"]["reaction"]["message_id"], wamid);
}

#[tokio::test]
async fn the_history_is_read_page_by_page() {
    let desk = Desk::set().await;
    for number in 0..4 {
        desk.client.post(MESSAGES, &desk.text(&format!("message {number}"))).await.ok();
    }
    let part = |query: &'static str| {
        let (client, chat) = (desk.client.clone(), desk.chat.clone());
        async move {
            let part = client.get(&format!("{MESSAGES}?participantId={chat}{query}")).await.ok();
            let part = part.as_array().unwrap().clone();
            part.iter().map(|message| message["sequenceNumber"].as_i64().unwrap()).collect::<Vec<_>>()
        }
    };
    assert_eq!(part("").await, [1, 2, 3, 4, 5]);
    assert_eq!(part("&size=2").await, [4, 5]);
    assert_eq!(part("&size=2&beforeSequence=4").await, [2, 3]);
    assert_eq!(part("&beforeSequence=1").await, [0; 0]);
    for (query, field) in [("&size=0", "size"), ("&size=1001", "size"), ("&beforeSequence=x", "beforeSequence")] {
        let path = format!("{MESSAGES}?participantId={}{query}", desk.chat);
        assert_eq!(desk.client.get(&path).await.faulty_fields(), [field]);
    }
    assert_eq!(desk.client.get(MESSAGES).await.faulty_fields(), ["participantId"]);
}

#[tokio::test]
async fn messages_sent_outside_live_chat_are_not_in_its_history() {
    let desk = Desk::set().await;
    let sent = desk.client.send(&desk.client.chat(&desk.phone.msisdn, "from our own desk")).await.accepted();
    assert_eq!(sent["acceptedCount"], 1);
    desk.client.send_unified(&desk.client.chat(&desk.phone.msisdn, "from our own bot")).await.accepted();
    desk.phone.receives("both", |message| message["text"] == "from our own bot").await;
    desk.phone.receives("both", |message| message["text"] == "from our own desk").await;
    assert_eq!(desk.history().await.len(), 1);
}

#[tokio::test]
async fn a_closed_chat_and_a_window_that_is_over_are_refused_before_sending_in_words() {
    let patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let phone = patchbay.phone("27820000001");
    phone.write(&client.number, "hello").await;
    let chat = chat_of(&client, &phone).await;
    let body = json!({ "participantId": chat, "channel": "WHATSAPP", "text": "too late?" });
    patchbay.advance_clock(24 * 3600 - 60).await;
    client.post(MESSAGES, &body).await.ok();
    patchbay.advance_clock(120).await;
    let late = client.post(MESSAGES, &body).await;
    assert_eq!((late.status, late.json()["message"].as_str().unwrap().contains("24 hours")), (409, true));
    client.request(Method::POST, &format!("{CHATS}/{chat}/terminate"), None, &[]).await.ok();
    let closed = client.post(MESSAGES, &body).await;
    assert_eq!((closed.status, closed.json()["message"].as_str().unwrap().contains("closed")), (409, true));
    let past = client.get(&format!("{MESSAGES}?participantId={chat}")).await.ok();
    assert_eq!(past.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn typing_and_read_receipts_reach_the_phone() {
    let desk = Desk::set().await;
    let path = |call: &str| format!("{MESSAGES}/{call}?participantId={}", desk.chat);
    assert_eq!(desk.chat().await["unreadCount"], 1);
    assert_eq!(desk.client.request(Method::POST, &path("read"), None, &[]).await.ok(), json!({ "shown": true }));
    assert_eq!(desk.chat().await["unreadCount"], 0);
    assert_eq!(desk.phone.state().await["typing"], false);
    assert_eq!(desk.client.request(Method::POST, &path("typing"), None, &[]).await.ok(), json!({ "shown": true }));
    assert_eq!(desk.phone.state().await["typing"], true);
}

#[tokio::test]
async fn a_location_is_sent_and_shown() {
    let desk = Desk::set().await;
    let mut body = desk.text("");
    body["location"] = json!({ "latitude": -26.1, "longitude": 28.05, "name": "Shop" });
    let sent = desk.client.post(MESSAGES, &body).await.ok();
    assert_eq!(
        (&sent["contentType"], &sent["latitude"], &sent["text"]),
        (&json!("LOCATION"), &json!(-26.1), &json!("Shop"))
    );
    desk.phone.receives("the place", |message| message["type"] == "location").await;
}

#[tokio::test]
async fn all_faults_of_a_message_are_named() {
    let desk = Desk::set().await;
    for (change, field) in [
        (json!({ "participantId": null }), "participantId"),
        (json!({ "channel": "SMS" }), "channel"),
        (json!({ "channel": "WEB" }), "channel"),
        (json!({ "text": "" }), "text"),
        (json!({ "text": "x".repeat(4097) }), "text"),
        (json!({ "mediaUrl": "javascript:alert(1)" }), "mediaUrl"),
    ] {
        let mut body = desk.text("hello");
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        assert_eq!(desk.client.post(MESSAGES, &body).await.faulty_fields(), [field], "{change}");
    }
    assert_eq!(desk.history().await.len(), 1);
}

#[tokio::test]
async fn unknown_fields_are_ignored_in_a_message_as_in_sends() {
    let desk = Desk::set().await;
    let mut body = desk.text("hello");
    body["colour"] = json!({ "nested": [1, 2.5, null] });
    assert_eq!(desk.client.post(MESSAGES, &body).await.ok()["text"], "hello");
    body["reaction"] = json!({ "externalMessageId": "wamid.1", "emogi": "👍" });
    let refused = desk.client.post(MESSAGES, &body).await;
    assert_eq!(refused.faulty_fields(), ["reaction.emogi"], "without its emoji a reaction would be taken back");
    assert_eq!(desk.history().await.len(), 2);
}

#[tokio::test]
async fn a_reaction_is_neither_quoted_nor_reacted_to() {
    let desk = Desk::set().await;
    let wamid = desk.history().await[0]["whatsAppMessageId"].clone();
    let mut reaction = json!({ "participantId": desk.chat, "channel": "WHATSAPP" });
    reaction["reaction"] = json!({ "externalMessageId": wamid, "emoji": "👍" });
    let reacted = desk.client.post(MESSAGES, &reaction).await.ok();
    let mut quote = desk.text("about that thumb");
    quote["quotedExternalMessageId"] = reacted["id"].clone();
    let refused = desk.client.post(MESSAGES, &quote).await;
    assert_eq!(refused.faulty_fields(), ["quotedExternalMessageId"]);
    assert!(refused.text.contains("is the id of a reaction"), "{}", refused.text);
    reaction["reaction"]["externalMessageId"] = reacted["id"].clone();
    assert_eq!(desk.client.post(MESSAGES, &reaction).await.faulty_fields(), ["reaction.externalMessageId"]);
    assert_eq!(desk.history().await.len(), 2, "a refused message is not there");
}

#[tokio::test]
async fn an_agent_reacts_and_takes_it_back_and_the_chat_still_waits_for_an_answer() {
    let desk = Desk::set().await;
    let thandi = desk.agent("thandi");
    assert_eq!(thandi.does(&desk.chat, "assign").await.status, 200);
    let wamid = desk.history().await[0]["whatsAppMessageId"].as_str().unwrap().to_owned();
    let react = |emoji: Value| {
        json!({ "participantId": desk.chat, "channel": "WHATSAPP",
                "reaction": { "externalMessageId": wamid, "emoji": emoji } })
    };
    let sent = thandi.client.post(MESSAGES, &react(json!("👍"))).await.ok();
    assert_eq!((&sent["text"], &sent["reactionTo"]), (&json!("👍"), &json!(wamid)));
    desk.phone.receives("the reaction", |message| message["type"] == "reaction" && message["text"] == "👍").await;
    thandi.client.post(MESSAGES, &react(Value::Null)).await.ok();
    desk.phone.receives("its end", |message| message["type"] == "reaction" && message["text"] == "").await;
    let ticket = desk.client.get("/chat-service/ticket/by-ticket-number?ticketNumber=1").await.ok();
    assert_eq!(ticket["status"], "OPEN", "a reaction is no answer");
    for (wrong, field) in [
        (json!({ "externalMessageId": "wamid.NONE", "emoji": "👍" }), "reaction.externalMessageId"),
        (json!({ "externalMessageId": wamid, "emoji": "ok" }), "reaction.emoji"),
    ] {
        let body = json!({ "participantId": desk.chat, "channel": "WHATSAPP", "reaction": wrong });
        assert_eq!(thandi.client.post(MESSAGES, &body).await.faulty_fields(), [field], "{body}");
    }
    assert_eq!(desk.history().await.len(), 3, "a refused message is not there");
}
