//! The stream of a client: whether anybody wants events, and the numbers that they have.

use std::time::Duration;

use domain::ids::ClientId;
use uuid::Uuid;

use crate::{PgConnection, Result};

/// Whether events of a client are to be written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Somebody reads, or may come back.
    Yes,
    /// Nobody does.
    No,
    /// Nobody does, and this transaction has written nothing yet, so that somebody who begins now would not wait for it:
    /// write something, and ask again.
    NotYetTold,
}

/// Asks inside the transaction of what happened. Whoever begins to want events waits for the transactions that have written
/// something by then ([`horizon`]), so one of those either sees that they are wanted or is waited for.
pub async fn is_wanted(db: &mut PgConnection, client: ClientId) -> Result<Wanted> {
    let (wanted, has_written): (bool, bool) = sqlx::query_as(
        "SELECT EXISTS (SELECT 1 FROM live_stream WHERE client_id = $1 AND wanted_until > clock_timestamp()),
                pg_current_xact_id_if_assigned() IS NOT NULL",
    )
    .bind(client.0)
    .fetch_one(db)
    .await?;
    Ok(match (wanted, has_written) {
        (true, _) => Wanted::Yes,
        (false, true) => Wanted::No,
        (false, false) => Wanted::NotYetTold,
    })
}

/// Lets this transaction count as one that has written something.
pub async fn count_as_writer(db: &mut PgConnection) -> Result<()> {
    sqlx::query("SELECT pg_current_xact_id()::text").execute(db).await?;
    Ok(())
}

/// Whether events of a client are wanted for `length` at least from now on, and everybody knows: then nothing is to be written.
pub async fn is_kept_wanted(db: &mut PgConnection, client: ClientId, length: Duration) -> Result<bool> {
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

/// Keeps events of a client wanted for `length` from now on. Answers whether every transaction that does not know so has ended:
/// if not, wait for the [`horizon`] and [`settle`]. Where nobody wanted events, their numbers begin with a gap.
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

/// A transaction that has written something by now.
#[derive(Debug, Clone)]
pub struct Horizon(String);

/// The end of the transactions that have written something by now.
pub async fn horizon(db: &mut PgConnection) -> Result<Horizon> {
    let horizon = sqlx::query_scalar("SELECT pg_snapshot_xmax(pg_current_snapshot())::text").fetch_one(db).await?;
    Ok(Horizon(horizon))
}

/// Whether all of those have ended.
pub async fn is_past(db: &mut PgConnection, horizon: &Horizon) -> Result<bool> {
    let past = sqlx::query_scalar("SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8")
        .bind(&horizon.0)
        .fetch_one(db)
        .await?;
    Ok(past)
}

/// Notes that all transactions have ended that did not know that events are wanted.
pub async fn settle(db: &mut PgConnection, client: ClientId) -> Result<()> {
    sqlx::query("UPDATE live_stream SET settled = true WHERE client_id = $1 AND NOT settled")
        .bind(client.0)
        .execute(db)
        .await?;
    Ok(())
}

/// Where a stream stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The last number that was given out.
    pub last: i64,
    /// Who has seen less than this has missed something.
    pub continuous_from: i64,
    /// The oldest event that is kept.
    pub oldest: Option<i64>,
}

impl Standing {
    /// Whether everything after `sequence` is there.
    pub fn has_all_after(&self, sequence: i64) -> bool {
        let kept = sequence == self.last || self.oldest.is_some_and(|oldest| oldest <= sequence + 1);
        (self.continuous_from..=self.last).contains(&sequence) && kept
    }
}

/// Where the stream of a client stands; nowhere when nobody ever wanted it.
pub async fn standing(db: &mut PgConnection, client: ClientId) -> Result<Option<Standing>> {
    let row: Option<(i64, i64, Option<i64>)> = sqlx::query_as(
        "SELECT last_sequence, continuous_from,
                (SELECT sequence FROM live_event WHERE client_id = $1 ORDER BY client_id, sequence LIMIT 1)
         FROM live_stream WHERE client_id = $1",
    )
    .bind(client.0)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|(last, continuous_from, oldest)| Standing { last, continuous_from, oldest }))
}

/// What is new of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct News {
    /// Whose.
    pub client: ClientId,
    /// The last number that was given out.
    pub last: i64,
    /// There are events without a number.
    pub unnumbered: bool,
}

/// What is new of these clients, all at once: the question that a process asks many times a second.
pub async fn news(db: &mut PgConnection, clients: &[ClientId]) -> Result<Vec<News>> {
    let rows: Vec<(Uuid, i64, bool)> = sqlx::query_as(
        "SELECT stream.client_id, stream.last_sequence,
                EXISTS (SELECT 1 FROM live_event_new new WHERE new.client_id = given.client_id)
         FROM (SELECT client_id FROM unnest($1::uuid[]) AS client_id OFFSET 0) given
         CROSS JOIN LATERAL (SELECT * FROM live_stream WHERE client_id = given.client_id OFFSET 0) stream",
    )
    .bind(clients.iter().map(|client| client.0).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(client, last, unnumbered)| News { client: ClientId(client), last, unnumbered }).collect())
}

/// Takes the right to give out numbers until the transaction ends, and answers the last one; `None` while another process has
/// it. Never waits.
pub async fn lock_numbers(db: &mut PgConnection, client: ClientId) -> Result<Option<i64>> {
    let last = sqlx::query_scalar("SELECT last_sequence FROM live_stream WHERE client_id = $1 FOR UPDATE SKIP LOCKED")
        .bind(client.0)
        .fetch_optional(db)
        .await?;
    Ok(last)
}

/// Clients whose events nobody wants any more, and that have some without a number.
pub async fn unwanted(db: &mut PgConnection, limit: i64) -> Result<Vec<ClientId>> {
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

/// Forgets events without a number of a client that wants them no more, at most `limit`; answers how many those were.
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
    fn what_is_after_a_number_is_there_unless_nobody_wanted_it_or_it_is_forgotten() {
        let stream = Standing { last: 10, continuous_from: 4, oldest: Some(6) };
        assert!(stream.has_all_after(10), "nothing is after the last one");
        assert!(stream.has_all_after(5));
        assert!(!stream.has_all_after(4), "the fifth is forgotten");
        assert!(!stream.has_all_after(3), "nobody wanted the fourth");
        assert!(!stream.has_all_after(11), "nobody was ever told of that one");
        assert!(!stream.has_all_after(-1));
        let quiet = Standing { last: 10, continuous_from: 10, oldest: None };
        assert!(quiet.has_all_after(10) && !quiet.has_all_after(9));
    }
}
