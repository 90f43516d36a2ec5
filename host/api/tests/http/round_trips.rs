//! Round trips between the process and PostgreSQL, from a request to its answer (ADR 0047). With a distant database
//! each one costs its latency, so each kind of request may have only a few.

use channels::whatsapp_cloud::callback::signature;
use chrono::TimeDelta;
use domain::{
    address::{Address, AddressKind},
    delivery::DeliveryState,
    ids::MessageId,
    opaque_json::OpaqueJson,
    template::TemplateRecord,
};
use outbound::delivery::{self, DeliveryStep};
use serde_json::{Value, json};
use storage::inboxes::templates;

use super::service::{APP_SECRET, Call, Options, Service};

/// Requests of a kind. The one with the fewest round trips counts, because in the others connections prepare
/// statements, and the process runs its regular queries.
const TRIES: usize = 12;

const WHATSAPP: &str = "/whatsapp-api-service/v2/channels/whatsapp";
const SMS: &str = "/whatsapp-api-service/v2/channels/sms";
const WEBHOOK: &str = "/providers/whatsapp-cloud/webhook";
const NUMBER: &str = "106540352242922";
const ACCOUNT: &str = "102290129340398";

async fn service() -> Service {
    let service = Service::with(Options { over_a_wire: true, ..Options::default() }).await;
    let record = TemplateRecord {
        id: "920".to_owned(),
        waba_id: ACCOUNT.to_owned(),
        name: "order_ready".to_owned(),
        language: "en".to_owned(),
        status: "APPROVED".to_owned(),
        category: "MARKETING".to_owned(),
        parameter_format: "POSITIONAL".to_owned(),
        components: OpaqueJson(json!([{"type": "BODY", "text": "Your order is ready."}])),
    };
    let now = service.context.now();
    let mut db = service.context.db.acquire().await.unwrap();
    let due = now + TimeDelta::days(1);
    templates::replace_all(&mut db, service.client, ACCOUNT, &[record], now, due).await.unwrap();
    service
}

/// The round trips of the one of several calls that takes the fewest.
async fn fewest(service: &Service, mut call: impl AsyncFnMut(usize)) -> Vec<String> {
    let wire = service.wire.as_ref().unwrap();
    let mut fewest: Option<Vec<String>> = None;
    for number in 0..TRIES {
        wire.round_trips();
        call(number).await;
        let trips = wire.round_trips();
        if fewest.as_ref().is_none_or(|fewest| trips.len() < fewest.len()) {
            fewest = Some(trips);
        }
    }
    fewest.unwrap()
}

/// Fails where there are more than `most`, and says which.
fn at_most(most: usize, what: &str, trips: &[String]) {
    let said = format!("{what}: {} round trips\n  {}", trips.len(), trips.join("\n  "));
    println!("{said}");
    assert!((1..=most).contains(&trips.len()), "{said}");
}

fn template(to: &str) -> Value {
    json!({
        "sender": "+27820001001", "messageType": "NOTIFICATION", "templateName": "order_ready", "templateId": "920",
        "messages": [{"recipients": [{"to": to}]}],
    })
}

fn recipient(number: usize) -> String {
    format!("278300000{number:02}")
}

async fn send(service: &Service, path: &str, number: usize, body: &Value) {
    let key = format!("{path} {number}").replace(' ', "-");
    let call = Call::post(path, body.to_string()).key(&service.key).header("idempotency-key", &key);
    let answer = service.send(call).await;
    assert_eq!((answer.status.as_u16(), &answer.json()["acceptedCount"]), (202, &json!(1)), "{answer:?}");
}

#[tokio::test]
async fn a_template_that_is_sent_alone_takes_few_round_trips() {
    let service = service().await;
    let trips = fewest(&service, async |number| {
        send(&service, WHATSAPP, number, &template(&recipient(number))).await;
    });
    at_most(4, "a template", &trips.await);
}

#[tokio::test]
async fn a_template_of_a_number_with_a_tier_takes_few_round_trips() {
    let service = service().await;
    let mut db = service.context.db.acquire().await.unwrap();
    let (inbox, now) = (service.number.id, service.context.now());
    storage::outbound::tiers::set(&mut db, service.client, inbox, "TIER_100K", now).await.unwrap();
    drop(db);
    let trips = fewest(&service, async |number| {
        send(&service, WHATSAPP, number, &template(&recipient(number))).await;
    });
    at_most(4, "a template of a number with a tier", &trips.await);
}

#[tokio::test]
async fn a_text_within_the_window_takes_few_round_trips() {
    let service = service().await;
    let now = service.context.now();
    let mut db = service.context.db.acquire().await.unwrap();
    let to = Address::of_kind(AddressKind::Phone, &recipient(0)).unwrap();
    let customers = people::resolve_many(&mut db, service.client, &service.context.ids, &[&to], now).await.unwrap();
    sqlx::query(
        "INSERT INTO inbox_customer (client_id, inbox_id, customer_id, last_inbound_at) VALUES ($1, $2, $3, $4)",
    )
    .bind(service.client.0)
    .bind(service.number.id.0)
    .bind(customers[0].0)
    .bind(now)
    .execute(&mut *db)
    .await
    .unwrap();
    drop(db);
    let body = json!({
        "sender": "+27820001001", "messageType": "CHAT",
        "messages": [{"recipients": [{"to": recipient(0)}], "messageText": "hello"}],
    });
    let trips = fewest(&service, async |number| send(&service, WHATSAPP, number, &body).await);
    at_most(4, "a text within the window", &trips.await);
}

#[tokio::test]
async fn an_sms_that_is_sent_alone_takes_few_round_trips() {
    let service = service().await;
    let trips = fewest(&service, async |number| {
        let body = json!({"messages": [{"recipients": [{"to": recipient(number)}], "messageText": "hello"}]});
        send(&service, SMS, number, &body).await;
    });
    at_most(4, "an SMS", &trips.await);
}

fn callback(value: Value, secret: &str) -> Call {
    let mut value = value;
    value["messaging_product"] = json!("whatsapp");
    value["metadata"] = json!({"display_phone_number": "27820001001", "phone_number_id": NUMBER});
    let body = json!({"object": "whatsapp_business_account",
                      "entry": [{"id": ACCOUNT, "changes": [{"field": "messages", "value": value}]}]});
    let body = body.to_string();
    Call::post(WEBHOOK, body.clone()).header("x-hub-signature-256", &signature(secret, body.as_bytes()))
}

/// A template to this recipient, accepted by the provider as `wamid.` and its number.
async fn accepted(service: &Service, number: usize) -> MessageId {
    let to = recipient(number);
    let answer = service.post(WHATSAPP, &template(&to)).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let (context, client) = (&service.context, service.client);
    let mut db = context.db.acquire().await.unwrap();
    let message: uuid::Uuid = sqlx::query_scalar("SELECT id FROM outbound_message ORDER BY id DESC LIMIT 1")
        .fetch_one(&mut *db)
        .await
        .unwrap();
    let address = Address::of_kind(AddressKind::Phone, &to).unwrap();
    people::resolve_many(&mut db, client, &context.ids, &[&address], context.now()).await.unwrap();
    let step = DeliveryStep {
        message: MessageId(message),
        ordinal: 0,
        reached: DeliveryState::Accepted,
        at: context.now(),
        provider_id: Some(format!("wamid.{number}")),
        failure: None,
        named: Vec::new(),
    };
    delivery::advance(context, &mut db, client, vec![step]).await.unwrap();
    MessageId(message)
}

#[tokio::test]
async fn a_status_that_comes_alone_takes_few_round_trips() {
    let service = service().await;
    let config = json!({"statusUpdateURL": "https://hooks.example/status"});
    let answer = service.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &config).await;
    assert!(answer.status.is_success(), "{answer:?}");
    let mut messages = Vec::new();
    for number in 0..TRIES {
        messages.push(accepted(&service, number).await);
    }
    for status in ["sent", "delivered", "read"] {
        let trips = fewest(&service, async |number| {
            let opaque = delivery::opaque(service.client, messages[number], 0);
            let told = json!({"id": format!("wamid.{number}"), "status": status, "timestamp": "1760000000",
                              "recipient_id": recipient(number), "biz_opaque_callback_data": opaque});
            let answer = service.send(callback(json!({ "statuses": [told] }), APP_SECRET)).await;
            assert_eq!(answer.status, 200, "{answer:?}");
        });
        at_most(4, &format!("a status `{status}`"), &trips.await);
    }
    let told: i64 =
        sqlx::query_scalar("SELECT count(*) FROM webhook_delivery").fetch_one(&service.context.db).await.unwrap();
    // Accepted messages are also reported.
    assert_eq!(told, i64::try_from(4 * TRIES).unwrap(), "each has its webhook");
}

#[tokio::test]
async fn a_single_incoming_message_takes_few_round_trips() {
    let service = service().await;
    for secret in [APP_SECRET, "own-secret"] {
        let trips = fewest(&service, async |number| {
            let message = json!({"from": recipient(number), "id": format!("wamid.{secret}.{number}"),
                                 "timestamp": "1760000000", "type": "text", "text": {"body": "hello"}});
            let value = json!({"contacts": [{"profile": {"name": "Thandi"}, "wa_id": recipient(number)}],
                               "messages": [message]});
            let call = callback(value, secret);
            assert_eq!(service.send(call).await.status, 200);
        });
        at_most(3, &format!("a message signed with {secret}"), &trips.await);
    }
}
