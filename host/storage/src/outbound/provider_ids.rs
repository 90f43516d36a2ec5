//! The ids that providers give to messages: unique for ever, which the partitioned tables cannot say.

use domain::ids::{ChatMessageId, ClientId, MessageId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::Result;

/// Binds provider ids to the messages they were given to; a repeated answer changes nothing.
pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    ids: &[(String, MessageId, Option<ChatMessageId>)],
) -> Result<()> {
    sqlx::query(
        "INSERT INTO provider_message (client_id, provider_id, outbound_message_id, chat_message_id)
         SELECT $1, * FROM unnest($2::text[], $3::uuid[], $4::uuid[]) ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(ids.iter().map(|id| id.0.as_str()).collect::<Vec<_>>())
    .bind(ids.iter().map(|id| id.1.0).collect::<Vec<_>>())
    .bind(ids.iter().map(|id| id.2.map(|chat| chat.0)).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// The leg that a provider knows by this id: message and ordinal. The first leg where none has the id yet.
pub async fn find(db: &mut PgConnection, client: ClientId, provider_id: &str) -> Result<Option<(MessageId, i16)>> {
    let leg: Option<(Uuid, i16)> = sqlx::query_as(
        "SELECT known.outbound_message_id, COALESCE(leg.ordinal, 0::smallint) FROM provider_message known
         LEFT JOIN outbound_leg leg ON leg.client_id = $1 AND leg.message_id = known.outbound_message_id
              AND leg.provider_id = known.provider_id
         WHERE known.client_id = $1 AND known.provider_id = $2 AND known.outbound_message_id IS NOT NULL",
    )
    .bind(client.0)
    .bind(provider_id)
    .fetch_optional(db)
    .await?;
    Ok(leg.map(|(message, ordinal)| (MessageId(message), ordinal)))
}
