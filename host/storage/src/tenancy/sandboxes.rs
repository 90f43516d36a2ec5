//! Sandboxes of clients: the clients that test keys open. A sandbox has the settings of its client, and copies of its
//! templates and inboxes. Directories of providers name no copy, so no callback of a provider reaches one.

use domain::{channel::Channel, ids::ClientId, sandbox::REF_SUFFIX};
use uuid::Uuid;

use crate::{PgConnection, Result};

pub async fn of(db: &mut PgConnection, live: ClientId) -> Result<Option<ClientId>> {
    let id: Option<Uuid> =
        sqlx::query_scalar("SELECT id FROM client WHERE sandbox_of = $1").bind(live.0).fetch_optional(db).await?;
    Ok(id.map(ClientId))
}

/// The client of a sandbox; `None` if the client is none.
pub async fn live_client(db: &mut PgConnection, sandbox: ClientId) -> Result<Option<ClientId>> {
    let live: Option<Option<Uuid>> =
        sqlx::query_scalar("SELECT sandbox_of FROM client WHERE id = $1").bind(sandbox.0).fetch_optional(db).await?;
    Ok(live.flatten().map(ClientId))
}

/// Makes a new client the sandbox of another.
pub async fn attach(db: &mut PgConnection, live: ClientId, sandbox: ClientId) -> Result<()> {
    sqlx::query("UPDATE client SET sandbox_of = $1 WHERE id = $2")
        .bind(live.0)
        .bind(sandbox.0)
        .execute(&mut *db)
        .await?;
    follow(db, live).await
}

/// Gives the sandbox of a client, if there is one, the settings of the client.
pub async fn follow(db: &mut PgConnection, live: ClientId) -> Result<()> {
    sqlx::query(
        "UPDATE client SET client_ref = live.client_ref || $2, display_name = live.display_name,
             time_zone = live.time_zone, popia_compliant = live.popia_compliant, asks_rating = live.asks_rating,
             at_most_once = live.at_most_once,
             sms_fallback_enabled = live.sms_fallback_enabled, fallback_mode = live.fallback_mode,
             allow_private_targets = live.allow_private_targets
         FROM client live WHERE live.id = $1 AND client.sandbox_of = $1",
    )
    .bind(live.0)
    .bind(REF_SUFFIX)
    .execute(db)
    .await?;
    Ok(())
}

/// The templates of a sandbox become those of its client. Templates of `own_account` stay. Returns their number.
pub async fn copy_templates(
    db: &mut PgConnection,
    live: ClientId,
    sandbox: ClientId,
    own_account: &str,
) -> Result<u64> {
    sqlx::query(
        "DELETE FROM template copy
         WHERE copy.client_id = $1 AND copy.waba_id <> $3 AND NOT EXISTS (
             SELECT FROM template one
             WHERE one.client_id = $2 AND one.waba_id = copy.waba_id AND one.id = copy.id)",
    )
    .bind(sandbox.0)
    .bind(live.0)
    .bind(own_account)
    .execute(&mut *db)
    .await?;
    let done = sqlx::query(
        "INSERT INTO template (client_id, waba_id, id, name, language, status, category, parameter_format, components,
                               synced_at)
         SELECT $1, waba_id, id, name, language, status, category, parameter_format, components, synced_at
         FROM template WHERE client_id = $2
         ON CONFLICT (client_id, waba_id, id) DO UPDATE
         SET name = excluded.name, language = excluded.language, status = excluded.status,
             category = excluded.category, parameter_format = excluded.parameter_format,
             components = excluded.components, synced_at = excluded.synced_at",
    )
    .bind(sandbox.0)
    .bind(live.0)
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}

/// The addresses of the inboxes of a sandbox on a channel.
pub async fn addresses(db: &mut PgConnection, sandbox: ClientId, channel: Channel) -> Result<Vec<String>> {
    let query =
        sqlx::query_scalar("SELECT address FROM inbox WHERE client_id = $1 AND channel = $2 AND address IS NOT NULL");
    Ok(query.bind(sandbox.0).bind(channel.as_str()).fetch_all(db).await?)
}
