use domain::ids::{ClientId, CustomerId, InboxId, ParticipantId};
use uuid::Uuid;

use crate::{PgConnection, Result, chat::chatbot_values};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatOfCustomer {
    pub id: ParticipantId,
    pub inbox: InboxId,
    pub customer: CustomerId,
}

pub async fn lock_of_both(
    db: &mut PgConnection,
    client: ClientId,
    survivor: CustomerId,
    absorbed: CustomerId,
) -> Result<Vec<ChatOfCustomer>> {
    let rows: Vec<(Uuid, Uuid, Uuid)> = sqlx::query_as(
        "SELECT id, inbox_id, customer_id FROM participant
         WHERE client_id = $1 AND customer_id IN ($2, $3) AND merged_into IS NULL ORDER BY id FOR UPDATE",
    )
    .bind(client.0)
    .bind(survivor.0)
    .bind(absorbed.0)
    .fetch_all(db)
    .await?;
    let chat = |(id, inbox, customer): (Uuid, Uuid, Uuid)| ChatOfCustomer {
        id: ParticipantId(id),
        inbox: InboxId(inbox),
        customer: CustomerId(customer),
    };
    Ok(rows.into_iter().map(chat).collect())
}

pub async fn give_to(db: &mut PgConnection, client: ClientId, chat: ParticipantId, customer: CustomerId) -> Result<()> {
    sqlx::query("UPDATE participant SET customer_id = $3 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(chat.0)
        .bind(customer.0)
        .execute(db)
        .await?;
    Ok(())
}

/// Renumbers the messages of both chats by id, so that the last one has the number `last`.
pub async fn move_messages(
    db: &mut PgConnection,
    client: ClientId,
    kept: ParticipantId,
    gone: ParticipantId,
    last: i64,
) -> Result<()> {
    sqlx::query(
        "WITH ordered AS (
             SELECT id, row_number() OVER (ORDER BY id) - count(*) OVER () AS from_last
             FROM chat_message WHERE client_id = $1 AND participant_id IN ($2, $3)
         )
         UPDATE chat_message message SET participant_id = $2, sequence_number = $4 + ordered.from_last
         FROM ordered WHERE message.client_id = $1 AND message.id = ordered.id",
    )
    .bind(client.0)
    .bind(kept.0)
    .bind(gone.0)
    .bind(last)
    .execute(db)
    .await?;
    Ok(())
}

/// Moves the events, scheduled templates, unsent files and values of the chatbot. If both chats have a value, the remaining chat keeps its own.
pub async fn move_bot_data(
    db: &mut PgConnection,
    client: ClientId,
    kept: ParticipantId,
    gone: ParticipantId,
) -> Result<()> {
    sqlx::query("UPDATE participant_event SET lane_id = $2 WHERE client_id = $1 AND lane_id = $3")
        .bind(client.0)
        .bind(kept.0)
        .bind(gone.0)
        .execute(&mut *db)
        .await?;
    sqlx::query("UPDATE scheduled_template SET participant_id = $2 WHERE client_id = $1 AND participant_id = $3")
        .bind(client.0)
        .bind(kept.0)
        .bind(gone.0)
        .execute(&mut *db)
        .await?;
    sqlx::query("UPDATE unsent_file SET participant_id = $2 WHERE client_id = $1 AND participant_id = $3")
        .bind(client.0)
        .bind(kept.0)
        .bind(gone.0)
        .execute(&mut *db)
        .await?;
    move_values(db, client, kept.0, gone.0).await
}

/// Moves the key-values of a chat, or of a customer. If both have a value, the remaining one keeps its own.
pub async fn move_values(db: &mut PgConnection, client: ClientId, kept: Uuid, gone: Uuid) -> Result<()> {
    let grown: i64 = sqlx::query_scalar(
        "WITH moved AS (DELETE FROM chatbot_value WHERE client_id = $1 AND participant_id = $3 RETURNING *),
         kept AS (
             INSERT INTO chatbot_value (client_id, plugin, participant_id, key, value, version, expires_at)
             SELECT client_id, plugin, $2, key, value, version, expires_at FROM moved ON CONFLICT DO NOTHING
             RETURNING octet_length(key) + octet_length(value) + $4 AS bytes)
         SELECT (COALESCE((SELECT sum(bytes) FROM kept), 0)
                 - COALESCE((SELECT sum(octet_length(key) + octet_length(value) + $4) FROM moved), 0))::bigint",
    )
    .bind(client.0)
    .bind(kept)
    .bind(gone)
    .bind(chatbot_values::KEY_OVERHEAD)
    .fetch_one(&mut *db)
    .await?;
    if grown != 0 {
        chatbot_values::grow(db, client, ParticipantId(kept), grown).await?;
    }
    Ok(())
}

/// Closes a merged chat and lets its id, and the ids of chats that were merged into it, find the remaining chat.
pub async fn lead_to(db: &mut PgConnection, client: ClientId, kept: ParticipantId, gone: ParticipantId) -> Result<()> {
    for followers in [
        "UPDATE participant SET merged_into = $2, state = 'CLOSED', control_version = control_version + 1,
             assigned_agent_id = NULL, last_assigned_agent_id = COALESCE(assigned_agent_id, last_assigned_agent_id)
         WHERE client_id = $1 AND id = $3",
        "UPDATE participant SET merged_into = $2, state = 'CLOSED', control_version = control_version + 1
         WHERE client_id = $1 AND merged_into = $3",
    ] {
        sqlx::query(followers).bind(client.0).bind(kept.0).bind(gone.0).execute(&mut *db).await?;
    }
    Ok(())
}
