//! A chat and its customer, and what becomes of a chat, in the words of events.

use domain::{
    chat::ParticipantState,
    event::{ChatChangedHands, ChatClosed, Event},
    ids::{InboxId, TeamId, UserId},
    recipient,
};
pub(crate) use events::scene::{chat, customer};
use storage::{chat::participants::Participant, people::customers::Customer as StoredCustomer};

/// What keeps the events of a customer on an inbox in order.
pub(crate) fn order_key(inbox: InboxId, customer: &StoredCustomer) -> i64 {
    let by_id = || customer.id.0.as_u64_pair().1.cast_signed();
    customer.address().map_or_else(by_id, |address| recipient::order_key(inbox, address))
}

/// Who had a chat before it was moved.
pub(crate) struct Before {
    state: ParticipantState,
    agent: Option<UserId>,
    team: Option<TeamId>,
}

impl From<ParticipantState> for Before {
    fn from(state: ParticipantState) -> Self {
        Self { state, agent: None, team: None }
    }
}

impl From<&Participant> for Before {
    fn from(before: &Participant) -> Self {
        Self { state: before.state, agent: before.assigned_agent, team: before.team.as_ref().map(|team| team.id) }
    }
}

/// The chat has been moved: somebody else has it, or it is over. `before`: who had it; of an agent's chat, as a whole.
pub(crate) fn moved(before: impl Into<Before>, now: &Participant) -> Event {
    let Before { state: from, agent: previous_agent, team: previous_team } = before.into();
    let released = now.last_assigned_agent.filter(|_| from == ParticipantState::Active);
    match now.state {
        ParticipantState::Closed => Event::ChatClosed(ChatClosed {
            participant: now.id,
            from,
            agent: previous_agent.or(released),
            missed: now.missed,
        }),
        to @ (ParticipantState::Bot | ParticipantState::Queued | ParticipantState::Active) => {
            Event::ChatChangedHands(ChatChangedHands {
                participant: now.id,
                from,
                to,
                bot: now.bot_plugin.clone().filter(|_| to == ParticipantState::Bot),
                agent: now.assigned_agent.filter(|_| to == ParticipantState::Active),
                team: now.team.as_ref().map(|team| team.name.clone()),
                team_id: now.team.as_ref().map(|team| team.id),
                reason: now.queued_reason.clone().filter(|_| to != ParticipantState::Bot),
                previous_agent: previous_agent.or(released),
                previous_team,
            })
        }
    }
}
