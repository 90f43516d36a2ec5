//! A chat has joined the queue. It goes to a member of its team who can take it. If no member can and the team's hours
//! are over, the customer gets the text once, and the waiting time starts at the next opening.

use base::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    chat::ParticipantState,
    content::OutboundContent,
    event::{ChatAfterHours, Event},
    ids::ClientId,
    team::AfterHoursText,
};
use storage::{
    PgConnection, Queue,
    chat::{due_work, participants::Participant},
    inboxes,
    people::customers,
    tenancy::teams,
};
use uuid::Uuid;

use super::{
    assignment::{self, AssignmentOutcome},
    texts::send_text,
};
use crate::{
    conversation::window::{ChatWindow, WindowWriter},
    send_to_customer as saying,
};

pub(super) async fn arrive(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    mut chat: Participant,
    came_at: DateTime<Utc>,
) -> Result<Vec<(Queue, Uuid)>> {
    if chat.state != ParticipantState::Queued {
        return Ok(Vec::new());
    }
    let team = match chat.team.as_ref().map(|team| team.id) {
        Some(team) => teams::get(db, client, team).await?,
        None => None,
    };
    let Some(team) = team else { return handle_arrival(ctx, db, client, chat, came_at).await };
    if let AssignmentOutcome::Given(happened) = assignment::give_out(ctx, db, client, &mut chat, team.id).await? {
        return send_text(ctx, db, client, &chat, happened).await;
    }
    if team.hours.is_open(came_at) {
        return handle_arrival(ctx, db, client, chat, came_at).await;
    }
    if let Some(opens) = team.hours.next_open(came_at) {
        due_work::postpone_answer_wait(db, client, chat.id, until(ctx, opens), ctx.now()).await?;
    }
    if chat.after_hours {
        return Ok(Vec::new());
    }
    chat.after_hours = true;
    let said = match &team.after_hours_text {
        Some(text) => send_after_hours_text(ctx, db, client, &mut chat, text).await?,
        None => None,
    };
    let flagged = Event::ChatAfterHours(ChatAfterHours { participant: chat.id, team: team.id });
    let is_said = said.is_some();
    let mut wakes = send_text(ctx, db, client, &chat, [Some(flagged), said].into_iter().flatten()).await?;
    if is_said {
        wakes.push((Queue::Outbound, chat.inbox.0));
    }
    Ok(wakes)
}

pub(super) fn until(ctx: &Context, from: DateTime<Utc>) -> DateTime<Utc> {
    let patience = TimeDelta::from_std(ctx.settings.limits.missed_after).unwrap_or(TimeDelta::MAX);
    from.checked_add_signed(patience).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

/// Agents are present, so a chat that waited outside the hours of another team waits for them from now on.
async fn handle_arrival(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    mut chat: Participant,
    came_at: DateTime<Utc>,
) -> Result<Vec<(Queue, Uuid)>> {
    if !chat.after_hours {
        return Ok(Vec::new());
    }
    chat.after_hours = false;
    due_work::postpone_answer_wait(db, client, chat.id, until(ctx, came_at), ctx.now()).await?;
    send_text(ctx, db, client, &chat, []).await
}

/// Sends the after-hours text to the customer of a locked chat, unless the channel would refuse it.
async fn send_after_hours_text(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    chat: &mut Participant,
    text: &AfterHoursText,
) -> Result<Option<Event>> {
    let inbox = inboxes::by_id(db, client, chat.inbox).await?;
    let customer = customers::find(db, client, chat.customer).await?;
    let (Some(inbox), Some(customer)) = (inbox, customer) else { return Ok(None) };
    let window = ChatWindow { chat: &*chat, kind: inbox.kind() };
    if customer.addresses.written_to(inbox.kind()).is_none()
        || window.closed_reason(ctx, db, client, WindowWriter::Program).await?.is_some()
    {
        return Ok(None);
    }
    let content = OutboundContent::Text { body: text.as_str().to_owned() };
    let words = saying::TextOwner {
        content: &content,
        purpose: saying::TextPurpose::AfterHours,
        owner: saying::BOT_OWNER,
        quotes: None,
        of_agent: saying::AgentFields::default(),
    };
    let place = saying::SayTarget { chat, inbox: inbox.kind(), customer: &customer };
    let (_, said) = saying::send_and_record(ctx, db, client, place, &words).await?;
    Ok(Some(said))
}
