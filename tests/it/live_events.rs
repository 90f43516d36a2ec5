//! Live events over real sockets (CONTRACT 7, `docs/live-events.md`). `host/events/tests/live_events/` tests how they are
//! numbered, kept and resumed if readers lose their connections.

use std::time::Duration;

use futures::StreamExt;
use harness::{Patchbay, SharedPatchbay, TestClient, inbound_text};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{self, Message, client::IntoClientRequest},
};

const EVENTS: &str = "/chat-service/api/v2/events";
/// A limit that no event reaches.
const LONG: Duration = Duration::from_secs(20);

pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

pub(crate) async fn try_socket(base: &str, query: &str, key: Option<&str>) -> Result<Socket, tungstenite::Error> {
    let url = format!("{}{EVENTS}{query}", base.replace("http://", "ws://"));
    let mut request = url.into_client_request().unwrap();
    if let Some(key) = key {
        request.headers_mut().insert("authorization", key.parse().unwrap());
    }
    connect_async(request).await.map(|(socket, _)| socket)
}

pub(crate) async fn socket(base: &str, query: &str, key: &str) -> Socket {
    try_socket(base, query, Some(key)).await.unwrap()
}

/// The next event. Heartbeats are skipped.
async fn next(socket: &mut Socket) -> Value {
    loop {
        let message = tokio::time::timeout(LONG, socket.next()).await.expect("something is said");
        let Message::Text(text) = message.unwrap().unwrap() else { continue };
        let said: Value = serde_json::from_str(&text).unwrap();
        if said["type"] != "position" {
            return said;
        }
    }
}

/// All events up to the next one of a type.
pub(crate) async fn until(socket: &mut Socket, kind: &str) -> Vec<Value> {
    let mut all = Vec::new();
    loop {
        all.push(next(socket).await);
        if all.last().unwrap()["type"] == kind {
            return all;
        }
    }
}

async fn ticket(client: &TestClient) -> String {
    let body = client.post(&format!("{EVENTS}/ticket"), &json!({})).await.ok();
    body["ticket"].as_str().unwrap().to_owned()
}

fn key_of(patchbay: &Patchbay, client: &TestClient, role: &str) -> String {
    let email = format!("live-{}@{}.example", role.to_lowercase(), client.client_ref);
    patchbay.new_user(&client.client_ref, &email, role)["apiKey"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn agents_get_the_message_of_a_customer_with_its_chat() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    let agent = key_of(&patchbay, &client, "AGENT");
    let mut live = socket(&patchbay.url(), "", &agent).await;
    let hello = next(&mut live).await;
    assert_eq!(hello["type"], "hello");
    let begin = hello["sequence"].as_i64().unwrap();

    phone.write(&client.number, "is anybody there?").await;

    let opened = next(&mut live).await;
    assert_eq!((&opened["type"], &opened["sequence"]), (&json!("chat.opened"), &json!(begin + 1)));
    assert_eq!(opened["reopened"], false);
    let came = next(&mut live).await;
    assert_eq!((&came["type"], &came["sequence"]), (&json!("message.received"), &json!(begin + 2)));
    let (chat, message) = (&came["chat"], &came["message"]);
    assert_eq!(chat["phoneNumber"], phone.msisdn);
    assert_eq!((&chat["state"], &chat["channel"]), (&json!("QUEUED"), &json!("WHATSAPP")));
    assert_eq!(chat["inbox"], client.number);
    assert_eq!((&chat["conversationClosed"], &chat["chatBotConversation"]), (&json!(false), &json!(false)));
    assert_eq!(message["text"], "is anybody there?");
    assert_eq!((&message["direction"], &message["contentType"]), (&json!("INCOMING"), &json!("TEXT")));
    assert_eq!(message["participantId"], chat["id"]);
    assert_eq!(message["sequenceNumber"], 1);
    assert_eq!(message["userOriginated"], true);
    assert!(came["time"].as_str().unwrap().ends_with('Z'));
    let nulls = came.as_object().unwrap().values().chain(chat.as_object().unwrap().values());
    assert!(nulls.chain(message.as_object().unwrap().values()).all(|value| !value.is_null()), "{came}");
}

#[tokio::test]
async fn an_agent_is_informed_that_its_chat_is_closed_by_a_merge() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    let (number, user) = (phone.msisdn.as_str(), format!("ZA.{}", phone.msisdn));
    let mut all = socket(&patchbay.url(), "", &client.key).await;
    let mut chats = Vec::new();
    for (name, number, user) in [("ann", Some(number), None), ("ben", None, Some(user.as_str()))] {
        patchbay.callback(&client.callback(inbound_text(name, number, user, "hello"))).await;
        let came = until(&mut all, "message.received").await.pop().unwrap();
        let chat = came["chat"]["id"].as_str().unwrap().to_owned();
        let email = format!("{name}@{}.example", client.client_ref);
        let mut agent = client.clone();
        patchbay.new_user(&client.client_ref, &email, "AGENT")["apiKey"].as_str().unwrap().clone_into(&mut agent.key);
        let call = format!("/chat-service/api/v2/chats/{chat}/assign");
        agent.request(reqwest::Method::POST, &call, None, &[]).await.ok();
        assert_eq!(until(&mut all, "ticket.changed").await.pop().unwrap()["ticket"]["status"], "OPEN");
        chats.push((chat, agent.key));
    }
    let [(anns, _), (bens, key)] = <[(String, String); 2]>::try_from(chats).unwrap();
    let mut ben = socket(&patchbay.url(), "", &key).await;
    assert_eq!(next(&mut ben).await["type"], "hello");

    patchbay.callback(&client.callback(inbound_text("both", Some(number), Some(&user), "it is me"))).await;

    let closed = next(&mut ben).await;
    assert_eq!((&closed["type"], &closed["chat"]["id"]), (&json!("chat.closed"), &json!(bens)));
    assert_eq!((&closed["from"], &closed["chat"]["state"]), (&json!("ACTIVE"), &json!("CLOSED")));
    let moved = until(&mut all, "ticket.changed").await.pop().unwrap();
    assert_eq!((&moved["ticket"]["ticketNumber"], &moved["ticket"]["status"]), (&json!("2"), &json!("CLOSED")));
    assert_eq!(moved["ticket"]["participantId"], anns, "where its messages are");
}

#[tokio::test]
async fn a_message_of_an_agent_is_told_as_the_history_has_it() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    phone.write(&client.number, "is anybody there?").await;
    let came = until(&mut live, "message.received").await.pop().unwrap();
    let answer = json!({
        "participantId": came["chat"]["id"], "channel": "WHATSAPP", "text": "yes", "tempId": "t-1", "ctId": "c-1",
    });
    let stored = client.post("/chat-service/api/v2/messages", &answer).await.ok();
    let told = until(&mut live, "message.sent").await.pop().unwrap();
    for field in ["id", "sequenceNumber", "createdTime", "userOriginated", "messageOwner", "tempId", "ctId", "gstId"] {
        assert_eq!(told["message"][field], stored[field], "{field}");
    }
    assert_eq!((&stored["userOriginated"], &stored["tempId"]), (&json!(true), &json!("t-1")));
    let chat = client.get(&format!("/chat-service/api/v2/chats/{}", came["chat"]["id"].as_str().unwrap())).await.ok();
    assert_eq!(told["chat"]["lastMessageTime"], chat["lastMessageTime"]);
}

#[tokio::test]
async fn an_undelivered_message_has_its_reason_in_live_events_and_in_the_history() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    let mut agent = client.clone();
    agent.key = key_of(&patchbay, &client, "AGENT");
    let mut live = socket(&patchbay.url(), "", &agent.key).await;
    phone.write(&client.number, "hello?").await;
    let chat = until(&mut live, "message.received").await.pop().unwrap()["chat"]["id"].clone();
    phone.set(json!({ "failWith": 131_049 })).await;
    let answer = json!({ "participantId": chat, "channel": "WHATSAPP", "text": "yes?" });
    agent.post("/chat-service/api/v2/messages", &answer).await.ok();
    let told = loop {
        let step = until(&mut live, "message.status").await.pop().unwrap();
        if step["status"] == "FAILED" {
            break step;
        }
        assert_eq!(step["message"]["status"], step["status"], "the message is as it was at that step");
        assert_eq!(step["message"].get("errorCode"), None, "only a failed message has a reason");
    };
    assert_eq!(told["message"]["errorCode"], "131049");
    let why = told["message"]["errorCodeString"].as_str().unwrap();
    assert!(!why.is_empty());
    let path = format!("/chat-service/api/v2/messages?participantId={}", chat.as_str().unwrap());
    let past = agent.get(&path).await.ok();
    assert_eq!(past[0].get("errorCode"), None);
    assert_eq!((&past[1]["status"], &past[1]["errorCode"]), (&json!("FAILED"), &json!("131049")));
    assert_eq!(past[1]["errorCodeString"], why);
}

#[tokio::test]
async fn content_split_into_several_messages_causes_as_many_events() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let page = format!("61{}", patchbay.new_phone().msisdn);
    patchbay.page(&client, &page).await;
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    patchbay.person(&format!("24{page}"), &page).write("tell me all").await;
    let came = until(&mut live, "message.received").await.pop().unwrap();
    let long = ["a", "b", "c"].map(|letter| letter.repeat(1_300)).join(" ");
    let answer = json!({ "participantId": came["chat"]["id"], "channel": "FACEBOOK", "text": long });
    client.post("/chat-service/api/v2/messages", &answer).await.ok();
    let mut told = Vec::new();
    for _ in 0..3 {
        told.push(until(&mut live, "message.sent").await.pop().unwrap());
    }
    let said: Vec<(&Value, &str)> = told
        .iter()
        .map(|one| (&one["message"]["sequenceNumber"], &one["message"]["text"].as_str().unwrap()[..1]))
        .collect();
    assert_eq!(said, [(&json!(2), "a"), (&json!(3), "b"), (&json!(4), "c")]);
}

#[tokio::test]
async fn a_customer_has_the_name_of_the_address_book() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    let contact = json!({ "fullName": "Zanele (gold)", "phoneNumber": phone.msisdn });
    assert_eq!(client.post("/messaging-service/WhatsApp/contacts", &contact).await.status, 201);
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    next(&mut live).await;
    phone.write(&client.number, "hello").await;
    let came = until(&mut live, "message.received").await.pop().unwrap();
    assert_eq!(came["chat"]["name"], "Zanele (gold)");
    assert_eq!(came["chat"]["userId"], phone.user_id().await);
}

#[tokio::test]
async fn the_parent_of_a_customers_user_id_is_shown_with_the_chat() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let number = patchbay.new_phone().msisdn;
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    next(&mut live).await;
    let mut value = inbound_text(&format!("wamid.{number}"), Some(&number), Some(&format!("ZA.{number}")), "hello");
    value["messages"][0]["from_parent_user_id"] = json!("ZA.ENT.9");
    assert_eq!(patchbay.callback(&client.callback(value)).await.status, 200);
    let came = until(&mut live, "message.received").await.pop().unwrap();
    assert_eq!(
        (&came["chat"]["userId"], &came["chat"]["parentUserId"]),
        (&json!(format!("ZA.{number}")), &json!("ZA.ENT.9"))
    );
}

#[tokio::test]
async fn events_of_a_chatbots_chat_reach_supervisors_and_not_agents() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    client.activate("default-chatbot").await;
    let phone = patchbay.new_phone();
    let agent = key_of(&patchbay, &client, "AGENT");
    let supervisor = key_of(&patchbay, &client, "SUPERVISOR");
    let mut seen = socket(&patchbay.url(), "", &supervisor).await;
    let mut unseen = socket(&patchbay.url(), "", &agent).await;
    next(&mut seen).await;
    next(&mut unseen).await;

    phone.write(&client.number, "hello").await;

    let all = until(&mut seen, "message.sent").await;
    assert_eq!(all.last().unwrap()["message"]["messageOwner"], "BOT");
    // The agent's next events are those of a chat without a chatbot.
    let other = patchbay.new_phone();
    client
        .post("/plugin-service/api/v1/plugins/default-chatbot/deactivate", &json!({ "whatsAppNumberId": null }))
        .await;
    other.write(&client.number, "a person, please").await;
    let told = until(&mut unseen, "message.received").await;
    let of_others: Vec<&Value> =
        told.iter().filter(|event| event["chat"]["phoneNumber"] != json!(other.msisdn)).collect();
    assert!(of_others.is_empty(), "{of_others:?}");
}

#[tokio::test]
async fn a_reader_that_resumes_on_any_node_gets_each_missed_event_once() {
    let patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let node = patchbay.second_node().await;
    let phone = patchbay.phone("27820000001");
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    next(&mut live).await;
    phone.write(&client.number, "one").await;
    let last = until(&mut live, "message.received").await.pop().unwrap()["sequence"].as_i64().unwrap();
    drop(live);

    phone.write(&client.number, "two").await;

    let mut back = socket(&node.url, &format!("?after={last}"), &client.key).await;
    assert_eq!(next(&mut back).await, json!({ "type": "hello", "sequence": last }));
    let event = next(&mut back).await;
    assert_eq!(event["sequence"], last + 1);
    assert_eq!(event["message"]["text"], "two");
    phone.write(&client.number, "three").await;
    assert_eq!(next(&mut back).await["message"]["text"], "three");
}

#[tokio::test]
async fn server_sent_events_equal_the_socket_and_resume_after_the_last_id() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let phone = patchbay.new_phone();
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    let begin = next(&mut live).await["sequence"].as_i64().unwrap();
    phone.write(&client.number, "line\nby line").await;
    let told = until(&mut live, "message.received").await;

    let url = format!("{}{EVENTS}?after=0", patchbay.url());
    let request = patchbay.http.get(url).header("Authorization", &client.key).header("Accept", "text/event-stream");
    let mut response = request.header("Last-Event-ID", begin.to_string()).send().await.unwrap();

    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut text = String::new();
    while text.matches("\n\n").count() < 1 + told.len() {
        let chunk = tokio::time::timeout(LONG, response.chunk()).await.unwrap().unwrap().unwrap();
        text.push_str(std::str::from_utf8(&chunk).unwrap());
    }
    let mut events = text.split("\n\n").map(|event| {
        let field = |name: &str| {
            let line = event.lines().find_map(|line| line.strip_prefix(&format!("{name}:")));
            line.unwrap_or_default().trim_start().to_owned()
        };
        (field("id"), field("event"), field("data"))
    });
    let (id, kind, _) = events.next().unwrap();
    assert_eq!((id, kind), (begin.to_string(), "hello".to_owned()));
    for (event, (id, kind, data)) in told.iter().zip(events) {
        assert_eq!(serde_json::from_str::<Value>(&data).unwrap(), *event);
        assert_eq!(
            (json!(id.parse::<i64>().unwrap()), json!(kind)),
            (event["sequence"].clone(), event["type"].clone())
        );
    }
}

#[tokio::test]
async fn a_ticket_opens_one_connection() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let ticket = ticket(&client).await;
    let query = format!("?ticket={ticket}");
    let wrong = patchbay.get(&format!("{EVENTS}{query}")).await;
    assert_eq!(wrong.status, 400, "a request that asks for nothing does not use it up: {}", wrong.text);
    let mut live = try_socket(&patchbay.url(), &query, None).await.unwrap();
    assert_eq!(next(&mut live).await["type"], "hello");
    let Err(tungstenite::Error::Http(refused)) = try_socket(&patchbay.url(), &query, None).await else {
        panic!("it was good twice")
    };
    assert_eq!(refused.status(), 401);
}

#[tokio::test]
async fn a_replaced_key_ends_its_sockets_its_streams_and_its_tickets_on_every_node() {
    let patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let node = patchbay.second_node().await;
    let ticket = ticket(&client).await;
    let mut sockets = [socket(&patchbay.url(), "", &client.key).await, socket(&node.url, "", &client.key).await];
    for live in &mut sockets {
        assert_eq!(next(live).await["type"], "hello");
    }
    let url = format!("{}{EVENTS}", node.url);
    let request = patchbay.http.get(url).header("Authorization", &client.key).header("Accept", "text/event-stream");
    let mut stream = request.send().await.unwrap();
    tokio::time::timeout(LONG, stream.chunk()).await.unwrap().unwrap().expect("it is greeted");

    let generate = "/messaging-service/WhatsApp/SystemUsers/generateAPIKey";
    client.request(reqwest::Method::POST, generate, None, &[]).await.ok();

    for mut live in sockets {
        // Before the next heartbeat, which comes after 20 s.
        let closed = tokio::time::timeout(Duration::from_secs(10), live.next()).await.expect("it ends at once");
        let Some(Ok(Message::Close(Some(frame)))) = closed else { panic!("{closed:?}") };
        assert_eq!(u16::from(frame.code), 4001);
    }
    while let Some(rest) = tokio::time::timeout(Duration::from_secs(10), stream.chunk()).await.unwrap().unwrap() {
        assert!(!String::from_utf8_lossy(&rest).contains("event:"), "nothing more is said");
    }
    let Err(tungstenite::Error::Http(refused)) = try_socket(&patchbay.url(), &format!("?ticket={ticket}"), None).await
    else {
        panic!("the ticket was asked for with the key before")
    };
    assert_eq!(refused.status(), 401);
}

#[tokio::test]
async fn events_of_another_clients_chats_are_not_delivered() {
    let patchbay = SharedPatchbay::get().await;
    let (ours, theirs) = (patchbay.new_client().await, patchbay.new_client().await);
    let mut live = socket(&patchbay.url(), "", &ours.key).await;
    let mut other = socket(&patchbay.url(), "", &theirs.key).await;
    next(&mut live).await;
    next(&mut other).await;
    patchbay.new_phone().write(&theirs.number, "not yours").await;
    until(&mut other, "message.received").await;
    patchbay.new_phone().write(&ours.number, "yours").await;
    let told = until(&mut live, "message.received").await;
    assert!(told.iter().all(|event| !event.to_string().contains("not yours")), "{told:?}");
    assert_eq!(told.last().unwrap()["message"]["text"], "yours");
}

#[tokio::test]
async fn a_wrong_request_names_its_fault() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let neither = client.get(EVENTS).await;
    assert_eq!(neither.status, 400);
    assert!(neither.json()["message"].as_str().unwrap().contains("text/event-stream"), "{}", neither.text);
    for after in ["x", "-1", "1.5"] {
        let headers = [("Accept", "text/event-stream"), ("Authorization", client.key.as_str())];
        let wrong = patchbay.ask(reqwest::Method::GET, &format!("{EVENTS}?after={after}"), &headers, "").await;
        assert_eq!(wrong.faulty_fields(), ["after"]);
    }
    let Err(tungstenite::Error::Http(refused)) = try_socket(&patchbay.url(), "", None).await else {
        panic!("without a key")
    };
    assert_eq!(refused.status(), 401);
}

#[tokio::test]
async fn a_stopping_server_sends_the_position_to_resume_and_stops_in_time() {
    let mut patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    let at = next(&mut live).await["sequence"].as_i64().unwrap();
    let url = format!("{}{EVENTS}", patchbay.url());
    let request = patchbay.http.get(url).header("Authorization", &client.key).header("Accept", "text/event-stream");
    let stream = request.send().await.unwrap();
    assert_eq!(stream.status(), 200);

    let (status, closed, streamed) = tokio::join!(patchbay.terminate(), live.next(), stream.text());

    assert_eq!(status, Some(0));
    let Message::Close(Some(frame)) = closed.unwrap().unwrap() else { panic!("it says goodbye") };
    assert_eq!((u16::from(frame.code), frame.reason.as_str()), (1001, format!("resume after {at}").as_str()));
    assert!(streamed.unwrap().contains("event: resume"));
}

#[tokio::test]
async fn the_steps_of_a_message_are_reported_and_those_of_sends_are_not() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    client.activate("default-chatbot").await;
    let phone = patchbay.new_phone();
    let mut live = socket(&patchbay.url(), "", &client.key).await;
    next(&mut live).await;
    client.send(&client.order_ready(&["27820000001"])).await.accepted();
    phone.write(&client.number, "hello").await;
    let sent = until(&mut live, "message.sent").await.pop().unwrap();
    let mut steps = Vec::new();
    while steps.last() != Some(&json!("DELIVERED")) {
        let step = next(&mut live).await;
        if step["type"] == "message.status" && step["message"]["id"] == sent["message"]["id"] {
            assert_eq!(step["message"]["status"], step["status"], "an event never contradicts its own message");
            steps.push(step["status"].clone());
        }
    }
    assert_eq!(steps, ["ACCEPTED", "SENT", "DELIVERED"]);
    // The send is finished by now, and there was no event about it.
    let chats = "SELECT count(*) FROM live_event event
        WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)
          AND NOT EXISTS (SELECT 1 FROM participant WHERE participant.client_id = event.client_id
                          AND participant.id = (event.event #>> '{value,chat}')::uuid)";
    let mut db = patchbay.database().await;
    let of_no_chat: i64 = sqlx::query_scalar(chats).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
    assert_eq!(of_no_chat, 0);
}
