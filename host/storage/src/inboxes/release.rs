//! Inboxes that were removed from their client: their rows stay for messages and chats, and their addresses are free.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, InboxId},
    lite::WantedSession,
};

use super::{lite, quality};
use crate::{PgConnection, Result};

/// Removes an inbox from the directories. Its callbacks are unknown then, and another client may connect its address. A
/// Lite device is logged out, and an account is not asked for news.
pub async fn release(db: &mut PgConnection, client: ClientId, inbox: InboxId, now: DateTime<Utc>) -> Result<()> {
    for statement in [
        "DELETE FROM phone_number_directory
         WHERE phone_number_id = (SELECT phone_number_id FROM whatsapp_cloud_inbox WHERE client_id = $1 AND id = $2)
           AND client_id = $1",
        "DELETE FROM page_directory
         WHERE page_id = (SELECT address FROM inbox WHERE client_id = $1 AND id = $2 AND kind = 'MESSENGER')
           AND client_id = $1",
        "DELETE FROM account_directory WHERE client_id = $1 AND inbox_id = $2",
        "DELETE FROM number_quality WHERE client_id = $1 AND inbox_id = $2",
        "DELETE FROM inbox_fault WHERE client_id = $1 AND inbox_id = $2",
        "UPDATE account_link SET state = 'DONE' WHERE client_id = $1 AND lane_id = $2",
    ] {
        sqlx::query(statement).bind(client.0).bind(inbox.0).execute(&mut *db).await?;
    }
    if lite::session(db, client, inbox).await?.is_some_and(|session| session.wanted == WantedSession::Connected) {
        lite::want(db, client, inbox, WantedSession::LoggedOut, now).await?;
    }
    Ok(())
}

/// Enters a released inbox again. Fails on [`super::PHONE_NUMBER_ID_UNIQUE`], [`super::PAGE_UNIQUE`] and
/// [`super::accounts::ACCOUNT_UNIQUE`] if another client has the address now. Nothing changes for other inboxes.
pub async fn take_back(db: &mut PgConnection, client: ClientId, inbox: InboxId, now: DateTime<Utc>) -> Result<()> {
    let entered = sqlx::query(
        "INSERT INTO phone_number_directory (phone_number_id, client_id, inbox_id)
         SELECT cloud.phone_number_id, cloud.client_id, cloud.id FROM whatsapp_cloud_inbox cloud
         WHERE cloud.client_id = $1 AND cloud.id = $2
           AND NOT EXISTS (SELECT 1 FROM phone_number_directory known
                           WHERE known.phone_number_id = cloud.phone_number_id AND known.client_id = $1)",
    )
    .bind(client.0)
    .bind(inbox.0)
    .execute(&mut *db)
    .await?;
    if entered.rows_affected() > 0 {
        quality::begin(db, client, inbox, now).await?;
    }
    for statement in [
        "INSERT INTO page_directory (page_id, client_id, inbox_id)
         SELECT own.address, own.client_id, own.id FROM inbox own
         WHERE own.client_id = $1 AND own.id = $2 AND own.kind = 'MESSENGER'
           AND NOT EXISTS (SELECT 1 FROM page_directory known WHERE known.page_id = own.address AND known.client_id = $1)",
        "INSERT INTO account_directory (kind, account_id, client_id, inbox_id)
         SELECT own.kind, own.address, own.client_id, own.id FROM inbox own
         JOIN account_inbox account ON account.client_id = own.client_id AND account.id = own.id
         WHERE own.client_id = $1 AND own.id = $2
           AND NOT EXISTS (SELECT 1 FROM account_directory known
                           WHERE known.kind = own.kind AND known.account_id = own.address AND known.client_id = $1)",
    ] {
        sqlx::query(statement).bind(client.0).bind(inbox.0).execute(&mut *db).await?;
    }
    Ok(())
}
