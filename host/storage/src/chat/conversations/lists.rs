//! Lists of conversations, the newest first. What was merged away is not in them: the one that goes on is.

use domain::{
    conversation::Conversation,
    ids::{ClientId, ConversationId},
    page::PageRequest,
};
use sqlx::PgConnection;

use super::ConversationRow;
use crate::Result;

/// A page of the client's conversations whose sender, recipient or id contains `search` (`""` = all), and how many there
/// are.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    search: &str,
    page: PageRequest,
) -> Result<(Vec<Conversation>, i64)> {
    let rows: Vec<ConversationRow> = sqlx::query_as(
        "SELECT one.*, (SELECT address FROM inbox WHERE inbox.client_id = $1 AND inbox.id = one.inbox_id) AS sender,
                (SELECT client_ref FROM client WHERE client.id = $1) AS client_ref
         FROM conversation one
         WHERE one.client_id = $1 AND one.merged_into IS NULL
           AND ($2 = '' OR strpos(one.recipient, $2) > 0 OR strpos(lower(one.customer_user_id), $2) > 0
                OR strpos(one.id::text, $2) > 0
                OR one.inbox_id IN (SELECT id FROM inbox WHERE inbox.client_id = $1 AND strpos(inbox.address, $2) > 0))
         ORDER BY one.id DESC OFFSET $3 LIMIT $4",
    )
    .bind(client.0)
    .bind(search)
    .bind(page.offset())
    .bind(page.limit())
    .fetch_all(&mut *db)
    .await?;
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM conversation one
         WHERE one.client_id = $1 AND one.merged_into IS NULL
           AND ($2 = '' OR strpos(one.recipient, $2) > 0 OR strpos(lower(one.customer_user_id), $2) > 0
                OR strpos(one.id::text, $2) > 0
                OR one.inbox_id IN (SELECT id FROM inbox WHERE inbox.client_id = $1 AND strpos(inbox.address, $2) > 0))",
    )
    .bind(client.0)
    .bind(search)
    .fetch_one(db)
    .await?;
    let items: Result<Vec<Conversation>> = rows.into_iter().map(Conversation::try_from).collect();
    Ok((items?, total))
}

/// Of the client's conversations, `limit` that are older than `before`.
pub async fn after(
    db: &mut PgConnection,
    client: ClientId,
    before: Option<ConversationId>,
    limit: i64,
) -> Result<Vec<Conversation>> {
    let rows: Vec<ConversationRow> = sqlx::query_as(
        "SELECT one.*, (SELECT address FROM inbox WHERE inbox.client_id = $1 AND inbox.id = one.inbox_id) AS sender,
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
