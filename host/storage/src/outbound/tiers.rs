//! Messaging tiers of Cloud numbers. Their use is read with [`super::recipient_facts`] and counted with [`super::outgoing_rows`].

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, InboxId};

use crate::{PgConnection, Result};

pub async fn set(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    tier: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO messaging_tier (client_id, inbox_id, tier, told_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (client_id, inbox_id) DO UPDATE SET tier = excluded.tier, told_at = excluded.told_at",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(tier)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}
