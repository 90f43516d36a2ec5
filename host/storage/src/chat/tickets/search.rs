//! The search of tickets (SPEC 4.3), the newest first.

use chrono::{DateTime, Utc};
use domain::{
    chat::{Rating, TicketStatus},
    ids::{ClientId, UserId},
    page::{Page, PageRequest},
};
use sqlx::PgConnection;

use super::{Ticket, TicketRow};
use crate::{Result, chat::lists::COUNTED};

/// What is looked for. What is `None` may be anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Opened then or later.
    pub from: DateTime<Utc>,
    /// Opened then or earlier.
    pub until: DateTime<Utc>,
    /// Digits of the business number, or what else the inbox is reached at.
    pub inbox_address: Option<String>,
    /// What the customer thought of it.
    pub rating: Option<Rating>,
    /// Its number.
    pub number: Option<i64>,
    /// Who works on it.
    pub agent: Option<UserId>,
    /// Where it stands.
    pub status: Option<TicketStatus>,
}

/// A page of the tickets that a filter lets through. Those beyond [`COUNTED`] are counted as the lists of chats are.
pub async fn search(
    db: &mut PgConnection,
    client: ClientId,
    filter: &Filter,
    page: PageRequest,
) -> Result<Page<Ticket>> {
    let rows: Vec<TicketRow> = sqlx::query_as(
        "SELECT * FROM ticket
         WHERE client_id = $1 AND created_at >= $2 AND created_at <= $3
           AND ($4::text IS NULL OR inbox_id IN
                (SELECT inbox.id FROM inbox WHERE inbox.client_id = $1 AND inbox.address = $4))
           AND ($5::text IS NULL OR rating = $5) AND ($6::bigint IS NULL OR number = $6)
           AND ($7::uuid IS NULL OR agent_id = $7) AND ($8::text IS NULL OR status = $8)
         ORDER BY created_at DESC, id DESC OFFSET $9 LIMIT $10",
    )
    .bind(client.0)
    .bind(filter.from)
    .bind(filter.until)
    .bind(filter.inbox_address.as_deref())
    .bind(filter.rating.map(Rating::as_str))
    .bind(filter.number)
    .bind(filter.agent.map(|agent| agent.0))
    .bind(filter.status.map(TicketStatus::as_str))
    .bind(page.offset())
    .bind(page.limit() + 1)
    .fetch_all(&mut *db)
    .await?;
    let counted: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM (
             SELECT 1 FROM ticket
             WHERE client_id = $1 AND created_at >= $2 AND created_at <= $3
               AND ($4::text IS NULL OR inbox_id IN
                    (SELECT inbox.id FROM inbox WHERE inbox.client_id = $1 AND inbox.address = $4))
               AND ($5::text IS NULL OR rating = $5) AND ($6::bigint IS NULL OR number = $6)
               AND ($7::uuid IS NULL OR agent_id = $7) AND ($8::text IS NULL OR status = $8)
             LIMIT $9) counted",
    )
    .bind(client.0)
    .bind(filter.from)
    .bind(filter.until)
    .bind(filter.inbox_address.as_deref())
    .bind(filter.rating.map(Rating::as_str))
    .bind(filter.number)
    .bind(filter.agent.map(|agent| agent.0))
    .bind(filter.status.map(TicketStatus::as_str))
    .bind(i64::try_from(COUNTED).unwrap_or(i64::MAX))
    .fetch_one(db)
    .await?;
    let seen = u64::try_from(page.offset()).unwrap_or_default() + u64::try_from(rows.len()).unwrap_or_default();
    let counted = u64::try_from(counted).unwrap_or_default();
    let total = if counted < COUNTED || rows.is_empty() { counted } else { seen.max(counted) };
    let size = usize::try_from(page.size).unwrap_or(usize::MAX);
    let items = rows.into_iter().take(size).map(Ticket::try_from).collect::<Result<Vec<_>>>()?;
    Ok(Page { items, total })
}
