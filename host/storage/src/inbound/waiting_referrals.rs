//! The advertisement or link by which a customer came to a page, until the customer writes (PROVIDERS B).

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    ids::{ClientId, InboxId},
    inbound::AdvertArrival,
    referral::Referral,
};

use crate::{
    PgConnection, Result,
    column_values::{self, UnreadJson},
};

/// `at`: the time of the arrival by our clock.
pub async fn note(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    came: &AdvertArrival,
    at: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO waiting_referral AS known (client_id, inbox_id, address, referral, came_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (client_id, inbox_id, address) DO UPDATE
         SET referral = excluded.referral, came_at = excluded.came_at WHERE known.came_at <= excluded.came_at",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(came.from.value())
    .bind(column_values::write(&came.referral))
    .bind(at)
    .execute(db)
    .await?;
    Ok(())
}

/// Takes the referral for the next message of a customer if it came at or after `since`. Removes older ones as well.
pub async fn take(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    address: &Address,
    since: DateTime<Utc>,
) -> Result<Option<Referral>> {
    let row: Option<(UnreadJson, DateTime<Utc>)> = sqlx::query_as(
        "DELETE FROM waiting_referral WHERE client_id = $1 AND inbox_id = $2 AND address = $3 RETURNING referral, came_at",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(address.value())
    .fetch_optional(db)
    .await?;
    let Some((referral, came_at)) = row else { return Ok(None) };
    if came_at < since {
        return Ok(None);
    }
    Ok(Some(column_values::read("waiting_referral", "referral", &referral)?))
}
