//! Messages for reports and for the list of a batch, in the order of ids. A page of a report begins at the end of the
//! previous one.

use chrono::{DateTime, Utc};
use domain::{delivery::DeliveryState, ids::ClientId, page::PageRequest};
use uuid::Uuid;

use super::{batches::IdRange, fallbacks::UNDECIDED};
use crate::{PgConnection, Result};

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct ReportedMessage {
    pub id: Uuid,
    pub gst_id: String,
    pub ct_id: Option<String>,
    pub batch_id: Option<Uuid>,
    pub message_type: Option<String>,
    pub category: Option<String>,
    pub sender: Option<String>,
    /// The recipient's number; `None` if only a user id was given.
    pub receiver: Option<String>,
    pub recipient_user_id: Option<String>,
    pub channel: String,
    pub state: String,
    pub sent_at: Option<DateTime<Utc>>,
    pub delivered_at: Option<DateTime<Utc>>,
    pub read_at: Option<DateTime<Utc>>,
    /// Code of the failure. `None` while another leg may follow.
    pub error_code: Option<String>,
    pub error_text: Option<String>,
}

/// The columns of a [`ReportedMessage`].
const COLUMNS: &str = "message.id, message.gst_id, message.ct_id, part.batch_id, part.message_type, part.category,
                inbox.address AS sender, leg.channel, COALESCE(undecided.state, leg.state) AS state,
                leg.sent_at, leg.delivered_at, leg.read_at,
                CASE WHEN undecided.state IS NULL THEN leg.error_code END AS error_code,
                CASE WHEN undecided.state IS NULL THEN leg.error_text END AS error_text,
                CASE 'PHONE' WHEN message.address_kind THEN message.address_value
                             WHEN message.other_kind THEN message.other_value END AS receiver,
                CASE WHEN message.address_kind <> 'PHONE' THEN message.address_value
                     WHEN message.other_kind <> 'PHONE' THEN message.other_value END AS recipient_user_id";

/// The rows of a `message` that has its last `leg`.
const JOINED: &str = "CROSS JOIN LATERAL (
             SELECT address FROM inbox one WHERE one.client_id = $1 AND one.id = message.inbox_id OFFSET 0) inbox
         LEFT JOIN LATERAL (
             SELECT batch_id, message_type, category FROM outbound_part one
             WHERE one.client_id = $1 AND one.id = message.part_id OFFSET 0) part ON true";

/// Returns the next messages of the send endpoints after `after`, up to the end of `extent`.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    extent: IdRange,
    after: Uuid,
    limit: i64,
) -> Result<Vec<ReportedMessage>> {
    let found = sqlx::query_as(&format!(
        "SELECT {COLUMNS}
         FROM (SELECT * FROM outbound_message
               WHERE client_id = $1 AND id > $2 AND id BETWEEN $3 AND $4 AND part_id BETWEEN $5 AND $6
                 AND chat_message_id IS NULL
               ORDER BY id LIMIT $7) message
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_leg one WHERE one.client_id = $1 AND one.message_id = message.id
             ORDER BY ordinal DESC LIMIT 1) leg
         {JOINED}
         {UNDECIDED}
         ORDER BY message.id",
    ))
    .bind(client.0)
    .bind(after)
    .bind(extent.messages.0)
    .bind(extent.messages.1)
    .bind(extent.parts.0)
    .bind(extent.parts.1)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(found)
}

/// The statement of a page: limit `$7`, offset `$8`. Public for the test of its plan.
#[doc(hidden)]
pub fn batch_statement() -> String {
    format!(
        "SELECT {COLUMNS}
         FROM (SELECT * FROM outbound_message
               WHERE client_id = $1 AND id BETWEEN $2 AND $3 AND part_id BETWEEN $4 AND $5
               ORDER BY id OFFSET 0) message
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_leg one WHERE one.client_id = $1 AND one.message_id = message.id
                AND one.message_id BETWEEN $2 AND $3
             ORDER BY ordinal DESC LIMIT 1) leg
         {JOINED}
         {UNDECIDED}
         WHERE $6::text IS NULL OR COALESCE(undecided.state, leg.state) = $6
         ORDER BY message.id LIMIT $7 OFFSET $8",
    )
}

/// Returns a page of the messages of a batch: all, or those in one state. The primary keys find the messages and their
/// legs. States have no index, because a batch is one request.
pub async fn messages_of_batch(
    db: &mut PgConnection,
    client: ClientId,
    extent: IdRange,
    state: Option<DeliveryState>,
    page: PageRequest,
) -> Result<Vec<ReportedMessage>> {
    let found = sqlx::query_as(&batch_statement())
        .bind(client.0)
        .bind(extent.messages.0)
        .bind(extent.messages.1)
        .bind(extent.parts.0)
        .bind(extent.parts.1)
        .bind(state.map(DeliveryState::as_str))
        .bind(page.limit())
        .bind(page.offset())
        .fetch_all(db)
        .await?;
    Ok(found)
}
