//! The queue of outbound legs: `READY`; `PACED` while the recipient may not be written to; `SENDING` during a call;
//! `UNKNOWN` without an answer. The last two are due again after a time for a status.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    clock::first_id_at,
    ids::{ClientId, MessageId},
};
use uuid::Uuid;

pub use super::due_legs::{DueLeg, DueLegs, EarlierMessages, UnreadableLeg, due};
use super::keys::LegKeys;
use crate::{PgConnection, Result};

/// The mark is committed before the call. A process that finds it after a crash waits until `unknown_after`.
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

/// Call it before the next due time is written, so that the row is updated in place.
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

/// Makes later messages of the chat wait for these legs until `until`. A leg that was tried before keeps the time that
/// is stored. `None` ends the wait.
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

pub async fn wait(db: &mut PgConnection, client: ClientId, legs: &[(MessageId, i16, EarlierMessages)]) -> Result<()> {
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

/// The reason why legs wait, which decides about their phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitReason {
    /// They step aside for the pace of their recipient. A leg that may have reached the provider keeps its mark.
    Paced,
    /// They have not reached the provider and start again.
    Again,
    /// They wait in any phase. A leg that has stepped aside no longer does, so legs behind it do not wait for it.
    PutOff,
}

impl WaitReason {
    fn phases(self) -> (Option<&'static str>, &'static str) {
        match self {
            Self::Paced => (Some("READY"), "PACED"),
            Self::Again => (None, "READY"),
            Self::PutOff => (Some("PACED"), "READY"),
        }
    }
}

pub async fn defer(
    db: &mut PgConnection,
    client: ClientId,
    legs: &[(MessageId, i16, DateTime<Utc>)],
    why: WaitReason,
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

/// Ids of a busy process are ahead of its clock, by less than this.
const ID_AHEAD: TimeDelta = TimeDelta::hours(1);

/// Returns legs of a lane that were queued until `latest` and wait for a call, at most `limit`.
pub async fn queued_by(
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    latest: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<(MessageId, i16)>> {
    // A leg is not older than its message, so later messages are not read.
    let rows: Vec<(Uuid, i16)> = sqlx::query_as(
        "SELECT work.message_id, work.ordinal
         FROM (SELECT client_id, message_id, ordinal, priority FROM outbound_work
               WHERE client_id = $1 AND lane_id = $2 AND ready AND message_id < $4 AND phase IN ('READY', 'PACED')
               ORDER BY priority, message_id) work
         CROSS JOIN LATERAL (
             SELECT updated_at FROM outbound_leg one WHERE one.client_id = work.client_id
                AND one.message_id = work.message_id AND one.ordinal = work.ordinal OFFSET 0) leg
         WHERE leg.updated_at <= $3
         ORDER BY work.priority, work.message_id LIMIT $5",
    )
    .bind(client.0)
    .bind(lane)
    .bind(latest)
    .bind(first_id_at(latest + ID_AHEAD))
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(message, ordinal)| (MessageId(message), ordinal)).collect())
}
