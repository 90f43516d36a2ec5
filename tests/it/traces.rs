//! Traces (ADR 0059), received by a collector that reads OTLP with the messages of the OpenTelemetry project
//! (`tests/peers/traces`).

use std::{
    io::{BufRead, BufReader},
    net::TcpListener,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
};

use harness::{Patchbay, PatchbaySetup, TestClient, WebhookSink, eventually, installed_peer, peer_folder};
use reqwest::Method;
use serde_json::{Value, json};

const NUMBER: &str = "27110000001";
const CUSTOMER: &str = "27820000001";
const TOKEN: &str = "token-of-the-collector";
const CALLER: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SEND: &str = "/whatsapp-api-service/v2/channels/whatsapp";

struct Collector {
    child: Child,
    url: String,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Collector {
    fn start() -> Self {
        let (peer, installed) = (peer_folder("traces"), installed_peer("traces"));
        let mut python = Command::new("python3");
        python.env("PYTHONPATH", installed.join("python")).env("PYTHONDONTWRITEBYTECODE", "1");
        let mut child = python.arg(peer.join("collector.py")).arg("0").stdout(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        let first: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let collected = Arc::clone(&lines);
        std::thread::spawn(move || output.map_while(Result::ok).for_each(|line| collected.lock().unwrap().push(line)));
        Self { child, url: format!("http://127.0.0.1:{}", first["port"]), lines }
    }

    fn spans(&self) -> Vec<Value> {
        self.lines.lock().unwrap().iter().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Waits for spans of this trace with all of these names, and returns its spans.
    async fn trace(&self, trace: &str, names: &[&str]) -> Vec<Value> {
        eventually(&format!("{names:?} of {trace}"), || async {
            let spans: Vec<Value> = self.spans().into_iter().filter(|span| span["trace"] == trace).collect();
            names.iter().all(|name| spans.iter().any(|span| span["name"] == *name)).then_some(spans)
        })
        .await
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn named<'s>(spans: &'s [Value], name: &str) -> &'s Value {
    spans.iter().find(|span| span["name"] == name).unwrap()
}

async fn with_client(setup: PatchbaySetup) -> (Patchbay, TestClient, WebhookSink) {
    let patchbay = setup.start().await;
    let client = patchbay.client("acme", NUMBER).await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    (patchbay, client, sink)
}

fn metric(page: &str, series: &str) -> f64 {
    page.lines().find_map(|line| line.strip_prefix(series)?.trim().parse().ok()).unwrap_or(0.0)
}

#[tokio::test]
async fn all_spans_about_a_message_have_its_trace_over_a_restart_and_name_no_person_and_no_secret() {
    let collector = Collector::start();
    let setup = PatchbaySetup::new()
        .set("server.workers", "false")
        .set("traces.endpoint", &collector.url)
        .set("traces.headers", &format!("authorization=Bearer {TOKEN}"));
    let (mut patchbay, client, sink) = with_client(setup).await;
    let caller = format!("00-{CALLER}-00f067aa0ba902b7-01");
    let sent = client
        .request(Method::POST, SEND, Some(&client.order_ready(&[CUSTOMER])), &[("traceparent", &caller)])
        .await
        .accepted();
    let gst_id = sent["acceptedRecipients"][0]["gstId"].as_str().unwrap_or_else(|| panic!("{sent}"));
    let trace = gst_id.replace('-', "");
    // The spans that wait are sent when the program stops.
    assert_eq!(patchbay.terminate().await, Some(0));
    let before = collector.trace(&trace, &["accept"]).await;
    let request = &collector.trace(CALLER, &[&format!("POST {SEND}")]).await[0];
    assert_eq!((&request["parent"], &request["kind"]), (&json!("00f067aa0ba902b7"), &json!("SPAN_KIND_SERVER")));
    assert_eq!(request["attributes"]["http.response.status_code"], 202);

    patchbay.set("server.workers", "true");
    patchbay.launch().await;
    client.statuses(&sink, &format!("ct-{CUSTOMER}"), "DELIVERED").await;
    let spans = collector.trace(&trace, &["accept", "mark", "provider call", "callback", "webhook attempt"]).await;
    let accept = named(&spans, "accept");
    assert_eq!((&accept["parent"], &accept["links"]), (&json!(""), &json!([CALLER])));
    assert_eq!(&before[0], accept);
    assert!(spans.iter().all(|span| span["name"] == "accept" || span["parent"] == accept["span"]), "{spans:?}");
    let call = named(&spans, "provider call");
    assert_eq!((&call["attributes"]["patchbay.outcome"], &call["failed"]), (&json!("accepted"), &json!(false)));
    assert_ne!(accept["resource"]["service.instance.id"], call["resource"]["service.instance.id"]);
    assert_eq!(accept["resource"]["service.name"], "patchbay");

    let all = collector.spans();
    assert!(all.iter().all(|span| span["authorization"] == format!("Bearer {TOKEN}")));
    let text = collector.lines.lock().unwrap().join("\n").replace(TOKEN, "");
    let sink_host = sink.url("").trim_start_matches("http://").to_owned();
    for private in [CUSTOMER, NUMBER, "Thandi", &client.key, &sink_host, patchbay.app_secret()] {
        assert!(!text.contains(private), "{private}");
    }
    assert!(!patchbay.log().contains(TOKEN));
}

#[tokio::test]
async fn the_turn_of_a_chatbot_has_the_trace_of_the_message_that_it_answers() {
    let collector = Collector::start();
    let (patchbay, client, _sink) = with_client(PatchbaySetup::new().set("traces.endpoint", &collector.url)).await;
    client.activate("default-chatbot").await;
    let phone = patchbay.phone(CUSTOMER);
    phone.write(&client.number, "hello").await;
    phone.receives("an answer", |_| true).await;
    let received =
        eventually("the message", || async { collector.spans().into_iter().find(|span| span["name"] == "receive") })
            .await;
    let trace = received["trace"].as_str().unwrap();
    let spans = collector.trace(trace, &["receive", "bot turn", "plugin call", "webhook attempt"]).await;
    let turns: Vec<&Value> = spans.iter().filter(|span| span["name"] == "bot turn").collect();
    assert!(turns.iter().all(|turn| turn["parent"] == received["span"]), "{spans:?}");
    let call = named(&spans, "plugin call");
    assert_eq!(call["attributes"]["patchbay.world"], "chatbot");
    assert!(turns.iter().any(|turn| turn["span"] == call["parent"]), "{spans:?}");
    eventually("the reply with its link", || async {
        let is_reply = |span: &Value| span["name"] == "reply" && span["links"] == json!([trace]);
        collector.spans().into_iter().find(is_reply)
    })
    .await;
}

#[tokio::test]
async fn a_dead_collector_costs_one_log_line_and_a_silent_one_delays_neither_a_send_nor_the_end() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    for (endpoint, is_dead) in
        [("http://127.0.0.1:1".to_owned(), true), (format!("http://{}", silent.local_addr().unwrap()), false)]
    {
        let (mut patchbay, client, sink) = with_client(PatchbaySetup::new().set("traces.endpoint", &endpoint)).await;
        for number in 1..4 {
            let customer = format!("2782000000{number}");
            client.send(&client.order_ready(&[&customer])).await.accepted();
            client.statuses(&sink, &format!("ct-{customer}"), "DELIVERED").await;
        }
        if is_dead {
            let failed = "patchbay_trace_spans_total{outcome=\"failed\"}";
            eventually("lost spans", || async {
                let page = patchbay.get("/metrics").await.text;
                (metric(&page, failed) > 10.0).then_some(())
            })
            .await;
        }
        assert_eq!(patchbay.terminate().await, Some(0));
        let told = patchbay.log().matches("accepts no spans").count();
        assert!(told == usize::from(is_dead), "{}", patchbay.log());
    }
}

#[tokio::test]
async fn a_share_of_0_percent_sends_only_the_requests_of_callers_that_sample() {
    let collector = Collector::start();
    let setup = PatchbaySetup::new().set("traces.endpoint", &collector.url).set("traces.sample_percent", "0");
    let (mut patchbay, client, sink) = with_client(setup).await;
    let caller = format!("00-{CALLER}-00f067aa0ba902b7-01");
    let payload = client.order_ready(&[CUSTOMER]);
    client.request(Method::POST, SEND, Some(&payload), &[("traceparent", &caller)]).await.accepted();
    client.statuses(&sink, &format!("ct-{CUSTOMER}"), "DELIVERED").await;
    assert_eq!(patchbay.terminate().await, Some(0));
    let spans = collector.trace(CALLER, &[&format!("POST {SEND}")]).await;
    assert_eq!(collector.spans().len(), spans.len(), "{:?}", collector.spans());
}
