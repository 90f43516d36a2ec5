//! Automatic assignment: a chat that waits for a team whose chats are given out by themselves goes to a member who is
//! available and has room. Looked at when a chat comes to the queue, and when a member has room again: that is due work of the team
//! (`storage::chat::due::room_of`), so teams for which nothing is due cost nothing.

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

/// Why an agent has a chat that it did not take.
const GIVEN: &str = "given out by itself";
/// Chats that are looked at for a team at once.
const AT_ONCE: i64 = 100;

/// What became of a chat that was to be given out.
pub(super) enum GivenOut {
    /// An agent has it, and this happened.
    Given(Vec<Event>),
    /// Nobody is there who could take it, or the team does not give out chats.
    Nobody,
}

/// Gives a locked chat that waits for a team to a member of it, if there is one who can take it. The caller saves the chat.
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
    // Whoever had the chat in this episode has passed it on: it goes back only where no other member has room.
    let passed_on = chat.ticket.and(chat.last_assigned_agent);
    members.sort_by_key(|agent| passed_on == Some(agent.id));
    for agent in members {
        let given = giving::give(ctx, db, client, (&mut *chat, ParticipantMove::Assigned), agent.id).await?;
        // It got its last chat from elsewhere in this moment, or left: the next one is asked.
        let Ok(ticket) = given else { continue };
        chat.queued_reason = Some(GIVEN.to_owned());
        participant_events::remove_all(db, client, chat.id).await?;
        let moved = as_event::moved(&before, chat);
        return Ok(GivenOut::Given([Some(moved), ticket].into_iter().flatten().collect()));
    }
    Ok(GivenOut::Nobody)
}

/// Gives chats that wait for a team to its members, those that have waited longest first, until nobody has room or nothing waits.
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
            // Somebody took it meanwhile.
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
