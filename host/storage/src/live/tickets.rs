//! Tickets: what a browser, which can set no header, shows instead of a key. Each is good once.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, UserId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    Result,
    tenancy::users::{Role, stored_role},
};

/// Keeps the hash of a ticket, and forgets those of the client that are over.
pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    user: UserId,
    hash: &[u8],
    (now, expires_at): (DateTime<Utc>, DateTime<Utc>),
) -> Result<()> {
    sqlx::query("DELETE FROM live_ticket WHERE client_id = $1 AND expires_at <= $2")
        .bind(client.0)
        .bind(now)
        .execute(&mut *db)
        .await?;
    sqlx::query("INSERT INTO live_ticket (client_id, ticket_hash, user_id, expires_at) VALUES ($1, $2, $3, $4)")
        .bind(client.0)
        .bind(hash)
        .bind(user.0)
        .bind(expires_at)
        .execute(db)
        .await?;
    Ok(())
}

/// Takes a ticket: whose it was, the user's role, the client's name for itself, and whether it is Popia compliant. `None` when
/// there is none, or no more.
pub async fn redeem(
    db: &mut PgConnection,
    client: ClientId,
    hash: &[u8],
    now: DateTime<Utc>,
) -> Result<Option<(UserId, Role, String, bool)>> {
    let row: Option<(Uuid, String, String, bool)> = sqlx::query_as(
        "WITH taken AS (
             DELETE FROM live_ticket WHERE client_id = $1 AND ticket_hash = $2 RETURNING user_id, expires_at
         )
         SELECT member.id, member.role, client.client_ref, client.popia_compliant FROM taken
         JOIN client_user member ON member.client_id = $1 AND member.id = taken.user_id AND member.deleted_at IS NULL
         JOIN client ON client.id = $1
         WHERE taken.expires_at > $3",
    )
    .bind(client.0)
    .bind(hash)
    .bind(now)
    .fetch_optional(db)
    .await?;
    row.map(|(user, role, client_ref, popia)| Ok((UserId(user), stored_role(&role)?, client_ref, popia))).transpose()
}
