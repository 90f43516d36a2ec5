use std::collections::HashSet;

use chrono::{DateTime, Utc};
use domain::{ids::ClientId, numbering::spellings};

use super::replies::bare;
use crate::{PgConnection, Result};

/// The wish of a subscriber to get no more SMS from a source.
#[derive(Debug, Clone, Copy)]
pub struct StopRequest<'a> {
    pub source: &'a str,
    pub subscriber: &'a str,
    pub keyword: &'a str,
}

pub async fn stop(db: &mut PgConnection, client: ClientId, opt_out: StopRequest<'_>, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO sms_opt_out (client_id, source, subscriber, keyword, at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(bare(opt_out.source))
    .bind(opt_out.subscriber)
    .bind(opt_out.keyword)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Removes a stop of messages from a source, or from all sources. Returns the number of removed entries.
pub async fn resume(db: &mut PgConnection, client: ClientId, source: Option<&str>, subscriber: &str) -> Result<u64> {
    let mut gone = 0;
    for spelled in spellings(subscriber) {
        let done = sqlx::query(
            "DELETE FROM sms_opt_out WHERE client_id = $1 AND subscriber = $2 AND ($3::text IS NULL OR source = $3)",
        )
        .bind(client.0)
        .bind(spelled)
        .bind(source.map(bare))
        .execute(&mut *db)
        .await?;
        gone += done.rows_affected();
    }
    Ok(gone)
}

#[derive(Debug, Default)]
pub struct StoppedSources(HashSet<(String, String)>);

impl StoppedSources {
    /// Returns sources and subscribers as they are stored, in all spellings of their numbers.
    pub(crate) fn spell(asked: &[(&str, &str)]) -> Vec<(String, String)> {
        let spelled = |(source, subscriber): &(&str, &str)| {
            let source = bare(source).to_owned();
            spellings(subscriber).into_iter().map(move |subscriber| (source.clone(), subscriber))
        };
        asked.iter().flat_map(spelled).collect()
    }

    pub(crate) fn extend(&mut self, found: impl IntoIterator<Item = (String, String)>) {
        self.0.extend(found);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if a subscriber, in either spelling, stopped messages from a source, in any spelling.
    pub fn contains(&self, source: &str, subscriber: &str) -> bool {
        let has = |subscriber: String| self.0.contains(&(bare(source).to_owned(), subscriber));
        !self.0.is_empty() && spellings(subscriber).into_iter().any(has)
    }
}

/// Returns the stops among these sources and subscribers. Each is found by key.
pub async fn find_stopped(db: &mut PgConnection, client: ClientId, asked: &[(&str, &str)]) -> Result<StoppedSources> {
    let (sources, subscribers): (Vec<String>, Vec<String>) = StoppedSources::spell(asked).into_iter().unzip();
    let found: Vec<(String, String)> = sqlx::query_as(
        "SELECT stopped.source, stopped.subscriber FROM (
             SELECT $1::uuid AS client_id, * FROM unnest($2::text[], $3::text[]) AS one (source, subscriber) OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT source, subscriber FROM sms_opt_out one
             WHERE one.client_id = given.client_id AND one.source = given.source AND one.subscriber = given.subscriber
             OFFSET 0) stopped",
    )
    .bind(client.0)
    .bind(sources)
    .bind(subscribers)
    .fetch_all(db)
    .await?;
    Ok(StoppedSources(found.into_iter().collect()))
}

pub async fn list(db: &mut PgConnection, client: ClientId, after: &str, limit: i64) -> Result<Vec<String>> {
    let found = sqlx::query_scalar(
        "SELECT DISTINCT subscriber FROM (
             SELECT subscriber FROM sms_opt_out WHERE client_id = $1 AND subscriber > $2 ORDER BY subscriber LIMIT $3) page
         ORDER BY subscriber",
    )
    .bind(client.0)
    .bind(after)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(found)
}
