//! Changing, listing and deleting webhook configurations, and the effect on the events of their numbers (SPEC 2.12, 4.7
//! and part 7, DESIGN 7).

use std::time::Duration;

use harness::{ClientReply, PatchbaySetup, SharedPatchbay, TestClient, WebhookSink, eventually};
use reqwest::Method;
use serde_json::{Value, json};

const CONFIGURATIONS: &str = "/messaging-service/WhatsApp/WhatsAppClientWebHook";

async fn create(client: &TestClient, body: Value) -> Value {
    client.post(CONFIGURATIONS, &body).await.ok()
}

async fn put(client: &TestClient, body: Value) -> ClientReply {
    client.request(Method::PUT, CONFIGURATIONS, Some(&body), &[]).await
}

async fn delete(client: &TestClient, id: &Value) -> ClientReply {
    let path = format!("{CONFIGURATIONS}/{}", id.as_str().unwrap());
    client.request(Method::DELETE, &path, None, &[]).await
}

async fn default_of(client: &TestClient) -> ClientReply {
    client.get(&format!("{CONFIGURATIONS}/getForCurrentLoginUser")).await
}

/// Adds a Lite number, which needs no provider, and returns its id.
fn add_number(patchbay: &SharedPatchbay, client: &TestClient, number: &str) -> String {
    let line = ["number", "add", "--client", &client.client_ref, "--number", number, "--provider", "WHATSAPP_LITE"];
    patchbay.admin(&line)["whatsAppNumber"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn an_update_keeps_absent_fields_and_an_empty_address_disables_its_type() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let created = create(
        &client,
        json!({
            "incomingMessageURL": "http://127.0.0.1:9/in",
            "statusUpdateURL": "http://127.0.0.1:9/status",
            "chatbotWebhookURL": "http://127.0.0.1:9/bot",
            "chatbotIncludeOutgoing": true,
            "chatbotPayloadVersion": "v2",
        }),
    )
    .await;

    let body =
        json!({ "id": created["id"], "incomingMessageURL": "", "sessionStatusURL": "http://127.0.0.1:9/session" });
    let updated = put(&client, body).await.ok();

    let mut expected = created.clone();
    expected["incomingMessageURL"] = json!("");
    expected["sessionStatusURL"] = json!("http://127.0.0.1:9/session");
    assert_eq!(updated, expected);
    assert_eq!(default_of(&client).await.ok(), expected);
    let switched = json!({ "id": created["id"], "chatbotStopOnAgentAssignment": true, "chatbotPayloadVersion": "v1" });
    let switched = put(&client, switched).await.ok();
    assert_eq!(
        (&switched["chatbotStopOnAgentAssignment"], &switched["chatbotIncludeOutgoing"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(
        (&switched["chatbotPayloadVersion"], &switched["chatbotWebhookURL"]),
        (&json!("v1"), &created["chatbotWebhookURL"])
    );
    assert_eq!(put(&client, switched.clone()).await.ok(), switched, "the shown configuration may be sent back");
}

#[tokio::test]
async fn an_update_cannot_change_the_number_that_a_configuration_is_for() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let default = create(&client, json!({ "statusUpdateURL": "http://127.0.0.1:9/all" })).await;
    let other = add_number(&patchbay, &client, "27320000009");
    let own = create(&client, json!({ "whatsAppNumberId": client.number_id })).await;

    for number in [json!(other), json!(null), json!("nobody's")] {
        let updated = put(&client, json!({ "id": own["id"], "whatsAppNumberId": number })).await.ok();
        assert_eq!(updated["whatsAppNumberId"], client.number_id.as_str());
        assert_eq!(updated["whatsAppNumberMsisdn"], client.number.as_str());
    }
    let updated = put(&client, json!({ "id": default["id"], "whatsAppNumberId": other })).await.ok();
    assert_eq!(updated["whatsAppNumberId"], Value::Null);
}

#[tokio::test]
async fn an_update_without_an_id_is_refused_and_one_of_an_unknown_id_finds_nothing() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let body = json!({ "statusUpdateURL": "http://127.0.0.1:9/all" });
    assert_eq!(put(&client, body.clone()).await.faulty_fields(), ["id"]);
    for id in ["01a1fb88-0000-7000-8000-000000000000", "nothing"] {
        assert_eq!(put(&client, json!({ "id": id })).await.status, 404);
    }
    let mistyped = put(&client, json!({ "id": "nothing", "statusUpdateUrl": "http://127.0.0.1:9/all" })).await;
    assert_eq!(mistyped.status, 400, "{}", mistyped.text);
    assert_eq!(default_of(&client).await.status, 404, "nothing was made of it");
}

#[tokio::test]
async fn a_saved_address_is_checked_and_an_absent_one_stays() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let created = create(&client, json!({ "statusUpdateURL": "http://127.0.0.1:9/status" })).await;
    let metadata = "http://169.254.169.254/latest";

    let refused =
        put(&client, json!({ "id": created["id"], "eventWebhookURL": metadata, "statusUpdateURL": "" })).await;

    assert_eq!(refused.faulty_fields(), ["eventWebhookURL"]);
    assert_eq!(default_of(&client).await.ok(), created, "all or nothing");
    // As if an operator forbids private addresses after this one was saved.
    let mut patchbay = patchbay;
    assert_eq!(patchbay.terminate().await, Some(0));
    patchbay.set("webhooks.allow_private_targets", "false");
    patchbay.launch().await;
    let kept = put(&client, json!({ "id": created["id"], "chatbotIncludeOutgoing": true })).await.ok();
    assert_eq!(kept["statusUpdateURL"], created["statusUpdateURL"]);
    let again = put(&client, json!({ "id": created["id"], "statusUpdateURL": created["statusUpdateURL"] })).await;
    assert_eq!(again.faulty_fields(), ["statusUpdateURL"]);
}

#[tokio::test]
async fn the_list_has_the_default_first_and_then_the_overrides_by_number() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    for number in ["27330000003", "27330000001", "27330000002"] {
        let id = add_number(&patchbay, &client, number);
        create(&client, json!({ "whatsAppNumberId": id, "statusUpdateURL": "http://127.0.0.1:9/own" })).await;
    }
    let default = create(&client, json!({ "statusUpdateURL": "http://127.0.0.1:9/all" })).await;

    let page = client.get(&format!("{CONFIGURATIONS}/list")).await.ok();
    let second = client.get(&format!("{CONFIGURATIONS}/list?page=1&size=3")).await.ok();

    let rows = page["content"].as_array().unwrap();
    assert_eq!(rows[0], default);
    let numbers: Vec<&Value> = rows.iter().map(|row| &row["whatsAppNumberMsisdn"]).collect();
    assert_eq!(numbers, [&json!(null), &json!("27330000001"), &json!("27330000002"), &json!("27330000003")]);
    assert_eq!((&page["totalElements"], &page["size"], &page["last"]), (&json!(4), &json!(10), &json!(true)));
    assert_eq!(second["content"].as_array().unwrap().len(), 1);
    assert_eq!(second["content"][0]["whatsAppNumberMsisdn"], "27330000003");
    assert_eq!((&second["totalPages"], &second["number"], &second["first"]), (&json!(2), &json!(1), &json!(false)));
    assert_eq!(default_of(&client).await.ok(), default, "the getter shows the default alone");
}

#[tokio::test]
async fn a_deleted_configuration_is_gone_and_leaves_room_for_another() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    for body in [json!({}), json!({ "whatsAppNumberId": client.number_id })] {
        let created = create(&client, body.clone()).await;
        let deleted = delete(&client, &created["id"]).await;
        assert_eq!((deleted.status, deleted.text.as_str()), (204, ""));
        assert_eq!(delete(&client, &created["id"]).await.status, 404);
        let secret = format!("{CONFIGURATIONS}/{}/secret", created["id"].as_str().unwrap());
        assert_eq!(client.get(&secret).await.status, 404);
        assert_ne!(create(&client, body).await["id"], created["id"]);
    }
    let mut db = patchbay.database().await;
    let statement = "SELECT action FROM audit WHERE object_kind = 'webhook'
        AND client_id = (SELECT id FROM client WHERE client_ref = $1) ORDER BY id";
    let actions: Vec<String> = sqlx::query_scalar(statement).bind(&client.client_ref).fetch_all(&mut db).await.unwrap();
    assert_eq!(actions, ["create", "delete", "create", "create", "delete", "create"]);
}

#[tokio::test]
async fn a_number_without_its_override_has_the_default_again() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let (all, own) = (WebhookSink::start().await, WebhookSink::start().await);
    client.webhooks_to(&all, "v2").await;
    let body = json!({ "whatsAppNumberId": client.number_id, "incomingMessageURL": own.url("incoming") });
    let configuration = create(&client, body).await;
    let phone = patchbay.new_phone();
    phone.write(&client.number, "to the override").await;
    own.receives("incoming", "the override", |body| body["text"] == "to the override").await;

    assert_eq!(delete(&client, &configuration["id"]).await.status, 204);

    phone.write(&client.number, "to the default").await;
    all.receives("incoming", "the default", |body| body["text"] == "to the default").await;
    assert_eq!((own.received("incoming").len(), all.received("incoming").len()), (1, 1));
}

#[tokio::test]
async fn without_the_default_overrides_go_on_and_other_numbers_are_silent() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let (all, own) = (WebhookSink::start().await, WebhookSink::start().await);
    let default = client.webhooks_to(&all, "v2").await;
    assert_eq!(delete(&client, &default["id"]).await.status, 204);
    let phone = patchbay.new_phone();
    phone.write(&client.number, "to nobody").await;
    let body = json!({ "whatsAppNumberId": client.number_id, "incomingMessageURL": own.url("incoming") });
    eventually("the message to be in the chat", || async {
        let mut db = patchbay.database().await;
        let statement =
            "SELECT count(*) FROM chat_message WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)";
        let count: i64 = sqlx::query_scalar(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
        (count > 0).then_some(())
    })
    .await;
    let overriding = create(&client, body).await;

    phone.write(&client.number, "to the override").await;

    own.receives("incoming", "the override", |body| body["text"] == "to the override").await;
    assert!(all.received("incoming").is_empty() && all.received("chatbot").is_empty());
    let default = client.webhooks_to(&all, "v2").await;
    assert_eq!(delete(&client, &default["id"]).await.status, 204);
    let listed = client.get(&format!("{CONFIGURATIONS}/list")).await.ok();
    assert_eq!(listed["content"], json!([overriding]), "deleting the default leaves the overrides");
}

#[tokio::test]
async fn deliveries_waiting_for_an_address_go_to_its_replacement() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let (old, new) = (WebhookSink::start().await, WebhookSink::start().await);
    old.misbehave("incoming", 500, Duration::ZERO, u32::MAX);
    let configuration = create(&client, json!({ "incomingMessageURL": old.url("incoming") })).await;
    patchbay.phone("27820000001").write(&client.number, "moved").await;
    old.receives("incoming", "the first attempt", |body| body["text"] == "moved").await;

    put(&client, json!({ "id": configuration["id"], "incomingMessageURL": new.url("incoming") })).await.ok();
    patchbay.advance_clock(10).await;

    new.receives("incoming", "the retry", |body| body["text"] == "moved").await;
}

#[tokio::test]
async fn deliveries_of_a_deleted_configuration_are_dropped_at_once() {
    let patchbay = PatchbaySetup::new().start().await;
    let client = patchbay.client("acme", "27110000001").await;
    let sink = WebhookSink::start().await;
    sink.misbehave("incoming", 500, Duration::ZERO, u32::MAX);
    let configuration = create(&client, json!({ "incomingMessageURL": sink.url("incoming") })).await;
    patchbay.phone("27820000001").write(&client.number, "too late").await;
    let states = |wanted: &'static str| {
        let patchbay = &patchbay;
        eventually(wanted, move || async move {
            let mut db = patchbay.database().await;
            let states = "SELECT state FROM webhook_delivery WHERE attempts > 0";
            let states: Vec<String> = sqlx::query_scalar(states).fetch_all(&mut db).await.unwrap();
            (states == [wanted]).then_some(())
        })
    };
    states("PENDING").await;

    assert_eq!(delete(&client, &configuration["id"]).await.status, 204);

    // The deletion ends the delivery, because its retry is not due for seconds.
    states("DROPPED").await;
    patchbay.advance_clock(100_000).await;
    assert_eq!(sink.received("incoming").len(), 1);
}

#[tokio::test]
async fn a_disabled_address_is_enabled_when_it_is_saved_again() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    let configuration = client.webhooks_to(&sink, "v2").await;
    sink.misbehave("incoming", 410, Duration::ZERO, 1);
    let phone = patchbay.new_phone();
    phone.write(&client.number, "first").await;
    eventually("the endpoint to be off", || async {
        let mut db = patchbay.database().await;
        let statement = "SELECT count(*) FROM webhook_endpoint WHERE disabled_at IS NOT NULL
            AND client_id = (SELECT id FROM client WHERE client_ref = $1)";
        let off: i64 = sqlx::query_scalar(statement).bind(&client.client_ref).fetch_one(&mut db).await.unwrap();
        (off == 1).then_some(())
    })
    .await;

    put(&client, json!({ "id": configuration["id"], "incomingMessageURL": sink.url("incoming") })).await.ok();

    phone.write(&client.number, "second").await;
    sink.receives("incoming", "the second", |body| body["text"] == "second").await;
}
