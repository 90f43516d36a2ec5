//! Source addresses of a client's SMS: list, removal and return.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, InboxId};
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownSource {
    pub id: InboxId,
    pub is_default: bool,
    pub is_removed: bool,
}

/// Locks and returns the client's source with this address, also if it was removed.
pub async fn lock(db: &mut PgConnection, client: ClientId, address: &str) -> Result<Option<KnownSource>> {
    let found: Option<(Uuid, bool, bool)> = sqlx::query_as(
        "SELECT sms.id, sms.is_default, sms.removed_at IS NOT NULL
         FROM inbox JOIN sms_inbox sms ON sms.client_id = inbox.client_id AND sms.id = inbox.id
         WHERE inbox.client_id = $1 AND inbox.channel = 'SMS' AND inbox.address = $2
         FOR UPDATE OF sms",
    )
    .bind(client.0)
    .bind(address)
    .fetch_optional(db)
    .await?;
    Ok(found.map(|(id, is_default, is_removed)| KnownSource { id: InboxId(id), is_default, is_removed }))
}

/// Takes a source from its client as of `removed_at`, or gives it back.
pub async fn set_removed(
    db: &mut PgConnection,
    client: ClientId,
    id: InboxId,
    removed_at: Option<DateTime<Utc>>,
) -> Result<()> {
    sqlx::query("UPDATE sms_inbox SET removed_at = $3 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id.0)
        .bind(removed_at)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn list(db: &mut PgConnection, client: ClientId) -> Result<Vec<(InboxId, String)>> {
    let rows: Vec<(Uuid, String)> = sqlx::query_as(
        "SELECT inbox.id, inbox.address
         FROM inbox JOIN sms_inbox sms ON sms.client_id = inbox.client_id AND sms.id = inbox.id
         WHERE inbox.client_id = $1 AND inbox.channel = 'SMS' AND inbox.address IS NOT NULL AND sms.removed_at IS NULL
         ORDER BY inbox.address",
    )
    .bind(client.0)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(id, address)| (InboxId(id), address)).collect())
}

/// True if other clients have this source and the client does not. Replies to it go to the others.
pub async fn is_of_others(db: &mut PgConnection, client: ClientId, address: &str) -> Result<bool> {
    let (others, own): (bool, bool) = sqlx::query_as(
        "SELECT COALESCE(bool_or(inbox.client_id <> $1), false), COALESCE(bool_or(inbox.client_id = $1), false)
         FROM inbox JOIN sms_inbox sms ON sms.client_id = inbox.client_id AND sms.id = inbox.id
         WHERE inbox.channel = 'SMS' AND inbox.address = $2 AND sms.removed_at IS NULL",
    )
    .bind(client.0)
    .bind(address)
    .fetch_one(db)
    .await?;
    Ok(others && !own)
}

/// Returns the only client of all that has this source.
pub async fn sole_owner(db: &mut PgConnection, address: &str) -> Result<Option<ClientId>> {
    let owners: Vec<Uuid> = sqlx::query_scalar(
        "SELECT inbox.client_id
         FROM inbox JOIN sms_inbox sms ON sms.client_id = inbox.client_id AND sms.id = inbox.id
         WHERE inbox.channel = 'SMS' AND inbox.address = $1 AND sms.removed_at IS NULL
         LIMIT 2",
    )
    .bind(address)
    .fetch_all(db)
    .await?;
    Ok(<[Uuid; 1]>::try_from(owners).ok().map(|[owner]| ClientId(owner)))
}
