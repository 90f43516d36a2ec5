use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    chat::ParticipantState,
    ids::{ClientId, InboxId, ParticipantId, UserId},
};
use storage::{
    PgConnection,
    chat::{
        episodes,
        last_messages::{self, LastMessage},
        lists::{self, ShownAgent, ShownCustomer},
        participants::Participant,
    },
};
use uuid::Uuid;

use base::Result;

#[derive(Debug, Clone)]
pub struct ChatView {
    pub chat: Participant,
    pub customer: Option<ShownCustomer>,
    pub agent: Option<(UserId, ShownAgent)>,
    pub last_agent: Option<(UserId, ShownAgent)>,
    /// The address of the business: a number, a page or a site.
    pub inbox_address: Option<String>,
    pub last_message: Option<LastMessage>,
    /// Since when the customer waits for the first answer of an agent in this episode.
    pub waiting_since: Option<DateTime<Utc>>,
}

pub(super) async fn of(db: &mut PgConnection, client: ClientId, chats: Vec<Participant>) -> Result<Vec<ChatView>> {
    if chats.is_empty() {
        return Ok(Vec::new());
    }
    let customers: Vec<_> = chats.iter().map(|chat| chat.customer).collect();
    let customers = lists::customers(db, client, &customers).await?;
    let agents: Vec<_> =
        chats.iter().flat_map(|chat| [chat.assigned_agent, chat.last_assigned_agent]).flatten().collect();
    let agents = if agents.is_empty() { HashMap::new() } else { lists::agents(db, client, &agents).await? };
    let mut inboxes: Vec<InboxId> = chats.iter().map(|chat| chat.inbox).collect();
    inboxes.sort_unstable();
    inboxes.dedup();
    let inboxes = lists::inbox_addresses(db, client, &inboxes).await?;
    let ids: Vec<ParticipantId> = chats.iter().map(|chat| chat.id).collect();
    let mut last = last_messages::of_chats(db, client, &ids).await?;
    let has_agents = |chat: &&Participant| matches!(chat.state, ParticipantState::Queued | ParticipantState::Active);
    let with_agents: Vec<ParticipantId> = chats.iter().filter(has_agents).map(|chat| chat.id).collect();
    let waiting =
        if with_agents.is_empty() { HashMap::new() } else { episodes::waiting(db, client, &with_agents).await? };
    let agent = |id: Option<UserId>| id.and_then(|id| Some((id, agents.get(&id)?.clone())));
    let view = |chat: Participant| ChatView {
        customer: customers.get(&chat.customer).cloned(),
        agent: agent(chat.assigned_agent),
        last_agent: agent(chat.last_assigned_agent),
        inbox_address: inboxes.get(&chat.inbox).cloned(),
        last_message: last.remove(&chat.id),
        waiting_since: waiting.get(&chat.id).copied(),
        chat,
    };
    Ok(chats.into_iter().map(view).collect())
}

pub(super) async fn of_one(db: &mut PgConnection, client: ClientId, chat: Participant) -> Result<Option<ChatView>> {
    Ok(of(db, client, vec![chat]).await?.pop())
}

const CTN: &str = "CTN-";

/// The tracking number of a chat's customer (SPEC 2.1 CTN): the chat's id in another form, so it is unique.
pub fn ctn(chat: ParticipantId) -> String {
    format!("{CTN}{}", chat.0.simple().to_string().to_uppercase())
}

pub(super) fn of_ctn(text: &str) -> Option<ParticipantId> {
    Uuid::try_parse(text.strip_prefix(CTN)?).ok().map(ParticipantId)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tracking_number_leads_back_to_its_chat() {
        let chat = ParticipantId(Uuid::from_u128(0x0199_8000_0000_7000_8000_0000_0000_00aa));
        assert_eq!(ctn(chat), "CTN-019980000000700080000000000000AA");
        assert_eq!(of_ctn(&ctn(chat)), Some(chat));
        assert_eq!(of_ctn(&chat.to_string()), None, "an id is not a tracking number");
        assert_eq!(of_ctn("CTN-12"), None);
    }
}
