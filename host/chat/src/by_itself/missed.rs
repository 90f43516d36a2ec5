//! No agent has answered in time (`limits.missed_after`).

use base::{Context, Result};
use domain::{
    chat::ParticipantState,
    event::{ChatMissed, Event},
    ids::ClientId,
};
use storage::{
    PgConnection, Queue,
    chat::{due, participants::Participant},
};
use uuid::Uuid;

use super::say;

/// Flags a locked chat as missed, by its agent if it has one.
pub(super) async fn note(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    mut chat: Participant,
) -> Result<Vec<(Queue, Uuid)>> {
    let agent = match chat.state {
        ParticipantState::Queued => None,
        ParticipantState::Active => chat.assigned_agent,
        ParticipantState::Bot | ParticipantState::Closed => return Ok(Vec::new()),
    };
    chat.missed = true;
    due::set_missed_by(db, client, chat.id, agent).await?;
    let missed = ChatMissed { participant: chat.id, state: chat.state, agent };
    say(ctx, db, client, &chat, [Event::ChatMissed(missed)]).await
}
