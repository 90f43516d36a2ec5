//! Message ids of providers. They are unique for ever, which a unique index of a partitioned table cannot state.

use std::collections::HashMap;

use domain::ids::{ChatMessageId, ClientId, MessageId};
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
