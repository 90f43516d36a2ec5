//! Operation: probes, metrics, error answers, shutdown, configuration, administration (CONTRACT 2, 3, 5).

use std::{
    collections::HashSet,
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, WebhookSink, eventually};
use reqwest::Method;
use serde_json::json;

const CHANNEL: &str = "/whatsapp-api-service/v2/channels/whatsapp";
const HANDSHAKE: &str = "/providers/whatsapp-cloud/webhook";

#[tokio::test]
async fn the_probes_need_no_key() {
    let patchbay = SharedPatchbay::get().await;
    assert_eq!(patchbay.get("/healthz").await.ok()["status"], "UP");
    let ready = patchbay.get("/readyz").await.ok();
    assert_eq!(ready["status"], "READY");
    for check in ["database", "migrations", "writable", "plugins"] {
        assert_eq!(ready["checks"][check], true, "{check}");
    }
}

#[tokio::test]
async fn the_metrics_count_requests_by_route_and_messages() {
    let patchbay = SharedPatchbay::get().await;
    let (client, phone) = (patchbay.new_client().await, patchbay.new_phone());
    client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    patchbay.get("/a/path/that/anybody/may/invent").await;

    let metrics = patchbay.get("/metrics").await;

    assert_eq!(metrics.status, 200);
    assert!(metrics.header("content-type").unwrap().starts_with("text/plain"));
    let counted = |line: &str| {
        line.starts_with("patchbay_http_requests_total{")
            && line.contains(&format!("route=\"{CHANNEL}\""))
            && line.contains("status=\"202\"")
    };
    assert!(metrics.text.lines().any(counted), "{}", metrics.text);
    assert!(metrics.text.contains("patchbay_messages_accepted_total"));
    assert!(!metrics.text.contains("invent"), "a metric must not grow with what callers invent");
    assert!(!metrics.text.contains(&phone.msisdn));
}

#[tokio::test]
async fn an_unknown_path_is_404_and_another_method_405() {
    let patchbay = SharedPatchbay::get().await;
    let unknown = patchbay.get("/no/such/path?with=query").await;
    assert_eq!((unknown.status, &unknown.json()["error"]), (404, &json!("Not found")));
    assert_eq!(unknown.json()["path"], "/no/such/path");
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        let other = patchbay.ask(method, CHANNEL, &[], "").await;
        assert_eq!((other.status, &other.json()["error"]), (405, &json!("Method not allowed")));
        assert_eq!(other.header("allow"), Some("POST"));
        assert_eq!(other.json()["requestId"].as_str(), other.request_id.as_deref());
    }
}

#[tokio::test]
async fn every_response_carries_a_request_id_of_its_own() {
    let patchbay = SharedPatchbay::get().await;
    let mut seen = HashSet::new();
    for path in ["/healthz", "/readyz", "/metrics", "/nowhere", CHANNEL, HANDSHAKE] {
        let reply = patchbay.ask(Method::GET, path, &[("X-Request-Id", "theirs")], "").await;
        let id = reply.request_id.unwrap_or_else(|| panic!("{path} carries none"));
        assert!(id.parse::<uuid::Uuid>().is_ok(), "{id}");
        assert!(seen.insert(id));
    }
}

#[tokio::test]
async fn the_testing_clock_is_not_served_unless_it_is_configured() {
    let patchbay = PatchbaySetup::new().set("testing.clock", "false").start().await;
    let headers = [("Content-Type", "application/json")];
    let reply = patchbay.ask(Method::POST, "/testing/clock/advance", &headers, "{\"seconds\":1}").await;
    assert_eq!(reply.status, 404);
}

#[tokio::test]
async fn the_handshake_returns_the_challenge_for_the_right_token_only() {
    let patchbay = SharedPatchbay::get().await;
    let right = "verify-token-of-the-tests";
    let mut replies = Vec::new();
    for (mode, token) in [("subscribe", right), ("subscribe", "wrong"), ("unsubscribe", right), ("subscribe", "")] {
        let query = format!("hub.mode={mode}&hub.verify_token={token}&hub.challenge=1158201444");
        replies.push(patchbay.get(&format!("{HANDSHAKE}?{query}")).await);
    }
    assert_eq!((replies[0].status, replies[0].text.as_str()), (200, "1158201444"));
    assert!(replies[0].header("content-type").unwrap().starts_with("text/plain"));
    for refused in &replies[1..] {
        assert_eq!((refused.status, &refused.json()["error"]), (403, &json!("Forbidden")));
    }
    assert_eq!(patchbay.get(HANDSHAKE).await.status, 403);
    assert_eq!(patchbay.simulate("/simulator/handshake", &json!({})).await["verified"], true);
}

/// Writes a send up to the middle of its body. Returns the connection and the rest of the body.
fn half_a_request(patchbay: &Patchbay, client: &TestClient) -> (TcpStream, String) {
    let body = client.order_ready(&["27820000001"]).to_string();
    let (first, rest) = body.split_at(body.len() / 2);
    let address = patchbay.url().replace("http://", "");
    let mut connection = TcpStream::connect(&address).unwrap();
    let head = format!(
        "POST {CHANNEL} HTTP/1.1\r\nHost: {address}\r\nAuthorization: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{first}",
        client.key,
        body.len()
    );
    connection.write_all(head.as_bytes()).unwrap();
    (connection, rest.to_owned())
}

#[tokio::test]
async fn a_request_in_flight_is_finished_before_the_process_ends_with_status_0() {
    let mut patchbay = Patchbay::start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let (mut connection, rest) = half_a_request(&patchbay, &client);
    tokio::time::sleep(Duration::from_millis(200)).await;

    let finishing = tokio::task::spawn_blocking(move || {
        std::thread::sleep(Duration::from_millis(700));
        connection.write_all(rest.as_bytes()).unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).unwrap();
        answer
    });
    let code = patchbay.terminate().await;

    assert_eq!(code, Some(0), "{}", patchbay.log());
    let answer = finishing.await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 202"), "{answer}");
    assert_eq!(patchbay.messages_of("acme").await, 1);
}

fn rate_of<'a>(client_ref: &'a str, number: &'a str, rate: &'a str) -> [&'a str; 8] {
    ["number", "set-rate", "--client", client_ref, "--number", number, "--per-second", rate]
}

#[tokio::test]
async fn a_number_sends_as_fast_as_its_operator_says_also_while_its_queue_is_sent() {
    let patchbay = PatchbaySetup::new().set("limits.cloud_rate_per_number", "1").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let numbers: Vec<String> = (0..40).map(|at| format!("2784{at:07}")).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    client.send(&client.order_ready(&numbers)).await.accepted();
    for (client_ref, number, rate, said) in [
        ("nobody", "27110000001", "500", "there is no client `nobody`"),
        ("acme", "27110000009", "500", "has no number `27110000009`"),
        ("acme", "0821", "500", "--number 0821"),
        ("acme", "27110000001", "0", "1 to 1000 messages per second"),
        ("acme", "27110000001", "1001", "1 to 1000 messages per second"),
    ] {
        let refused = patchbay.refused(&rate_of(client_ref, number, rate));
        assert!(refused.contains(said), "{refused}");
    }
    assert!(patchbay.provider_sends(&client).await.len() < 20, "it was fast before");

    let shown = patchbay.admin(&rate_of("acme", "27110000001", "1000"));

    assert_eq!(shown["whatsAppNumber"]["perSecond"], 1000);
    eventually("all of them at the provider", || async {
        (patchbay.provider_sends(&client).await.len() == 40).then_some(())
    })
    .await;
}

#[tokio::test]
async fn messages_accepted_before_a_stop_are_sent_after_the_next_start() {
    let mut patchbay = PatchbaySetup::new().set("limits.cloud_rate_per_number", "5").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let numbers: Vec<String> = (0..15).map(|at| format!("2784{at:07}")).collect();
    let numbers: Vec<&str> = numbers.iter().map(String::as_str).collect();
    client.send(&client.order_ready(&numbers)).await.accepted();

    assert_eq!(patchbay.terminate().await, Some(0));
    assert!(patchbay.provider_sends(&client).await.len() < 15, "the stop came too late to test anything");
    patchbay.launch().await;

    eventually("the rest", || async { (patchbay.provider_sends(&client).await.len() >= 15).then_some(()) }).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(patchbay.provider_sends(&client).await.len(), 15, "each once");
}

#[tokio::test]
async fn the_configuration_is_printed_with_its_secrets_masked() {
    let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    let setup = PatchbaySetup::new().set("security.master_key", key).set("limits.max_recipients", "77");
    let patchbay = setup.start().await;

    let printed = patchbay.printed(&["config"]);

    for secret in [key, "app-secret-of-the-tests", "verify-token-of-the-tests", "patchbay:secret@"] {
        assert!(!printed.contains(secret), "{secret} is printed");
    }
    for setting in ["[security]", "master_key = \"********\"", "max_recipients = 77", "patchbay:********@"] {
        assert!(printed.contains(setting), "{setting} is missing in:\n{printed}");
    }
}

#[tokio::test]
async fn an_unknown_setting_is_refused_by_name() {
    let patchbay = SharedPatchbay::get().await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("mistake.toml");
    std::fs::write(&file, "[server]\nlisen = \"127.0.0.1:0\"\n").unwrap();
    for command in ["config", "serve", "migrate"] {
        let said = patchbay.refused(&["--config", file.to_str().unwrap(), command]);
        assert!(said.contains("server.lisen") && said.contains("server.listen"), "{said}");
    }
}

#[tokio::test]
async fn a_start_with_another_master_key_is_refused() {
    let patchbay = SharedPatchbay::get().await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("other.toml");
    std::fs::write(&file, "[security]\nmaster_key = \"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\"\n").unwrap();
    let config = file.to_str().unwrap();
    for command in [&["--config", config, "work"][..], &["--config", config, "template", "sync", "--client", "acme"]] {
        let said = patchbay.refused(command);
        assert!(said.contains("master key") || said.contains("master_key"), "{said}");
        assert!(!said.contains("AAECAwQF"), "the key is printed: {said}");
    }
}

#[tokio::test]
async fn a_start_at_an_address_that_is_taken_names_the_setting() {
    let patchbay = SharedPatchbay::get().await;
    let said = patchbay.refused(&["serve"]);
    assert!(said.contains("server.listen") && said.contains("in use"), "{said}");
}

#[tokio::test]
async fn a_password_can_be_given_on_standard_input() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let whose = ["user", "create", "--client", &client.client_ref, "--email", "in@example.com", "--name", "In"];
    let command = [&whose[..], &["--role", "API", "--password-stdin"]].concat();

    let created = patchbay.admin_given(&command, "a secret that no list of processes shows\n");

    let retrieve = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
    let password = "a secret that no list of processes shows";
    let login = json!({ "email": "in@example.com", "password": password, "clientRef": client.client_ref });
    let headers = [("Content-Type", "application/json")];
    let reply = patchbay.ask(Method::POST, retrieve, &headers, login.to_string()).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert!(reply.text.contains(created["apiKey"].as_str().unwrap()), "{}", reply.text);
}

#[tokio::test]
async fn every_command_prints_the_object_of_the_contract_while_the_server_runs() {
    let patchbay = SharedPatchbay::get().await;
    let parent = patchbay.new_bare_client().client_ref;
    let child = format!("{parent}-child");

    let client = patchbay.admin(&[
        "client",
        "create",
        "--ref",
        &child,
        "--name",
        "A child",
        "--email",
        "a@example.com",
        "--password",
        "long enough",
        "--parent",
        &parent,
    ]);
    let user = patchbay.admin(&[
        "user",
        "create",
        "--client",
        &child,
        "--email",
        "b@example.com",
        "--password",
        "long enough",
        "--name",
        "B",
        "--role",
        "AGENT",
        "--team",
        "sales",
    ]);
    let number = patchbay.admin(&[
        "number",
        "add",
        "--client",
        &child,
        "--number",
        "+27510000001",
        "--provider",
        "WHATSAPP_LITE",
    ]);

    let fields = |object: &serde_json::Value| object.as_object().unwrap().keys().cloned().collect::<HashSet<_>>();
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<HashSet<_>>();
    assert_eq!(fields(&client), named(&["clientRef", "userId", "email", "apiKey"]));
    assert_eq!((&client["clientRef"], &client["email"]), (&json!(child), &json!("a@example.com")));
    assert_eq!(fields(&user), named(&["userId", "email", "role", "apiKey"]));
    assert_eq!(user["role"], "AGENT");
    assert_eq!(fields(&number), named(&["id", "whatsAppNumber"]));
    assert_eq!(
        (&number["whatsAppNumber"]["number"], &number["whatsAppNumber"]["whatsAppProvider"]),
        (&json!("27510000001"), &json!("WHATSAPP_LITE"))
    );
    assert_eq!(patchbay.admin(&["template", "sync", "--client", &child]), json!({ "synced": 0 }));
    let on_cloud = patchbay.new_client().await;
    let synced = patchbay.admin(&["template", "sync", "--client", &on_cloud.client_ref]);
    assert_eq!(fields(&synced), named(&["synced"]));
    assert!(synced["synced"].as_u64().unwrap() > 0, "{synced}");
    assert_eq!(patchbay.admin(&["migrate"]), json!({ "applied": 0 }));
}

#[tokio::test]
async fn a_failed_command_prints_the_reason_and_exits_with_status_1() {
    let patchbay = SharedPatchbay::get().await;
    let taken = patchbay.new_bare_client().client_ref;
    let client = |reference: &str, email: &str, password: &str| {
        patchbay.refused(&[
            "client",
            "create",
            "--ref",
            reference,
            "--name",
            "N",
            "--email",
            email,
            "--password",
            password,
        ])
    };
    let user = |reference: &str, email: &str, role: &str| {
        patchbay.refused(&[
            "user",
            "create",
            "--client",
            reference,
            "--email",
            email,
            "--password",
            "long enough",
            "--name",
            "N",
            "--role",
            role,
        ])
    };
    assert!(client(&taken, "a@example.com", "long enough").contains("taken"));
    assert!(client("me", "a@example.com", "long enough").contains("reserved"));
    assert!(client("no spaces", "a@example.com", "long enough").contains("no spaces"));
    assert!(client("fresh-ref", "nobody", "long enough").contains("e-mail"));
    let short = client("fresh-ref", "a@example.com", "short");
    assert!(short.contains("password"), "{short}");
    assert!(user("no-such-client", "b@example.com", "AGENT").contains("no-such-client"));
    assert!(user(&taken, "b@example.com", "KING").contains("KING"));
    assert!(user(&taken, &format!("{taken}@example.com"), "AGENT").contains("already"));
    assert!(patchbay.refused(&["template", "sync", "--client", "no-such-client"]).contains("no-such-client"));
    assert!(patchbay.refused(&["client", "create", "--ref", "x"]).contains("--name"));
    assert!(patchbay.refused(&["conquer"]).contains("conquer"));
}

#[tokio::test]
async fn the_log_contains_neither_keys_nor_numbers_nor_texts() {
    let patchbay = PatchbaySetup::new().set("logging.filter", "debug,hyper=info,sqlx=debug").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    client.activate("default-chatbot").await;
    let (phone, absent) = (patchbay.phone("27820000001"), patchbay.phone("27820000002"));
    absent.set(json!({ "onWhatsApp": false })).await;
    let mut payload = client.order_ready(&[&phone.msisdn, &absent.msisdn]);
    payload["fallback"] = json!({ "sendFallback": true });

    client.send(&payload).await.accepted();
    phone.write(&client.number, "a private remark").await;
    phone.receives("the bot's answer", |message| message["type"] != "template").await;
    absent.receives("the SMS", |message| message["channel"] == "SMS").await;
    client.statuses(&sink, "ct-27820000002", "DELIVERED").await;
    client.send_with_key(&json!({ "sender": "27829998887" }), "kkk-secret-kkk").await;

    let log = patchbay.log();
    let secrets = [
        client.key.as_str(),
        "token-of-the-tests",
        "app-secret-of-the-tests",
        "verify-token-of-the-tests",
        "correct horse",
        "27820000001",
        "27820000002",
        "27829998887",
        "a private remark",
        "Thandi",
        "whsec_",
    ];
    for secret in secrets {
        let line = log.lines().find(|line| line.contains(secret));
        assert!(line.is_none(), "{secret} is in the log: {line:?}");
    }
    assert!(log.contains("request answered"), "there is a log");
}
