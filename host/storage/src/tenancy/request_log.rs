use chrono::{DateTime, Utc};
use domain::{clock::first_id_at, ids::ClientId, page::PageRequest};
use uuid::Uuid;

use crate::{PgConnection, Result};

/// Most requests that are counted and listed.
pub const COUNTED: i64 = 10_000;

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct RequestRow {
    pub id: Uuid,
    pub user_id: Uuid,
    pub key_start: String,
    pub method: String,
    /// Path without the query.
    pub path: String,
    pub status: i16,
    /// Time from the head of the request to the answer.
    pub duration_micros: i64,
    pub body: Option<String>,
}

pub async fn record(db: &mut PgConnection, requests: &[(ClientId, RequestRow)]) -> Result<()> {
    sqlx::query(
        "INSERT INTO request_log (client_id, id, user_id, key_start, method, path, status, duration_micros, body)
         SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::smallint[],
                              $8::bigint[], $9::text[])
         ON CONFLICT DO NOTHING",
    )
    .bind(requests.iter().map(|(client, _)| client.0).collect::<Vec<_>>())
    .bind(requests.iter().map(|(_, row)| row.id).collect::<Vec<_>>())
    .bind(requests.iter().map(|(_, row)| row.user_id).collect::<Vec<_>>())
    .bind(requests.iter().map(|(_, row)| row.key_start.as_str()).collect::<Vec<_>>())
    .bind(requests.iter().map(|(_, row)| row.method.as_str()).collect::<Vec<_>>())
    .bind(requests.iter().map(|(_, row)| row.path.as_str()).collect::<Vec<_>>())
    .bind(requests.iter().map(|(_, row)| row.status).collect::<Vec<_>>())
    .bind(requests.iter().map(|(_, row)| row.duration_micros).collect::<Vec<_>>())
    .bind(requests.iter().map(|(_, row)| row.body.as_deref()).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestFilter {
    pub ids: (Uuid, Uuid),
    pub statuses: (i16, i16),
    /// The beginning of the path. Empty: all.
    pub path: String,
    pub method: Option<String>,
}

impl RequestFilter {
    /// All requests of a period, without its end.
    pub fn period(from: DateTime<Utc>, to: Option<DateTime<Utc>>) -> Self {
        let last = to.map_or(Uuid::max(), first_id_at);
        Self { ids: (first_id_at(from), last), statuses: (0, 999), path: String::new(), method: None }
    }
}

/// A page of requests, newest first, and the total, at most [`COUNTED`]. Each kind of filter has its own statement.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    filter: &RequestFilter,
    page: PageRequest,
) -> Result<(Vec<RequestRow>, i64)> {
    let by_path = !filter.path.is_empty();
    let (listed, counted) = match filter.statuses.0 {
        _ if by_path => (BY_PATH, COUNT_BY_PATH),
        400.. => (FAILED, COUNT_FAILED),
        _ => (BY_TIME, COUNT_BY_TIME),
    };
    let (path, end) = (&filter.path, path_end(&filter.path));
    let mut rows = sqlx::query_as(listed)
        .bind(client.0)
        .bind(filter.ids.0)
        .bind(filter.ids.1)
        .bind(filter.statuses.0)
        .bind(filter.statuses.1)
        .bind(filter.method.as_deref());
    let mut total = sqlx::query_scalar(counted)
        .bind(client.0)
        .bind(filter.ids.0)
        .bind(filter.ids.1)
        .bind(filter.statuses.0)
        .bind(filter.statuses.1)
        .bind(filter.method.as_deref());
    if by_path {
        rows = rows.bind(path).bind(&end);
        total = total.bind(path).bind(&end);
    }
    let limit = page.limit().min(COUNTED.saturating_sub(page.offset())).max(0);
    let rows = rows.bind(limit).bind(page.offset()).fetch_all(&mut *db).await?;
    Ok((rows, total.bind(COUNTED).fetch_one(db).await?))
}

/// A text behind every path that begins with `start`, in the order of bytes.
fn path_end(start: &str) -> String {
    format!("{start}{}", char::MAX)
}

const BY_TIME: &str = "SELECT id, user_id, key_start, method, path, status, duration_micros, body FROM request_log
     WHERE client_id = $1 AND id >= $2 AND id <= $3 AND status BETWEEN $4 AND $5 AND ($6::text IS NULL OR method = $6)
     ORDER BY id DESC LIMIT $7 OFFSET $8";
const COUNT_BY_TIME: &str = "SELECT count(*) FROM (SELECT 1 FROM request_log
     WHERE client_id = $1 AND id >= $2 AND id <= $3 AND status BETWEEN $4 AND $5 AND ($6::text IS NULL OR method = $6)
     LIMIT $7) found";
const FAILED: &str = "SELECT id, user_id, key_start, method, path, status, duration_micros, body FROM request_log
     WHERE client_id = $1 AND id >= $2 AND id <= $3 AND status >= 400 AND status BETWEEN $4 AND $5
       AND ($6::text IS NULL OR method = $6)
     ORDER BY id DESC LIMIT $7 OFFSET $8";
const COUNT_FAILED: &str = "SELECT count(*) FROM (SELECT 1 FROM request_log
     WHERE client_id = $1 AND id >= $2 AND id <= $3 AND status >= 400 AND status BETWEEN $4 AND $5
       AND ($6::text IS NULL OR method = $6)
     LIMIT $7) found";
const BY_PATH: &str = "SELECT id, user_id, key_start, method, path, status, duration_micros, body FROM request_log
     WHERE client_id = $1 AND path >= $7 AND path < $8 AND id >= $2 AND id <= $3 AND status BETWEEN $4 AND $5
       AND ($6::text IS NULL OR method = $6)
     ORDER BY id DESC LIMIT $9 OFFSET $10";
const COUNT_BY_PATH: &str = "SELECT count(*) FROM (SELECT 1 FROM request_log
     WHERE client_id = $1 AND path >= $7 AND path < $8 AND id >= $2 AND id <= $3 AND status BETWEEN $4 AND $5
       AND ($6::text IS NULL OR method = $6)
     LIMIT $9) found";
