//! A chat and its customer, and what becomes of a chat, in the words of events.

use std::collections::HashMap;

use domain::{
    address::{Address, AddressKind},
    chat::ParticipantState,
    event::{Agent, Chat, ChatChangedHands, ChatClosed, Customer, Event},
    ids::{ClientId, UserId},
};
use storage::{PgConnection, customers::Customer as StoredCustomer, participants, participants::Participant};

use base::Result;

/// The chat as it stands. Reads the names that events show.
pub(crate) async fn chat(db: &mut PgConnection, client: ClientId, participant: &Participant) -> Result<Chat> {
    let client_ref = storage::clients::get(db, client).await?.map(|client| client.client_ref);
    let ids: Vec<UserId> =
        [participant.assigned_agent, participant.last_assigned_agent].into_iter().flatten().collect();
    let names = if ids.is_empty() { HashMap::new() } else { participants::agent_names(db, client, &ids).await? };
    let agent = |id: Option<UserId>| id.map(|id| Agent { id, name: names.get(&id).cloned() });
    Ok(Chat {
        participant: participant.id,
        state: participant.state,
        missed: participant.missed,
        client_ref,
        agent: agent(participant.assigned_agent),
        last_agent: agent(participant.last_assigned_agent),
        team: participant.team.clone(),
    })
}

/// The customer as it is known now.
pub(crate) fn customer(customer: &StoredCustomer) -> Customer {
    let phone = customer.phone.as_deref().and_then(|phone| Address::of_kind(AddressKind::Phone, phone));
    let bsuid = customer.bsuid.as_deref().and_then(|bsuid| Address::of_kind(AddressKind::Bsuid, bsuid));
    Customer {
        id: customer.id,
        name: customer.name.clone(),
        username: customer.username.clone(),
        addresses: phone.into_iter().chain(bsuid).collect(),
    }
}

/// The chat has been moved: somebody else has it, or it is over. `from`: who had it.
pub(crate) fn moved(from: ParticipantState, now: &Participant) -> Event {
    match now.state {
        ParticipantState::Closed => Event::ChatClosed(ChatClosed {
            participant: now.id,
            from,
            agent: now.last_assigned_agent.filter(|_| from == ParticipantState::Active),
            missed: now.missed,
        }),
        to @ (ParticipantState::Bot | ParticipantState::Queued | ParticipantState::Active) => {
            Event::ChatChangedHands(ChatChangedHands {
                participant: now.id,
                from,
                to,
                bot: now.bot_plugin.clone().filter(|_| to == ParticipantState::Bot),
                agent: now.assigned_agent.filter(|_| to == ParticipantState::Active),
                team: now.team.clone(),
                reason: now.queued_reason.clone().filter(|_| to != ParticipantState::Bot),
            })
        }
    }
}
