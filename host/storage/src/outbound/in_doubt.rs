//! Legs whose call has no known outcome yet, by recipient.

use chrono::{DateTime, Utc};
use domain::{
    content::{LegContent, OutboundContent},
    ids::{ClientId, MessageId},
};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    column_values::{self, UnreadJson},
};

/// Most legs of one recipient that are compared with a report.
const AT_MOST: i64 = 20;
/// Legs at the front of a lane among which those with a call in flight are. More than all places of a carrier.
const FRONT: i64 = 1_000;

/// Calls whose outcome is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenCalls {
    /// Those that the provider may still answer.
    InFlight,
    /// Also those in doubt, which a report may settle.
    All,
}

impl OpenCalls {
    const fn phases(self) -> &'static [&'static str] {
        match self {
            Self::InFlight => &["SENDING"],
            Self::All => &["SENDING", "UNKNOWN"],
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct LegInDoubt {
    pub message: MessageId,
    pub ordinal: i16,
    pub queued_at: DateTime<Utc>,
    pub content: OutboundContent,
}

type Row = (Uuid, i16, DateTime<Utc>, Option<UnreadJson>, UnreadJson);

/// True if a call for one of these recipients is not settled: the provider may report it before its answer, or without
/// one.
pub async fn is_any_to(db: &mut PgConnection, client: ClientId, lane: Uuid, recipients: &[&str]) -> Result<bool> {
    Ok(sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM outbound_work
                        WHERE client_id = $1 AND lane_id = $2 AND ready AND recipient = ANY ($3::text[])
                          AND phase IN ('SENDING', 'UNKNOWN'))
             OR EXISTS (SELECT FROM outbound_work
                        WHERE client_id = $1 AND lane_id = $2 AND NOT ready AND recipient = ANY ($3::text[])
                          AND phase IN ('SENDING', 'UNKNOWN'))",
    )
    .bind(client.0)
    .bind(lane)
    .bind(recipients)
    .fetch_one(db)
    .await?)
}

/// Like [`is_any_to`] for these calls, but looks only at the first legs of the lane. Legs with a call in flight are among
/// them, because a lane is worked off in this order. So the cost does not grow with a batch that waits.
pub async fn is_any_in_front_to(
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    recipients: &[&str],
    calls: OpenCalls,
) -> Result<bool> {
    Ok(sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM (SELECT recipient, phase FROM outbound_work
                                     WHERE client_id = $1 AND lane_id = $2 AND ready
                                     ORDER BY priority, message_id LIMIT $4) front
                        WHERE front.recipient = ANY ($3::text[]) AND front.phase = ANY ($5::text[]))
             OR EXISTS (SELECT FROM outbound_work
                        WHERE client_id = $1 AND lane_id = $2 AND NOT ready AND recipient = ANY ($3::text[])
                          AND phase = ANY ($5::text[]))",
    )
    .bind(client.0)
    .bind(lane)
    .bind(recipients)
    .bind(FRONT)
    .bind(calls.phases())
    .fetch_one(db)
    .await?)
}

/// The unsettled legs of a lane to these recipients, oldest first.
pub async fn to_recipients(
    db: &mut PgConnection,
    client: ClientId,
    lane: Uuid,
    recipients: &[&str],
) -> Result<Vec<LegInDoubt>> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT work.message_id, work.ordinal, leg.updated_at, leg.content AS own_content, part.content
         FROM (SELECT client_id, message_id, ordinal FROM outbound_work
               WHERE client_id = $1 AND lane_id = $2 AND ready AND recipient = ANY ($3::text[])
                 AND phase IN ('SENDING', 'UNKNOWN')
               UNION ALL
               SELECT client_id, message_id, ordinal FROM outbound_work
               WHERE client_id = $1 AND lane_id = $2 AND NOT ready AND recipient = ANY ($3::text[])
                 AND phase IN ('SENDING', 'UNKNOWN')
               ORDER BY message_id, ordinal LIMIT $4) work
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_leg one WHERE one.client_id = work.client_id
                AND one.message_id = work.message_id AND one.ordinal = work.ordinal OFFSET 0) leg
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_message one
             WHERE one.client_id = work.client_id AND one.id = work.message_id OFFSET 0) message
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_part one WHERE one.client_id = work.client_id AND one.id = message.part_id OFFSET 0) part
         ORDER BY work.message_id, work.ordinal",
    )
    .bind(client.0)
    .bind(lane)
    .bind(recipients)
    .bind(AT_MOST)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(leg).collect()
}

fn leg((message, ordinal, queued_at, own_content, content): Row) -> Result<LegInDoubt> {
    let content = match column_values::read_optional("outbound_leg", "content", own_content.as_ref())? {
        Some(LegContent::Message(content)) => *content,
        Some(LegContent::Sms(sms)) => OutboundContent::Sms(sms),
        None => column_values::read("outbound_part", "content", &content)?,
    };
    Ok(LegInDoubt { message: MessageId(message), ordinal, queued_at, content })
}
