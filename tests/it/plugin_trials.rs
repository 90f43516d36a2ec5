//! Trials of plugins: dry runs, recordings, replays (CONTRACT 6).

use harness::{SharedPatchbay, TestClient, eventually, guest};
use serde_json::{Value, json};

use crate::plugin_uploads::{PLUGINS, bot};

async fn invoke(client: &TestClient, plugin: &str, body: Value) -> Value {
    client.post(&format!("{PLUGINS}/{plugin}/invoke"), &body).await.ok()
}

#[tokio::test]
async fn a_chatbot_is_tried_with_an_event_and_nothing_takes_effect() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    client.upload("clerk", guest("clerk")).await;
    let before = patchbay.rows_of(&client.client_ref).await;

    let counted = invoke(&client, "clerk", json!({ "event": { "type": "message", "text": "total" } })).await;
    let again = invoke(&client, "clerk", json!({ "event": { "type": "message", "text": "total" } })).await;
    let recalled = invoke(
        &client,
        "clerk",
        json!({ "event": { "type": "message", "text": "recall" }, "session": { "state": "blue" } }),
    );

    assert_eq!(counted["actions"][0]["text"], "total 1");
    assert_eq!(again["actions"], counted["actions"], "nothing was kept");
    assert_eq!(recalled.await["actions"][0]["text"], "you said: blue");
    assert!(counted["durationMicros"].as_u64().unwrap() > 0 && counted["peakMemoryBytes"].as_u64().unwrap() > 0);
    assert!(counted["logs"].is_array(), "{counted}");
    assert_eq!(patchbay.rows_of(&client.client_ref).await, before);
}

#[tokio::test]
async fn every_version_can_be_tried_with_any_activation() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    for number in 1..=2 {
        client.install("shop", bot(number)).await;
    }
    let event = json!({ "type": "message", "text": "version 0" });
    for (version, said) in [(json!(1), "version-0001"), (json!(2), "version-0002"), (Value::Null, "version-0002")] {
        let told = invoke(&client, "shop", json!({ "version": version, "event": event })).await;
        assert_eq!(told["actions"][0]["text"], said);
    }
    let unknown = client.post(&format!("{PLUGINS}/shop/invoke"), &json!({ "version": 3, "event": event })).await;
    assert_eq!(unknown.faulty_fields(), ["version"]);
}

#[tokio::test]
async fn plugins_of_every_world_are_tried() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    for name in ["picky-fallback", "stamping-shaper", "usher"] {
        client.upload(&format!("my-{name}"), guest(name)).await;
    }

    let sent =
        invoke(&client, "my-picky-fallback", json!({ "event": { "autoText": "your order" }, "session": {} })).await;
    let skipped = invoke(&client, "my-picky-fallback", json!({ "event": { "autoText": "be quiet" } })).await;
    let shaped =
        invoke(&client, "my-stamping-shaper", json!({ "event": { "type": "incoming", "text": "hello" } })).await;
    let routed = invoke(&client, "my-usher", json!({})).await;

    assert_eq!((&sent["decision"]["type"], &skipped["decision"]["type"]), (&json!("send"), &json!("skip")));
    assert_eq!(skipped["decision"]["reason"], "the text asks for quiet");
    assert_eq!(shaped["payload"], json!({ "stampedBy": "stamping-shaper", "words": "hello" }));
    let over_telegram = json!({ "type": "chatbot", "messageText": "hello", "channel": "telegram" });
    let shaped = invoke(&client, "my-stamping-shaper", json!({ "event": over_telegram })).await;
    assert_eq!(shaped["payload"]["channel"], "TELEGRAM");
    let later = json!({ "type": "other", "name": "call-ended", "payload": { "seconds": 9 } });
    let shaped = invoke(&client, "my-stamping-shaper", json!({ "event": later })).await;
    assert_eq!(
        (&shaped["payload"]["words"], &shaped["payload"]["details"]["seconds"]),
        (&json!("call-ended"), &json!(9))
    );
    assert_eq!(
        (&routed["route"]["target"]["type"], &routed["route"]["reason"]),
        (&json!("bot"), &json!("no rule fits"))
    );
}

#[tokio::test]
async fn a_failed_call_shows_its_cause_and_the_output_of_the_plugin() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    client.upload("shop", bot(1)).await;
    let tried =
        async |text: &str| invoke(&client, "shop", json!({ "event": { "type": "message", "text": text } })).await;

    let trapped = tried("panic").await;
    let spun = tried("spin").await;
    let denied = tried("http").await;

    assert_eq!(trapped["error"]["kind"], "trapped");
    assert!(trapped["error"]["message"].as_str().unwrap().contains("gives up on purpose"), "{trapped}");
    assert!(trapped.get("actions").is_none() && trapped["logs"].is_array(), "{trapped}");
    assert!(["limit-exceeded", "timed-out"].contains(&spun["error"]["kind"].as_str().unwrap()), "{spun}");
    assert!(denied.to_string().contains("example.org"), "the host that it may not reach is named: {denied}");
}

#[tokio::test]
async fn wrong_questions_are_named_by_their_path() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    client.upload("shop", bot(1)).await;
    let refused = async |body: Value| client.post(&format!("{PLUGINS}/shop/invoke"), &body).await.faulty_fields();
    assert_eq!(refused(json!({ "event": { "type": "nonsense" } })).await.len(), 1);
    assert!(refused(json!({ "event": { "type": "message", "txet": "x" } })).await[0].starts_with("event"));
    assert!(refused(json!({ "session": { "sate": "x" } })).await[0].starts_with("session"));
    assert_eq!(refused(json!({ "config": 1 })).await, ["config"]);
}

#[tokio::test]
async fn recorded_calls_are_made_again_on_any_version() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    client.upload("shop", bot(1)).await;
    let path = |rest: &str| format!("{PLUGINS}/shop/{rest}");
    let early = client.post(&path("recording"), &json!({})).await;
    assert_eq!(early.status, 409, "it is not live: {}", early.text);
    client.put_in_force("shop", json!({})).await;
    for (body, field) in [
        (json!({ "sample": 0 }), "sample"),
        (json!({ "sample": 1.1 }), "sample"),
        (json!({ "maxCalls": 0 }), "maxCalls"),
        (json!({ "maxBytes": 0 }), "maxBytes"),
        (json!({ "maxBytes": (64 << 20) + 1 }), "maxBytes"),
        (json!({ "forSeconds": 0 }), "forSeconds"),
    ] {
        assert_eq!(client.post(&path("recording"), &body).await.faulty_fields(), [field]);
    }
    let recorded = client.post(&path("recording"), &json!({ "maxCalls": 4, "forSeconds": 60 })).await.ok();
    assert_eq!((&recorded["recording"]["maxCalls"], &recorded["recording"]["maxBytes"]), (&json!(4), &json!(64 << 20)));
    assert_eq!(recorded["recording"]["stopReason"], Value::Null);
    let phone = patchbay.new_phone();
    for round in 0..6 {
        phone.write(&client.number, &format!("version {}", round % 2)).await;
    }
    phone.receives("the answers", |message| message["text"] == "version-0001").await;
    let kept = eventually("the recordings", || async {
        let page = client.get(&path("recordings?size=50")).await.ok();
        (page["totalElements"] == 4).then_some(page)
    })
    .await;
    assert_eq!(kept["content"][0]["recording"]["plugin"], "shop");
    let stopped = client.in_force("shop").await[0]["recording"]["stopReason"].clone();
    assert_eq!(stopped, "it has the 4 calls that were wanted");

    let same = client.post(&path("replay"), &json!({ "version": 1 })).await.ok();
    client.upload("shop", bot(2)).await;
    let other = client.post(&path("replay"), &json!({ "limit": 3 })).await.ok();

    assert_eq!(
        (&same["replayed"], &same["identical"], &same["different"]),
        (&json!(4), &json!(4), &json!([])),
        "{same}"
    );
    assert!(same["perSecond"].as_f64().unwrap() > 0.0);
    assert_eq!(other["replayed"], 3);
    let different = other["different"].as_array().unwrap();
    assert!(!different.is_empty(), "{other}");
    for one in different {
        let said = one["difference"].as_str().unwrap();
        assert!(said.contains("version-0001") && said.contains("version-0002"), "{said}");
    }
    let stop = client.request(reqwest::Method::DELETE, &path("recording"), None, &[]).await;
    assert_eq!(stop.status, 204, "{}", stop.text);
    assert_eq!(client.in_force("shop").await[0]["recording"], Value::Null);
}

/// Starts a recording, and lets customers write until it ends. Returns the reason of the end, and the sizes of the
/// stored calls.
async fn recorded_until_full(patchbay: &SharedPatchbay, client: &TestClient, max_bytes: i64) -> (String, Vec<i64>) {
    let body = json!({ "maxBytes": max_bytes });
    let begun = client.post(&format!("{PLUGINS}/shop/recording"), &body).await.ok();
    assert_eq!((&begun["recording"]["maxBytes"], &begun["recording"]["stopReason"]), (&json!(max_bytes), &Value::Null));
    let reason = eventually("the recording to be full", || async {
        let phone = patchbay.new_phone();
        phone.write(&client.number, "version 0").await;
        phone.receives("the answer", |message| message["text"] == "version-0001").await;
        client.in_force("shop").await[0]["recording"]["stopReason"].as_str().map(str::to_owned)
    })
    .await;
    let statement = "SELECT recording.bytes::bigint FROM plugin_recording recording
        JOIN plugin_activation activation ON activation.id = recording.activation_id AND recording.id >= activation.recording_first
        WHERE recording.client_id = (SELECT id FROM client WHERE client_ref = $1)";
    let mut db = patchbay.database().await;
    (reason, sqlx::query_scalar(statement).bind(&client.client_ref).fetch_all(&mut db).await.unwrap())
}

#[tokio::test]
async fn a_recording_keeps_as_many_bytes_as_it_may_and_says_why_it_stopped() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    client.install("shop", bot(1)).await;

    let (reason, kept) = recorded_until_full(&patchbay, &client, 1).await;
    assert_eq!((reason.as_str(), kept), ("it has as many calls as fit into 1 bytes", vec![]));
    let (reason, kept) = recorded_until_full(&patchbay, &client, 10_000).await;
    assert_eq!(reason, "it has as many calls as fit into 10000 bytes");
    let largest = kept.iter().max().copied().expect("some calls fit");
    let sum: i64 = kept.iter().sum();
    assert!(sum <= 10_000 && sum + 2 * largest > 10_000, "{kept:?}");

    let phone = patchbay.new_phone();
    phone.write(&client.number, "version 0").await;
    phone.receives("the answer", |message| message["text"] == "version-0001").await;
    let total = client.get(&format!("{PLUGINS}/shop/recordings")).await.ok()["totalElements"].clone();
    assert_eq!(total, kept.len(), "nothing is recorded any more");
    let stops = client.kept("shop", "events").await.into_iter().filter(|event| event["kind"] == "RECORDING_STOPPED");
    assert_eq!(stops.count(), 2);
}
