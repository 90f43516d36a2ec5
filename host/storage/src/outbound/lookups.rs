//! Messages by the facts that the client knows: its tracking id and the recipient.

use domain::{
    ids::{BatchId, ClientId, MessageId},
    page::{Page, PageRequest},
};
use uuid::Uuid;

use super::batches::COUNTED_MAX;
use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageFilter {
    /// Messages with a tracking id of the client. If addresses are given, only messages to one of them.
    CtId { ct_id: String, addresses: Vec<String> },
    /// Messages to one of these addresses: the spellings of a phone number, or a user id.
    Recipient { addresses: Vec<String> },
}

#[derive(Debug, Clone, sqlx::FromRow)]
pub struct FoundMessage {
    #[sqlx(try_from = "Uuid")]
    pub id: MessageId,
    pub gst_id: String,
    pub ct_id: Option<String>,
    pub receiver: Option<String>,
    pub recipient_user_id: Option<String>,
    pub state: String,
    pub channel: String,
    pub batch_id: Option<Uuid>,
}

impl FoundMessage {
    /// The send that it belongs to. `None` for a message of a live chat.
    pub fn batch(&self) -> Option<BatchId> {
        self.batch_id.map(BatchId)
    }
}

/// Returns a page of messages, newest first. The total is counted up to [`COUNTED_MAX`].
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    lookup: &MessageFilter,
    page: PageRequest,
) -> Result<Page<FoundMessage>> {
    let total = count(db, client, lookup).await?;
    let ids = ids(db, client, lookup, page).await?;
    let items = find_by_ids(db, client, &ids).await?;
    Ok(Page::of(items, total))
}

async fn count(db: &mut PgConnection, client: ClientId, lookup: &MessageFilter) -> Result<i64> {
    let counted = match lookup {
        MessageFilter::CtId { ct_id, addresses } => {
            sqlx::query_scalar(
                "SELECT count(*) FROM (
                     SELECT 1 FROM outbound_message
                     WHERE client_id = $1 AND ct_id = $2
                       AND (cardinality($3::text[]) = 0 OR address_value = ANY ($3) OR other_value = ANY ($3))
                     LIMIT $4) counted",
            )
            .bind(client.0)
            .bind(ct_id)
            .bind(addresses)
            .bind(COUNTED_MAX)
            .fetch_one(db)
            .await?
        }
        MessageFilter::Recipient { addresses } => {
            sqlx::query_scalar(
                "SELECT count(*) FROM (
                     (SELECT id FROM outbound_message WHERE client_id = $1 AND address_value = ANY ($2) LIMIT $3)
                     UNION
                     (SELECT id FROM outbound_message WHERE client_id = $1 AND other_value = ANY ($2) LIMIT $3)) counted",
            )
            .bind(client.0)
            .bind(addresses)
            .bind(COUNTED_MAX)
            .fetch_one(db)
            .await?
        }
    };
    Ok(counted)
}

async fn ids(db: &mut PgConnection, client: ClientId, lookup: &MessageFilter, page: PageRequest) -> Result<Vec<Uuid>> {
    let ids = match lookup {
        MessageFilter::CtId { ct_id, addresses } => {
            sqlx::query_scalar(
                "SELECT id FROM outbound_message
                 WHERE client_id = $1 AND ct_id = $2
                   AND (cardinality($3::text[]) = 0 OR address_value = ANY ($3) OR other_value = ANY ($3))
                 ORDER BY id DESC LIMIT $4 OFFSET $5",
            )
            .bind(client.0)
            .bind(ct_id)
            .bind(addresses)
            .bind(page.limit())
            .bind(page.offset())
            .fetch_all(db)
            .await?
        }
        MessageFilter::Recipient { addresses } => {
            sqlx::query_scalar(
                "SELECT id FROM (
                     (SELECT id FROM outbound_message WHERE client_id = $1 AND address_value = ANY ($2)
                      ORDER BY id DESC LIMIT $5)
                     UNION
                     (SELECT id FROM outbound_message WHERE client_id = $1 AND other_value = ANY ($2)
                      ORDER BY id DESC LIMIT $5)) either
                 ORDER BY id DESC LIMIT $3 OFFSET $4",
            )
            .bind(client.0)
            .bind(addresses)
            .bind(page.limit())
            .bind(page.offset())
            // Each half can have all rows up to the end of the page.
            .bind(page.offset() + page.limit())
            .fetch_all(db)
            .await?
        }
    };
    Ok(ids)
}

async fn find_by_ids(db: &mut PgConnection, client: ClientId, ids: &[Uuid]) -> Result<Vec<FoundMessage>> {
    let found = sqlx::query_as(
        "SELECT message.id, message.gst_id, message.ct_id,
                CASE 'PHONE' WHEN message.address_kind THEN message.address_value
                             WHEN message.other_kind THEN message.other_value END AS receiver,
                CASE WHEN message.address_kind <> 'PHONE' THEN message.address_value
                     WHEN message.other_kind <> 'PHONE' THEN message.other_value END AS recipient_user_id,
                leg.state, leg.channel, part.batch_id
         FROM unnest($2::uuid[]) wanted (id)
         CROSS JOIN LATERAL (
             SELECT * FROM outbound_message one WHERE one.client_id = $1 AND one.id = wanted.id OFFSET 0) message
         CROSS JOIN LATERAL (
             SELECT state, channel FROM outbound_leg one
             WHERE one.client_id = $1 AND one.message_id = wanted.id ORDER BY ordinal DESC LIMIT 1) leg
         LEFT JOIN LATERAL (
             SELECT batch_id FROM outbound_part one WHERE one.client_id = $1 AND one.id = message.part_id OFFSET 0) part
             ON true
         ORDER BY message.id DESC",
    )
    .bind(client.0)
    .bind(ids)
    .fetch_all(db)
    .await?;
    Ok(found)
}
