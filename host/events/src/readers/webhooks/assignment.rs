//! Assignment events of the chatbot webhook (SPEC 6.5). Names are read only if there is an endpoint.

use base::Result;
use domain::{
    chat::ChatTeam,
    event::{ChatChangedHands, EventChat, EventCustomer},
    ids::ClientId,
};
use serde::{Deserialize, Serialize};
use storage::{
    PgConnection,
    chat::participants::{self, Participant},
    people::customers,
};

use crate::chat_facts;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EventContext {
    pub chat: EventChat,
    pub customer: EventCustomer,
}

pub(super) async fn scene(
    db: &mut PgConnection,
    client: ClientId,
    changed: &ChatChangedHands,
) -> Result<Option<Box<EventContext>>> {
    let Some(mut chat) = participants::find(db, client, changed.participant).await? else { return Ok(None) };
    let Some(customer) = customers::find(db, client, chat.customer).await? else { return Ok(None) };
    leave(&mut chat, changed);
    let chat = chat_facts::chat(db, client, &chat).await?;
    Ok(Some(Box::new(EventContext { chat, customer: chat_facts::customer(&customer) })))
}

fn leave(chat: &mut Participant, changed: &ChatChangedHands) {
    chat.state = changed.to;
    if changed.previous_agent.is_some() && changed.previous_agent != changed.agent {
        chat.last_assigned_agent = changed.previous_agent;
    }
    chat.assigned_agent = changed.agent;
    chat.team = changed.team_id.zip(changed.team.clone()).map(|(id, name)| ChatTeam { id, name });
}
