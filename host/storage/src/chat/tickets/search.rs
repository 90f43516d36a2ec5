//! Search of tickets (SPEC 4.3), newest first.

use chrono::{DateTime, Utc};
use domain::{
    chat::{Rating, TicketStatus},
    ids::{ClientId, ParticipantId, UserId},
    page::{Page, PageRequest},
};
use uuid::Uuid;

use super::{Ticket, TicketRow};
use crate::{
    PgConnection, Result,
    chat::list_conditions::{COUNTED, counted_page},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Opened at or after this time.
    pub from: DateTime<Utc>,
    /// Opened at or before this time.
    pub until: DateTime<Utc>,
    /// Digits of the business number, or another address of the inbox.
    pub inbox_address: Option<String>,
    pub rating: Option<Rating>,
    pub number: Option<i64>,
    pub agent: Option<UserId>,
    pub status: Option<TicketStatus>,
    pub chats: Option<Vec<ParticipantId>>,
}

impl Filter {
    fn chat_ids(&self) -> Option<Vec<Uuid>> {
        Some(self.chats.as_ref()?.iter().map(|chat| chat.0).collect())
    }
}

/// The conditions name only the given fields, so that each filter uses its index.
fn conditions(filter: &Filter, inboxes: Option<&[Uuid]>) -> String {
    let given = |is_given: bool, asked: &'static str, otherwise: &'static str| if is_given { asked } else { otherwise };
    let inbox = match inboxes {
        None => "$4::uuid[] IS NULL",
        Some([_]) => "inbox_id = ($4::uuid[])[1]",
        Some(_) => "inbox_id = ANY($4::uuid[])",
    };
    [
        "client_id = $1 AND created_at >= $2 AND created_at <= $3",
        inbox,
        given(filter.rating.is_some(), "rating = $5", "$5::text IS NULL"),
        given(filter.number.is_some(), "number = $6", "$6::bigint IS NULL"),
        given(filter.agent.is_some(), "agent_id = $7", "$7::uuid IS NULL"),
        given(filter.status.is_some(), "status = $8", "$8::text IS NULL"),
        given(filter.chats.is_some(), "participant_id = ANY($9::uuid[])", "$9::uuid[] IS NULL"),
    ]
    .join(" AND ")
}

/// The statement of a page: offset `$10`, limit `$11`. Public for the test of its plan.
#[doc(hidden)]
pub fn page_statement(filter: &Filter, inboxes: Option<&[Uuid]>) -> String {
    let conditions = conditions(filter, inboxes);
    format!(
        "SELECT client_id, id, number, participant_id, inbox_id, status, agent_id, rating, created_at, updated_at, closed_at
         FROM ticket WHERE {conditions} ORDER BY created_at DESC, id DESC OFFSET $10 LIMIT $11"
    )
}

#[doc(hidden)]
pub fn count_statement(filter: &Filter, inboxes: Option<&[Uuid]>) -> String {
    let conditions = conditions(filter, inboxes);
    format!("SELECT count(*) FROM (SELECT 1 FROM ticket WHERE {conditions} LIMIT $10) counted")
}

/// Returns a page of the tickets that match a filter. More than [`COUNTED`] are counted as in lists of chats.
pub async fn search(
    db: &mut PgConnection,
    client: ClientId,
    filter: &Filter,
    page: PageRequest,
) -> Result<Page<Ticket>> {
    let inboxes = match &filter.inbox_address {
        Some(address) => Some(inboxes_at(db, client, address).await?),
        None => None,
    };
    if inboxes.as_ref().is_some_and(Vec::is_empty) || filter.chats.as_ref().is_some_and(Vec::is_empty) {
        return Ok(Page { items: Vec::new(), total: 0 });
    }
    let inboxes = inboxes.as_deref();
    let rows: Vec<TicketRow> = sqlx::query_as(&page_statement(filter, inboxes))
        .bind(client.0)
        .bind(filter.from)
        .bind(filter.until)
        .bind(inboxes)
        .bind(filter.rating.map(Rating::as_str))
        .bind(filter.number)
        .bind(filter.agent.map(|agent| agent.0))
        .bind(filter.status.map(TicketStatus::as_str))
        .bind(filter.chat_ids())
        .bind(page.offset())
        .bind(page.limit() + 1)
        .fetch_all(&mut *db)
        .await?;
    let counted: i64 = sqlx::query_scalar(&count_statement(filter, inboxes))
        .bind(client.0)
        .bind(filter.from)
        .bind(filter.until)
        .bind(inboxes)
        .bind(filter.rating.map(Rating::as_str))
        .bind(filter.number)
        .bind(filter.agent.map(|agent| agent.0))
        .bind(filter.status.map(TicketStatus::as_str))
        .bind(filter.chat_ids())
        .bind(i64::try_from(COUNTED).unwrap_or(i64::MAX))
        .fetch_one(db)
        .await?;
    counted_page(rows, u64::try_from(counted).unwrap_or_default(), page)
}

/// Returns the inboxes of a client with this address: one, unless two channels share it.
async fn inboxes_at(db: &mut PgConnection, client: ClientId, address: &str) -> Result<Vec<Uuid>> {
    let found = sqlx::query_scalar("SELECT id FROM inbox WHERE client_id = $1 AND address = $2")
        .bind(client.0)
        .bind(address)
        .fetch_all(db)
        .await?;
    Ok(found)
}
