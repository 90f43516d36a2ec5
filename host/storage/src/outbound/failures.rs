use std::collections::HashMap;

use domain::ids::{ClientId, MessageId};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureReason {
    pub code: String,
    pub text: Option<String>,
}

/// Returns the reasons of the last failed legs of messages. Messages without a known reason are absent.
pub async fn of_messages(
    db: &mut PgConnection,
    client: ClientId,
    messages: &[MessageId],
) -> Result<HashMap<MessageId, FailureReason>> {
    let ids: Vec<Uuid> = messages.iter().map(|message| message.0).collect();
    let (Some(first), Some(last)) = (ids.iter().min().copied(), ids.iter().max().copied()) else {
        return Ok(HashMap::new());
    };
    let rows: Vec<(Uuid, String, Option<String>)> = sqlx::query_as(
        "SELECT DISTINCT ON (leg.message_id) leg.message_id, leg.error_code, leg.error_text
         FROM unnest($2::uuid[]) AS wanted (id)
         CROSS JOIN LATERAL (
             SELECT message_id, ordinal, error_code, error_text FROM outbound_leg one
             WHERE one.client_id = $1 AND one.message_id = wanted.id AND one.message_id BETWEEN $3 AND $4
               AND one.error_code IS NOT NULL OFFSET 0) leg
         ORDER BY leg.message_id, leg.ordinal DESC",
    )
    .bind(client.0)
    .bind(ids)
    .bind(first)
    .bind(last)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(id, code, text)| (MessageId(id), FailureReason { code, text })).collect())
}
