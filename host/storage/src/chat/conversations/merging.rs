use chrono::{DateTime, Utc};
use domain::ids::{ClientId, ConversationId, CustomerId, InboxId};
use uuid::Uuid;

use crate::{PgConnection, Result};

pub async fn expire(db: &mut PgConnection, client: ClientId, customer: CustomerId, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "UPDATE conversation SET closed_at = expires_at, close_reason = 'EXPIRED'
         WHERE client_id = $1 AND customer_id = $2 AND closed_at IS NULL AND expires_at <= $3",
    )
    .bind(client.0)
    .bind(customer.0)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Locks the open conversations of two customers in the order of ids, as all code that locks several conversations.
pub async fn lock_open(
    db: &mut PgConnection,
    client: ClientId,
    customers: [CustomerId; 2],
) -> Result<Vec<(ConversationId, InboxId)>> {
    let open: Vec<(Uuid, Uuid)> = sqlx::query_as(
        "SELECT one.id, one.inbox_id
         FROM (SELECT customer.client_id, known.id
               FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) customer
               CROSS JOIN LATERAL (
                   SELECT id FROM conversation one
                   WHERE one.client_id = customer.client_id AND one.customer_id = customer.id AND one.closed_at IS NULL
                   OFFSET 0) known
               ORDER BY known.id OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT * FROM conversation held
             WHERE held.client_id = wanted.client_id AND held.id = wanted.id AND held.close_reason IS NULL
             FOR NO KEY UPDATE) one",
    )
    .bind(client.0)
    .bind(customers.map(|customer| customer.0))
    .fetch_all(db)
    .await?;
    Ok(open.into_iter().map(|(id, inbox)| (ConversationId(id), InboxId(inbox))).collect())
}

pub async fn give_all_to(
    db: &mut PgConnection,
    client: ClientId,
    survivor: CustomerId,
    absorbed: CustomerId,
) -> Result<()> {
    sqlx::query("UPDATE conversation SET customer_id = $2 WHERE client_id = $1 AND customer_id = $3")
        .bind(client.0)
        .bind(survivor.0)
        .bind(absorbed.0)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn merge(
    db: &mut PgConnection,
    client: ClientId,
    kept: ConversationId,
    gone: ConversationId,
    now: DateTime<Utc>,
) -> Result<()> {
    // The later expiry counts, so that a conversation that was opened later loses no time.
    sqlx::query(
        "UPDATE conversation kept
         SET expires_at = GREATEST(kept.expires_at, gone.expires_at), ct_id = COALESCE(kept.ct_id, gone.ct_id),
             tqrmt_id = COALESCE(gone.tqrmt_id, kept.tqrmt_id), recipient = COALESCE(kept.recipient, gone.recipient),
             customer_user_id = COALESCE(kept.customer_user_id, gone.customer_user_id)
         FROM conversation gone
         WHERE kept.client_id = $1 AND kept.id = $2 AND gone.client_id = $1 AND gone.id = $3",
    )
    .bind(client.0)
    .bind(kept.0)
    .bind(gone.0)
    .execute(&mut *db)
    .await?;
    sqlx::query(
        "UPDATE conversation SET closed_at = $4, close_reason = 'MERGED', merged_into = $2 WHERE client_id = $1 AND id = $3",
    )
    .bind(client.0)
    .bind(kept.0)
    .bind(gone.0)
    .bind(now)
    .execute(&mut *db)
    .await?;
    sqlx::query("UPDATE conversation SET merged_into = $2 WHERE client_id = $1 AND merged_into = $3")
        .bind(client.0)
        .bind(kept.0)
        .bind(gone.0)
        .execute(db)
        .await?;
    Ok(())
}
