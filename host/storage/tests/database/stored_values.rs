//! A stored value that this version does not know is an error that names table and column.

use domain::{
    channel::Channel,
    chat::ParticipantState,
    clock::IdSource,
    content::OutboundContent,
    ids::{BatchId, CustomerId, MessageId, PartId, ParticipantId},
};
use people::Introduction;
use storage::{
    Error, PgConnection,
    chat::{participant_events, participants},
    inboxes,
    outbound::{
        legs::{self, LockPolicy},
        messages::NewMessage,
        outgoing_rows::{self, GroupRows},
        parts::{self, NewPart, PartOrigin},
        work,
    },
    people::customers,
    tenancy::clients,
    webhooks::configs::{self, NewConfig},
};
use uuid::Uuid;

use crate::fixtures::{CLIENT, INBOX, database, moment, phone, resolve};

const CHAT: ParticipantId = ParticipantId(Uuid::from_u128(100));
const MESSAGE: MessageId = MessageId(Uuid::from_u128(200));

/// A customer with a chat, a message and its leg, and an event of the chat.
async fn rows() -> (PgConnection, CustomerId) {
    let mut db = database().await;
    let zo = Introduction { addresses: vec![phone("27820000001")], ..Introduction::default() };
    let customer = resolve(&mut db, CLIENT, &IdSource::new([3; 32]), zo, moment(0)).await.unwrap();
    let new = participants::NewParticipant {
        id: CHAT,
        inbox: INBOX,
        customer,
        channel: Channel::Whatsapp,
        state: ParticipantState::Bot,
    };
    participants::insert(&mut db, CLIENT, new, moment(0)).await.unwrap();
    let part = NewPart {
        id: PartId(MESSAGE.0),
        batch: BatchId(MESSAGE.0),
        inbox: INBOX,
        origin: PartOrigin::Reply,
        content: OutboundContent::Text { body: "hi".to_owned() },
        fallback: None,
        quoted_provider_id: None,
        send: None,
    };
    let message = NewMessage {
        id: MESSAGE,
        part: part.id,
        origin: PartOrigin::Reply,
        inbox: INBOX,
        channel: Channel::Whatsapp,
        recipient: phone("27820000001").into(),
        ct_id: None,
        gst_id: "g".to_owned(),
        order_key: 1,
        chat: None,
        conversation: None,
    };
    let outgoing = GroupRows { parts: vec![&part], messages: vec![&message], ..GroupRows::default() };
    outgoing_rows::insert(&mut db, CLIENT, &outgoing, 0, moment(0)).await.unwrap();
    (db, customer)
}

/// Writes values of a later version.
async fn write(db: &mut PgConnection, statements: &[&str]) {
    for statement in statements {
        sqlx::query(statement).execute(&mut *db).await.unwrap();
    }
}

#[track_caller]
fn names<T: std::fmt::Debug>(outcome: storage::Result<T>, place: &str, value: &str) {
    let error = outcome.unwrap_err();
    assert!(error.is_of_a_stored_value(), "{error:?}");
    let text = error.to_string();
    assert!(text.contains(place) && text.contains(value), "{text}");
}

/// The fault of the due leg.
async fn unreadable(db: &mut PgConnection) -> storage::Result<()> {
    let due = work::due(db, CLIENT, INBOX.0, moment(0), 1).await?;
    assert!(due.legs.is_empty());
    due.unreadable.into_iter().next().map_or(Ok(()), |leg| Err(leg.error))
}

#[tokio::test]
async fn an_unknown_channel_is_an_error() {
    let (mut db, _) = rows().await;
    write(
        &mut db,
        &[
            "ALTER TABLE outbound_leg DROP CONSTRAINT outbound_leg_channel_known",
            "UPDATE outbound_leg SET channel = 'PIGEON'",
            "ALTER TABLE participant DROP CONSTRAINT participant_channel_known",
            "UPDATE participant SET channel = 'PIGEON'",
        ],
    )
    .await;
    names(legs::lock(&mut db, CLIENT, &[(MESSAGE, 0)], LockPolicy::Wait).await, "outbound_leg.channel", "PIGEON");
    names(unreadable(&mut db).await, "outbound_leg.channel", "PIGEON");
    names(participants::find(&mut db, CLIENT, CHAT).await, "participant.channel", "PIGEON");
}

#[tokio::test]
async fn an_unknown_kind_of_address_or_inbox_is_an_error() {
    let (mut db, customer) = rows().await;
    write(
        &mut db,
        &[
            "ALTER TABLE customer_address DROP CONSTRAINT customer_address_kind_known",
            "UPDATE customer_address SET kind = 'PIGEON'",
            "ALTER TABLE outbound_message DROP CONSTRAINT outbound_message_address_kind_known",
            "UPDATE outbound_message SET address_kind = 'PIGEON'",
            "ALTER TABLE inbox DROP CONSTRAINT inbox_kind_known, DROP CONSTRAINT inbox_channel_of_kind",
            "UPDATE inbox SET kind = 'LOFT' WHERE address IS NOT NULL",
        ],
    )
    .await;
    names(customers::find(&mut db, CLIENT, customer).await, "customer_address.kind", "PIGEON");
    names(
        legs::lock(&mut db, CLIENT, &[(MESSAGE, 0)], LockPolicy::Wait).await,
        "outbound_message.address_kind",
        "PIGEON",
    );
    names(inboxes::by_id(&mut db, CLIENT, INBOX).await, "inbox.kind", "LOFT");
}

#[tokio::test]
async fn an_inbox_without_the_fields_of_its_kind_is_an_error() {
    let (mut db, _) = rows().await;
    write(&mut db, &["DELETE FROM whatsapp_cloud_inbox"]).await;
    names(inboxes::by_id(&mut db, CLIENT, INBOX).await, "inbox.kind", "WHATSAPP_CLOUD");
}

#[tokio::test]
async fn unknown_modes_and_versions_are_errors() {
    let (mut db, _) = rows().await;
    write(
        &mut db,
        &[
            "ALTER TABLE client DROP CONSTRAINT client_fallback_mode_known",
            "UPDATE client SET fallback_mode = 'SOMETIMES'",
            "UPDATE outbound_part SET content = jsonb_set(content, '{v}', '2')",
            "INSERT INTO participant_event (client_id, id, lane_id, kind, payload, due_at)
             SELECT client_id, id, id, 'MESSAGE', '{\"v\": 1, \"value\": {}}', now() FROM participant",
        ],
    )
    .await;
    names(clients::get(&mut db, CLIENT).await, "client.fallback_mode", "SOMETIMES");
    names(unreadable(&mut db).await, "outbound_part.content", "version 2");
    names(parts::content(&mut db, CLIENT, PartId(MESSAGE.0)).await, "outbound_part.content", "version 2");
    let head = participant_events::head(&mut db, CLIENT, CHAT).await.unwrap().unwrap();
    names(head.map_err(|unreadable| unreadable.error), "participant_event.payload", "version 1");

    let config = NewConfig {
        id: domain::ids::WebhookConfigId(Uuid::from_u128(1)),
        inbox: None,
        settings: domain::webhook::WebhookSettings::default(),
        endpoints: domain::webhook::WebhookType::ALL
            .into_iter()
            .zip(1..)
            .map(|(kind, id)| (kind, domain::ids::EndpointId(Uuid::from_u128(id))))
            .collect(),
        secret_sealed: vec![1],
        created_at: moment(0),
    };
    configs::insert(&mut db, CLIENT, &config).await.unwrap();
    write(
        &mut db,
        &[
            "ALTER TABLE webhook_config DROP CONSTRAINT webhook_config_version_known",
            "UPDATE webhook_config SET chatbot_payload_version = 'v9'",
        ],
    )
    .await;
    names(configs::find_default(&mut db, CLIENT).await, "webhook_config.chatbot_payload_version", "v9");
}

#[tokio::test]
async fn an_address_that_does_not_fit_its_kind_is_an_error_that_does_not_name_it() {
    let (mut db, customer) = rows().await;
    write(&mut db, &["UPDATE customer_address SET value = '0820000001'"]).await;
    let error = customers::find(&mut db, CLIENT, customer).await.unwrap_err();
    assert!(matches!(error, Error::Inconsistent { table: "customer_address", column: "value", .. }), "{error:?}");
    assert!(!error.to_string().contains("0820000001"));
}
