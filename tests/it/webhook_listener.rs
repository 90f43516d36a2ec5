//! `patchbay listen`: the real binary forwards webhooks to a receiver on this machine (CONTRACT 9, `docs/webhooks.md`).

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex},
};

use harness::{Patchbay, SharedPatchbay, SinkRequest, TestClient, WebhookSink, binary, eventually};
use serde_json::{Value, json};

use super::webhooks::peers::is_signed_by;

const CONFIGURATIONS: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";
const LISTENER: &str = "/messaging-service/WhatsApp/webhook-listener";

/// A running `patchbay listen`.
struct Listening {
    child: Child,
    input: ChildStdin,
    output: Arc<Mutex<String>>,
}

fn command(patchbay: &Patchbay, key: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.arg("listen").args(arguments).env("PATCHBAY_URL", patchbay.url()).env("PATCHBAY_API_KEY", key);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Listening {
    /// Starts it and waits until it listens.
    async fn start(patchbay: &Patchbay, client: &TestClient, sink: &WebhookSink) -> Self {
        let mut child = command(patchbay, &client.key, &["--to", &sink.url("hook")]).spawn().unwrap();
        let output = Arc::<Mutex<String>>::default();
        let streams: [Box<dyn std::io::Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for stream in streams {
            let output = Arc::clone(&output);
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    output.lock().unwrap().push_str(&format!("{line}\n"));
                }
            });
        }
        let input = child.stdin.take().unwrap();
        let listening = Self { child, input, output };
        listening.says("listening to ").await;
        listening
    }

    async fn says(&self, text: &str) {
        let what = format!("`{text}` from patchbay listen");
        eventually(&what, || async { self.output.lock().unwrap().contains(text).then_some(()) }).await;
    }

    fn types(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn secret(client: &TestClient) -> String {
    let configuration = client.get(&format!("{CONFIGURATIONS}/getForCurrentLoginUser")).await.ok();
    let id = configuration["id"].as_str().unwrap();
    client.get(&format!("{CONFIGURATIONS}/{id}/secret")).await.ok()["secret"].as_str().unwrap().to_owned()
}

fn ids(received: &[SinkRequest]) -> Vec<String> {
    received.iter().map(|one| one.header("webhook-id")).collect()
}

#[tokio::test]
async fn a_client_without_a_webhook_address_can_listen_to_webhooks_and_resend_one() {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    sink.answers("hook", "thanks");
    let mut listening = Listening::start(&patchbay, &client, &sink).await;
    listening.says("one without addresses was made").await;

    patchbay.new_phone().write(&client.number, "h\u{e9}llo").await;
    // The incoming message and the chatbot event.
    let came = sink.receives_many("hook", 2).await;
    let secret = secret(&client).await;
    assert!(came.iter().all(|one| is_signed_by(&secret, one)), "{came:?}");
    assert!(came.iter().all(|one| one.header("content-type") == "application/json"), "{came:?}");
    listening.says("#1 ").await;
    listening.says("INCOMING_MESSAGE").await;
    listening.says("CHATBOT").await;
    listening.says("-> 200 in ").await;
    listening.says("thanks").await;

    listening.types("2");
    let again = sink.receives_many("hook", 3).await;
    assert_eq!(ids(&again)[2], ids(&came)[1]);
    assert_eq!(again[2].body, came[1].body);
    listening.types("r");
    assert_eq!(ids(&sink.receives_many("hook", 4).await)[3], ids(&came)[1]);
    listening.types("99");
    listening.says("sends the last webhook again").await;
    drop(listening);

    let id = ids(&came)[0].clone();
    let replayed = command(&patchbay, &client.key, &["--to", &sink.url("hook"), "--replay", &id]).output().unwrap();
    assert!(replayed.status.success(), "{replayed:?}");
    let last = sink.received("hook").pop().unwrap();
    assert_eq!((last.header("webhook-id"), &last.body), (id, &came[0].body));
    assert!(is_signed_by(&secret, &last));
}

#[tokio::test]
async fn the_configured_receiver_gets_the_same_bytes_under_the_same_id() {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    client.webhooks_to(&sink, "v2").await;
    let listening = Listening::start(&patchbay, &client, &sink).await;
    let sent = client.send(&client.order_ready(&["27820000077"])).await;
    assert_eq!(sent.status, 202, "{}", sent.text);
    let usual = sink.receives_many("status", 1).await.remove(0);
    let same = eventually("the same webhook", || async {
        sink.received("hook").into_iter().find(|one| one.header("webhook-id") == usual.header("webhook-id"))
    });
    assert_eq!(same.await.body, usual.body);
    listening.says("STATUS_UPDATE").await;
}

#[tokio::test]
async fn a_receiver_that_fails_is_shown_and_a_replay_to_it_ends_with_status_1() {
    let patchbay = SharedPatchbay::get().await;
    let (client, sink) = (patchbay.new_client().await, WebhookSink::start().await);
    sink.misbehave("hook", 500, std::time::Duration::ZERO, u32::MAX);
    let listening = Listening::start(&patchbay, &client, &sink).await;
    patchbay.new_phone().write(&client.number, "hello").await;
    let id = ids(&sink.receives_many("hook", 1).await).remove(0);
    listening.says("-> 500 in ").await;
    let run = |to: &str, id: &str| {
        let output = command(&patchbay, &client.key, &["--to", to, "--replay", id]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(run(&sink.url("hook"), &id).0, Some(1));
    for (to, id, said) in [
        ("http://127.0.0.1:1/", id.as_str(), "did not accept"),
        ("ftp://example.com", id.as_str(), "--to is `ftp://example.com`"),
        ("http://127.0.0.1:1/", "../secret", "is not a webhook-id"),
        ("http://127.0.0.1:1/", "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f41", "has no webhook"),
    ] {
        let (status, errors) = run(to, id);
        assert!(status == Some(1) && errors.contains(said), "{to} {id}: {errors}");
    }
    let wrong = command(&patchbay, "b8b8f4b2-6a53-4c6f-9a4e-0b6f4a1c2d3e", &["--to", &sink.url("hook")]).output();
    let wrong = wrong.unwrap();
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("does not know this API key"));
}

#[tokio::test]
async fn webhooks_are_numbered_and_read_once_from_any_number_on() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let refused = client.post(LISTENER, &json!({})).await;
    assert_eq!(refused.status, 409, "{}", refused.text);
    client.post(CONFIGURATIONS, &json!({})).await.ok();
    assert_eq!(client.post(LISTENER, &json!({ "after": -1 })).await.faulty_fields(), ["after"]);
    assert_eq!(client.post(LISTENER, &json!({})).await.ok(), json!({ "last": 0, "webhooks": [] }));

    let phone = patchbay.new_phone();
    phone.write(&client.number, "one").await;
    phone.write(&client.number, "two").await;
    let mut heard: Vec<Value> = Vec::new();
    while heard.len() < 4 {
        let after = heard.last().map_or(0, |last| last["number"].as_i64().unwrap());
        let page = client.post(LISTENER, &json!({ "after": after })).await.ok();
        heard.extend(page["webhooks"].as_array().unwrap().clone());
    }
    let numbers: Vec<i64> = heard.iter().map(|one| one["number"].as_i64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    let rest = client.post(LISTENER, &json!({ "after": 2 })).await.ok();
    assert_eq!((rest["last"].as_i64(), rest["webhooks"][0]["id"].clone()), (Some(4), heard[2]["id"].clone()));

    let stranger = patchbay.new_client().await;
    let id = heard[0]["id"].as_str().unwrap();
    assert_eq!(stranger.get(&format!("{LISTENER}/{id}")).await.status, 404);
    assert_eq!(client.get(&format!("{LISTENER}/{id}")).await.ok()["body"], heard[0]["body"]);
}
