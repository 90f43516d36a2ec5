//! Third-party clients as child processes: see `tests/peers/simulator`.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::OnceCell;

use crate::host::{APP_SECRET, BUSINESS, Outside, PHONE, VERIFY_TOKEN, text};

const WABA: &str = "900";

fn scripts() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../tests/peers/simulator")
}

/// Installs the peers once and returns their directory.
async fn peers() -> &'static str {
    static INSTALLED: OnceCell<String> = OnceCell::const_new();
    INSTALLED
        .get_or_init(|| async {
            let install = Command::new(scripts().join("install.sh")).output().await.unwrap();
            let said = String::from_utf8_lossy(&install.stderr).into_owned();
            assert!(install.status.success(), "the peers could not be installed: {said}");
            String::from_utf8(install.stdout).unwrap().trim().to_owned()
        })
        .await
}

/// A running peer that prints one line of JSON per action.
pub struct Peer {
    name: &'static str,
    lines: Lines<BufReader<ChildStdout>>,
    child: Child,
    pub heard: Vec<Value>,
}

impl Peer {
    pub async fn start(name: &'static str, arguments: &[(&str, &str)]) -> Self {
        let installed = peers().await;
        let mut command = if name.ends_with(".py") {
            let mut command = Command::new("python3");
            command.env("PYTHONPATH", Path::new(installed).join("python"));
            command.arg(scripts().join(name));
            command
        } else {
            let mut command = Command::new("node");
            command.arg(scripts().join(name)).args(["--peers", installed]);
            command
        };
        for (argument, value) in arguments {
            command.arg(format!("--{argument}")).arg(value);
        }
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { name, lines, child, heard: Vec::new() }
    }

    async fn line(&mut self) -> Option<Value> {
        let line = tokio::time::timeout(Duration::from_secs(30), self.lines.next_line());
        let line = line.await.unwrap_or_else(|_| panic!("{} is silent: {:#?}", self.name, self.heard));
        let line: Option<Value> = line.unwrap().map(|line| serde_json::from_str(&line).unwrap());
        self.heard.extend(line.clone());
        line
    }

    /// The first line, past or future, with these field values.
    pub async fn tells(&mut self, expected: Value) -> Value {
        let fits = |line: &Value| expected.as_object().unwrap().iter().all(|(field, value)| &line[field] == value);
        if let Some(line) = self.heard.iter().find(|line| fits(line)) {
            return line.clone();
        }
        while let Some(line) = self.line().await {
            if fits(&line) {
                return line;
            }
        }
        panic!("{} ended without {expected}: {:#?}", self.name, self.heard);
    }

    /// Sends the simulator's callbacks to this peer.
    async fn receive(name: &'static str, outside: &Outside) -> Self {
        let number = json!({"phoneNumberId": BUSINESS, "wabaId": WABA, "number": "27110000000"});
        outside.post("/simulator/numbers", number).await;
        let mut arguments = vec![("secret", APP_SECRET), ("token", VERIFY_TOKEN)];
        if name.ends_with(".py") {
            arguments.push(("number", BUSINESS));
        }
        let mut peer = Self::start(name, &arguments).await;
        let port = peer.tells(json!({"kind": "listening"})).await["port"].clone();
        outside.simulator.set_callback_url(format!("http://127.0.0.1:{port}/"));
        let handshake = outside.post("/simulator/handshake", json!({})).await;
        assert_eq!(handshake["verified"], true, "{name} refused the handshake");
        peer
    }

    pub async fn ends_well(mut self) {
        while self.line().await.is_some() {}
        let status = self.child.wait().await.unwrap();
        assert!(status.success(), "{}: {:#?}", self.name, self.heard);
    }
}

async fn writes(outside: &Outside, draft: Value) -> String {
    let mut draft = draft;
    draft["to"] = json!(BUSINESS);
    let answer = outside.post(&format!("/phones/{PHONE}/messages"), draft).await;
    answer["id"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn kapso_whatsapp_cloud_api_sends_every_kind_to_the_simulator() {
    let outside = Outside::start().await;
    let read = writes(&outside, json!({"text": "a question"})).await;
    let base = outside.url("");
    let arguments = [("base", base.as_str()), ("number", BUSINESS), ("waba", WABA), ("to", PHONE), ("read", &read)];
    let mut peer = Peer::start("kapso_sends.mjs", &arguments).await;
    let sends = [
        "text",
        "image",
        "document",
        "location",
        "contacts",
        "buttons",
        "list",
        "reaction",
        "template",
        "template with a media header",
    ];
    for step in sends {
        let told = peer.tells(json!({"step": step})).await;
        let id = told["answer"]["messages"][0]["id"].as_str().unwrap_or_else(|| panic!("{told}"));
        assert!(id.starts_with("wamid."));
    }
    let refused = peer.tells(json!({"step": "template with too few values"})).await;
    assert_eq!(refused["error"]["code"], 132_000, "{refused}");
    assert_eq!(refused["error"]["httpStatus"], 400);
    let marked = peer.tells(json!({"step": "mark read and typing"})).await;
    assert_eq!(marked["answer"]["success"], true);
    assert_eq!(peer.tells(json!({"step": "media metadata"})).await["answer"]["mimeType"], "image/png");
    assert_eq!(peer.tells(json!({"step": "media deleted"})).await["answer"]["success"], true);
    let templates = peer.tells(json!({"step": "templates"})).await;
    assert_eq!(templates["answer"]["data"].as_array().unwrap().len(), 11);
    peer.ends_well().await;

    let inbox = outside.inbox(PHONE, sends.len()).await;
    let texts: Vec<&str> = inbox.iter().map(|message| message["text"].as_str().unwrap()).collect();
    assert_eq!(texts[0], "Hello from another client");
    assert!(texts.contains(&"Hi Thandi, order #42 is ready.\nSample Shop"), "{texts:?}");
    assert!(texts.contains(&"New this week: hats."), "{texts:?}");
    assert_eq!(outside.get(&format!("/phones/{PHONE}")).await["typing"], true);
    let outbox = outside.get(&format!("/phones/{PHONE}/outbox")).await;
    assert_eq!(outbox["messages"][0]["readByBusiness"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn pywa_verifies_and_parses_the_simulators_callbacks() {
    let outside = Outside::start().await;
    let mut peer = Peer::receive("pywa_receives.py", &outside).await;
    outside.phone(PHONE, json!({"name": "Zoë", "username": "zo", "userId": "ZA.100"})).await;
    let user = json!({"wa_id": PHONE, "bsuid": "ZA.100", "name": "Zoë", "username": "zo"});

    let mut message = text("question");
    message["biz_opaque_callback_data"] = json!("msg_1");
    let sent = outside.sent(message).await;
    for status in ["sent", "delivered"] {
        let told = peer.tells(json!({"kind": "status", "id": sent, "status": status})).await;
        assert_eq!(told["tracker"], "msg_1", "{told}");
        assert_eq!(told["category"], "service");
        assert_eq!(told["user"]["bsuid"], "ZA.100");
    }
    outside.post(&format!("/phones/{PHONE}/read"), json!({})).await;
    peer.tells(json!({"kind": "status", "id": sent, "status": "read"})).await;

    let id = writes(&outside, json!({"text": "héllo 🎉", "quote": sent})).await;
    let told = peer.tells(json!({"kind": "message", "id": id})).await;
    assert_eq!((&told["text"], &told["user"]), (&json!("héllo 🎉"), &user));
    assert_eq!((&told["quoted"], &told["number"]), (&json!(sent), &json!(BUSINESS)));
    for kind in ["image", "audio", "video", "document", "sticker"] {
        let id = writes(&outside, json!({"type": kind})).await;
        let told = peer.tells(json!({"kind": "message", "id": id, "type": kind})).await;
        assert!(told["media"]["sha256"].is_string(), "{told}");
    }
    let id = writes(&outside, json!({"type": "location"})).await;
    let told = peer.tells(json!({"kind": "message", "id": id})).await;
    assert_eq!(told["location"], json!([-26.1076, 28.0567, "Sample Shop"]));
    let id = writes(&outside, json!({"type": "contacts"})).await;
    let told = peer.tells(json!({"kind": "message", "id": id})).await;
    assert_eq!(told["contact"], "Thandi Nkosi");
    let reaction = json!({"type": "reaction", "reaction": {"messageId": sent, "emoji": "👍"}});
    let id = writes(&outside, reaction).await;
    let told = peer.tells(json!({"kind": "message", "id": id})).await;
    assert_eq!(told["reaction"], json!([sent, "👍"]));
    assert!(peer.heard.iter().all(|line| line["kind"] != "refused"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pywa_parses_taps_account_events_and_a_phone_without_a_number() {
    let outside = Outside::start().await;
    let mut peer = Peer::receive("pywa_receives.py", &outside).await;
    let tap = format!("/phones/{PHONE}/tap");
    let survey = json!({"type": "template", "template": {"name": "survey", "language": {"code": "en"}}});
    let sent = outside.sent(survey).await;
    outside.inbox(PHONE, 1).await;
    let id = outside.post(&tap, json!({"button": "Good"})).await["id"].clone();
    let told = peer.tells(json!({"kind": "button", "id": id})).await;
    assert_eq!((&told["data"], &told["title"], &told["quoted"]), (&json!("Good"), &json!("Good"), &json!(sent)));
    let list = json!({"type": "interactive", "interactive": {"type": "list", "body": {"text": "Pick"},
        "action": {"button": "Menu", "sections": [{"title": "Main", "rows": [
            {"id": "x1", "title": "Sales", "description": "Buy"}]}]}}});
    outside.sent(list).await;
    outside.inbox(PHONE, 2).await;
    let id = outside.post(&tap, json!({"button": "x1"})).await["id"].clone();
    let told = peer.tells(json!({"kind": "selection", "id": id})).await;
    assert_eq!((&told["data"], &told["description"]), (&json!("x1"), &json!("Buy")));

    let events = [
        (
            json!({"type": "template_status", "wabaId": WABA, "name": "welcome", "event": "PAUSED"}),
            json!({"kind": "template status", "name": "welcome", "status": "PAUSED"}),
        ),
        (
            json!({"type": "template_quality", "wabaId": WABA, "name": "welcome", "quality": "RED"}),
            json!({"kind": "template quality", "name": "welcome", "quality": "RED"}),
        ),
        (
            json!({"type": "user_preferences", "msisdn": PHONE, "phoneNumberId": BUSINESS, "value": "stop"}),
            json!({"kind": "preferences", "value": "stop"}),
        ),
        (
            json!({"type": "number_change", "msisdn": PHONE, "newMsisdn": "27820000099", "phoneNumberId": BUSINESS}),
            json!({"kind": "number change", "old": PHONE, "new": "27820000099"}),
        ),
    ];
    for (event, expected) in events {
        outside.post("/simulator/events", event).await;
        peer.tells(expected).await;
    }
    let hidden = json!({"hidePhone": true, "userId": "ZA.200", "onWhatsApp": true});
    outside.phone(PHONE, hidden).await;
    let id = writes(&outside, json!({"text": "guess who"})).await;
    let told = peer.tells(json!({"kind": "message", "id": id})).await;
    assert_eq!((&told["user"]["wa_id"], &told["user"]["bsuid"]), (&Value::Null, &json!("ZA.200")));
}

#[tokio::test(flavor = "multi_thread")]
async fn whatsapp_api_js_verifies_and_parses_callbacks_failures_too() {
    let outside = Outside::start().await;
    let mut peer = Peer::receive("whatsapp_api_js_receives.mjs", &outside).await;
    outside.phone(PHONE, json!({"name": "Zoë", "userId": "ZA.100"})).await;
    let mut message = text("question");
    message["biz_opaque_callback_data"] = json!("msg_1");
    let sent = outside.sent(message).await;
    let told = peer.tells(json!({"kind": "status", "id": sent, "status": "delivered"})).await;
    assert_eq!(told["recipient"], json!({"phone": PHONE, "bsuid": "ZA.100"}));
    assert_eq!((&told["opaque"], &told["phoneID"]), (&json!("msg_1"), &json!(BUSINESS)));

    outside.phone("27820000002", json!({"onWhatsApp": false})).await;
    let mut message = text("x");
    message["to"] = json!("27820000002");
    let lost = outside.sent(message).await;
    let told = peer.tells(json!({"kind": "status", "id": lost})).await;
    assert_eq!((&told["status"], &told["error"]["code"]), (&json!("failed"), &json!(131_026)));
    assert_eq!(told["recipient"], json!({"phone": "27820000002"}));

    let id = writes(&outside, json!({"text": "héllo 🎉 / \"quoted\""})).await;
    peer.tells(json!({"kind": "message", "name": "Zoë"})).await;
    let told = peer.heard.iter().find(|line| line["message"]["id"] == id).unwrap();
    assert_eq!(told["message"]["text"]["body"], "héllo 🎉 / \"quoted\"");
    outside.phone(PHONE, json!({"hidePhone": true})).await;
    writes(&outside, json!({"text": "guess who"})).await;
    let told = peer.tells(json!({"kind": "message", "recipient": {"bsuid": "ZA.100"}})).await;
    assert_eq!(told["message"]["text"]["body"], "guess who");
    assert!(peer.heard.iter().all(|line| line["kind"] != "refused"));
}

#[tokio::test(flavor = "multi_thread")]
async fn whatsapp_api_js_refuses_a_callback_signed_with_another_secret() {
    let outside = Outside::start().await;
    let arguments = [("secret", "another-secret"), ("token", VERIFY_TOKEN)];
    let mut peer = Peer::start("whatsapp_api_js_receives.mjs", &arguments).await;
    let port = peer.tells(json!({"kind": "listening"})).await["port"].clone();
    outside.simulator.set_callback_url(format!("http://127.0.0.1:{port}/"));
    writes(&outside, json!({"text": "x"})).await;
    peer.tells(json!({"kind": "refused", "status": 401})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn smpplib_binds_sends_and_gets_receipts_and_a_message() {
    let outside = Outside::start().await;
    let port = outside.simulator.smsc_addr().port().to_string();
    let arguments = [("host", "127.0.0.1"), ("port", port.as_str()), ("to", PHONE)];
    let mut peer = Peer::start("smpplib_sends.py", &arguments).await;
    assert_eq!(peer.tells(json!({"step": "wrong password"})).await["code"], 0x0e);
    let sent = peer.tells(json!({"step": "sent"})).await;
    let mut ids: Vec<&str> = sent["ids"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    let receipts = sent["receipts"].as_array().unwrap();
    let mut receipted: Vec<&str> = receipts.iter().map(|r| r["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    receipted.sort_unstable();
    assert_eq!(ids, receipted);
    for receipt in receipts {
        assert_eq!((&receipt["receipt"], &receipt["state"]), (&json!(true), &json!(2)));
        assert_eq!((&receipt["from"], &receipt["to"]), (&json!(PHONE), &json!("PATCHBAY")));
    }
    peer.tells(json!({"step": "ready"})).await;
    let written = json!({"to": "PATCHBAY", "text": "STOP"});
    outside.post(&format!("/phones/{PHONE}/sms"), written).await;
    let told = peer.tells(json!({"step": "from a phone"})).await;
    let message = &told["message"];
    assert_eq!((&message["receipt"], &message["text"]), (&json!(false), &json!("STOP")));
    assert_eq!((&message["from"], &message["to"]), (&json!(PHONE), &json!("PATCHBAY")));
    peer.tells(json!({"step": "unbound"})).await;
    peer.ends_well().await;

    let inbox = outside.inbox(PHONE, 3).await;
    assert_eq!((&inbox[0]["text"], &inbox[0]["parts"]), (&json!("Hi {there}"), &sent["counts"]["single"]));
    assert_eq!((&inbox[1]["text"], &inbox[1]["parts"]), (&sent["texts"][0], &sent["counts"]["long"]));
    assert_eq!((&inbox[2]["text"], &inbox[2]["parts"]), (&sent["texts"][1], &sent["counts"]["unicode"]));
    assert_eq!((&inbox[1]["dataCoding"], &inbox[2]["dataCoding"]), (&json!(0), &json!(8)));
    assert!(inbox.iter().all(|message| message["channel"] == "SMS"));
}
