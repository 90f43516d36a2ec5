//! Automatic assignment: a chat in the queue of a team goes to a member who is available and has room. This runs when a
//! chat joins the queue and when a member has room again. The second is due work of the team
//! (`storage::chat::due_work::room_of`), so teams without due work cost nothing.

use base::{Context, Result, lanes::Lease};
use domain::{
    chat::{ParticipantMove, ParticipantState},
    event::Event,
    ids::{ClientId, TeamId},
    team::Assignment,
};
use storage::{
    PgConnection,
    chat::{
        agents::{self, AgentOrder},
        due_work,
        participants::{self, Participant},
    },
};

use super::texts::send_text;
use crate::conversation::{
    assignment::{self, NewAgent},
    event_facts, waiting_events,
};

const GIVEN: &str = "given out by itself";
const AT_ONCE: i64 = 100;

pub(super) enum AssignmentOutcome {
    Given(Vec<Event>),
    NoAgent,
}

pub(super) async fn give_out(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    chat: &mut Participant,
    team: TeamId,
) -> Result<AssignmentOutcome> {
    let order = match due_work::giving_of(db, client, team).await? {
        Some(Assignment::RoundRobin) => AgentOrder::RoundRobin,
        Some(Assignment::LeastBusy) => AgentOrder::LeastBusy,
        Some(Assignment::Off) | None => return Ok(AssignmentOutcome::NoAgent),
    };
    due_work::hold_team(db, client, team).await?;
    let before = chat.clone();
    let mut members = agents::available_of_team(db, client, team, order, ctx.settings.limits.agent_chats).await?;
    // An agent who passed the chat on in this episode gets it back only if no other member has room.
    let passed_on = chat.ticket.and(chat.last_assigned_agent);
    members.sort_by_key(|agent| passed_on == Some(agent.id));
    for agent in members {
        let to = NewAgent { agent: agent.id, step: ParticipantMove::Assigned };
        let given = assignment::give(ctx, db, client, chat, to).await?;
        // The member has just become full or left, so the next one is tried.
        let Ok(ticket) = given else { continue };
        chat.queued_reason = Some(GIVEN.to_owned());
        waiting_events::remove_all(ctx, db, client, chat.id).await?;
        let moved = event_facts::moved_event(&before, chat);
        return Ok(AssignmentOutcome::Given([Some(moved), ticket].into_iter().flatten().collect()));
    }
    Ok(AssignmentOutcome::NoAgent)
}

/// Assigns the waiting chats of a team, longest wait first, until no member has room or no chat waits.
pub(super) async fn fill_room(ctx: &Context, lease: &Lease, team: TeamId) -> Result<()> {
    let client = lease.client;
    while !lease.is_over() {
        let (seen, waiting) = {
            let mut db = ctx.db.acquire().await?;
            let Some(seen) = due_work::room_seen(&mut db, client, team).await? else { return Ok(()) };
            (seen, due_work::waiting_for(&mut db, client, team, AT_ONCE).await?)
        };
        let mut all_given = !waiting.is_empty();
        for id in waiting {
            if lease.is_over() {
                return Ok(());
            }
            let mut tx = ctx.db.begin().await?;
            lease.hold(&mut tx).await?;
            let waits = |chat: &Participant| {
                chat.state == ParticipantState::Queued && chat.team.as_ref().is_some_and(|of| of.id == team)
            };
            // The chat was taken since the query.
            let Some(mut chat) = participants::lock(&mut tx, client, id).await?.filter(waits) else { continue };
            match give_out(ctx, &mut tx, client, &mut chat, team).await? {
                AssignmentOutcome::Given(happened) => {
                    let wakes = send_text(ctx, &mut tx, client, &chat, happened).await?;
                    tx.commit().await?;
                    ctx.wake.wake_all(client, wakes);
                }
                AssignmentOutcome::NoAgent => {
                    all_given = false;
                    break;
                }
            }
        }
        if all_given {
            // There may be more of them.
            continue;
        }
        let mut tx = ctx.db.begin().await?;
        lease.hold(&mut tx).await?;
        due_work::room_used(&mut tx, client, team, &seen).await?;
        tx.commit().await?;
    }
    Ok(())
}
