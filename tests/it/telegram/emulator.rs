//! A bot on a Bot API that others wrote: the emulator of npm's `telegram-test-api` (`tests/peers/telegram`), whose client writes and
//! taps for the customer.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, Mutex},
};

use harness::{Patchbay, PatchbaySetup, TestClient, WebhookSink, bot_token, eventually, installed_peer, peer_folder};
use serde_json::{Value, json};

use super::messages::{is_in_doubt, settles};

/// The bot of the package's `getMe`.
const BOT: &str = "666";
const CUSTOMER: &str = "7001";

struct Emulator {
    child: Child,
    commands: ChildStdin,
    url: String,
    events: Arc<Mutex<Vec<Value>>>,
}

impl Emulator {
    fn start() -> Self {
        let mut node = Command::new("node");
        node.arg(peer_folder("telegram").join("emulator.js")).arg(installed_peer("telegram"));
        node.arg(bot_token(BOT)).arg(CUSTOMER).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = node.spawn().unwrap();
        let commands = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let listening: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
        let url = format!("http://127.0.0.1:{}", listening["port"]);
        let events = Arc::new(Mutex::new(Vec::new()));
        let collected = Arc::clone(&events);
        std::thread::spawn(move || {
            let lines = output.map_while(Result::ok);
            lines.for_each(|line| collected.lock().unwrap().push(serde_json::from_str(&line).unwrap()));
        });
        Self { child, commands, url, events }
    }

    fn command(&self, command: &Value) {
        (&self.commands).write_all(format!("{command}\n").as_bytes()).unwrap();
    }

    fn write(&self, text: &str) {
        self.command(&json!({ "do": "write", "text": text }));
    }

    /// The events of this name, oldest first.
    fn all(&self, name: &str) -> Vec<Value> {
        self.events.lock().unwrap().iter().filter(|event| event["event"] == name).cloned().collect()
    }

    /// The message of the bot with this text, once the customer has it.
    async fn hears(&self, text: &str) -> Value {
        eventually(text, || async { self.all("heard").into_iter().find(|event| event["message"]["text"] == text) })
            .await
    }

    /// The HTTP statuses of the answers to calls of a method by the bot, oldest first.
    fn statuses(&self, method: &str) -> Vec<u64> {
        let called = self.all("called");
        called.iter().filter(|call| call["method"] == method).filter_map(|call| call["status"].as_u64()).collect()
    }

    /// Waits until the calls of a method have been answered with these statuses.
    async fn answers(&self, method: &str, statuses: &[u64]) {
        eventually(&format!("{statuses:?} for {method}"), || async {
            (self.statuses(method) == statuses).then_some(())
        })
        .await;
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A server whose Bot API is the emulator, and a client with its bot and a chatbot.
async fn with_emulator() -> (Patchbay, TestClient, WebhookSink, Emulator) {
    let emulator = Emulator::start();
    let patchbay = PatchbaySetup::new().with_guests().set("telegram.api_url", &emulator.url).start().await;
    let client = patchbay.bare_client("acme");
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let token = bot_token(BOT);
    let added = patchbay.admin(&["telegram", "add", "--client", "acme", "--token", &token, "--polling"]);
    assert_eq!((&added["botId"], &added["username"]), (&json!(BOT), &json!("TestNameBot")));
    client.activate("clerk").await;
    (patchbay, client, sink, emulator)
}

#[tokio::test]
async fn an_emulator_by_others_gives_texts_and_taps_and_gets_answers_with_buttons() {
    let (patchbay, client, sink, emulator) = with_emulator().await;
    emulator.answers("deleteWebhook", &[200]).await;
    emulator.write("/start spring");
    sink.receives("incoming", "the command", |body| body["text"] == "/start spring").await;
    emulator.write("buttons");
    let incoming = sink.receives("incoming", "the text", |body| body["text"] == "buttons").await;
    assert_eq!((&incoming["profileName"], &incoming["receiver"]), (&json!("Zo"), &json!(BOT)));
    assert_eq!((&incoming["messageContentType"], &incoming["senderUserId"]), (&json!("TEXT"), &json!(CUSTOMER)));
    sink.receives("chatbot", "the text", |event| event["messageText"] == "buttons").await;
    let question = emulator.hears("Choose:").await;
    assert_eq!(
        question["message"]["reply_markup"]["inline_keyboard"],
        json!([[{ "text": "Yes", "callback_data": "pb:1" }], [{ "text": "No", "callback_data": "pb:2" }]])
    );
    emulator.command(&json!({ "do": "tap", "data": "pb:2", "on": question }));
    let tapped = sink.receives("incoming", "the tap", |body| body["messageContentType"] == "INTERACTIVE").await;
    assert_eq!((&tapped["buttonText"], &tapped["buttonPayload"]), (&json!("No"), &json!("no-id")));
    let is_tap = |event: &Value| event["messageType"] == "INTERACTIVE" && event["direction"] == "INCOMING";
    let event = sink.receives("chatbot", "the tap", is_tap).await;
    assert!(event["quotedText"].as_str().unwrap_or_default().starts_with("Choose:"), "{event}");
    emulator.answers("answerCallbackQuery", &[200]).await;
    emulator.hears("got choice no-id").await;
    settles(&patchbay, &client.client_ref, &[("SENT", None), ("SENT", None)]).await;
    emulator.answers("sendMessage", &[200, 200]).await;
}

#[tokio::test]
async fn a_call_that_an_emulator_by_others_does_not_know_leaves_its_message_in_doubt() {
    let (patchbay, client, _sink, emulator) = with_emulator().await;
    emulator.write("place");
    emulator.answers("sendVenue", &[500]).await;
    is_in_doubt(&patchbay, &client.client_ref).await;
    assert_eq!(emulator.statuses("sendVenue"), [500], "it is not sent again at once");
}
