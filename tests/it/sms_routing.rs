//! Routers of SMS: the client's own router and the operator's decide how each message is sent (ADR 0036).

use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, TestPhone, WebhookSink, eventually, guest};
use serde_json::{Value, json};
use uuid::Uuid;

const ROUTER: &str = "sms-router";
const PLUGINS: &str = "/plugin-service/api/v1/plugins";

async fn stage() -> (SharedPatchbay, TestClient, TestPhone) {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    patchbay.credits(&client, 50);
    let phone = patchbay.new_phone();
    (patchbay, client, phone)
}

/// Activates the built-in router with these rules.
async fn rules(client: &TestClient, rules: Value) {
    client.put_in_force(ROUTER, json!({ "mode": "live", "config": { "rules": rules } })).await;
}

/// Sends an SMS by the JSON gateway, and returns the id of the message.
async fn send(patchbay: &Patchbay, client: &TestClient, phone: &TestPhone, text: &str, settings: Value) -> Uuid {
    let recipients = json!([{ "to": phone.msisdn }]);
    let body = json!({ "ctid": text, "recipients": recipients, "messageText": text, "settings": settings });
    let answer = patchbay.sms(client, "/sms/json", &body).await.ok();
    let request: Uuid = answer["gstid"].as_str().unwrap().parse().unwrap();
    let mut db = patchbay.database().await;
    let statement = "SELECT id FROM sms_message WHERE request_id = $1";
    sqlx::query_scalar(statement).bind(request).fetch_one(&mut db).await.unwrap()
}

/// Waits until a message has this status, and returns its story.
async fn story(client: &TestClient, message: Uuid, status: &str) -> Value {
    eventually(&format!("{message} at {status}"), || async {
        let story = client.get(&format!("/messaging-service/WhatsApp/messages/{message}")).await.ok();
        (story["status"] == status).then_some(story)
    })
    .await
}

fn entry(story: &Value, kind: &str) -> Value {
    let entries = story["timeline"].as_array().unwrap();
    entries.iter().find(|entry| entry["kind"] == kind).cloned().unwrap_or_else(|| panic!("no {kind} in {story}"))
}

#[tokio::test]
async fn an_sms_refused_by_a_router_fails_with_the_reason_and_is_not_charged() {
    let (patchbay, client, phone) = stage().await;
    rules(&client, json!([{ "words": ["casino"], "refuse": "no gambling" }])).await;

    let refused = send(&patchbay, &client, &phone, "The casino calls", json!({})).await;
    let taken = send(&patchbay, &client, &phone, "Your order is ready", json!({})).await;

    let told = story(&client, refused, "FAILED").await;
    let route = entry(&told, "ROUTE");
    assert_eq!((&route["outcome"], &route["reason"]), (&json!("REFUSED"), &json!("no gambling")));
    assert_eq!(route["route"]["routers"][0]["plugin"], ROUTER);
    let failed = entry(&told, "RECEIPT");
    assert_eq!(failed["errorCode"], "900453", "{failed}");
    assert_eq!(failed["errorCodeString"], "refused by the router `sms-router`: no gambling");
    let told = story(&client, taken, "DELIVERED").await;
    assert_eq!(entry(&told, "ROUTE")["outcome"], "AS_IS");
    let received = phone.receives("the other SMS", |message| message["channel"] == "SMS").await;
    assert_eq!(received["text"], "Your order is ready");
    assert_eq!(patchbay.sms_balance(&client).await, 49, "one came back");
}

#[tokio::test]
async fn source_priority_validity_and_text_reach_the_subscriber_and_replies_are_matched() {
    let (patchbay, client, phone) = stage().await;
    let sink = WebhookSink::start().await;
    let source = format!("S{}", &phone.msisdn[phone.msisdn.len() - 8..]);
    let rule = json!({ "source": source, "priority": 2, "validitySeconds": 600, "append": " Bye.", "bind": "nowhere" });
    rules(&client, json!([rule])).await;
    let settings = json!({ "replyCallBackURL": sink.url("reply"), "replyCallBackMethod": "POST" });

    let message = send(&patchbay, &client, &phone, "Hello.", settings).await;

    let received = phone.receives("the SMS", |message| message["channel"] == "SMS").await;
    assert_eq!((&received["text"], &received["from"]), (&json!("Hello. Bye."), &json!(source)));
    let told = story(&client, message, "DELIVERED").await;
    let entry = entry(&told, "ROUTE");
    let route = &entry["route"];
    assert_eq!(entry["outcome"], "CHANGED");
    assert_eq!((&route["source"], &route["rewritten"]), (&json!(source), &json!(true)));
    assert_eq!((&route["priority"], &route["validitySeconds"]), (&json!(2), &json!(600)));
    assert_eq!(route["routers"][0]["reason"], "rule 1; there is no bind `nowhere`");
    assert!(route.get("bind").is_none(), "{route}");
    phone.write_sms(&source, "Thanks").await;
    let reply = sink.receives_many("reply", 1).await.remove(0).form();
    assert_eq!((&reply["messageText"], &reply["to"]), (&"Thanks".to_owned(), &source));
}

#[tokio::test]
async fn a_failed_router_decides_nothing_and_the_story_shows_it() {
    let (patchbay, client, phone) = stage().await;
    client.install("picky", guest("picky-router")).await;

    let message = send(&patchbay, &client, &phone, "a trap", json!({})).await;

    let told = story(&client, message, "DELIVERED").await;
    let router = entry(&told, "ROUTE")["route"]["routers"][0].clone();
    assert_eq!((&router["plugin"], &router["version"]), (&json!("picky"), &json!(1)));
    assert_eq!(router["reason"], "it failed (trapped); the message goes out as without it");
    client.keeps("picky", "invocations", |call| call["outcome"] == "trapped").await;
}

#[tokio::test]
async fn a_router_decides_from_the_next_message_until_its_deactivation() {
    let (patchbay, client, phone) = stage().await;
    let hears = async |text: &str, heard: &str| {
        send(&patchbay, &client, &phone, text, json!({})).await;
        phone.receives(heard, |message| message["text"] == heard).await;
    };
    for round in ["one", "two"] {
        hears(&format!("Before {round}"), &format!("Before {round}")).await;
        rules(&client, json!([{ "append": " (routed)" }])).await;
        hears(&format!("With {round}"), &format!("With {round} (routed)")).await;
        hears(&format!("Still {round}"), &format!("Still {round} (routed)")).await;
        let gone = client.post(&format!("{PLUGINS}/{ROUTER}/deactivate"), &json!({})).await;
        assert_eq!(gone.status, 204, "{}", gone.text);
    }
    hears("After", "After").await;
}

#[tokio::test]
async fn one_call_decides_about_many_messages() {
    let (patchbay, client, _) = stage().await;
    client.install("picky", guest("picky-router")).await;
    let phones: Vec<TestPhone> = (0..40).map(|_| patchbay.new_phone()).collect();
    let recipients: Vec<Value> = phones.iter().map(|phone| json!({ "to": phone.msisdn })).collect();
    let body = json!({ "ctid": "many", "recipients": recipients, "messageText": "Good morning" });
    patchbay.sms(&client, "/sms/json", &body).await.ok();
    for phone in &phones {
        phone.receives("the SMS", |message| message["text"] == "Good morning").await;
    }
    let calls = client.kept("picky", "invocations").await;
    assert!(!calls.is_empty() && calls.len() <= 20, "{} calls for 40 messages", calls.len());
}

#[tokio::test]
async fn calls_are_recorded_and_replayed_like_those_of_every_plugin() {
    let (patchbay, client, phone) = stage().await;
    client.install("picky", guest("picky-router")).await;
    let terms = json!({ "sample": 1.0, "maxCalls": 100, "maxBytes": 1_000_000, "forSeconds": 3600 });
    let started = client.post(&format!("{PLUGINS}/picky/recording"), &terms).await;
    assert!(started.status < 300, "{}", started.text);

    let message = send(&patchbay, &client, &phone, "the shop is open", json!({})).await;
    story(&client, message, "DELIVERED").await;

    let recording = client.keeps("picky", "recordings", |_| true).await;
    assert!(recording.to_string().contains("the shop is open"), "{recording}");
    let replayed = client.post(&format!("{PLUGINS}/picky/replay"), &json!({ "version": 1 })).await.ok();
    assert_eq!(
        (&replayed["replayed"], &replayed["identical"], &replayed["different"]),
        (&json!(1), &json!(1), &json!([])),
        "{replayed}"
    );
}

#[tokio::test]
async fn a_deleted_text_is_in_no_recording_and_its_rewritten_form_is_deleted_too() {
    let (patchbay, client, phone) = stage().await;
    let config = json!({ "rules": [{ "append": " Bye." }] });
    client.put_in_force(ROUTER, json!({ "mode": "live", "config": config })).await;
    let terms = json!({ "sample": 1.0, "maxCalls": 100, "maxBytes": 1_000_000, "forSeconds": 3600 });
    client.post(&format!("{PLUGINS}/{ROUTER}/recording"), &terms).await;

    let message = send(&patchbay, &client, &phone, "My secret.", json!({ "dsm": "true" })).await;

    phone.receives("the SMS", |message| message["text"] == "My secret. Bye.").await;
    story(&client, message, "DELIVERED").await;
    let mut db = patchbay.database().await;
    let statement = "SELECT sms_route::text FROM outbound_leg WHERE message_id = $1";
    let kept: String = sqlx::query_scalar(statement).bind(message).fetch_one(&mut db).await.unwrap();
    assert!(kept.contains("rule 1") && !kept.contains("secret"), "{kept}");
    assert!(client.kept(ROUTER, "recordings").await.is_empty());
}

#[tokio::test]
async fn a_text_that_a_router_makes_shorter_or_longer_is_delivered_with_its_last_part() {
    let (patchbay, client, phone) = stage().await;
    client.install("picky", guest("picky-router")).await;
    let shorter = send(&patchbay, &client, &phone, &format!("brief {}", "a".repeat(200)), json!({})).await;
    story(&client, shorter, "DELIVERED").await;

    rules(&client, json!([{ "append": "b".repeat(100) }])).await;
    let longer = send(&patchbay, &client, &phone, &"a".repeat(100), json!({})).await;
    story(&client, longer, "DELIVERED").await;
}

#[tokio::test]
async fn a_rollback_brings_back_the_rules_before() {
    let (patchbay, client, phone) = stage().await;
    rules(&client, json!([{ "append": " (old)" }])).await;
    rules(&client, json!([{ "append": " (new)" }])).await;
    send(&patchbay, &client, &phone, "One", json!({})).await;
    phone.receives("the new rule", |message| message["text"] == "One (new)").await;

    let back = client.post(&format!("{PLUGINS}/{ROUTER}/rollback"), &json!({})).await;
    assert!(back.status < 300, "{}", back.text);
    send(&patchbay, &client, &phone, "Two", json!({})).await;
    phone.receives("the old rule", |message| message["text"] == "Two (old)").await;
}

#[tokio::test]
async fn a_version_on_trial_that_fails_leaves_the_message_to_the_live_one() {
    let (patchbay, client, phone) = stage().await;
    rules(&client, json!([{ "append": " (live)" }])).await;
    let version = client.upload("picky", guest("picky-router")).await;
    client.put_in_force("picky", json!({ "version": version, "mode": "canary", "percent": 100 })).await;

    send(&patchbay, &client, &phone, "a trap", json!({})).await;

    phone.receives("the rule of the live one", |message| message["text"] == "a trap (live)").await;
    client.keeps("picky", "invocations", |call| call["outcome"] == "trapped" && call["mode"] == "canary").await;
}

#[tokio::test]
async fn replies_are_rewritten_or_refused_and_a_stop_counts_in_any_case() {
    let (patchbay, client, phone) = stage().await;
    let sink = WebhookSink::start().await;
    let other = patchbay.new_phone();
    let incoming = json!([
        { "incoming": true, "words": ["stop", "spam"], "refuse": "nobody reads this" },
        { "incoming": true, "append": " (checked)" },
    ]);
    rules(&client, incoming).await;
    let settings = json!({ "replyCallBackURL": sink.url("reply"), "replyCallBackMethod": "POST" });
    for phone in [&phone, &other] {
        send(&patchbay, &client, phone, "Coming?", settings.clone()).await;
        phone.receives("the SMS", |message| message["text"] == "Coming?").await;
    }

    other.write_sms("PATCHBAY", "spam spam").await;
    other.write_sms("PATCHBAY", "stop").await;
    phone.write_sms("PATCHBAY", "yes").await;

    let reply = sink.receives_many("reply", 1).await.remove(0).form();
    assert_eq!((&reply["from"], &reply["messageText"]), (&phone.msisdn, &"yes (checked)".to_owned()));
    eventually("the stop", || async {
        let answer = patchbay.sms(&client, "/sms/getUnsubscribelist", &json!({})).await.ok();
        answer["numbers"].as_array().unwrap().contains(&json!(other.msisdn)).then_some(())
    })
    .await;
    assert_eq!(sink.received("reply").len(), 1, "a refused message is handed to no reader");
    let mut db = patchbay.database().await;
    let statement = "SELECT body, sms_route -> 'value' ->> 'refused' FROM sms_inbound WHERE sender = $1 ORDER BY id";
    let kept: Vec<(String, Option<String>)> =
        sqlx::query_as(statement).bind(&other.msisdn).fetch_all(&mut db).await.unwrap();
    let refused = Some("nobody reads this".to_owned());
    assert_eq!(kept, [("spam spam".to_owned(), refused.clone()), ("stop".to_owned(), refused)]);
}

#[tokio::test]
async fn the_router_of_the_last_sender_refuses_only_its_own_copy_of_a_stop() {
    let (patchbay, client, phone) = stage().await;
    let (earlier, sink) = (patchbay.new_bare_client(), WebhookSink::start().await);
    patchbay.credits(&earlier, 5);
    rules(&client, json!([{ "incoming": true, "words": ["stop"], "refuse": "no stops" }])).await;
    for (client, text, path) in [(&earlier, "One", "earlier"), (&client, "Two", "last")] {
        send(&patchbay, client, &phone, text, json!({ "replyCallBackURL": sink.url(path) })).await;
        phone.receives("the SMS", |message| message["text"] == text).await;
    }

    phone.write_sms("PATCHBAY", "stop").await;

    let reply = sink.receives_many("earlier", 1).await.remove(0).form();
    assert_eq!((reply["messageText"].as_str(), reply["ctid"].as_str()), ("stop", "One"));
    for client in [&earlier, &client] {
        let answer = patchbay.sms(client, "/sms/getUnsubscribelist", &json!({})).await.ok();
        assert_eq!(answer["numbers"], json!([phone.msisdn]));
    }
    let mut db = patchbay.database().await;
    let statement = "SELECT count(*) FROM sms_reply WHERE subscriber = $1";
    let replies: i64 = sqlx::query_scalar(statement).bind(&phone.msisdn).fetch_one(&mut db).await.unwrap();
    assert_eq!(replies, 1, "its router refused the copy of the last sender");
}

#[tokio::test]
async fn another_source_does_not_bypass_a_stop() {
    let (patchbay, client, phone) = stage().await;
    let source = format!("T{}", &phone.msisdn[phone.msisdn.len() - 8..]);
    rules(&client, json!([{ "source": source }])).await;
    let first = send(&patchbay, &client, &phone, "One", json!({})).await;
    story(&client, first, "DELIVERED").await;
    phone.write_sms(&source, "STOP").await;
    eventually("the stop", || async {
        let answer = patchbay.sms(&client, "/sms/getUnsubscribelist", &json!({})).await.ok();
        answer["numbers"].as_array().unwrap().contains(&json!(phone.msisdn)).then_some(())
    })
    .await;

    let second = send(&patchbay, &client, &phone, "Two", json!({})).await;

    let told = story(&client, second, "FAILED").await;
    let said = format!("the subscriber has stopped messages from {source}");
    assert_eq!(entry(&told, "ROUTE")["reason"], said);
    assert_eq!(patchbay.sms_balance(&client).await, 49);
}

#[tokio::test]
async fn the_operators_router_is_asked_last_about_the_messages_of_every_client() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("operator-sms-router.wasm"), guest("picky-router")).unwrap();
    let patchbay = PatchbaySetup::new().set("plugins.dir", directory.path().to_str().unwrap()).start().await;
    let client = patchbay.bare_client("operated");
    patchbay.credits(&client, 50);
    let phone = patchbay.phone("27829000001");

    let message = send(&patchbay, &client, &phone, "quiet please", json!({})).await;
    let told = story(&client, message, "FAILED").await;
    let router = entry(&told, "ROUTE")["route"]["routers"][0].clone();
    assert_eq!((&router["plugin"], &router["operator"]), (&json!("operator-sms-router"), &json!(true)));

    rules(&client, json!([{ "append": " at the shop", "source": "OWN" }])).await;
    let message = send(&patchbay, &client, &phone, "hello", json!({})).await;
    let received = phone.receives("the SMS", |message| message["channel"] == "SMS").await;
    assert_eq!((&received["text"], &received["from"]), (&json!("hello at the shop"), &json!("PICKY")));
    let told = story(&client, message, "DELIVERED").await;
    let routers = entry(&told, "ROUTE")["route"]["routers"].clone();
    let asked: Vec<&Value> = routers.as_array().unwrap().iter().map(|router| &router["plugin"]).collect();
    assert_eq!(asked, [&json!(ROUTER), &json!("operator-sms-router")]);
}

#[tokio::test]
async fn a_stop_to_a_routers_source_also_holds_for_earlier_attempts() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.bare_client("routed");
    patchbay.credits(&client, 50);
    let phone = patchbay.phone("27829000001");
    rules(&client, json!([{ "source": "TILL" }])).await;
    let first = send(&patchbay, &client, &phone, "One", json!({})).await;
    story(&client, first, "DELIVERED").await;
    patchbay.simulate("/simulator/faults", &json!({ "smscThrottle": 100_000 })).await;
    let second = send(&patchbay, &client, &phone, "Two", json!({})).await;
    eventually("the second to be tried", || async {
        let tried = "SELECT count(*) FROM outbound_work WHERE phase = 'READY' AND attempts > 0";
        let tried: i64 = sqlx::query_scalar(tried).fetch_one(&mut patchbay.database().await).await.unwrap();
        (tried == 1).then_some(())
    })
    .await;

    phone.write_sms("TILL", "STOP").await;
    eventually("the stop", || async {
        let answer = patchbay.sms(&client, "/sms/getUnsubscribelist", &json!({})).await.ok();
        answer["numbers"].as_array().unwrap().contains(&json!(phone.msisdn)).then_some(())
    })
    .await;
    patchbay.simulate("/simulator/faults", &json!({ "smscThrottle": 0 })).await;

    let told = story(&client, second, "FAILED").await;
    assert_eq!(entry(&told, "RECEIPT")["errorCode"], "900470", "{told}");
    assert_eq!(patchbay.sms_balance(&client).await, 49);
    assert!(phone.inbox().await.iter().all(|message| message["text"] != "Two"));
}

#[tokio::test]
async fn an_answerable_batch_is_not_a_one_time_pin_for_a_router() {
    let (patchbay, client, phone) = stage().await;
    let refusals = [("otp", "a pin"), ("reply", "a reply")];
    rules(&client, refusals.iter().map(|(traffic, why)| json!({ "traffic": [traffic], "refuse": why })).collect())
        .await;
    let fields =
        [("message", "hi"), ("cell", phone.msisdn.as_str()), ("priority", "true"), ("repliesperuserid", "true")];

    patchbay.batch(&client, "/smsbatch/sms", &fields).await;

    let statement = "SELECT id FROM sms_message WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
    let mut db = patchbay.database().await;
    let message: Uuid = sqlx::query_scalar(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
    assert_eq!(entry(&story(&client, message, "FAILED").await, "ROUTE")["reason"], "a reply");
}
