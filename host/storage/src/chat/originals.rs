//! The content that a provider sent for messages that are shown in our words.

use domain::ids::{ChatMessageId, ClientId};

use crate::{PgConnection, Result};

pub async fn insert(db: &mut PgConnection, client: ClientId, message: ChatMessageId, content: &str) -> Result<()> {
    sqlx::query(
        "INSERT INTO message_original (client_id, message_id, content) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(message.0)
    .bind(content)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn find(db: &mut PgConnection, client: ClientId, message: ChatMessageId) -> Result<Option<String>> {
    let content = sqlx::query_scalar("SELECT content FROM message_original WHERE client_id = $1 AND message_id = $2")
        .bind(client.0)
        .bind(message.0)
        .fetch_optional(db)
        .await?;
    Ok(content)
}
