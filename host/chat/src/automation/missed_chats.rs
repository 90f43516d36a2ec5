//! No agent has answered within `limits.missed_after`, counted within the hours of the team.

use base::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    chat::ParticipantState,
    event::{ChatMissed, Event},
    ids::ClientId,
};
use storage::{
    PgConnection, Queue,
    chat::{due_work, participants::Participant},
    tenancy::teams,
};
use uuid::Uuid;

use super::{arrivals::until, texts::send_text};

/// Marks a locked chat as missed, by its agent if it has one. If the wait began outside the hours of the team, it
/// counts from the next opening.
pub(super) async fn note(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    mut chat: Participant,
    due_at: DateTime<Utc>,
) -> Result<Vec<(Queue, Uuid)>> {
    let agent = match chat.state {
        ParticipantState::Queued => None,
        ParticipantState::Active => chat.assigned_agent,
        ParticipantState::Bot | ParticipantState::Closed => return Ok(Vec::new()),
    };
    if let Some(due_at) = not_yet(ctx, db, client, &chat, due_at).await? {
        due_work::add_answer_wait(db, client, chat.id, due_at, ctx.now()).await?;
        return Ok(Vec::new());
    }
    // The first agent who missed it is kept.
    (chat.missed, chat.missed_by) = (true, chat.missed_by.or(agent));
    // The chat was missed within the hours.
    chat.after_hours = false;
    let missed = ChatMissed { participant: chat.id, state: chat.state, agent };
    send_text(ctx, db, client, &chat, [Event::ChatMissed(missed)]).await
}

/// The new deadline for a wait that began outside the hours. `None` if it is over.
async fn not_yet(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    due_at: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    let team = match chat.team.as_ref().map(|team| team.id) {
        Some(team) => teams::get(db, client, team).await?,
        None => None,
    };
    let Some(team) = team else { return Ok(None) };
    let patience = TimeDelta::from_std(ctx.settings.limits.missed_after).unwrap_or(TimeDelta::MAX);
    let began = due_at.checked_sub_signed(patience).unwrap_or(DateTime::<Utc>::MIN_UTC);
    if team.hours.is_open(began) {
        return Ok(None);
    }
    // If the team does not open within a year, check again then.
    let opens = team.hours.next_open(began).unwrap_or_else(|| ctx.now() + TimeDelta::days(366));
    Ok(Some(until(ctx, opens)).filter(|due_at| *due_at > ctx.now()))
}
