//! Merges the open conversations of two customers who became one.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, CustomerId};
use uuid::Uuid;

use crate::{PgConnection, Result};

/// Moves the conversations of `absorbed` to `survivor`. If both have an open one on an inbox, the older one continues,
/// and the id of the other finds it.
pub(crate) async fn fold_customer(
    db: &mut PgConnection,
    client: ClientId,
    survivor: CustomerId,
    absorbed: CustomerId,
    now: DateTime<Utc>,
) -> Result<()> {
    // An expired conversation must not continue with the expiry of the other one.
    for customer in [survivor, absorbed] {
        sqlx::query(
            "UPDATE conversation SET closed_at = expires_at, close_reason = 'EXPIRED'
             WHERE client_id = $1 AND customer_id = $2 AND closed_at IS NULL AND expires_at <= $3",
        )
        .bind(client.0)
        .bind(customer.0)
        .bind(now)
        .execute(&mut *db)
        .await?;
    }
    // In the order of ids, as all code that locks several conversations.
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
    .bind([survivor.0, absorbed.0])
    .fetch_all(&mut *db)
    .await?;
    let mut kept: Vec<(Uuid, Uuid)> = Vec::new();
    for (id, inbox) in open {
        match kept.iter().find(|(_, on)| *on == inbox) {
            Some((older, _)) => merge(db, client, *older, id, now).await?,
            None => kept.push((id, inbox)),
        }
    }
    sqlx::query("UPDATE conversation SET customer_id = $2 WHERE client_id = $1 AND customer_id = $3")
        .bind(client.0)
        .bind(survivor.0)
        .bind(absorbed.0)
        .execute(db)
        .await?;
    Ok(())
}

async fn merge(db: &mut PgConnection, client: ClientId, kept: Uuid, gone: Uuid, now: DateTime<Utc>) -> Result<()> {
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
    .bind(kept)
    .bind(gone)
    .execute(&mut *db)
    .await?;
    sqlx::query(
        "UPDATE conversation SET closed_at = $4, close_reason = 'MERGED', merged_into = $2 WHERE client_id = $1 AND id = $3",
    )
    .bind(client.0)
    .bind(kept)
    .bind(gone)
    .bind(now)
    .execute(&mut *db)
    .await?;
    sqlx::query("UPDATE conversation SET merged_into = $2 WHERE client_id = $1 AND merged_into = $3")
        .bind(client.0)
        .bind(kept)
        .bind(gone)
        .execute(db)
        .await?;
    Ok(())
}
