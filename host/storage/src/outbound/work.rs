//! The queue of outbound legs. A row is `READY`, or `PACED` while its recipient may not be written to faster, or `SENDING`
//! while a provider call is in flight, or `UNKNOWN` after a call whose answer never came; the last two are due again when a
//! status had time to arrive.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, MessageId};
use uuid::Uuid;

pub use super::due::{Due, DueLeg, Held, UnreadableLeg, due};
use super::keys::LegKeys;
use crate::{PgConnection, Result};

/// Marks legs as being sent. Committed before the provider is called: whoever finds the mark after a crash waits until
/// `unknown_after` has passed before it sends once more.
pub async fn mark_sending(
    db: &mut PgConnection,
    client: ClientId,
    legs: &[(MessageId, i16)],
    now: DateTime<Utc>,
    unknown_after: Duration,
) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    let keys = LegKeys::from(legs);
    sqlx::query(
        "UPDATE outbound_work work
         SET phase = 'SENDING', attempts = least(work.attempts, 32766) + 1,
             due_at = $4::timestamptz + make_interval(secs => $5)
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::smallint[]) AS leg (message_id, ordinal)
               OFFSET 0) given
         WHERE work.client_id = given.client_id AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .bind(client.0)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .bind(now)
    .bind(unknown_after.as_secs_f64())
    .execute(db)
    .await?;
    Ok(())
}

/// Marks legs whose answer never came; they stay due when their mark said.
pub async fn mark_unknown(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16)]) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    let keys = LegKeys::from(legs);
    sqlx::query(
        "UPDATE outbound_work work SET phase = 'UNKNOWN', ready = false
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::smallint[]) AS leg (message_id, ordinal)
               OFFSET 0) given
         WHERE work.client_id = given.client_id AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .bind(client.0)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .execute(db)
    .await?;
    Ok(())
}

/// Counts that the provider refused legs for a passing reason. Before their next time is written, so that the row stays where it lies.
pub async fn count_refusals(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16)]) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    let keys = LegKeys::from(legs);
    sqlx::query(
        "UPDATE outbound_work work SET refusals = least(work.refusals, 32766) + 1
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::smallint[]) AS leg (message_id, ordinal)
               OFFSET 0) given
         WHERE work.client_id = given.client_id AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .bind(client.0)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .execute(db)
    .await?;
    Ok(())
}

/// Has later messages of the same chat wait for these legs, which could not be handed over, until `until` at most: what is said at the
/// first call counts. With `None` no longer.
pub async fn hold(
    db: &mut PgConnection,
    client: ClientId,
    legs: &[(MessageId, i16)],
    until: Option<DateTime<Utc>>,
) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    let keys = LegKeys::from(legs);
    sqlx::query(
        "UPDATE outbound_work work
         SET holds_until = CASE WHEN $4::timestamptz IS NOT NULL AND work.attempts > 1
                                THEN coalesce(work.holds_until, $4) ELSE $4 END
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::smallint[]) AS leg (message_id, ordinal)
               OFFSET 0) given
         WHERE work.client_id = given.client_id AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .bind(client.0)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .bind(until)
    .execute(db)
    .await?;
    Ok(())
}

/// Has legs of chats wait for earlier ones: until their turn, and together with those until the bound.
pub async fn wait(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16, Held)]) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    let keys: LegKeys = legs.iter().map(|leg| (leg.0, leg.1)).collect();
    sqlx::query(
        "UPDATE outbound_work work
         SET phase = CASE work.phase WHEN 'PACED' THEN 'READY' ELSE work.phase END,
             due_at = given.due_at, ready = false, holds_until = given.holds_until
         FROM (SELECT $1::uuid AS client_id, *
               FROM unnest($2::uuid[], $3::smallint[], $4::timestamptz[], $5::timestamptz[])
                   AS leg (message_id, ordinal, due_at, holds_until) OFFSET 0) given
         WHERE work.client_id = given.client_id AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .bind(client.0)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .bind(legs.iter().map(|leg| leg.2.turn).collect::<Vec<_>>())
    .bind(legs.iter().map(|leg| leg.2.bound).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Why legs wait until a later time: it says what becomes of their phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    /// They step aside for their recipient's sake. One that may have reached the provider stays known as such.
    Paced,
    /// They have surely not reached the provider, and start over.
    Again,
    /// They wait, whatever they are in the middle of. One that has stepped aside does so no longer: what is behind it does
    /// not wait for it.
    PutOff,
}

impl Later {
    /// The phase that changes (`None` = any), and what it becomes.
    fn phases(self) -> (Option<&'static str>, &'static str) {
        match self {
            Self::Paced => (Some("READY"), "PACED"),
            Self::Again => (None, "READY"),
            Self::PutOff => (Some("PACED"), "READY"),
        }
    }
}

/// Has legs be due again at the given times.
pub async fn defer(
    db: &mut PgConnection,
    client: ClientId,
    legs: &[(MessageId, i16, DateTime<Utc>)],
    why: Later,
) -> Result<()> {
    if legs.is_empty() {
        return Ok(());
    }
    let keys: LegKeys = legs.iter().map(|leg| (leg.0, leg.1)).collect();
    let (from, to) = why.phases();
    sqlx::query(
        "UPDATE outbound_work work
         SET phase = CASE WHEN $5::text IS NULL OR work.phase = $5 THEN $6::text ELSE work.phase END,
             due_at = given.due_at, ready = false
         FROM (SELECT $1::uuid AS client_id, *
               FROM unnest($2::uuid[], $3::smallint[], $4::timestamptz[]) AS leg (message_id, ordinal, due_at) OFFSET 0) given
         WHERE work.client_id = given.client_id AND work.message_id = given.message_id AND work.ordinal = given.ordinal",
    )
    .bind(client.0)
    .bind(keys.messages)
    .bind(keys.ordinals)
    .bind(legs.iter().map(|leg| leg.2).collect::<Vec<_>>())
    .bind(from)
    .bind(to)
    .execute(db)
    .await?;
    Ok(())
}

/// Whether the call for a message to one of these recipients has begun and is not settled: the provider may tell of it before it
/// answers.
pub async fn is_sending_to(db: &mut PgConnection, client: ClientId, lane: Uuid, recipients: &[&str]) -> Result<bool> {
    Ok(sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM outbound_work
                        WHERE client_id = $1 AND lane_id = $2 AND ready AND recipient = ANY ($3::text[])
                          AND phase = 'SENDING')",
    )
    .bind(client.0)
    .bind(lane)
    .bind(recipients)
    .fetch_one(db)
    .await?)
}
