//! The simulated Messenger with third-party clients. It accepts and refuses the same requests as Meta.

use serde_json::{Value, json};

use crate::host::{MESSENGER_SECRET, Outside, VERIFY_TOKEN};
use crate::peers::Peer;

const PAGE: &str = "555";
const PERSON: &str = "24071234567";

fn of_person(psid: &str, path: &str) -> String {
    format!("/messenger/phones/{psid}{path}")
}

async fn writes(outside: &Outside, psid: &str, draft: Value) -> String {
    let mut draft = draft;
    draft["to"] = json!(PAGE);
    outside.post(&of_person(psid, "/messages"), draft).await["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn messaging_api_messenger_sends_and_is_refused_as_meta_would() {
    let outside = Outside::start().await;
    outside.post("/simulator/pages", json!({"pageId": PAGE, "accessToken": "page-token"})).await;
    let late = "24079999999";
    for psid in [PERSON, late] {
        writes(&outside, psid, json!({"text": "hello"})).await;
    }
    outside.put(&of_person(late, ""), json!({"wroteSecondsAgo": 25 * 3600})).await;
    outside.put(&of_person(PERSON, ""), json!({"firstName": "Zo", "lastName": "M"})).await;
    let base = outside.url("");
    let mut peer = Peer::start("messenger_sends.mjs", &[("base", &base), ("to", PERSON), ("late", late)]).await;
    for step in [
        "text",
        "image",
        "file",
        "image by its id",
        "audio as an upload",
        "quick replies",
        "2000 characters",
        "late with a tag",
    ] {
        let told = peer.tells(json!({"step": step})).await;
        let answer = told["answer"].to_string();
        assert!(answer.contains("m_"), "{told}");
    }
    for (step, code, subcode) in [
        ("an image by the id of nothing", 100, Value::Null),
        ("an image that is called audio", 100, json!(2_018_047)),
        ("an image at an address of this machine", 100, json!(2_018_008)),
        ("fourteen quick replies", 100, Value::Null),
        ("a title of 21", 100, Value::Null),
        ("2001 characters", 100, Value::Null),
        ("late", 10, json!(2_018_278)),
        ("another tag", 100, Value::Null),
        ("a stranger", 100, json!(2_018_001)),
    ] {
        let told = peer.tells(json!({"step": step})).await;
        assert_eq!(told["error"]["code"], code, "{told}");
        assert_eq!(told["error"].get("subcode").cloned().unwrap_or_default(), subcode, "{told}");
    }
    let profile = peer.tells(json!({"step": "profile"})).await;
    assert!(profile["answer"].to_string().contains("\"Zo\""), "{profile}");
    peer.ends_well().await;
    let person = outside.get(&of_person(PERSON, "")).await;
    assert_eq!((&person["typing"], &person["seen"]), (&json!(true), &json!(true)));
    let inbox = outside.get(&of_person(PERSON, "/inbox")).await;
    let texts: Vec<&str> =
        inbox["messages"].as_array().unwrap().iter().filter_map(|one| one["text"].as_str()).collect();
    assert_eq!(texts[..6], ["Hello from another client", "[image]", "[file]", "[image]", "[audio]", "Rate us"]);
    for (at, bytes) in [(3, "\u{89}PNG of another client"), (4, "ID3 of another client")] {
        let url = inbox["messages"][at]["body"]["attachment"]["payload"]["url"].as_str().unwrap();
        assert_eq!(outside.fetch(url).await, bytes.as_bytes(), "message {at}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fbmessenger_verifies_and_reads_the_callbacks_and_answers() {
    let outside = Outside::start().await;
    outside.post("/simulator/pages", json!({"pageId": PAGE})).await;
    let base = outside.url("");
    let arguments = [("secret", MESSENGER_SECRET), ("token", VERIFY_TOKEN), ("base", base.as_str())];
    let mut peer = Peer::start("fbmessenger_receives.py", &arguments).await;
    let port = peer.tells(json!({"kind": "listening"})).await["port"].clone();
    outside.simulator.set_messenger_callback_url(format!("http://127.0.0.1:{port}/"));
    let handshake = outside.post("/simulator/handshake", json!({})).await;
    assert_eq!(handshake["messengerVerified"], true);

    let id = writes(&outside, PERSON, json!({"text": "héllo 🎉"})).await;
    let told = peer.tells(json!({"kind": "message", "mid": id})).await;
    assert_eq!((&told["text"], &told["sender"]), (&json!("héllo 🎉"), &json!(PERSON)));
    assert!(told["millis"].as_i64().unwrap() > 1_700_000_000_000, "milliseconds: {told}");
    peer.tells(json!({"kind": "envelope", "object": "page", "pages": [PAGE]})).await;
    for kind in ["image", "audio", "video", "file", "location"] {
        let id = writes(&outside, PERSON, json!({"type": kind})).await;
        let told = peer.tells(json!({"kind": "message", "mid": id})).await;
        assert_eq!(told["attachments"][0]["type"], kind, "{told}");
    }

    writes(&outside, PERSON, json!({"text": "choose"})).await;
    let answer = peer.tells(json!({"kind": "answer"})).await;
    let sent = answer["answer"]["message_id"].as_str().unwrap().to_owned();
    assert_eq!(peer.tells(json!({"kind": "message", "mid": sent})).await["is_echo"], true);
    assert_eq!(peer.tells(json!({"kind": "delivery"})).await["mids"], json!([sent]));
    outside.post(&of_person(PERSON, "/tap"), json!({"button": "Yes"})).await;
    assert_eq!(peer.tells(json!({"kind": "message", "text": "Yes"})).await["quick_reply"]["payload"], "YES");
    outside.post(&of_person(PERSON, "/read"), json!({})).await;
    assert!(peer.tells(json!({"kind": "read"})).await["watermark"].is_i64());
    outside.post(&of_person(PERSON, "/postback"), json!({"title": "Menu", "payload": "MENU"})).await;
    assert_eq!(peer.tells(json!({"kind": "postback"})).await["payload"], "MENU");
    assert!(peer.heard.iter().all(|line| line["kind"] != "refused"));
}
