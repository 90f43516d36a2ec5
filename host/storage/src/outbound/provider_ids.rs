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

/// The outbound message with this provider id.
pub async fn find(db: &mut PgConnection, client: ClientId, provider_id: &str) -> Result<Option<MessageId>> {
    let id: Option<Option<Uuid>> = sqlx::query_scalar(
        "SELECT outbound_message_id FROM provider_message WHERE client_id = $1 AND provider_id = $2",
    )
    .bind(client.0)
    .bind(provider_id)
    .fetch_optional(db)
    .await?;
    Ok(id.flatten().map(MessageId))
}
