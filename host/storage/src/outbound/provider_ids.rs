//! Message ids of providers. They are unique for ever, which a unique index of a partitioned table cannot state.

use std::collections::{HashMap, HashSet};

use domain::ids::{ChatMessageId, ClientId, InboxId, MessageId};
use uuid::Uuid;

use crate::{PgConnection, Result};

/// Legs by provider id. The first leg if no leg has the id yet; ids of other messages are absent.
pub async fn find(
    db: &mut PgConnection,
    client: ClientId,
    provider_ids: &[&str],
) -> Result<HashMap<String, (MessageId, i16)>> {
    let legs: Vec<(String, Uuid, i16)> = sqlx::query_as(
        "SELECT known.provider_id, known.outbound_message_id, COALESCE(leg.ordinal, 0::smallint)
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::text[]) AS id OFFSET 0) wanted
         JOIN provider_message known ON known.client_id = wanted.client_id AND known.provider_id = wanted.id
         LEFT JOIN LATERAL (
             SELECT ordinal FROM outbound_leg one WHERE one.client_id = wanted.client_id AND one.message_id = known.outbound_message_id
                AND one.provider_id = known.provider_id LIMIT 1) leg ON true
         WHERE known.outbound_message_id IS NOT NULL",
    )
    .bind(client.0)
    .bind(provider_ids)
    .fetch_all(db)
    .await?;
    Ok(legs.into_iter().map(|(id, message, ordinal)| (id, (MessageId(message), ordinal))).collect())
}

/// Stores the id of a chat message on its channel, if it is known before the message is sent.
pub async fn remember(
    db: &mut PgConnection,
    client: ClientId,
    provider_id: &str,
    message: MessageId,
    chat_message: ChatMessageId,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO provider_message (client_id, provider_id, outbound_message_id, chat_message_id) VALUES ($1, $2, $3, $4)",
    )
    .bind(client.0)
    .bind(provider_id)
    .bind(message.0)
    .bind(chat_message.0)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn is_any_known(db: &mut PgConnection, client: ClientId, provider_ids: &[&str]) -> Result<bool> {
    Ok(sqlx::query_scalar(
        "SELECT EXISTS (
             SELECT FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::text[]) AS id OFFSET 0) wanted
             JOIN provider_message known ON known.client_id = wanted.client_id AND known.provider_id = wanted.id)",
    )
    .bind(client.0)
    .bind(provider_ids)
    .fetch_one(db)
    .await?)
}

/// Returns the given ids of a Lite number under which an earlier release stored its messages: it stored them without
/// the inbox.
pub async fn find_unscoped(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    provider_ids: &[&str],
) -> Result<HashSet<String>> {
    let found: Vec<String> = sqlx::query_scalar(
        "SELECT known.provider_id
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($3::text[]) AS id OFFSET 0) wanted
         JOIN provider_message known ON known.client_id = wanted.client_id AND known.provider_id = wanted.id
         LEFT JOIN LATERAL (
             SELECT inbox_id FROM outbound_leg one
             WHERE one.client_id = wanted.client_id AND one.message_id = known.outbound_message_id AND one.inbox_id = $2
             LIMIT 1) sent ON true
         LEFT JOIN LATERAL (
             SELECT * FROM chat_message one
             WHERE one.client_id = wanted.client_id AND one.id = known.chat_message_id OFFSET 0) said ON true
         LEFT JOIN LATERAL (
             SELECT * FROM participant one
             WHERE one.client_id = wanted.client_id AND one.id = said.participant_id OFFSET 0) chat ON true
         WHERE sent.inbox_id IS NOT NULL OR chat.inbox_id = $2",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(provider_ids)
    .fetch_all(db)
    .await?;
    Ok(found.into_iter().collect())
}
