//! Tickets: search, and status by hand (SPEC 4.3).

use std::collections::HashMap;

use base::Context;
use domain::{
    event::TicketStatus,
    ids::{ClientId, InboxId, TicketId, UserId},
    page::{Page, PageRequest},
};
use events::{NewEvent, record};
pub use storage::chat::tickets::Filter;
use storage::{
    PgConnection,
    chat::{
        lists::{self, ShownAgent, ShownCustomer},
        participants,
        tickets::{self, Ticket},
    },
    people::customers,
    tenancy::clients,
};

use super::{ActingUser, DeskError, lists as chat_lists};
use crate::conversation::{event_facts, ticketing};

/// Chats whose tickets a search for a customer covers.
const SEARCHED_CHATS: u32 = 1_000;

#[derive(Debug, Clone)]
pub struct TicketView {
    pub ticket: Ticket,
    pub customer: Option<ShownCustomer>,
    pub inbox_address: Option<String>,
    pub client_ref: String,
    pub agent: Option<(UserId, ShownAgent)>,
}

/// A text of `customer` that is not blank finds the tickets of customers with it in a name or number. If more than
/// [`SEARCHED_CHATS`] chats match, it covers those with the latest messages.
pub async fn search(
    ctx: &Context,
    acting: ActingUser,
    filter: Filter,
    customer: &str,
    page: PageRequest,
) -> Result<Page<TicketView>, DeskError> {
    let client = acting.client;
    let mut db = ctx.db.acquire().await?;
    let of_customers = chat_lists::chats_of_customers(&mut db, acting, customer, SEARCHED_CHATS).await?;
    let chats = match (&filter.chats, of_customers) {
        (Some(asked), Some(found)) => Some(found.into_iter().filter(|chat| asked.contains(chat)).collect()),
        (Some(asked), None) => Some(asked.clone()),
        (None, found) => found,
    };
    let found = tickets::search(&mut db, client, &Filter { chats, ..filter }, page).await?;
    Ok(Page { items: views(&mut db, client, found.items).await?, total: found.total })
}

pub async fn by_number(ctx: &Context, acting: ActingUser, number: &str) -> Result<TicketView, DeskError> {
    let number = ticket_number(number).ok_or(DeskError::NotFound)?;
    let mut db = ctx.db.acquire().await?;
    let ticket = tickets::by_number(&mut db, acting.client, number).await?.ok_or(DeskError::NotFound)?;
    view(&mut db, acting.client, ticket).await
}

/// Sets the status of a ticket: any of the five at any time (SPEC 3.5). The chat does not change.
pub async fn set_status(
    ctx: &Context,
    acting: ActingUser,
    id: TicketId,
    to: TicketStatus,
) -> Result<TicketView, DeskError> {
    let client = acting.client;
    let mut tx = ctx.db.begin().await?;
    let mut ticket = tickets::lock(&mut tx, client, id).await?.ok_or(DeskError::NotFound)?;
    let mut wakes = Vec::new();
    if let Some(event) = ticketing::set(ctx, &mut tx, client, &mut ticket, to).await? {
        let chat = participants::find(&mut tx, client, ticket.participant).await?.ok_or(DeskError::NotFound)?;
        let customer = customers::find(&mut tx, client, chat.customer).await?.ok_or(DeskError::NotFound)?;
        let order_key = event_facts::order_key(chat.inbox, &customer);
        let happened = NewEvent { inbox: Some(chat.inbox), order_key, at: ctx.now(), event };
        wakes = record(ctx, &mut tx, client, &[happened]).await?;
    }
    let view = view(&mut tx, client, ticket).await?;
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    Ok(view)
}

pub fn ticket_number(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number| *number > 0)
}

async fn view(db: &mut PgConnection, client: ClientId, ticket: Ticket) -> Result<TicketView, DeskError> {
    views(db, client, vec![ticket]).await?.pop().ok_or(DeskError::NotFound)
}

async fn views(db: &mut PgConnection, client: ClientId, found: Vec<Ticket>) -> Result<Vec<TicketView>, DeskError> {
    let Some(known) = clients::get(db, client).await?.filter(|_| !found.is_empty()) else { return Ok(Vec::new()) };
    let chats: Vec<_> = found.iter().map(|ticket| ticket.participant).collect();
    let customers = lists::customers_of_chats(db, client, &chats).await?;
    let agents: Vec<UserId> = found.iter().filter_map(|ticket| ticket.agent).collect();
    let agents = if agents.is_empty() { HashMap::new() } else { lists::agents(db, client, &agents).await? };
    let mut inboxes: Vec<InboxId> = found.iter().map(|ticket| ticket.inbox).collect();
    inboxes.sort_unstable();
    inboxes.dedup();
    let inboxes = lists::inbox_addresses(db, client, &inboxes).await?;
    let view = |ticket: Ticket| TicketView {
        customer: customers.get(&ticket.participant).cloned(),
        inbox_address: inboxes.get(&ticket.inbox).cloned(),
        client_ref: known.client_ref.clone(),
        agent: ticket.agent.and_then(|id| Some((id, agents.get(&id)?.clone()))),
        ticket,
    };
    Ok(found.into_iter().map(view).collect())
}
