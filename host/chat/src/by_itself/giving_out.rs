//! Automatic assignment: a waiting chat of a team with automatic assignment goes to an available member with room. It
//! is tried when a chat comes to the queue, and when a member has room again. That is due work of the team
//! (`storage::chat::due::room_of`), so teams without due work cost nothing.

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
        agents::{self, Order},
        due, participant_events,
        participants::{self, Participant},
    },
};

use super::say;
use crate::conversation::{as_event, giving};

/// The reason of an assignment that the agent did not make.
const GIVEN: &str = "given out by itself";
/// Chats of a team that are read at once.
const AT_ONCE: i64 = 100;

/// The result of an assignment.
pub(super) enum GivenOut {
    /// An agent has the chat, with these events.
    Given(Vec<Event>),
    /// No member can take it, or the team has no automatic assignment.
    Nobody,
}

/// Gives a locked chat that waits for a team to a member who can take it, if there is one. The caller saves the chat.
pub(super) async fn give_out(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    (chat, team): (&mut Participant, TeamId),
) -> Result<GivenOut> {
    let order = match due::giving_of(db, client, team).await? {
        Some(Assignment::RoundRobin) => Order::RoundRobin,
        Some(Assignment::LeastBusy) => Order::LeastBusy,
        Some(Assignment::Off) | None => return Ok(GivenOut::Nobody),
    };
    due::hold_team(db, client, team).await?;
    let before = chat.clone();
    let mut members = agents::available_of_team(db, client, team, order, ctx.settings.agent_chats).await?;
    // The agent who had the chat in this episode has passed it on: it goes back only if no other member has room.
    let passed_on = chat.ticket.and(chat.last_assigned_agent);
    members.sort_by_key(|agent| passed_on == Some(agent.id));
    for agent in members {
        let given = giving::give(ctx, db, client, (&mut *chat, ParticipantMove::Assigned), agent.id).await?;
        // The agent got the last chat from elsewhere, or left: the next one is asked.
        let Ok(ticket) = given else { continue };
        chat.queued_reason = Some(GIVEN.to_owned());
        participant_events::remove_all(db, client, chat.id).await?;
        let moved = as_event::moved(&before, chat);
        return Ok(GivenOut::Given([Some(moved), ticket].into_iter().flatten().collect()));
    }
    Ok(GivenOut::Nobody)
}

/// Gives the chats that wait for a team to its members, the longest waiting first, until there is no room or no chat.
pub(super) async fn fill_room(ctx: &Context, lease: &Lease, team: TeamId) -> Result<()> {
    let client = lease.client;
    while !lease.is_over() {
        let (seen, waiting) = {
            let mut db = ctx.db.acquire().await?;
            let Some(seen) = due::room_seen(&mut db, client, team).await? else { return Ok(()) };
            (seen, due::waiting_for(&mut db, client, team, AT_ONCE).await?)
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
            // Another agent took it.
            let Some(mut chat) = participants::lock(&mut tx, client, id).await?.filter(waits) else { continue };
            match give_out(ctx, &mut tx, client, (&mut chat, team)).await? {
                GivenOut::Given(happened) => {
                    let wakes = say(ctx, &mut tx, client, &chat, happened).await?;
                    tx.commit().await?;
                    ctx.wake.wake_all(client, wakes);
                }
                GivenOut::Nobody => {
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
        due::room_used(&mut tx, client, team, &seen).await?;
        tx.commit().await?;
    }
    Ok(())
}
