use std::collections::HashSet;

use base::{Result, lanes::Lease};
use chrono::{DateTime, Utc};
use storage::{
    PgConnection,
    outbound::work::{self, DueLeg, DueLegs},
};

/// One read of the queue of a lane.
pub(super) struct LaneLook<'a> {
    /// Places for legs.
    pub(super) limit: usize,
    /// Recipients that must not get another message yet.
    pub(super) busy: &'a HashSet<String>,
    /// True if more legs are read, because some of them are given up.
    pub(super) beyond: bool,
}

/// Reads the legs that may go out: one for each place, and more if some must wait for others to the same recipient.
pub(super) async fn due(
    db: &mut PgConnection,
    lease: &Lease,
    look: LaneLook<'_>,
    now: DateTime<Utc>,
) -> Result<DueLegs> {
    let LaneLook { limit, busy, beyond } = look;
    let far = page(limit + busy.len() + LOOK_BEYOND);
    if beyond {
        return Ok(work::due(db, lease.client, lease.lane, now, far).await?);
    }
    let first = work::due(db, lease.client, lease.lane, now, page(limit)).await?;
    let recipients: HashSet<&str> = first.legs.iter().map(|leg| leg.recipient.address().value()).collect();
    let can_go = recipients.iter().filter(|recipient| !busy.contains(**recipient)).count();
    if first.legs.len() + first.unreadable.len() < limit || can_go == limit {
        return Ok(first);
    }
    Ok(work::due(db, lease.client, lease.lane, now, far).await?)
}

/// Returns up to `limit` due legs that a mark would pick next: one for each recipient that is not `busy`.
pub async fn next_legs(
    db: &mut PgConnection,
    lease: &Lease,
    now: DateTime<Utc>,
    limit: usize,
    busy: &HashSet<String>,
) -> Result<Vec<DueLeg>> {
    let due = due(db, lease, LaneLook { limit, busy, beyond: false }, now).await?;
    let mut seen = busy.clone();
    let next = due.legs.into_iter().filter(|leg| seen.insert(leg.recipient.address().value().to_owned()));
    Ok(next.take(limit).collect())
}

/// Extra legs that a read returns, to find other recipients behind several messages to one.
pub(super) const LOOK_BEYOND: usize = 64;

pub(super) fn page(legs: usize) -> i64 {
    i64::try_from(legs).unwrap_or(i64::MAX)
}
