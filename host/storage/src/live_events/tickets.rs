//! Tickets replace a key for browsers, which cannot set a header. Each is valid once.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, UserId};

use crate::{
    PgConnection, Result,
    tenancy::api_keys::{KeyOwner, KeyOwnerRow},
};

#[derive(Debug, Clone, Copy)]
pub struct NewTicket<'a> {
    pub user: UserId,
    pub key_hash: &'a [u8],
    pub hash: &'a [u8],
    pub expires_at: DateTime<Utc>,
}

/// Stores the hashes of a ticket and of the key that requested it, and removes expired tickets of the client.
pub async fn insert(db: &mut PgConnection, client: ClientId, new: NewTicket<'_>, now: DateTime<Utc>) -> Result<()> {
    let NewTicket { user, key_hash, hash, expires_at } = new;
    sqlx::query("DELETE FROM live_ticket WHERE client_id = $1 AND expires_at <= $2")
        .bind(client.0)
        .bind(now)
        .execute(&mut *db)
        .await?;
    sqlx::query(
        "INSERT INTO live_ticket (client_id, ticket_hash, user_id, key_hash, expires_at) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(client.0)
    .bind(hash)
    .bind(user.0)
    .bind(key_hash)
    .bind(expires_at)
    .execute(db)
    .await?;
    Ok(())
}

/// Redeems a ticket. `None`: unknown, used, or the user has another key or was disabled.
pub async fn redeem(
    db: &mut PgConnection,
    client: ClientId,
    hash: &[u8],
    now: DateTime<Utc>,
) -> Result<Option<KeyOwner>> {
    let row: Option<KeyOwnerRow> = sqlx::query_as(
        "WITH taken AS (
             DELETE FROM live_ticket WHERE client_id = $1 AND ticket_hash = $2 RETURNING user_id, key_hash, expires_at
         )
         SELECT key.key_hash, key.client_id, key.user_id, member.role, client.client_ref, client.popia_compliant,
                COALESCE(client.sandbox_of, client.id) AS live_client_id, NULL::text AS disabled, key.session_id,
                key.used_at, NULL::text AS purpose
         FROM taken
         JOIN client_user member ON member.client_id = $1 AND member.id = taken.user_id AND member.deleted_at IS NULL
                                AND member.disabled_at IS NULL
         JOIN LATERAL (
             SELECT key_hash, client_id, user_id, NULL::uuid AS session_id, NULL::timestamptz AS used_at
             FROM api_key
             WHERE client_id = $1 AND user_id = member.id AND key_hash = coalesce(taken.key_hash, key_hash)
               AND disabled_at IS NULL
             UNION ALL
             SELECT key_hash, client_id, user_id, id, used_at
             FROM session_key
             WHERE key_hash = taken.key_hash AND client_id = $1 AND user_id = member.id AND expires_at > $3
         ) key ON true
         JOIN client ON client.id = $1 AND client.disabled_at IS NULL
         WHERE taken.expires_at > $3",
    )
    .bind(client.0)
    .bind(hash)
    .bind(now)
    .fetch_optional(db)
    .await?;
    row.map(KeyOwner::try_from).transpose()
}
