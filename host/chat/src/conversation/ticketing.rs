//! The ticket of a chat's episode. It opens when an agent takes the chat, and events of the chat change its status
//! (SPEC 2.9, DESIGN 6).

use base::{Context, Result};
use domain::{
    chat::TicketMove,
    event::{Event, TicketStatus},
    ids::{ClientId, TicketId, UserId},
};
use storage::{
    PgConnection,
    chat::{
        participants::Participant,
        tickets::{self, Ticket, TicketOpening},
    },
};

use super::event_facts;

/// Gives the ticket of the locked chat to its agent, or opens a new one.
pub(crate) async fn take_up(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    chat: &mut Participant,
    agent: UserId,
) -> Result<Option<Event>> {
    if let Some(mut ticket) = current(db, client, chat).await?
        && !ticket.status.is_over()
    {
        ticket.agent = Some(agent);
        ticket.updated_at = ctx.now();
        tickets::save(db, client, &ticket).await?;
        return Ok(None);
    }
    let id: TicketId = ctx.mint();
    let new = TicketOpening { id, participant: chat.id, inbox: chat.inbox, agent };
    let ticket = tickets::open(db, client, new, ctx.now()).await?;
    chat.ticket = Some(id);
    Ok(Some(event_facts::ticket_moved(&ticket, None)))
}

/// Applies a step to the ticket of a locked chat. `None` if there is no ticket or its status stays.
pub(crate) async fn step(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    step: TicketMove,
) -> Result<Option<Event>> {
    let Some(mut ticket) = current(db, client, chat).await? else { return Ok(None) };
    if step == TicketMove::Passed && !ticket.status.is_over() {
        ticket.agent = None;
    }
    let to = ticket.status.after(step);
    set(ctx, db, client, &mut ticket, to).await
}

pub(crate) async fn set(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    ticket: &mut Ticket,
    to: TicketStatus,
) -> Result<Option<Event>> {
    let from = ticket.status;
    let now = ctx.now();
    ticket.status = to;
    ticket.updated_at = now;
    ticket.closed_at = to.is_over().then(|| ticket.closed_at.unwrap_or(now));
    tickets::save(db, client, ticket).await?;
    Ok((from != to).then(|| event_facts::ticket_moved(ticket, Some(from))))
}

async fn current(db: &mut PgConnection, client: ClientId, chat: &Participant) -> Result<Option<Ticket>> {
    Ok(match chat.ticket {
        Some(id) => tickets::lock(db, client, id).await?,
        None => None,
    })
}
