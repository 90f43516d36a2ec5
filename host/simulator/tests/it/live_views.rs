//! `GET /simulator/live`: the views of the page as they change.

use std::time::Duration;

use reqwest::Response;
use serde_json::{Value, json};

use crate::host::{BUSINESS, Outside, PHONE, text};

/// The events of a stream, read one by one.
pub struct LiveStream {
    answer: Response,
    unread: String,
}

impl LiveStream {
    pub async fn open(outside: &Outside, query: &str) -> Self {
        let answer = outside.http.get(outside.url(&format!("/simulator/live?{query}"))).send().await.unwrap();
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        Self { answer, unread: String::new() }
    }

    /// The name and the view of the next event. `None` if the stream has ended.
    async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some((event, rest)) = self.unread.split_once("\n\n") {
                let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
                let found = field("event: ").zip(field("data: "));
                self.unread = rest.to_owned();
                if let Some((name, data)) = found {
                    return Some((name, serde_json::from_str(&data).unwrap()));
                }
                continue;
            }
            let chunk =
                tokio::time::timeout(Duration::from_secs(20), self.answer.chunk()).await.expect("an event comes");
            self.unread.push_str(std::str::from_utf8(&chunk.ok()??).unwrap());
        }
    }

    /// Reads until a view of this name has the wanted thing.
    pub async fn until<T>(&mut self, name: &str, found: impl Fn(&Value) -> Option<T>) -> T {
        loop {
            let (of, view) = self.next().await.expect("the stream goes on");
            if of == name
                && let Some(found) = found(&view)
            {
                return found;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stream_begins_with_each_wanted_view_and_tells_what_changes() {
    let outside = Outside::start().await;
    let mut stream = LiveStream::open(&outside, &format!("whatsapp={PHONE}&messenger=2407&telegram=7")).await;
    let mut first = Vec::new();
    for _ in 0..4 {
        first.push(stream.next().await.unwrap());
    }
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["world", "whatsapp", "messenger", "telegram"]);
    assert_eq!(first[0].1["faults"]["delayMillis"], 0);
    assert_eq!(first[1].1["inbox"], json!([]));
    assert_eq!(outside.get("/phones").await["phones"], json!([]), "a view does not make a phone known");

    let id = outside.sent(text("hello")).await;
    let texts =
        stream.until("whatsapp", |view| (view["inbox"][0]["status"] == "delivered").then(|| view["inbox"].clone()));
    let texts = texts.await;
    assert_eq!((&texts[0]["id"], &texts[0]["text"]), (&json!(id), &json!("hello")));

    outside.post(&format!("/phones/{PHONE}/messages"), json!({"to": BUSINESS, "text": "hi"})).await;
    let written =
        stream.until("whatsapp", |view| view["outbox"][0]["body"]["text"]["body"].as_str().map(str::to_owned));
    assert_eq!(written.await, "hi");
    outside.faults(json!({"delayMillis": 5})).await;
    stream.until("world", |view| (view["faults"]["delayMillis"] == 5).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_view_that_has_not_changed_is_not_sent_again() {
    let outside = Outside::start().await;
    let mut stream = LiveStream::open(&outside, &format!("whatsapp={PHONE}&sms=27820000002")).await;
    for _ in 0..3 {
        stream.next().await.unwrap();
    }
    outside.post("/phones/27820000002/sms", json!({"to": "SHOP", "text": "hi"})).await;
    let (name, view) = stream.next().await.unwrap();
    assert_eq!((name.as_str(), &view["outbox"][0]["channel"]), ("sms", &json!("SMS")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_stream_does_not_hold_up_the_end_of_the_simulator() {
    let outside = Outside::start().await;
    let mut stream = LiveStream::open(&outside, "").await;
    assert_eq!(stream.next().await.unwrap().0, "world");
    outside.simulator.stop().await;
    assert_eq!(stream.next().await, None);
}
