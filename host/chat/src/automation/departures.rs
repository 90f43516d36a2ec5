//! An agent was deleted or no longer answers customers. Its chats go back to the queue of their team.

use base::{Context, Result};
use domain::{
    chat::{ParticipantMove, ParticipantState, TicketMove},
    ids::ClientId,
};
use storage::{
    PgConnection, Queue,
    chat::{agents, participants::Participant},
};
use uuid::Uuid;

use super::texts::send_text;
use crate::conversation::{event_facts, ticketing};

const LEFT: &str = "its agent has left";

pub(super) async fn take_back(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    mut chat: Participant,
) -> Result<Vec<(Queue, Uuid)>> {
    let Some(agent) = chat.assigned_agent.filter(|_| chat.state == ParticipantState::Active) else {
        return Ok(Vec::new());
    };
    // Another agent may have it by now.
    let owner = agents::find(db, client, agent, ctx.settings.limits.agent_chats).await?;
    if owner.is_some_and(|owner| owner.takes_chats()) {
        return Ok(Vec::new());
    }
    let before = chat.clone();
    if chat.apply(ParticipantMove::Transferred).is_err() {
        return Ok(Vec::new());
    }
    chat.queued_reason = Some(LEFT.to_owned());
    let ticket = ticketing::step(ctx, db, client, &chat, TicketMove::Passed).await?;
    let moved = event_facts::moved_event(&before, &chat);
    send_text(ctx, db, client, &chat, [Some(moved), ticket].into_iter().flatten()).await
}
