//! Tickets: episodes of chats with an agent (SPEC 2.9, DESIGN 7 "participant").

mod search;

use chrono::{DateTime, Utc};
use domain::{
    chat::{Rating, TicketStatus},
    ids::{ClientId, InboxId, ParticipantId, TicketId, UserId},
};
use uuid::Uuid;

pub use search::{Filter, count_statement, page_statement, search};

use crate::{Error, PgConnection, Result, column_values::read_value};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    pub id: TicketId,
    pub number: i64,
    pub participant: ParticipantId,
    pub inbox: InboxId,
    pub status: TicketStatus,
    pub agent: Option<UserId>,
    pub rating: Option<Rating>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub closed_at: Option<DateTime<Utc>>,
}

#[derive(sqlx::FromRow)]
struct TicketRow {
    id: Uuid,
    number: i64,
    participant_id: Uuid,
    inbox_id: Uuid,
    status: String,
    agent_id: Option<Uuid>,
    rating: Option<String>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    closed_at: Option<DateTime<Utc>>,
}

impl TryFrom<TicketRow> for Ticket {
    type Error = Error;

    fn try_from(row: TicketRow) -> Result<Self> {
        let rating = |text: &str| read_value("ticket", "rating", text, Rating::from_name);
        Ok(Self {
            id: TicketId(row.id),
            number: row.number,
            participant: ParticipantId(row.participant_id),
            inbox: InboxId(row.inbox_id),
            status: read_value("ticket", "status", &row.status, TicketStatus::from_name)?,
            agent: row.agent_id.map(UserId),
            rating: row.rating.as_deref().map(rating).transpose()?,
            created_at: row.created_at,
            updated_at: row.updated_at,
            closed_at: row.closed_at,
        })
    }
}

#[derive(Debug, Clone, Copy)]
pub struct TicketOpening {
    pub id: TicketId,
    pub participant: ParticipantId,
    pub inbox: InboxId,
    pub agent: UserId,
}

/// Opens a ticket with the next number. Other openings wait, so that numbers have no gaps: open a ticket last.
pub async fn open(db: &mut PgConnection, client: ClientId, new: TicketOpening, now: DateTime<Utc>) -> Result<Ticket> {
    let row: TicketRow = sqlx::query_as(
        "WITH next AS (
             INSERT INTO ticket_counter AS counter (client_id, last_number) VALUES ($1, 1)
             ON CONFLICT (client_id) DO UPDATE SET last_number = counter.last_number + 1 RETURNING last_number)
         INSERT INTO ticket (client_id, id, number, participant_id, inbox_id, status, agent_id, created_at, updated_at)
         SELECT $1, $2, last_number, $3, $4, 'OPEN', $5, $6, $6 FROM next RETURNING *",
    )
    .bind(client.0)
    .bind(new.id.0)
    .bind(new.participant.0)
    .bind(new.inbox.0)
    .bind(new.agent.0)
    .bind(now)
    .fetch_one(db)
    .await?;
    row.try_into()
}

pub async fn find(db: &mut PgConnection, client: ClientId, id: TicketId) -> Result<Option<Ticket>> {
    let row: Option<TicketRow> = sqlx::query_as("SELECT client_id, id, number, participant_id, inbox_id, status, agent_id, rating, created_at, updated_at, closed_at
         FROM ticket WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id.0)
        .fetch_optional(db)
        .await?;
    row.map(Ticket::try_from).transpose()
}

pub async fn by_number(db: &mut PgConnection, client: ClientId, number: i64) -> Result<Option<Ticket>> {
    let row: Option<TicketRow> = sqlx::query_as("SELECT client_id, id, number, participant_id, inbox_id, status, agent_id, rating, created_at, updated_at, closed_at
         FROM ticket WHERE client_id = $1 AND number = $2")
        .bind(client.0)
        .bind(number)
        .fetch_optional(db)
        .await?;
    row.map(Ticket::try_from).transpose()
}

pub async fn lock(db: &mut PgConnection, client: ClientId, id: TicketId) -> Result<Option<Ticket>> {
    let row: Option<TicketRow> = sqlx::query_as("SELECT client_id, id, number, participant_id, inbox_id, status, agent_id, rating, created_at, updated_at, closed_at
         FROM ticket WHERE client_id = $1 AND id = $2 FOR UPDATE")
        .bind(client.0)
        .bind(id.0)
        .fetch_optional(db)
        .await?;
    row.map(Ticket::try_from).transpose()
}

pub async fn save(db: &mut PgConnection, client: ClientId, ticket: &Ticket) -> Result<()> {
    sqlx::query(
        "UPDATE ticket SET status = $3, agent_id = $4, updated_at = $5, closed_at = $6 WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(ticket.id.0)
    .bind(ticket.status.as_str())
    .bind(ticket.agent.map(|agent| agent.0))
    .bind(ticket.updated_at)
    .bind(ticket.closed_at)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, Copy)]
pub struct TicketRating {
    pub chat: ParticipantId,
    pub ticket: TicketId,
    pub rating: Rating,
}

/// Stores the rating of a ticket in any status; `false` if it has one or is not a ticket of the chat.
pub async fn rate(
    db: &mut PgConnection,
    client: ClientId,
    TicketRating { chat, ticket, rating }: TicketRating,
    now: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE ticket SET rating = $4, updated_at = $5
         WHERE client_id = $1 AND id = $3 AND participant_id = $2 AND rating IS NULL",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(ticket.0)
    .bind(rating.as_str())
    .bind(now)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn give_to(db: &mut PgConnection, client: ClientId, kept: ParticipantId, gone: ParticipantId) -> Result<()> {
    sqlx::query("UPDATE ticket SET participant_id = $2 WHERE client_id = $1 AND participant_id = $3")
        .bind(client.0)
        .bind(kept.0)
        .bind(gone.0)
        .execute(db)
        .await?;
    Ok(())
}
