//! Assignment of a chat to an agent. All assignments go through [`give`], so that the limit of chats per agent holds.

use base::{Context, Result};
use domain::{
    chat::{MoveRefused, ParticipantMove, ParticipantState},
    event::Event,
    ids::{ClientId, UserId},
};
use storage::{
    PgConnection,
    chat::{agents, participants::Participant, teams},
    tenancy::users::Role,
};

use super::ticketing;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum GivingRefused {
    #[error("there is no such user")]
    UnknownUser,
    #[error("a user with the role {0} cannot have chats")]
    NoAgent(Role),
    #[error("{name} has {chats} chats, and may have {limit} at a time")]
    Full { name: String, chats: i64, limit: i64 },
    #[error(transparent)]
    Refused(#[from] MoveRefused),
}

/// The agent who gets a chat, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewAgent {
    pub(crate) agent: UserId,
    /// [`ParticipantMove::Assigned`] or [`ParticipantMove::Reopened`].
    pub(crate) step: ParticipantMove,
}

/// Assigns a locked chat to an agent, who is locked here, and opens its ticket. The caller saves the chat, records the
/// move and drops events for the chatbot. Returns the event of the ticket.
pub(crate) async fn give(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    chat: &mut Participant,
    NewAgent { agent: to, step }: NewAgent,
) -> Result<std::result::Result<Option<Event>, GivingRefused>> {
    let Some(agent) = agents::lock(db, client, to, ctx.settings.limits.agent_chats).await? else {
        return Ok(Err(GivingRefused::UnknownUser));
    };
    if !agent.takes_chats() {
        return Ok(Err(GivingRefused::NoAgent(agent.role)));
    }
    let has_it = chat.state == ParticipantState::Active && chat.assigned_agent == Some(to);
    if !has_it && !agent.has_room() {
        return Ok(Err(GivingRefused::Full { name: agent.name, chats: agent.active_chats, limit: agent.limit }));
    }
    let before = chat.assigned_agent;
    if let Err(refused) = chat.apply(step) {
        return Ok(Err(refused.into()));
    }
    if before != Some(to) {
        chat.last_assigned_agent = before.or(chat.last_assigned_agent);
    }
    chat.assigned_agent = Some(to);
    if let Some(team) = agent.team
        && chat.team.as_ref().is_none_or(|now| now.id != team)
    {
        chat.team = teams::by_id(db, client, team).await?;
    }
    agents::note_given(db, client, to, ctx.now()).await?;
    Ok(Ok(ticketing::take_up(ctx, db, client, chat, to).await?))
}
