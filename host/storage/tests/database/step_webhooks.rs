//! Steps with the webhooks that report them, and with the recipients that they reach.

use std::collections::HashSet;

use domain::{
    channel::Channel,
    clock::IdSource,
    content::OutboundContent,
    delivery::DeliveryState,
    ids::{BatchId, CustomerId, DeliveryId, EndpointId, InboxId, MessageId, PartId, WebhookConfigId},
    recipient::Recipient,
    webhook::{PayloadVersion, WebhookSettings, WebhookType},
};
use people::Introduction;
use serde_json::json;
use storage::{
    PgConnection, inboxes,
    outbound::{
        legs::{self, LegCustomer, LockPolicy},
        messages::NewMessage,
        outgoing_rows::{self, GroupRows},
        parts::{NewPart, PartOrigin},
        steps::{self, NewReceipt, StepWebhook, Steps},
    },
    webhooks::configs::{self, NewConfig},
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, bsuid, cloud_number, database, moment, phone, resolve};

const OTHER: InboxId = InboxId(Uuid::from_u128(11));

/// A configuration whose endpoint for status updates has ten times its id.
async fn configure(db: &mut PgConnection, id: u128, inbox: Option<InboxId>, url: &str) {
    let urls = [(WebhookType::StatusUpdate, url.to_owned())].into_iter().filter(|(_, url)| !url.is_empty());
    let config = NewConfig {
        id: WebhookConfigId(Uuid::from_u128(id)),
        inbox,
        settings: WebhookSettings {
            urls: urls.into_iter().collect(),
            chatbot_include_outgoing: true,
            chatbot_stop_on_agent_assignment: false,
            chatbot_payload_version: PayloadVersion::V2,
        },
        endpoints: vec![(WebhookType::StatusUpdate, EndpointId(Uuid::from_u128(id * 10)))],
        secret_sealed: vec![7; 40],
        created_at: moment(0),
    };
    configs::insert(db, CLIENT, &config).await.unwrap();
}

/// Writes a step of a message from an inbox, with its webhook. Returns the endpoints with something to send.
async fn step(db: &mut PgConnection, id: Uuid, inbox: InboxId) -> Vec<EndpointId> {
    let receipt = NewReceipt {
        id,
        message: MessageId(Uuid::from_u128(60)),
        channel: Channel::Whatsapp,
        state: DeliveryState::Sent,
        happened_at: moment(0),
        error: None,
    };
    let told = StepWebhook::new(DeliveryId(id), inbox, 7, &json!({"said": true})).unwrap();
    let steps = Steps { receipts: vec![receipt], told: vec![told], ..Steps::default() };
    steps::write(db, CLIENT, &steps, moment(0)).await.unwrap()
}

/// Where the webhook of a step goes that a message from an inbox took.
async fn endpoint(db: &mut PgConnection, id: u128, inbox: InboxId) -> Option<Uuid> {
    let id = Uuid::from_u128(id);
    let endpoints = step(db, id, inbox).await;
    let stored: Vec<(Uuid, Uuid, i64)> =
        sqlx::query_as("SELECT lane_id, inbox_id, order_key FROM webhook_delivery WHERE id = $1")
            .bind(id)
            .fetch_all(db)
            .await
            .unwrap();
    assert_eq!(stored.iter().map(|one| EndpointId(one.0)).collect::<Vec<_>>(), endpoints);
    assert!(stored.iter().all(|one| (one.1, one.2) == (inbox.0, 7)));
    stored.first().map(|one| one.0)
}

#[tokio::test]
async fn the_webhook_of_a_step_goes_to_the_address_of_the_present_configuration() {
    let mut db = database().await;
    inboxes::insert(&mut db, CLIENT, &cloud_number(11, "27600000002"), moment(0)).await.unwrap();
    assert_eq!(endpoint(&mut db, 701, INBOX).await, None, "no client asked for it");
    configure(&mut db, 1, None, "https://example.com/default").await;
    assert_eq!(endpoint(&mut db, 702, INBOX).await, Some(Uuid::from_u128(10)));
    configure(&mut db, 2, Some(INBOX), "https://example.com/own").await;
    assert_eq!(endpoint(&mut db, 703, INBOX).await, Some(Uuid::from_u128(20)));
    assert_eq!(endpoint(&mut db, 704, OTHER).await, Some(Uuid::from_u128(10)));
    configure(&mut db, 3, Some(OTHER), "").await;
    assert_eq!(endpoint(&mut db, 705, OTHER).await, None, "a configuration without an address silences");
}

#[tokio::test]
async fn the_webhook_of_a_step_is_stored_and_not_sent_while_its_address_is_disabled() {
    let mut db = database().await;
    configure(&mut db, 1, None, "https://example.com/default").await;
    sqlx::query("UPDATE webhook_endpoint SET disabled_at = now(), disabled_reason = 'GONE'")
        .execute(&mut db)
        .await
        .unwrap();
    assert_eq!(step(&mut db, Uuid::from_u128(701), INBOX).await, [], "nothing is to be sent");
    sqlx::query("UPDATE webhook_endpoint SET listened_until = now() + interval '1 minute'")
        .execute(&mut db)
        .await
        .unwrap();
    let default = EndpointId(Uuid::from_u128(10));
    assert_eq!(step(&mut db, Uuid::from_u128(702), INBOX).await, [default], "a developer listens");
    let stored: Vec<(Uuid, String, i16)> =
        sqlx::query_as("SELECT lane_id, state, attempts FROM webhook_delivery ORDER BY id")
            .fetch_all(&mut db)
            .await
            .unwrap();
    assert_eq!(stored, [(default.0, "EXHAUSTED".to_owned(), 0), (default.0, "PENDING".to_owned(), 0)]);
}

const MESSAGE: MessageId = MessageId(Uuid::from_u128(50));

/// The customer of the leg as a status finds it.
async fn customer(db: &mut PgConnection) -> Option<LegCustomer> {
    let legs = legs::lock_with_customers(db, CLIENT, &[(MESSAGE, 0)], LockPolicy::Skip).await.unwrap();
    legs.into_iter().next().unwrap().customer
}

#[tokio::test]
async fn a_status_finds_the_customer_of_its_leg_and_whether_it_was_reached() {
    let mut db = database().await;
    let part = NewPart {
        id: PartId(MESSAGE.0),
        batch: BatchId(MESSAGE.0),
        inbox: INBOX,
        origin: PartOrigin::Chat,
        content: OutboundContent::Text { body: "hi".to_owned() },
        fallback: None,
        quoted_provider_id: None,
        send: None,
    };
    let message = NewMessage {
        id: MESSAGE,
        part: part.id,
        origin: PartOrigin::Chat,
        inbox: INBOX,
        channel: Channel::Whatsapp,
        recipient: Recipient::from(phone("5511987654321")),
        ct_id: None,
        gst_id: "g".to_owned(),
        order_key: 1,
        chat: None,
        conversation: None,
    };
    let outgoing = GroupRows { parts: vec![&part], messages: vec![&message], ..GroupRows::default() };
    outgoing_rows::insert(&mut db, CLIENT, &outgoing, 1, moment(0)).await.unwrap();
    assert_eq!(customer(&mut db).await, None);

    let named = vec![phone("5511987654321"), bsuid("BR.1")];
    let zo = Introduction { addresses: named.clone(), ..Introduction::default() };
    let who: CustomerId = resolve(&mut db, CLIENT, &IdSource::new([3; 32]), zo, moment(0)).await.unwrap();
    // The other spelling of the number is known, too, and has not been used.
    let known = LegCustomer { id: who, is_reached: false, addresses: HashSet::from_iter(named) };
    assert_eq!(customer(&mut db).await, Some(known.clone()));

    let receipt = NewReceipt {
        id: Uuid::from_u128(800),
        message: MESSAGE,
        channel: Channel::Whatsapp,
        state: DeliveryState::Sent,
        happened_at: moment(0),
        error: None,
    };
    let steps = Steps { receipts: vec![receipt], reached: [(INBOX, who)].into(), ..Steps::default() };
    steps::write(&mut db, CLIENT, &steps, moment(0)).await.unwrap();
    assert_eq!(customer(&mut db).await, Some(LegCustomer { is_reached: true, ..known }));
    let plainly = legs::lock(&mut db, CLIENT, &[(MESSAGE, 0)], LockPolicy::Wait).await.unwrap();
    assert_eq!(plainly[0].customer, None, "it was not asked for");
}
