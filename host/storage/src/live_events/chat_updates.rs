//! Events `chat.updated`: the chat has other tags, or its customer other facts. Written in the transaction of the change.
//! They are no `domain::event::Event`: `tenancy` and `people` change customers and do not know the crate `events`.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, CustomerId, ParticipantId},
    live_events::{LiveEvent, LiveKind},
};
use uuid::Uuid;

use super::{
    events::{self, NewLiveEvent},
    streams,
};
use crate::{PgConnection, Result};

/// Most chats that one change reports: those with the latest messages.
const MOST_CHATS: i64 = 1_000;

/// Reports the chats of customers with another name, other addresses or other tags of their contact. The events have
/// one id, because their sequence tells them apart.
pub async fn of_customers(
    db: &mut PgConnection,
    client: ClientId,
    customers: &[CustomerId],
    (id, at): (Uuid, DateTime<Utc>),
) -> Result<()> {
    if customers.is_empty() || !streams::is_wanted(db, client).await? {
        return Ok(());
    }
    let chats: Vec<Uuid> = sqlx::query_scalar(
        "SELECT chat.id
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT one.id, one.last_message_at FROM participant one
             WHERE one.client_id = given.client_id AND one.customer_id = given.id AND one.merged_into IS NULL
             OFFSET 0) chat
         ORDER BY chat.last_message_at DESC, chat.id LIMIT $3",
    )
    .bind(client.0)
    .bind(customers.iter().map(|customer| customer.0).collect::<Vec<_>>())
    .bind(MOST_CHATS)
    .fetch_all(&mut *db)
    .await?;
    insert(db, client, &chats, (id, at)).await
}

/// Reports a chat with other tags.
pub async fn of_chat(
    db: &mut PgConnection,
    client: ClientId,
    chat: ParticipantId,
    (id, at): (Uuid, DateTime<Utc>),
) -> Result<()> {
    if !streams::is_wanted(db, client).await? {
        return Ok(());
    }
    insert(db, client, &[chat.0], (id, at)).await
}

async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    chats: &[Uuid],
    (id, at): (Uuid, DateTime<Utc>),
) -> Result<()> {
    if chats.is_empty() {
        return Ok(());
    }
    let updated = |chat: &Uuid| {
        let event = LiveEvent { chat: ParticipantId(*chat), what: LiveKind::ChatUpdated, hands: Vec::new() };
        NewLiveEvent { id, at, event }
    };
    events::insert(db, client, &chats.iter().map(updated).collect::<Vec<_>>()).await
}
