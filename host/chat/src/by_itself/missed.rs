//! Missed chats: no agent answered within `limits.missed_after`, counted in the hours of the team.

use base::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    chat::ParticipantState,
    event::{ChatMissed, Event},
    ids::ClientId,
};
use storage::{
    PgConnection, Queue,
    chat::{
        due::{self, Due},
        participants::Participant,
    },
    tenancy::teams,
};
use uuid::Uuid;

use super::{arriving::until, say};

/// Marks a locked chat as missed, by its agent if it has one. For a customer who came outside the hours of the team,
/// the wait begins with the hours.
pub(super) async fn note(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    (mut chat, due_at): (Participant, DateTime<Utc>),
) -> Result<Vec<(Queue, Uuid)>> {
    let agent = match chat.state {
        ParticipantState::Queued => None,
        ParticipantState::Active => chat.assigned_agent,
        ParticipantState::Bot | ParticipantState::Closed => return Ok(Vec::new()),
    };
    if let Some(due_at) = not_yet(ctx, db, client, (&chat, due_at)).await? {
        due::add(db, client, &[chat.id], Due::Answer, (due_at, ctx.now())).await?;
        return Ok(Vec::new());
    }
    // The first agent who missed it stays.
    (chat.missed, chat.missed_by) = (true, chat.missed_by.or(agent));
    // It was missed within the hours.
    chat.after_hours = false;
    let missed = ChatMissed { participant: chat.id, state: chat.state, agent };
    say(ctx, db, client, &chat, [Event::ChatMissed(missed)]).await
}

/// Returns until when a customer waits who came outside the hours; `None` if that is over.
async fn not_yet(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    (chat, due_at): (&Participant, DateTime<Utc>),
) -> Result<Option<DateTime<Utc>>> {
    let team = match chat.team.as_ref().map(|team| team.id) {
        Some(team) => teams::get(db, client, team).await?,
        None => None,
    };
    let Some(team) = team else { return Ok(None) };
    let patience = TimeDelta::from_std(ctx.settings.missed_after).unwrap_or(TimeDelta::MAX);
    let began = due_at.checked_sub_signed(patience).unwrap_or(DateTime::<Utc>::MIN_UTC);
    if team.hours.is_open(began) {
        return Ok(None);
    }
    // If the team is closed for a year, the chat is looked at again after that.
    let opens = team.hours.next_open(began).unwrap_or_else(|| ctx.now() + TimeDelta::days(366));
    Ok(Some(until(ctx, opens)).filter(|due_at| *due_at > ctx.now()))
}
