//! The faults of inboxes at their providers (`inbox_fault`). [`super::overview`] reads those of a client.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, InboxId, NodeId},
    inbox_fault::{AccountHold, InboxFaults},
};
use uuid::Uuid;

use crate::{PgConnection, Result, work::lane_gate::LaneGate};

/// Closes the lane of an inbox whose account is refused, until the next try.
pub(super) const SENDING_GATE: LaneGate =
    LaneGate { table: "inbox_fault", lane: "inbox_id", closed_until: "held_until" };

/// Refusals in the report about the service, at most.
const MOST_REFUSALS: i64 = 1_000;

/// An inbox of any client whose token was refused.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct RefusedInbox {
    #[sqlx(try_from = "Uuid")]
    pub client_id: ClientId,
    #[sqlx(try_from = "Uuid")]
    pub inbox_id: InboxId,
    /// The provider's code.
    pub code: String,
    pub refused_at: DateTime<Utc>,
    /// The process that was refused.
    #[sqlx(try_from = "Uuid")]
    pub node: NodeId,
}

/// Records faults that `node` met. A fault of a kind that `faults` does not have stays.
pub async fn record(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    faults: &InboxFaults,
    node: NodeId,
) -> Result<()> {
    let (refusal, call) = (faults.refusal.as_ref(), faults.failed_call.as_ref());
    sqlx::query(
        "INSERT INTO inbox_fault AS known (client_id, inbox_id, refused_code, refused_at, refused_node_id, failed_reason,
                                           failed_at, next_attempt_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (client_id, inbox_id) DO UPDATE
         SET refused_code = COALESCE(excluded.refused_code, known.refused_code),
             refused_at = COALESCE(excluded.refused_at, known.refused_at),
             refused_node_id = COALESCE(excluded.refused_node_id, known.refused_node_id),
             failed_reason = COALESCE(excluded.failed_reason, known.failed_reason),
             failed_at = COALESCE(excluded.failed_at, known.failed_at),
             next_attempt_at = CASE WHEN excluded.failed_at IS NULL THEN known.next_attempt_at
                                    ELSE excluded.next_attempt_at END",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(refusal.map(|refusal| refusal.code.as_str()))
    .bind(refusal.map(|refusal| refusal.at))
    .bind(refusal.map(|_| node.0))
    .bind(call.map(|call| call.reason.as_str()))
    .bind(call.map(|call| call.at))
    .bind(call.and_then(|call| call.until))
    .execute(db)
    .await?;
    Ok(())
}

/// Closes the outbound lane of an inbox with a recorded refusal. The time of the first refusal stays. No row of a message
/// is read or written.
pub async fn hold(db: &mut PgConnection, client: ClientId, inbox: InboxId, hold: AccountHold) -> Result<()> {
    sqlx::query(
        "UPDATE inbox_fault SET held_since = COALESCE(held_since, $3), held_until = $4, held_code = $5
         WHERE client_id = $1 AND inbox_id = $2",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(hold.since)
    .bind(hold.until)
    .bind(hold.code)
    .execute(db)
    .await?;
    Ok(())
}

/// Moves the next try of an inbox whose lane is closed.
pub async fn hold_longer(db: &mut PgConnection, client: ClientId, inbox: InboxId, until: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "UPDATE inbox_fault SET held_until = $3
         WHERE client_id = $1 AND inbox_id = $2 AND held_since IS NOT NULL",
    )
    .bind(client.0)
    .bind(inbox.0)
    .bind(until)
    .execute(db)
    .await?;
    Ok(())
}

/// Ends the faults of an inbox, and opens its lane.
pub async fn clear(db: &mut PgConnection, client: ClientId, inbox: InboxId) -> Result<()> {
    sqlx::query("DELETE FROM inbox_fault WHERE client_id = $1 AND inbox_id = $2")
        .bind(client.0)
        .bind(inbox.0)
        .execute(db)
        .await?;
    Ok(())
}

/// Directory: returns the inboxes whose token was refused after `after`, the latest first, at most 1,000.
pub async fn refused(db: &mut PgConnection, after: DateTime<Utc>) -> Result<Vec<RefusedInbox>> {
    let refused = sqlx::query_as(
        "SELECT client_id, inbox_id, refused_code AS code, refused_at, refused_node_id AS node FROM inbox_fault
         WHERE refused_at > $1 ORDER BY refused_at DESC, inbox_id LIMIT $2",
    )
    .bind(after)
    .bind(MOST_REFUSALS);
    Ok(refused.fetch_all(db).await?)
}

/// Directory: returns the number of inboxes whose token was refused after `after`.
pub async fn count_refused(db: &mut PgConnection, after: DateTime<Utc>) -> Result<i64> {
    let count = sqlx::query_scalar("SELECT count(*) FROM inbox_fault WHERE refused_at > $1").bind(after);
    Ok(count.fetch_one(db).await?)
}
