//! Messages for reports, a page at a time in the order of their ids: each page begins where the one before it ended.

use chrono::{DateTime, Utc};
use domain::ids::ClientId;
use uuid::Uuid;

use super::{batches::Extent, fallbacks::UNDECIDED};
use crate::{PgConnection, Result};

/// A message as a report shows it.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct ReportedMessage {
    /// Its id.
    pub id: Uuid,
    /// The system's tracking id.
    pub gst_id: String,
    /// The client's tracking id.
    pub ct_id: Option<String>,
    /// The send that it was part of.
    pub batch_id: Option<Uuid>,
    /// `NOTIFICATION`, `CHAT` and others.
    pub message_type: Option<String>,
    /// What it is billed as.
    pub category: Option<String>,
    /// What it is sent from; `None` = the operator's source of SMS.
    pub sender: Option<String>,
    /// The number that it goes to; `None` = to a user id alone.
    pub receiver: Option<String>,
    /// The user id that it goes to, or that was given beside the number.
    pub recipient_user_id: Option<String>,
    /// What it went over last.
    pub channel: String,
    /// Where it stands.
    pub state: String,
    /// When it left for the customer.
    pub sent_at: Option<DateTime<Utc>>,
    /// When it arrived.
    pub delivered_at: Option<DateTime<Utc>>,
    /// When it was read.
    pub read_at: Option<DateTime<Utc>>,
    /// Why it failed: the code. Nothing while another leg may follow.
    pub error_code: Option<String>,
    /// Why it failed, in words.
    pub error_text: Option<String>,
}

/// The next messages of the send endpoints after `after`, up to the end of `extent`.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    extent: Extent,
    after: Uuid,
    limit: i64,
) -> Result<Vec<ReportedMessage>> {
    let found = sqlx::query_as(&format!(
        "SELECT message.id, message.gst_id, message.ct_id, part.batch_id, part.message_type, part.category,
                inbox.address AS sender, leg.channel, COALESCE(undecided.state, leg.state) AS state,
                leg.sent_at, leg.delivered_at, leg.read_at,
                CASE WHEN undecided.state IS NULL THEN leg.error_code END AS error_code,
                CASE WHEN undecided.state IS NULL THEN leg.error_text END AS error_text,
                CASE 'PHONE' WHEN message.address_kind THEN message.address_value
                             WHEN message.other_kind THEN message.other_value END AS receiver,
                CASE WHEN message.address_kind <> 'PHONE' THEN message.address_value
                     WHEN message.other_kind <> 'PHONE' THEN message.other_value END AS recipient_user_id
         FROM (SELECT * FROM outbound_message
               WHERE client_id = $1 AND id > $2 AND id BETWEEN $3 AND $4 AND part_id BETWEEN $5 AND $6
                 AND chat_message_id IS NULL
               ORDER BY id LIMIT $7) message
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_leg one WHERE one.client_id = $1 AND one.message_id = message.id
             ORDER BY ordinal DESC LIMIT 1) leg
         CROSS JOIN LATERAL (
             SELECT address FROM inbox one WHERE one.client_id = $1 AND one.id = message.inbox_id OFFSET 0) inbox
         LEFT JOIN LATERAL (
             SELECT batch_id, message_type, category FROM outbound_part one
             WHERE one.client_id = $1 AND one.id = message.part_id OFFSET 0) part ON true
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
