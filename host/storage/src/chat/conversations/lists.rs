//! Lists of conversations, newest first, without those that were merged into another one.

use domain::{
    conversation::Conversation,
    ids::{ClientId, ConversationId},
    page::PageRequest,
};

use super::ConversationRow;
use crate::{PgConnection, Result};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationSearch {
    /// Part of the sender, of the customer's id or of the conversation's id; folded. `""`: all conversations.
    pub words: String,
    /// Part of the number of the sender or recipient, in its spellings. Empty if no number is searched.
    pub numbers: Vec<String>,
    /// How many digits at the end of the recipient's number may be searched.
    pub recipient_digits: usize,
}

pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    looked: &ConversationSearch,
    page: PageRequest,
) -> Result<(Vec<Conversation>, i64)> {
    let rows: Vec<ConversationRow> = sqlx::query_as(
        "SELECT one.client_id, one.id, one.inbox_id, one.customer_id, one.participant_id, one.recipient,
                one.customer_user_id, one.ct_id, one.tqrmt_id, one.created_at, one.expires_at, one.closed_at,
                one.close_reason, one.merged_into,
                (SELECT address FROM inbox WHERE inbox.client_id = $1 AND inbox.id = one.inbox_id) AS sender,
                (SELECT client_ref FROM client WHERE client.id = $1) AS client_ref
         FROM conversation one
         WHERE one.client_id = $1 AND one.merged_into IS NULL
           AND ($2 = '' OR strpos(lower(one.customer_user_id), $2) > 0 OR strpos(one.id::text, $2) > 0
                OR EXISTS (SELECT FROM unnest($3::text[]) AS number
                           WHERE strpos(right(one.recipient, $4), number) > 0)
                OR one.inbox_id IN (SELECT id FROM inbox CROSS JOIN unnest($3::text[] || $2) AS part
                                    WHERE inbox.client_id = $1 AND strpos(lower(inbox.address), part) > 0))
         ORDER BY one.id DESC OFFSET $5 LIMIT $6",
    )
    .bind(client.0)
    .bind(&looked.words)
    .bind(&looked.numbers)
    .bind(i32::try_from(looked.recipient_digits).unwrap_or(i32::MAX))
    .bind(page.offset())
    .bind(page.limit())
    .fetch_all(&mut *db)
    .await?;
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM conversation one
         WHERE one.client_id = $1 AND one.merged_into IS NULL
           AND ($2 = '' OR strpos(lower(one.customer_user_id), $2) > 0 OR strpos(one.id::text, $2) > 0
                OR EXISTS (SELECT FROM unnest($3::text[]) AS number
                           WHERE strpos(right(one.recipient, $4), number) > 0)
                OR one.inbox_id IN (SELECT id FROM inbox CROSS JOIN unnest($3::text[] || $2) AS part
                                    WHERE inbox.client_id = $1 AND strpos(lower(inbox.address), part) > 0))",
    )
    .bind(client.0)
    .bind(&looked.words)
    .bind(&looked.numbers)
    .bind(i32::try_from(looked.recipient_digits).unwrap_or(i32::MAX))
    .fetch_one(db)
    .await?;
    let items: Result<Vec<Conversation>> = rows.into_iter().map(Conversation::try_from).collect();
    Ok((items?, total))
}

pub async fn after(
    db: &mut PgConnection,
    client: ClientId,
    before: Option<ConversationId>,
    limit: i64,
) -> Result<Vec<Conversation>> {
    let rows: Vec<ConversationRow> = sqlx::query_as(
        "SELECT one.client_id, one.id, one.inbox_id, one.customer_id, one.participant_id, one.recipient,
                one.customer_user_id, one.ct_id, one.tqrmt_id, one.created_at, one.expires_at, one.closed_at,
                one.close_reason, one.merged_into,
                (SELECT address FROM inbox WHERE inbox.client_id = $1 AND inbox.id = one.inbox_id) AS sender,
                (SELECT client_ref FROM client WHERE client.id = $1) AS client_ref
         FROM conversation one
         WHERE one.client_id = $1 AND one.merged_into IS NULL
           AND one.id < COALESCE($2::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
         ORDER BY one.id DESC LIMIT $3",
    )
    .bind(client.0)
    .bind(before.map(|id| id.0))
    .bind(limit)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(Conversation::try_from).collect()
}
