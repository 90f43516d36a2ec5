//! A chat and its customer as events show them.

use base::Result;
use domain::{
    event::{Agent, Chat, Customer},
    ids::{ClientId, UserId},
};
use storage::{
    PgConnection,
    chat::participants::{self, Participant},
    people::customers::Customer as StoredCustomer,
};

/// The chat as it stands. Reads the names that events show.
pub async fn chat(db: &mut PgConnection, client: ClientId, participant: &Participant) -> Result<Chat> {
    let ids: Vec<UserId> =
        [participant.assigned_agent, participant.last_assigned_agent].into_iter().flatten().collect();
    let (client_ref, names) = participants::client_and_agent_names(db, client, &ids).await?;
    let agent = |id: Option<UserId>| id.map(|id| Agent { id, name: names.get(&id).cloned() });
    Ok(Chat {
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

/// The customer as it is known now.
pub fn customer(customer: &StoredCustomer) -> Customer {
    Customer {
        id: customer.id,
        name: customer.name.clone(),
        username: customer.username.clone(),
        addresses: customer.addresses.iter().cloned().collect(),
    }
}
