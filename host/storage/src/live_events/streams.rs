//! The stream of a client: if its events are wanted, and their numbers.

use std::time::Duration;

use domain::ids::ClientId;
use uuid::Uuid;

use crate::{PgConnection, Result};

/// True if a reader exists, or may come back. Ask in the transaction of the event, which sees that events are wanted,
/// or is waited for ([`horizon`]).
pub async fn is_wanted(db: &mut PgConnection, client: ClientId) -> Result<bool> {
    let (wanted, has_written) = demand(db, client).await?;
    if wanted || has_written {
        return Ok(wanted);
    }
    // A new reader does not wait for a transaction that has written nothing.
    count_as_writer(db).await?;
    let (wanted, _) = demand(db, client).await?;
    Ok(wanted)
}

/// Returns if events are wanted, and if this transaction has written something.
async fn demand(db: &mut PgConnection, client: ClientId) -> Result<(bool, bool)> {
    let demand = sqlx::query_as(
        "SELECT EXISTS (SELECT 1 FROM live_stream WHERE client_id = $1 AND wanted_until > clock_timestamp()),
                pg_current_xact_id_if_assigned() IS NOT NULL",
    )
    .bind(client.0)
    .fetch_one(db)
    .await?;
    Ok(demand)
}

/// Makes this transaction count as one that has written something.
async fn count_as_writer(db: &mut PgConnection) -> Result<()> {
    sqlx::query("SELECT pg_current_xact_id()::text").execute(db).await?;
    Ok(())
}

/// True if events are wanted for at least `length` and all transactions know it.
pub async fn has_demand(db: &mut PgConnection, client: ClientId, length: Duration) -> Result<bool> {
    let kept = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM live_stream
                        WHERE client_id = $1 AND settled AND wanted_until > clock_timestamp() + make_interval(secs => $2))",
    )
    .bind(client.0)
    .bind(length.as_secs_f64())
    .fetch_one(db)
    .await?;
    Ok(kept)
}

/// Marks events as wanted for `length`. True if all running transactions know it; else wait for [`horizon`] and call
/// [`settle`]. If there was no reader, the numbers begin after a gap.
pub async fn want(db: &mut PgConnection, client: ClientId, length: Duration) -> Result<bool> {
    sqlx::query("INSERT INTO live_stream (client_id, wanted_until) VALUES ($1, '-infinity') ON CONFLICT DO NOTHING")
        .bind(client.0)
        .execute(&mut *db)
        .await?;
    let settled = sqlx::query_scalar(
        "UPDATE live_stream stream
         SET last_sequence = stream.last_sequence + before.gap, settled = stream.settled AND before.gap = 0,
             continuous_from = CASE before.gap WHEN 0 THEN stream.continuous_from ELSE stream.last_sequence + 1 END,
             wanted_until = greatest(stream.wanted_until, clock_timestamp() + make_interval(secs => $2))
         FROM (SELECT CASE WHEN wanted_until > clock_timestamp() THEN 0 ELSE 1 END AS gap
               FROM live_stream WHERE client_id = $1 FOR UPDATE) before
         WHERE stream.client_id = $1 RETURNING stream.settled",
    )
    .bind(client.0)
    .bind(length.as_secs_f64())
    .fetch_one(db)
    .await?;
    Ok(settled)
}

/// The transactions that have written something until now.
#[derive(Debug, Clone)]
pub struct Horizon(String);

pub async fn horizon(db: &mut PgConnection) -> Result<Horizon> {
    let horizon = sqlx::query_scalar("SELECT pg_snapshot_xmax(pg_current_snapshot())::text").fetch_one(db).await?;
    Ok(Horizon(horizon))
}

pub async fn is_past(db: &mut PgConnection, horizon: &Horizon) -> Result<bool> {
    let past = sqlx::query_scalar("SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8")
        .bind(&horizon.0)
        .fetch_one(db)
        .await?;
    Ok(past)
}

/// Records that all transactions have ended that did not know that events are wanted.
pub async fn settle(db: &mut PgConnection, client: ClientId) -> Result<()> {
    sqlx::query("UPDATE live_stream SET settled = true WHERE client_id = $1 AND NOT settled")
        .bind(client.0)
        .execute(db)
        .await?;
    Ok(())
}

/// Lets the numbers of all clients go on behind a gap, above all numbers that readers can have: at the microseconds since
/// 1970, which grow faster than events come. Call it after a restore, whose rows have the numbers of the backup.
pub async fn begin_behind_gap(db: &mut PgConnection) -> Result<()> {
    const NUMBER: &str = "(extract(epoch FROM now()) * 1000000)::bigint";
    let sql = format!(
        "INSERT INTO live_stream (client_id, last_sequence, continuous_from, wanted_until)
         SELECT id, {NUMBER}, {NUMBER}, '-infinity' FROM client
         ON CONFLICT (client_id) DO UPDATE
         SET last_sequence = greatest(live_stream.last_sequence + 1, EXCLUDED.last_sequence),
             continuous_from = greatest(live_stream.last_sequence + 1, EXCLUDED.last_sequence)"
    );
    sqlx::query(&sql).execute(db).await?;
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamPosition {
    pub last: i64,
    /// A reader with a lower number has missed events.
    pub continuous_from: i64,
    pub oldest: Option<i64>,
}

impl StreamPosition {
    pub fn has_all_after(&self, sequence: i64) -> bool {
        let kept = sequence == self.last || self.oldest.is_some_and(|oldest| oldest <= sequence + 1);
        (self.continuous_from..=self.last).contains(&sequence) && kept
    }
}

pub async fn standing(db: &mut PgConnection, client: ClientId) -> Result<Option<StreamPosition>> {
    let row: Option<(i64, i64, Option<i64>)> = sqlx::query_as(
        "SELECT last_sequence, continuous_from,
                (SELECT sequence FROM live_event WHERE client_id = $1 ORDER BY client_id, sequence LIMIT 1)
         FROM live_stream WHERE client_id = $1",
    )
    .bind(client.0)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|(last, continuous_from, oldest)| StreamPosition { last, continuous_from, oldest }))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamNews {
    pub client: ClientId,
    pub last: i64,
    pub unnumbered: bool,
}

/// Returns the new events of these clients in one statement. A process asks this many times a second.
pub async fn find_new(db: &mut PgConnection, clients: &[ClientId]) -> Result<Vec<StreamNews>> {
    let rows: Vec<(Uuid, i64, bool)> = sqlx::query_as(
        "SELECT stream.client_id, stream.last_sequence,
                EXISTS (SELECT 1 FROM live_event_new new WHERE new.client_id = given.client_id)
         FROM (SELECT client_id FROM unnest($1::uuid[]) AS client_id OFFSET 0) given
         CROSS JOIN LATERAL (SELECT * FROM live_stream WHERE client_id = given.client_id OFFSET 0) stream",
    )
    .bind(clients.iter().map(|client| client.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|(client, last, unnumbered)| StreamNews { client: ClientId(client), last, unnumbered })
        .collect())
}

/// Takes the right to give numbers until the transaction ends; `None` if another process has it. Never waits.
pub async fn lock_numbers(db: &mut PgConnection, client: ClientId) -> Result<Option<i64>> {
    let last = sqlx::query_scalar("SELECT last_sequence FROM live_stream WHERE client_id = $1 FOR UPDATE SKIP LOCKED")
        .bind(client.0)
        .fetch_optional(db)
        .await?;
    Ok(last)
}

pub async fn find_unwanted(db: &mut PgConnection, limit: i64) -> Result<Vec<ClientId>> {
    let clients: Vec<Uuid> = sqlx::query_scalar(
        "SELECT client_id FROM live_stream stream
         WHERE wanted_until < clock_timestamp()
           AND EXISTS (SELECT 1 FROM live_event_new new WHERE new.client_id = stream.client_id)
         LIMIT $1",
    )
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(clients.into_iter().map(ClientId).collect())
}

/// Removes at most `limit` events without a number of a client without readers, and returns their number.
pub async fn forget_unwanted(db: &mut PgConnection, client: ClientId, limit: i64) -> Result<u64> {
    let done = sqlx::query(
        "DELETE FROM live_event_new
         WHERE client_id = $1 AND arrival = ANY (ARRAY(
             SELECT arrival FROM live_event_new WHERE client_id = $1 ORDER BY client_id, arrival LIMIT $2))
           AND EXISTS (SELECT 1 FROM live_stream
                       WHERE client_id = $1 AND wanted_until < clock_timestamp() FOR UPDATE)",
    )
    .bind(client.0)
    .bind(limit)
    .execute(db)
    .await?;
    Ok(done.rows_affected())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_after_a_number_exist_unless_they_had_no_reader_or_were_deleted() {
        let stream = StreamPosition { last: 10, continuous_from: 4, oldest: Some(6) };
        assert!(stream.has_all_after(10), "nothing is after the last one");
        assert!(stream.has_all_after(5));
        assert!(!stream.has_all_after(4), "the fifth is forgotten");
        assert!(!stream.has_all_after(3), "no audience wanted the fourth");
        assert!(!stream.has_all_after(11), "no reader ever had that one");
        assert!(!stream.has_all_after(-1));
        let quiet = StreamPosition { last: 10, continuous_from: 10, oldest: None };
        assert!(quiet.has_all_after(10) && !quiet.has_all_after(9));
    }
}
