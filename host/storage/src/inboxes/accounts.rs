//! Accounts at providers, and the accounts that are polled.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, InboxId},
    inbox::InboxKind,
};
use uuid::Uuid;

use super::Account;
use crate::{PgConnection, Result};

/// Violated if a client already has the account.
pub const ACCOUNT_UNIQUE: &str = "account_directory_pk";

/// How the updates of an account arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UpdateSource {
    /// The provider sends them.
    Webhook,
    /// The process that holds the lane of the account asks for them.
    Polling,
}

impl UpdateSource {
    /// The state of the polling work.
    fn state(self) -> &'static str {
        match self {
            Self::Webhook => "DONE",
            Self::Polling => "PENDING",
        }
    }
}

pub(super) async fn insert_row(db: &mut PgConnection, client: ClientId, id: InboxId, account: &Account) -> Result<()> {
    sqlx::query(
        "INSERT INTO account_inbox (client_id, id, name, access_token_sealed, app_secret_sealed)
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(&account.name)
    .bind(&account.access_token_sealed)
    .bind(&account.app_secret_sealed)
    .execute(db)
    .await?;
    Ok(())
}

pub(super) async fn insert(db: &mut PgConnection, client: ClientId, id: InboxId, account: &Account) -> Result<()> {
    insert_row(db, client, id, account).await?;
    sqlx::query("INSERT INTO account_directory (kind, account_id, client_id, inbox_id) VALUES ($1, $2, $3, $4)")
        .bind(account.kind.as_str())
        .bind(&account.account_id)
        .bind(client.0)
        .bind(id.0)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn renew(db: &mut PgConnection, client: ClientId, id: InboxId, account: &Account) -> Result<()> {
    sqlx::query(
        "UPDATE account_inbox SET name = $3, access_token_sealed = $4, app_secret_sealed = $5
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(&account.name)
    .bind(&account.access_token_sealed)
    .bind(&account.app_secret_sealed)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn owner(db: &mut PgConnection, kind: InboxKind, account_id: &str) -> Result<Option<(ClientId, InboxId)>> {
    let row: Option<(Uuid, Uuid)> =
        sqlx::query_as("SELECT client_id, inbox_id FROM account_directory WHERE kind = $1 AND account_id = $2")
            .bind(kind.as_str())
            .bind(account_id)
            .fetch_optional(db)
            .await?;
    Ok(row.map(|(client, inbox)| (ClientId(client), InboxId(inbox))))
}

pub async fn client_of(db: &mut PgConnection, kind: InboxKind, inbox: InboxId) -> Result<Option<ClientId>> {
    let client: Option<Uuid> =
        sqlx::query_scalar("SELECT client_id FROM account_directory WHERE kind = $1 AND inbox_id = $2")
            .bind(kind.as_str())
            .bind(inbox.0)
            .fetch_optional(db)
            .await?;
    Ok(client.map(ClientId))
}

pub async fn set_update_source(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    source: UpdateSource,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO account_link (client_id, lane_id, state, due_at, ready) VALUES ($1, $2, $3, $4, true)
         ON CONFLICT (client_id, lane_id) DO UPDATE
         SET state = excluded.state, due_at = excluded.due_at, ready = true",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(source.state())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the number of the first update of an account that is not stored; `None` if it is not polled.
pub async fn next_news(db: &mut PgConnection, client: ClientId, inbox: InboxId) -> Result<Option<i64>> {
    let next = sqlx::query_scalar(
        "SELECT next_news FROM account_link WHERE client_id = $1 AND lane_id = $2 AND state = 'PENDING'",
    )
    .bind(client.0)
    .bind(inbox.0)
    .fetch_optional(db)
    .await?;
    Ok(next)
}

pub async fn set_next_news(db: &mut PgConnection, client: ClientId, inbox: InboxId, next: i64) -> Result<()> {
    sqlx::query("UPDATE account_link SET next_news = $3 WHERE client_id = $1 AND lane_id = $2")
        .bind(client.0)
        .bind(inbox.0)
        .bind(next)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn rest(db: &mut PgConnection, client: ClientId, inbox: InboxId, until: DateTime<Utc>) -> Result<()> {
    sqlx::query("UPDATE account_link SET due_at = $3, ready = false WHERE client_id = $1 AND lane_id = $2")
        .bind(client.0)
        .bind(inbox.0)
        .bind(until)
        .execute(db)
        .await?;
    Ok(())
}
