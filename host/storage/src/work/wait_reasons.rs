//! Facts from which `patchbay status` tells why a lane waits.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, InboxId};
use uuid::Uuid;

use crate::{PgConnection, Result};

/// Waiting messages with an earlier call that are looked at, at most.
const MESSAGES: i64 = 20;

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct SenderName {
    #[sqlx(try_from = "Uuid")]
    pub client_id: ClientId,
    #[sqlx(try_from = "Uuid")]
    pub inbox_id: InboxId,
    pub client_ref: String,
    pub kind: String,
    pub address: Option<String>,
    pub is_disabled: bool,
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct LastCall {
    pub outcome: String,
    pub error_code: Option<String>,
    pub called_at: DateTime<Utc>,
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct LastAttempt {
    /// `None`: no answer came.
    pub status_code: Option<i16>,
    pub attempted_at: DateTime<Utc>,
}

/// Returns the status of a Lite number and the time from which it sends again, if it sends nothing now.
pub async fn lite_gate(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    now: DateTime<Utc>,
) -> Result<Option<(String, DateTime<Utc>)>> {
    let gate = sqlx::query_as(
        "SELECT status, sends_from FROM lite_session WHERE client_id = $1 AND lane_id = $2 AND sends_from > $3",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(now);
    Ok(gate.fetch_optional(db).await?)
}

/// Returns the code with which the provider refuses the account of an inbox, and the time of the next try.
pub async fn refused_account(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    now: DateTime<Utc>,
) -> Result<Option<(i64, DateTime<Utc>)>> {
    let refused = sqlx::query_as(
        "SELECT held_code, held_until FROM inbox_fault WHERE client_id = $1 AND inbox_id = $2 AND held_until > $3",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(now);
    Ok(refused.fetch_optional(db).await?)
}

/// Returns the last call without success for a message that waits in the lane.
pub async fn last_failed_call(db: &mut PgConnection, client: ClientId, inbox: InboxId) -> Result<Option<LastCall>> {
    let call = sqlx::query_as(
        "SELECT call.outcome, call.error_code, call.called_at
         FROM (SELECT message_id FROM outbound_work
               WHERE client_id = $1 AND lane_id = $2 AND attempts > 0 ORDER BY due_at LIMIT $3) waiting
         CROSS JOIN LATERAL (SELECT outcome, error_code, called_at FROM provider_call
                             WHERE client_id = $1 AND message_id = waiting.message_id ORDER BY id DESC LIMIT 1) call
         ORDER BY call.called_at DESC LIMIT 1",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(MESSAGES);
    Ok(call.fetch_optional(db).await?)
}

pub async fn last_attempt(db: &mut PgConnection, client: ClientId, endpoint: Uuid) -> Result<Option<LastAttempt>> {
    let attempt = sqlx::query_as(
        "SELECT status_code, attempted_at FROM webhook_attempt
         WHERE client_id = $1 AND endpoint_id = $2 ORDER BY id DESC LIMIT 1",
    )
    .bind(client.0)
    .bind(endpoint);
    Ok(attempt.fetch_optional(db).await?)
}

/// Directory: returns the names of inboxes of all clients.
pub async fn sender_names(db: &mut PgConnection, senders: &[(ClientId, InboxId)]) -> Result<Vec<SenderName>> {
    let names = sqlx::query_as(
        "SELECT wanted.client_id, wanted.inbox_id, client.client_ref, inbox.kind, inbox.address, inbox.is_disabled
         FROM unnest($1::uuid[], $2::uuid[]) wanted (client_id, inbox_id)
         CROSS JOIN LATERAL (SELECT client_ref FROM client WHERE id = wanted.client_id OFFSET 0) client
         CROSS JOIN LATERAL (SELECT kind, address, disabled_at IS NOT NULL AS is_disabled FROM inbox
                             WHERE client_id = wanted.client_id AND id = wanted.inbox_id OFFSET 0) inbox",
    )
    .bind(senders.iter().map(|(client, _)| client.0).collect::<Vec<_>>())
    .bind(senders.iter().map(|(_, inbox)| inbox.0).collect::<Vec<_>>());
    Ok(names.fetch_all(db).await?)
}
