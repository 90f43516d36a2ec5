//! Directory of the sender addresses of e-mail to SMS. Each belongs to one client.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, UserId},
    sms_products::email::EmailAddress,
};
use uuid::Uuid;

use crate::{PgConnection, Result};

pub const ADDRESS_UNIQUE: &str = "email_sender_pk";

/// Registers an address. Fails on [`ADDRESS_UNIQUE`] if any client has registered it.
pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    user: UserId,
    address: &EmailAddress,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query("INSERT INTO email_sender (client_id, user_id, address, created_at) VALUES ($1, $2, $3, $4)")
        .bind(client.0)
        .bind(user.0)
        .bind(address.as_str())
        .bind(now)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn remove(db: &mut PgConnection, client: ClientId, address: &EmailAddress) -> Result<bool> {
    let done = sqlx::query("DELETE FROM email_sender WHERE client_id = $1 AND address = $2")
        .bind(client.0)
        .bind(address.as_str())
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn list(db: &mut PgConnection, client: ClientId) -> Result<Vec<(String, String)>> {
    let rows = sqlx::query_as(
        "SELECT sender.address, client_user.email FROM email_sender sender
         JOIN client_user ON client_user.client_id = sender.client_id AND client_user.id = sender.user_id
         WHERE sender.client_id = $1 ORDER BY sender.address",
    )
    .bind(client.0)
    .fetch_all(db)
    .await?;
    Ok(rows)
}

/// Returns the user who has been ADMIN of a client for the longest time.
pub async fn first_admin(db: &mut PgConnection, client: ClientId) -> Result<Option<UserId>> {
    let found: Option<Uuid> = sqlx::query_scalar(
        "SELECT id FROM client_user WHERE client_id = $1 AND role = 'ADMIN' AND deleted_at IS NULL ORDER BY id LIMIT 1",
    )
    .bind(client.0)
    .fetch_optional(db)
    .await?;
    Ok(found.map(UserId))
}

/// Returns the client and the user of an address. `None` also if one of the three is disabled.
pub async fn find(db: &mut PgConnection, address: &EmailAddress) -> Result<Option<(ClientId, UserId)>> {
    let found: Option<(Uuid, Uuid)> = sqlx::query_as(
        "SELECT sender.client_id, sender.user_id FROM email_sender sender
         JOIN client_user ON client_user.client_id = sender.client_id AND client_user.id = sender.user_id
         JOIN client ON client.id = sender.client_id
         WHERE sender.address = $1 AND sender.disabled_at IS NULL AND client_user.disabled_at IS NULL
           AND client.disabled_at IS NULL",
    )
    .bind(address.as_str())
    .fetch_optional(db)
    .await?;
    Ok(found.map(|(client, user)| (ClientId(client), UserId(user))))
}

/// Counts an error mail to an address; `false` if it had `most` within an hour.
pub async fn count_error(
    db: &mut PgConnection,
    client: ClientId,
    address: &EmailAddress,
    most: i32,
    now: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE email_sender
         SET errors = CASE WHEN errors_since > $4::timestamptz - interval '1 hour' THEN errors + 1 ELSE 1 END,
             errors_since = CASE WHEN errors_since > $4::timestamptz - interval '1 hour' THEN errors_since ELSE $4 END
         WHERE client_id = $1 AND address = $2
           AND (errors < $3 OR errors_since IS NULL OR errors_since <= $4::timestamptz - interval '1 hour')",
    )
    .bind(client.0)
    .bind(address.as_str())
    .bind(most)
    .bind(now)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}
