//! Chats of visitors with chatbots and agents: order, resumption, tabs, nodes, files, choices, receipts.

use futures::StreamExt;
use harness::{TestVisitor, eventually, guest, visitors::new_key};
use serde_json::{Value, json};

use super::{ORIGIN, count, stage, with_form};

#[tokio::test]
async fn a_visitor_writes_and_a_bot_answers_and_both_webhooks_tell_of_the_channel_web() {
    let (patchbay, client, sink) = stage().await;
    client.activate("clerk").await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    assert_eq!(visitor.session["chat"], Value::Null);
    assert_eq!(count(&patchbay, &client, "web_visitor").await, 0, "nothing is stored of a visitor who only looks");
    visitor.writes("say <b>hello</b>").await;
    let said = visitor.sees("<b>hello</b>").await;
    assert_eq!((&said["from"], &said["content"]["kind"]), (&json!("bot"), &json!("text")));
    assert_eq!(visitor.texts(), ["say <b>hello</b>", "<b>hello</b>"]);
    let incoming = sink.receives("incoming", "the words", |body| body["text"] == "say <b>hello</b>").await;
    assert_eq!((&incoming["receiver"], &incoming["senderUserId"]), (&json!(site.key), &visitor.session["visitor"]));
    let outgoing = sink.receives("chatbot", "the answer", |body| body["messageText"] == "<b>hello</b>").await;
    assert_eq!(outgoing["direction"], "OUTGOING");
    let mut db = patchbay.database().await;
    let channel: String = sqlx::query_scalar(
        "SELECT channel FROM participant WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)",
    )
    .bind(&client.client_ref)
    .fetch_one(&mut db)
    .await
    .unwrap();
    assert_eq!(channel, "WEB");
}

#[tokio::test]
async fn a_socket_that_was_cut_is_followed_by_one_that_misses_nothing_and_shows_nothing_twice() {
    let (patchbay, client, _) = stage().await;
    client.activate("clerk").await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    visitor.writes("say one").await;
    visitor.sees("one").await;
    let mut other = visitor.again(&patchbay.url()).await;
    other.sees("one").await;
    for round in 0..20 {
        visitor.cut();
        other.writes(&format!("say round {round}")).await;
        visitor.connect().await;
        visitor.sees(&format!("round {round}")).await;
        other.sees(&format!("round {round}")).await;
    }
    let sequences: Vec<i64> = visitor.shown.iter().map(|message| message["sequence"].as_i64().unwrap()).collect();
    assert_eq!(sequences, (1..=42).collect::<Vec<i64>>());
    assert_eq!(visitor.texts(), other.texts(), "both tabs show the same");
}

#[tokio::test]
async fn a_message_that_is_sent_again_under_its_key_is_stored_once() {
    let (patchbay, client, _) = stage().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    let key = new_key();
    let frame = json!({ "type": "text", "key": key, "text": "hello" });
    visitor.send(frame.clone()).await;
    let first = visitor.taken(&key).await;
    visitor.cut();
    visitor.connect().await;
    visitor.send(frame.clone()).await;
    let again = visitor.taken(&key).await;
    assert_eq!((&first["id"], &first["sequence"]), (&again["id"], &again["sequence"]));
    // Two tabs send the same outbox at once.
    let mut tab = visitor.again(&patchbay.url()).await;
    let key = new_key();
    let frame = json!({ "type": "text", "key": key, "text": "both at once" });
    tokio::join!(tab.send(frame.clone()), visitor.send(frame));
    assert_eq!(tab.taken(&key).await["id"], visitor.taken(&key).await["id"]);
    assert_eq!(count(&patchbay, &client, "chat_message").await, 2);
    assert_eq!(visitor.sees("both at once").await["key"], json!(key));
}

#[tokio::test]
async fn messages_of_one_node_are_shown_on_another() {
    let (patchbay, client, _) = stage().await;
    client.activate("clerk").await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let mut here = TestVisitor::arrive(&patchbay, &site).await;
    let node = patchbay.second_node().await;
    let mut there = here.again(&node.url).await;
    here.writes("twice tea").await;
    there.sees("tea 2").await;
    here.sees("tea 2").await;
    assert_eq!(there.texts(), ["twice tea", "tea 1", "tea 2"]);
    there.writes("say from there").await;
    here.sees("from there").await;
}

#[tokio::test]
async fn older_messages_are_shown_page_by_page() {
    let (patchbay, client, _) = stage().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    for number in 1..=30 {
        visitor.writes(&format!("message {number}")).await;
    }
    let mut second = TestVisitor::arrive(&patchbay, &site).await;
    for number in 31..=36 {
        second.writes(&format!("of somebody else {number}")).await;
    }
    for number in 31..=39 {
        visitor.writes(&format!("message {number}")).await;
    }
    let mut later = visitor.again(&patchbay.url()).await;
    later.sees("message 39").await;
    assert_eq!(later.shown.len(), 39, "a page holds fifty, and nothing of another visitor");
    later.send(json!({ "type": "history", "before": 5 })).await;
    let page = later.hears("older ones", |frame| frame["type"] == "history").await;
    let texts: Vec<&str> =
        page["items"].as_array().unwrap().iter().map(|one| one["content"]["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["message 1", "message 2", "message 3", "message 4"]);
    assert_eq!(page["more"], false);
}

#[tokio::test]
async fn taps_on_buttons_and_rows_reach_the_bot_with_the_offered_values() {
    let (patchbay, client, _) = stage().await;
    client.activate("clerk").await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    for (deed, kind, choice, answer) in
        [("buttons", "buttons", "yes-id", "got choice yes-id"), ("list", "list", "blue-id", "got choice blue-id")]
    {
        visitor.writes(deed).await;
        let offered = visitor.sees_one(kind, |message| message["content"]["kind"] == kind).await;
        let key = new_key();
        visitor.send(json!({ "type": "tap", "key": key, "message": offered["id"], "choice": choice })).await;
        visitor.taken(&key).await;
        visitor.sees(answer).await;
    }
    assert!(visitor.texts().contains(&"Yes".to_owned()), "a tap shows what was tapped: {:?}", visitor.texts());
}

#[tokio::test]
async fn a_visitor_sees_what_an_agent_and_a_bot_quote() {
    let (patchbay, client, _) = stage().await;
    client.activate("clerk").await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    visitor.writes("quote").await;
    let said = visitor.sees("quoted").await;
    let asked = visitor.sees("quote").await;
    assert_eq!(said["quotes"], json!({ "id": asked["id"], "text": "quote" }));
    assert_eq!(asked.get("quotes"), None);

    let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
    let mut body = json!({ "participantId": chats["content"][0]["id"], "channel": "WEB", "text": "about that" });
    // The message may still be on its way. If the visitor sees it, it can be quoted.
    body["quotedExternalMessageId"] = said["id"].clone();
    let sent = client.post("/chat-service/api/v2/messages", &body).await.ok();
    assert_eq!((&sent["quotedMessageId"], &sent["quotedText"]), (&said["id"], &json!("quoted")));
    assert_eq!(visitor.sees("about that").await["quotes"], json!({ "id": said["id"], "text": "quoted" }));
    let later = visitor.again(&patchbay.url()).await.sees("about that").await;
    assert_eq!(later["quotes"]["text"], "quoted", "also after a reload");
}

#[tokio::test]
async fn a_file_of_a_visitor_is_stored_given_out_as_a_download_and_told_to_webhooks() {
    let (patchbay, client, sink) = stage().await;
    client.activate("clerk").await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    let png = b"\x89PNG\r\n\x1a\n and more".to_vec();
    let uploaded = visitor.uploads("cat.png", "image/png", png.clone()).await;
    assert_eq!(uploaded.status, 201, "{}", uploaded.text);
    assert_eq!(uploaded.header("access-control-allow-origin"), Some(ORIGIN));
    let key = new_key();
    visitor.send(json!({ "type": "file", "key": key, "file": uploaded.json()["file"], "caption": "my cat" })).await;
    visitor.taken(&key).await;
    let shown = visitor.sees_one("the file", |message| message["content"]["kind"] == "file").await;
    assert_eq!((&shown["content"]["media"], &shown["content"]["name"]), (&json!("image"), &json!("cat.png")));
    let got = patchbay.http.get(shown["content"]["url"].as_str().unwrap()).send().await.unwrap();
    let header =
        |name: &str| got.headers().get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default();
    assert_eq!(
        (header("content-type"), header("x-content-type-options")),
        ("image/png".to_owned(), "nosniff".to_owned())
    );
    assert!(
        header("content-disposition").starts_with("attachment")
            && header("content-security-policy").contains("sandbox")
    );
    assert_eq!(got.bytes().await.unwrap(), png);
    visitor.sees("got MediaKind::Image png").await;
    let told = sink.receives("incoming", "the file", |body| body["messageContentType"] == "MEDIA").await;
    assert_eq!((&told["caption"], &told["fileExtension"]), (&json!("my cat"), &json!("png")));
}

#[tokio::test]
async fn messages_have_the_state_that_a_widget_reports() {
    let (patchbay, client, _) = stage().await;
    client.activate("clerk").await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    visitor.writes("twice tea").await;
    visitor.sees("tea 2").await;
    let states = || async {
        let mut db = patchbay.database().await;
        let found: Vec<Option<String>> = sqlx::query_scalar(
            "SELECT state FROM chat_message
             WHERE client_id = (SELECT id FROM client WHERE client_ref = $1) AND direction = 'OUTGOING'
             ORDER BY sequence_number",
        )
        .bind(&client.client_ref)
        .fetch_all(&mut db)
        .await
        .unwrap();
        found.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>()
    };
    let become_ = |wanted: [&'static str; 2]| async move {
        eventually(&format!("{wanted:?}"), || async { (states().await == wanted).then_some(()) }).await;
    };
    visitor.send(json!({ "type": "progress", "delivered": 3, "read": 2 })).await;
    become_(["READ", "DELIVERED"]).await;
    visitor.send(json!({ "type": "progress", "delivered": 999, "read": 999 })).await;
    become_(["READ", "READ"]).await;
    // The queue is empty, and later messages do not count as read.
    eventually("an empty queue", || async { (count(&patchbay, &client, "outbound_work").await == 0).then_some(()) })
        .await;
    visitor.writes("say more").await;
    visitor.sees("more").await;
    visitor.send(json!({ "type": "progress", "delivered": 5, "read": 0 })).await;
    eventually("DELIVERED", || async { (states().await.last().unwrap() == "DELIVERED").then_some(()) }).await;
}

#[tokio::test]
async fn a_hand_over_is_reported_and_the_chat_waits_for_the_team_of_the_site() {
    let (patchbay, client, _) = stage().await;
    client.activate("clerk").await;
    let mut db = patchbay.database().await;
    sqlx::query(
        "INSERT INTO team (client_id, id, name, created_at)
         SELECT id, gen_random_uuid(), 'Sales', now() FROM client WHERE client_ref = $1",
    )
    .bind(&client.client_ref)
    .execute(&mut db)
    .await
    .unwrap();
    let site = client.new_site(ORIGIN, json!({ "team": "Sales" })).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    visitor.writes("person").await;
    visitor.sees("one moment").await;
    visitor.hears("the queue", |frame| frame["type"] == "state" && frame["chat"]["state"] == "queued").await;
    let later = visitor.again(&patchbay.url()).await;
    assert_eq!(later.session["chat"]["state"], "queued");
    assert_eq!(later.session["chat"]["afterHours"], false);
}

#[tokio::test]
async fn a_visitor_left_in_the_queue_by_a_router_waits_for_the_team_of_the_site() {
    let (patchbay, client, _) = stage().await;
    client.install("usher", guest("usher")).await;
    let team = client.post("/api/v1/teams", &json!({ "name": "Sales" })).await.json();
    let site = client.new_site(ORIGIN, json!({ "team": "Sales" })).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    visitor.writes("queue").await;
    visitor.hears("the queue", |frame| frame["type"] == "state" && frame["chat"]["state"] == "queued").await;
    let chats = client.get("/chat-service/api/v2/chats?scope=all").await.ok();
    assert_eq!(chats["content"][0]["teamId"], team["id"], "{chats}");
}

#[tokio::test]
async fn a_required_form_comes_first_and_its_answers_are_the_first_message() {
    let (patchbay, client, sink) = stage().await;
    let site = client.new_site(ORIGIN, with_form()).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    assert_eq!(visitor.session["formDue"], true);
    let early = new_key();
    visitor.send(json!({ "type": "text", "key": early, "text": "hello" })).await;
    assert_eq!(visitor.refused(&early).await["status"], 409);
    let wrong = new_key();
    visitor.send(json!({ "type": "form", "key": wrong, "answers": { "about": "Gossip" } })).await;
    let refused = visitor.refused(&wrong).await;
    let fields: Vec<&str> =
        refused["details"].as_array().unwrap().iter().map(|one| one["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["answers.name", "answers.about"]);
    assert_eq!(count(&patchbay, &client, "chat_message").await, 0, "nothing is stored");
    let key = new_key();
    visitor.send(json!({ "type": "form", "key": key, "answers": { "name": "Ann", "about": "Sales" } })).await;
    visitor.taken(&key).await;
    visitor.sees("Your name: Ann\nAbout: Sales").await;
    visitor.writes("hello").await;
    let told = sink.receives("incoming", "the words", |body| body["text"] == "hello").await;
    assert_eq!(told["profileName"], "Ann");
    assert_eq!(visitor.again(&patchbay.url()).await.session["formDue"], false);
}

#[tokio::test]
async fn agents_and_visitors_see_each_other_typing() {
    let (patchbay, client, _) = stage().await;
    let site = client.new_site(ORIGIN, json!({})).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    let (mut live, _) = {
        use tokio_tungstenite::{connect_async, tungstenite::client::IntoClientRequest};
        let url = format!("{}/chat-service/api/v2/events", patchbay.url().replace("http://", "ws://"));
        let mut request = url.into_client_request().unwrap();
        request.headers_mut().insert("authorization", client.key.parse().unwrap());
        connect_async(request).await.unwrap()
    };
    // If a visitor without a chat types, no agent sees it.
    visitor.send(json!({ "type": "typing" })).await;
    visitor.writes("hello").await;
    visitor.sees("hello").await;
    visitor.send(json!({ "type": "typing" })).await;
    visitor.send(json!({ "type": "typing" })).await;
    visitor.writes("is anybody there?").await;
    let mut told = Vec::new();
    let chat = loop {
        let frame =
            tokio::time::timeout(std::time::Duration::from_secs(20), live.next()).await.expect("something is said");
        let Ok(text) = frame.unwrap().unwrap().into_text() else { continue };
        let Ok(said) = serde_json::from_str::<Value>(&text) else { continue };
        told.push(said["type"].as_str().unwrap().to_owned());
        if said["message"]["text"] == "is anybody there?" {
            break said["chat"]["id"].as_str().unwrap().to_owned();
        }
    };
    told.retain(|kind| kind != "position" && kind != "hello");
    assert_eq!(told, ["chat.opened", "message.received", "customer.typing", "message.received"], "once for both");
    let path = format!("/chat-service/api/v2/messages/typing?participantId={chat}");
    assert_eq!(client.post(&path, &json!({})).await.status, 200);
    visitor.hears("an agent to type", |frame| frame["type"] == "typing").await;
}

#[tokio::test]
async fn a_visitor_outside_the_hours_of_the_sites_team_gets_the_text_once() {
    let (patchbay, client, _) = stage().await;
    let day = chrono::Datelike::weekday(&(harness::real_time() + chrono::TimeDelta::days(3))).num_days_from_monday();
    let day = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"][day as usize];
    let hours = json!({ "weekly": [{ "day": day, "from": "11:00", "to": "12:00" }] });
    let team = json!({ "name": "night", "businessHours": hours, "afterHoursText": "Back in the morning." });
    assert_eq!(client.post("/api/v1/teams", &team).await.status, 201);
    let site = client.new_site(ORIGIN, json!({ "team": "night" })).await;
    let mut visitor = TestVisitor::arrive(&patchbay, &site).await;
    visitor.writes("hello").await;
    let said = visitor.sees("Back in the morning.").await;
    assert_eq!(said["from"], "bot");
    visitor.hears("the state", |frame| frame["type"] == "state" && frame["chat"]["afterHours"] == true).await;
    visitor.writes("nobody?").await;
    visitor.sees("nobody?").await;
    assert_eq!(visitor.texts(), ["hello", "Back in the morning.", "nobody?"]);
}
