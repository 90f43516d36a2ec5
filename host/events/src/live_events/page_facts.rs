use std::collections::{BTreeSet, HashMap};

use base::Result;
use domain::ids::{ChatMessageId, ClientId, MessageId, ParticipantId, UserId};
use storage::{
    PgConnection,
    chat::history::{self, PastMessage},
    live_events::{
        events::NumberedEvent,
        shown_facts::{self, ShownChat, ShownUser},
    },
    outbound::failures::{self, FailureReason},
};

pub(super) struct PageFacts {
    pub(super) chats: HashMap<ParticipantId, ShownChat>,
    pub(super) messages: HashMap<ChatMessageId, PastMessage>,
    pub(super) users: HashMap<UserId, ShownUser>,
    pub(super) failures: HashMap<MessageId, FailureReason>,
}

impl PageFacts {
    pub(super) async fn load(db: &mut PgConnection, client: ClientId, events: &[NumberedEvent]) -> Result<Self> {
        let chats: BTreeSet<ParticipantId> = events.iter().map(|one| one.event.chat).collect();
        let messages: BTreeSet<ChatMessageId> = events.iter().filter_map(|one| one.event.what.message()).collect();
        let chats = shown_facts::chats(db, client, &chats.into_iter().collect::<Vec<_>>()).await?;
        let messages = if messages.is_empty() {
            Vec::new()
        } else {
            history::of_ids(db, client, &messages.into_iter().collect::<Vec<_>>()).await?
        };
        let failed: Vec<MessageId> = messages.iter().filter_map(PastMessage::failed).collect();
        let failures = failures::of_messages(db, client, &failed).await?;
        let users = people(&chats, events);
        let users = if users.is_empty() { HashMap::new() } else { shown_facts::users(db, client, &users).await? };
        Ok(Self {
            chats: chats.into_iter().map(|chat| (chat.id, chat)).collect(),
            messages: messages.into_iter().map(|message| (message.id, message)).collect(),
            users,
            failures,
        })
    }
}

pub(super) fn people(chats: &[ShownChat], events: &[NumberedEvent]) -> Vec<UserId> {
    let of_chats = chats.iter().flat_map(|chat| [chat.agent, chat.last_agent]).flatten();
    let of_events = events.iter().filter_map(|one| one.event.what.agent());
    let of_hands = events.iter().flat_map(|one| &one.event.hands).filter_map(|hands| hands.agent);
    let users: BTreeSet<UserId> = of_chats.chain(of_events).chain(of_hands).collect();
    users.into_iter().collect()
}
