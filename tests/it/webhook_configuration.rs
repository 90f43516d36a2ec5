//! Webhook configurations: how many a client may have, and the permitted addresses (SPEC 2.12, 4.7 and part 7, DESIGN 3
//! rule 8).

use std::net::IpAddr;

use harness::{Patchbay, PatchbaySetup, SharedPatchbay, TestClient, WebhookSink, eventually};
use serde_json::{Value, json};

const CONFIGURATIONS: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";

#[tokio::test]
async fn the_default_configuration_comes_back_as_it_was_stored() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let path = format!("{CONFIGURATIONS}/getForCurrentLoginUser");
    assert_eq!(client.get(&path).await.status, 404, "there is none yet");
    let body = json!({
        "incomingMessageURL": "http://127.0.0.1:9/incoming",
        "statusUpdateURL": "",
        "chatbotWebhookURL": "http://127.0.0.1:9/chatbot",
        "chatbotStopOnAgentAssignment": true,
    });

    let created = client.post(CONFIGURATIONS, &body).await.ok();

    let shown = client.get(&path).await.ok();
    assert_eq!(shown, created);
    assert!(shown["id"].as_str().unwrap().parse::<uuid::Uuid>().is_ok());
    assert_eq!(shown["whatsAppNumberId"], Value::Null);
    assert_eq!(shown["incomingMessageURL"], "http://127.0.0.1:9/incoming");
    assert_eq!(shown["statusUpdateURL"], "");
    assert_eq!(shown["chatbotPayloadVersion"], "v1");
    assert_eq!(
        (&shown["chatbotIncludeOutgoing"], &shown["chatbotStopOnAgentAssignment"]),
        (&json!(false), &json!(true))
    );
    assert!(!shown.to_string().contains("whsec_"), "secrets have a call of their own");
}

#[tokio::test]
async fn a_second_default_and_a_second_override_are_conflicts() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let of_number = json!({ "whatsAppNumberId": client.number_id, "statusUpdateURL": "http://127.0.0.1:9/own" });

    for body in [json!({ "statusUpdateURL": "http://127.0.0.1:9/all" }), of_number] {
        assert_eq!(client.post(CONFIGURATIONS, &body).await.status, 200);
        let again = client.post(CONFIGURATIONS, &body).await;
        assert_eq!(again.status, 409, "{}", again.text);
        assert_eq!(again.json()["error"], "Conflict");
    }
}

#[tokio::test]
async fn a_number_of_another_client_is_forbidden() {
    let patchbay = SharedPatchbay::get().await;
    let (client, other) = (patchbay.new_client().await, patchbay.new_client().await);
    for id in [other.number_id.as_str(), "01a1fb88-0000-7000-8000-000000000000", "my-number"] {
        let reply = client.post(CONFIGURATIONS, &json!({ "whatsAppNumberId": id })).await;
        assert_eq!(reply.status, 403, "{}", reply.text);
    }
}

#[tokio::test]
async fn an_override_replaces_the_default_as_a_whole() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let (all, own) = (WebhookSink::start().await, WebhookSink::start().await);
    client.webhooks_to(&all, "v2").await;
    let body = json!({ "whatsAppNumberId": client.number_id, "incomingMessageURL": own.url("incoming") });
    client.post(CONFIGURATIONS, &body).await.ok();
    let phone = patchbay.new_phone();

    for text in ["first", "second"] {
        phone.write(&client.number, text).await;
        own.receives("incoming", text, |body| body["text"] == text).await;
    }

    assert!(all.received("incoming").is_empty(), "the default has no say in this number");
    assert!(all.received("chatbot").is_empty() && own.received("chatbot").is_empty(), "a type left out is off");
}

/// A server that calls public addresses only.
async fn strict() -> (Patchbay, TestClient) {
    let patchbay = PatchbaySetup::new().set("webhooks.allow_private_targets", "false").start().await;
    let client = patchbay.client("acme", "27110000001").await;
    (patchbay, client)
}

#[tokio::test]
async fn addresses_inside_the_network_are_refused_and_the_field_is_named() {
    let (patchbay, client) = strict().await;
    let hosts = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "169.254.169.254",
        "[::ffff:169.254.169.254]",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "0.0.0.0",
        "[fd00::1]",
        "[fe80::1]",
        "localhost",
        "localhost.",
        "db.internal",
    ];
    let fields = ["incomingMessageURL", "statusUpdateURL", "sessionStatusURL", "eventWebhookURL", "chatbotWebhookURL"];
    for (host, field) in hosts.iter().zip(fields.iter().cycle()) {
        let url = format!("http://{host}:8080/hook");
        let reply = client.post(CONFIGURATIONS, &json!({ *field: url })).await;
        assert_eq!(reply.status, 400, "{url} was taken: {}", reply.text);
        assert_eq!(reply.faulty_fields(), [*field], "{}", reply.text);
    }
    assert_eq!(patchbay.rows_of("acme").await["webhook_config"], 0);

    let public = json!({ "statusUpdateURL": "https://hooks.example.com/status", "incomingMessageURL": "" });
    assert_eq!(client.post(CONFIGURATIONS, &public).await.status, 200);
}

#[tokio::test]
async fn every_field_with_an_invalid_address_is_named() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let body = json!({
        "incomingMessageURL": "not an address",
        "statusUpdateURL": "ftp://example.com/x",
        "chatbotWebhookURL": "https://user:password@example.com/",
        "eventWebhookURL": "https://hooks.example.com/fine",
    });

    let reply = client.post(CONFIGURATIONS, &body).await;

    let mut fields = reply.faulty_fields();
    fields.sort();
    assert_eq!(fields, ["chatbotWebhookURL", "incomingMessageURL", "statusUpdateURL"]);
    assert_eq!(patchbay.rows_of(&client.client_ref).await["webhook_config"], 0);
}

#[tokio::test]
async fn a_name_that_leads_inside_the_network_is_refused_when_it_is_called() {
    let (patchbay, client) = strict().await;
    let sink = WebhookSink::start().await;
    let port = sink.url("").split(':').nth(2).unwrap().trim_end_matches('/').to_owned();
    let mut taken = false;
    for name in names_of_this_machine() {
        let body = json!({ "incomingMessageURL": format!("http://{name}:{port}/incoming") });
        taken = client.post(CONFIGURATIONS, &body).await.status == 200;
        if taken {
            break;
        }
    }
    if !taken {
        eprintln!("skipped: no name in /etc/hosts leads to this machine except `localhost`");
        return;
    }

    patchbay.phone("27820000001").write(&client.number, "may this be told?").await;

    let error = eventually("the attempt", || async {
        let mut db = patchbay.database().await;
        let errors = sqlx::query_scalar::<_, Option<String>>("SELECT error FROM webhook_attempt");
        errors.fetch_optional(&mut db).await.unwrap()
    })
    .await
    .unwrap();
    assert!(error.contains("no address that may be called"), "{error}");
    assert!(sink.received("incoming").is_empty());
}

/// Names other than `localhost` that the hosts file gives to loopback and private addresses.
fn names_of_this_machine() -> Vec<String> {
    let hosts = std::fs::read_to_string("/etc/hosts").unwrap_or_default();
    let lines = hosts.lines().map(|line| line.split('#').next().unwrap_or_default().split_whitespace());
    let mut names = Vec::new();
    for mut line in lines {
        let address: Option<IpAddr> = line.next().and_then(|address| address.parse().ok());
        let inside = match address {
            Some(IpAddr::V4(address)) => address.is_loopback() || address.is_private(),
            Some(IpAddr::V6(address)) => address.is_loopback(),
            None => false,
        };
        names.extend(line.filter(|name| inside && *name != "localhost").map(str::to_owned));
    }
    names
}
