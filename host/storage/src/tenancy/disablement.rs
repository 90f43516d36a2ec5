//! Objects that the operator has disabled (`migrations/0019_disabled.sql`). A second time does not move the first one.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    ids::{ClientId, InboxId, UserId},
    sms_products::email::EmailAddress,
};
use uuid::Uuid;

use super::session_keys;
use crate::{PgConnection, Result};

/// The reason for which a known key opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisabledOwner {
    Client,
    User,
    Key,
}

impl DisabledOwner {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::User => "user",
            Self::Key => "key",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Self::Client, Self::User, Self::Key].into_iter().find(|owner| owner.as_str() == name)
    }
}

/// Returns the disabled object that keeps a user from logging in.
pub async fn of_user(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<Option<DisabledOwner>> {
    let name: Option<Option<String>> = sqlx::query_scalar(
        "SELECT CASE WHEN client.disabled_at IS NOT NULL THEN 'client'
                     WHEN client_user.disabled_at IS NOT NULL THEN 'user' END
         FROM client_user JOIN client ON client.id = client_user.client_id
         WHERE client_user.client_id = $1 AND client_user.id = $2",
    )
    .bind(client.0)
    .bind(user.0)
    .fetch_optional(db)
    .await?;
    Ok(name.flatten().as_deref().and_then(DisabledOwner::from_name))
}

/// Each function returns false if there is no such object. The sandbox of a client is disabled and enabled with it. An enabled
/// client is no longer being removed.
pub async fn set_client(db: &mut PgConnection, client: ClientId, at: Option<DateTime<Utc>>) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE client SET disabled_at = CASE WHEN $2::timestamptz IS NULL THEN NULL ELSE COALESCE(disabled_at, $2) END,
                removal_begun_at = CASE WHEN $2::timestamptz IS NULL THEN NULL ELSE removal_begun_at END
         WHERE id = $1 OR sandbox_of = $1",
    )
    .bind(client.0)
    .bind(at)
    .execute(db)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// A disabled agent gets no chats, also after it is enabled until it is available again. Its sessions end.
pub async fn set_user(
    db: &mut PgConnection,
    client: ClientId,
    user: UserId,
    at: Option<DateTime<Utc>>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE client_user SET available = available AND $3::timestamptz IS NULL,
                disabled_at = CASE WHEN $3::timestamptz IS NULL THEN NULL ELSE COALESCE(disabled_at, $3) END
         WHERE client_id = $1 AND id = $2 AND deleted_at IS NULL",
    )
    .bind(client.0)
    .bind(user.0)
    .bind(at)
    .execute(&mut *db)
    .await?;
    if at.is_some() {
        session_keys::remove_all(db, client, user).await?;
    }
    Ok(done.rows_affected() == 1)
}

pub async fn set_key(db: &mut PgConnection, client: ClientId, user: UserId, at: Option<DateTime<Utc>>) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE api_key SET disabled_at = CASE WHEN $3::timestamptz IS NULL THEN NULL ELSE COALESCE(disabled_at, $3) END
         WHERE client_id = $1 AND user_id = $2",
    )
    .bind(client.0)
    .bind(user.0)
    .bind(at)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn set_inbox(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    at: Option<DateTime<Utc>>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE inbox SET disabled_at = CASE WHEN $3::timestamptz IS NULL THEN NULL ELSE COALESCE(disabled_at, $3) END
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(at)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn set_sender(
    db: &mut PgConnection,
    client: ClientId,
    address: &EmailAddress,
    at: Option<DateTime<Utc>>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE email_sender
         SET disabled_at = CASE WHEN $3::timestamptz IS NULL THEN NULL ELSE COALESCE(disabled_at, $3) END
         WHERE client_id = $1 AND address = $2",
    )
    .bind(client.0)
    .bind(address.as_str())
    .bind(at)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Returns the inbox of a channel with an address.
pub async fn inbox_of(
    db: &mut PgConnection,
    client: ClientId,
    channel: Channel,
    address: &str,
) -> Result<Option<InboxId>> {
    let id: Option<Uuid> =
        sqlx::query_scalar("SELECT id FROM inbox WHERE client_id = $1 AND channel = $2 AND address = $3")
            .bind(client.0)
            .bind(channel.as_str())
            .bind(address)
            .fetch_optional(db)
            .await?;
    Ok(id.map(InboxId))
}

/// The disabled objects of a client, for lists.
#[derive(Debug, Default)]
pub struct DisabledTimes {
    times: HashMap<(String, String), DateTime<Utc>>,
}

impl DisabledTimes {
    /// `kind`: `user`, `key` (by its user), `inbox` or `sender`.
    pub fn of(&self, kind: &str, id: &str) -> Option<DateTime<Utc>> {
        self.times.get(&(kind.to_owned(), id.to_owned())).copied()
    }
}

pub async fn times(db: &mut PgConnection, client: ClientId) -> Result<DisabledTimes> {
    let rows: Vec<(String, String, DateTime<Utc>)> = sqlx::query_as(
        "SELECT 'user', id::text, disabled_at FROM client_user WHERE client_id = $1 AND disabled_at IS NOT NULL
         UNION ALL
         SELECT 'key', user_id::text, disabled_at FROM api_key WHERE client_id = $1 AND disabled_at IS NOT NULL
         UNION ALL
         SELECT 'inbox', id::text, disabled_at FROM inbox WHERE client_id = $1 AND disabled_at IS NOT NULL
         UNION ALL
         SELECT 'sender', address, disabled_at FROM email_sender WHERE client_id = $1 AND disabled_at IS NOT NULL",
    )
    .bind(client.0)
    .fetch_all(db)
    .await?;
    Ok(DisabledTimes { times: rows.into_iter().map(|(kind, id, at)| ((kind, id), at)).collect() })
}

/// Counts the leases of lanes of a client in these queues. Work that a disabled object stops ends with its lease.
pub async fn leases(db: &mut PgConnection, client: ClientId, queues: &[&str], lane: Option<Uuid>) -> Result<i64> {
    let count = sqlx::query_scalar(
        "SELECT count(*) FROM lane
         WHERE client_id = $1 AND queue = ANY ($2) AND ($3::uuid IS NULL OR lane_id = $3) AND leased_until > now()",
    )
    .bind(client.0)
    .bind(queues)
    .bind(lane);
    Ok(count.fetch_one(db).await?)
}
