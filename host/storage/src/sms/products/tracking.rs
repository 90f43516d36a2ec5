use chrono::{DateTime, Utc};
use domain::{
    delivery::DeliveryState,
    ids::{ClientId, SmsRequestId},
    sms_products::{FinalReceipt, GatewayStatus},
};
use uuid::Uuid;

use crate::{PgConnection, Result, column_values::read_value};

#[derive(Debug, Clone)]
pub struct TrackedMessage {
    pub id: Uuid,
    pub request: SmsRequestId,
    pub recipient: String,
    pub ct_id: Option<String>,
    pub identifier: Option<String>,
    pub state: DeliveryState,
    pub receipt: Option<FinalReceipt>,
    pub moved_at: DateTime<Utc>,
}

#[derive(Debug, Clone, Copy)]
pub struct MessageRange {
    /// The first id.
    pub from: Uuid,
    pub to: Uuid,
    pub only_final: bool,
}

impl MessageRange {
    pub const EVERYTHING: Self = Self { from: Uuid::nil(), to: Uuid::max(), only_final: false };

    /// The states of the range; `None`: all.
    fn states(self) -> Option<Vec<&'static str>> {
        let is_final = |state: &DeliveryState| GatewayStatus::of(*state, None).is_final();
        self.only_final.then(|| DeliveryState::ALL.into_iter().filter(is_final).map(DeliveryState::as_str).collect())
    }
}

#[derive(sqlx::FromRow)]
struct TrackedRow {
    id: Uuid,
    request_id: Uuid,
    recipient: String,
    ct_id: Option<String>,
    identifier: Option<String>,
    state: String,
    receipt: Option<String>,
    moved_at: DateTime<Utc>,
}

fn read(rows: Vec<TrackedRow>) -> Result<Vec<TrackedMessage>> {
    let one = |row: TrackedRow| {
        Ok(TrackedMessage {
            id: row.id,
            request: SmsRequestId(row.request_id),
            recipient: row.recipient,
            ct_id: row.ct_id,
            identifier: row.identifier,
            state: read_value("sms_message", "state", &row.state, |name| name.parse().ok())?,
            receipt: row
                .receipt
                .map(|name| read_value("sms_message", "receipt", &name, FinalReceipt::of))
                .transpose()?,
            moved_at: row.moved_at,
        })
    };
    rows.into_iter().map(one).collect()
}

pub async fn of_request(
    db: &mut PgConnection,
    client: ClientId,
    request: Uuid,
    within: MessageRange,
    limit: i64,
) -> Result<Vec<TrackedMessage>> {
    let rows = sqlx::query_as(
        "SELECT id, request_id, recipient, ct_id, identifier, state, receipt, moved_at FROM sms_message
         WHERE client_id = $1 AND request_id = $2 AND id >= $3 AND id < $4
           AND ($6::text[] IS NULL OR state = ANY ($6)) ORDER BY id LIMIT $5",
    )
    .bind(client.0)
    .bind(request)
    .bind(within.from)
    .bind(within.to)
    .bind(limit)
    .bind(within.states())
    .fetch_all(db)
    .await?;
    read(rows)
}

pub async fn of_ct_id(
    db: &mut PgConnection,
    client: ClientId,
    ct_id: &str,
    within: MessageRange,
    limit: i64,
) -> Result<Vec<TrackedMessage>> {
    let rows = sqlx::query_as(
        "SELECT id, request_id, recipient, ct_id, identifier, state, receipt, moved_at FROM sms_message
         WHERE client_id = $1 AND ct_id = $2 AND id >= $3 AND id < $4
           AND ($6::text[] IS NULL OR state = ANY ($6)) ORDER BY id LIMIT $5",
    )
    .bind(client.0)
    .bind(ct_id)
    .bind(within.from)
    .bind(within.to)
    .bind(limit)
    .bind(within.states())
    .fetch_all(db)
    .await?;
    read(rows)
}

pub async fn of_time(
    db: &mut PgConnection,
    client: ClientId,
    within: MessageRange,
    limit: i64,
) -> Result<Vec<TrackedMessage>> {
    let rows = sqlx::query_as(
        "SELECT id, request_id, recipient, ct_id, identifier, state, receipt, moved_at FROM sms_message
         WHERE client_id = $1 AND id >= $2 AND id < $3
           AND ($5::text[] IS NULL OR state = ANY ($5)) ORDER BY id LIMIT $4",
    )
    .bind(client.0)
    .bind(within.from)
    .bind(within.to)
    .bind(limit)
    .bind(within.states())
    .fetch_all(db)
    .await?;
    read(rows)
}

/// Counts a query; `false` if there were too many: ten in ten minutes, then one in ten minutes (SPEC 8).
pub async fn ask(db: &mut PgConnection, client: ClientId, tracked: &str, now: DateTime<Utc>) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO sms_tracking_use AS used (client_id, tracked, first_at, last_at, times) VALUES ($1, $2, $3, $3, 1)
         ON CONFLICT (client_id, tracked) DO UPDATE SET times = used.times + 1, last_at = $3
         WHERE (used.times < 10 AND $3 < used.first_at + interval '10 minutes')
            OR ($3 >= used.first_at + interval '10 minutes' AND $3 >= used.last_at + interval '10 minutes')",
    )
    .bind(client.0)
    .bind(tracked)
    .bind(now)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}
