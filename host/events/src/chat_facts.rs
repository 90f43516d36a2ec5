use base::Result;
use domain::{
    chat::ParticipantState,
    event::{ChatChangedHands, ChatClosed, Event, EventAgent, EventChat, EventCustomer, TicketMoved, TicketStatus},
    ids::{ClientId, InboxId, TeamId, UserId},
    recipient,
};
use storage::{
    PgConnection,
    chat::{
        participants::{self, Participant},
        tickets::Ticket,
    },
    people::customers::Customer as StoredCustomer,
};

pub async fn chat(db: &mut PgConnection, client: ClientId, participant: &Participant) -> Result<EventChat> {
    let ids: Vec<UserId> =
        [participant.assigned_agent, participant.last_assigned_agent].into_iter().flatten().collect();
    let (client_ref, names) = participants::client_and_agent_names(db, client, &ids).await?;
    let agent = |id: Option<UserId>| id.map(|id| EventAgent { id, name: names.get(&id).cloned() });
    Ok(EventChat {
        participant: participant.id,
        state: participant.state,
        missed: participant.missed,
        client_ref,
        agent: agent(participant.assigned_agent),
        last_agent: agent(participant.last_assigned_agent),
        team: participant.team.as_ref().map(|team| team.name.clone()),
        team_id: participant.team.as_ref().map(|team| team.id),
    })
}

pub fn customer(customer: &StoredCustomer) -> EventCustomer {
    EventCustomer {
        id: customer.id,
        name: customer.name.clone(),
        username: customer.username.clone(),
        addresses: customer.addresses.iter().cloned().collect(),
    }
}

pub fn order_key(inbox: InboxId, customer: &StoredCustomer) -> i64 {
    let by_id = || customer.id.0.as_u64_pair().1.cast_signed();
    customer.address().map_or_else(by_id, |address| recipient::order_key(inbox, address))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreviousOwner {
    pub state: ParticipantState,
    agent: Option<UserId>,
    team: Option<TeamId>,
}

impl From<&Participant> for PreviousOwner {
    fn from(before: &Participant) -> Self {
        Self { state: before.state, agent: before.assigned_agent, team: before.team.as_ref().map(|team| team.id) }
    }
}

pub fn moved_event(before: impl Into<PreviousOwner>, now: &Participant) -> Event {
    let PreviousOwner { state: from, agent: previous_agent, team: previous_team } = before.into();
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

pub fn ticket_moved(ticket: &Ticket, from: Option<TicketStatus>) -> Event {
    Event::TicketMoved(TicketMoved {
        number: ticket.number,
        participant: ticket.participant,
        from,
        to: ticket.status,
        agent: ticket.agent,
    })
}
