//! Automatic assignment: a chat that waits for a team whose chats are given out by themselves goes to a member who is
//! available and has room. Looked at when a chat comes to the queue, and every second for teams for which chats wait while
//! somebody is available: agents become available, are freed and come back without anybody having to say so.

use base::{Context, Result};
use domain::{
    chat::{ParticipantMove, ParticipantState},
    ids::{ClientId, TeamId},
};
use storage::{
    PgConnection, Queue,
    chat::{
        agents::{self, Order},
        due::{self, Due, Giving},
        participant_events,
        participants::Participant,
    },
};
use uuid::Uuid;

use super::say;
use crate::conversation::{as_event, giving};

/// Teams, and chats of agents who left, that are looked at in one round.
const AT_ONCE: i64 = 200;
/// Why an agent has a chat that it did not take.
const GIVEN: &str = "given out by itself";

/// Gives a locked chat that waits for a team to a member of it, if there is one who can take it.
pub(super) async fn give_out(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    mut chat: Participant,
) -> Result<Vec<(Queue, Uuid)>> {
    let Some(team) = chat.team.as_ref().map(|team| team.id).filter(|_| chat.state == ParticipantState::Queued) else {
        return Ok(Vec::new());
    };
    let Some(order) = order_of(db, client, team).await? else { return Ok(Vec::new()) };
    due::hold_team(db, client, team).await?;
    let before = chat.clone();
    for agent in agents::available_of_team(db, client, team, order, ctx.settings.agent_chats).await? {
        let given = giving::give(ctx, db, client, (&mut chat, ParticipantMove::Assigned), agent.id).await?;
        // It got its last chat from elsewhere in this moment, or left: the next one is asked.
        let Ok(ticket) = given else { continue };
        chat.queued_reason = Some(GIVEN.to_owned());
        participant_events::remove_all(db, client, chat.id).await?;
        let moved = as_event::moved(&before, &chat);
        return say(ctx, db, client, &chat, [Some(moved), ticket].into_iter().flatten()).await;
    }
    Ok(Vec::new())
}

async fn order_of(db: &mut PgConnection, client: ClientId, team: TeamId) -> Result<Option<Order>> {
    Ok(match due::giving_of(db, client, team).await? {
        Some(Giving::RoundRobin) => Some(Order::RoundRobin),
        Some(Giving::LeastBusy) => Some(Order::LeastBusy),
        Some(Giving::Off) | None => None,
    })
}

/// Looks for chats that wait for a team while a member has room for them, as many as there is room for.
pub async fn give_out_waiting(ctx: &Context) -> Result<()> {
    let mut db = ctx.db.acquire().await?;
    for (client, team) in due::teams_with_waiting_chats(&mut db, AT_ONCE).await? {
        let Some(order) = order_of(&mut db, client, team).await? else { continue };
        let agents = agents::available_of_team(&mut db, client, team, order, ctx.settings.agent_chats).await?;
        let room: i64 = agents.iter().map(|agent| agent.limit - agent.active_chats).sum();
        if room <= 0 {
            continue;
        }
        let chats = due::waiting_for(&mut db, client, team, room.min(AT_ONCE)).await?;
        due::add(&mut db, client, &chats, Due::Arrived, (ctx.now(), ctx.now())).await?;
        ctx.wake.wake_all(client, chats.into_iter().map(|chat| (Queue::Chat, chat.0)));
    }
    Ok(())
}

/// Looks for chats of agents who were deleted.
pub async fn take_back_left(ctx: &Context) -> Result<()> {
    let mut db = ctx.db.acquire().await?;
    for (client, chat) in due::left_behind(&mut db, ctx.now(), AT_ONCE).await? {
        due::add(&mut db, client, &[chat], Due::Left, (ctx.now(), ctx.now())).await?;
        ctx.wake.wake(Queue::Chat, client, chat.0);
    }
    Ok(())
}
