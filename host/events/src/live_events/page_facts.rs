use std::collections::{BTreeSet, HashMap};

use base::Result;
use chrono::{DateTime, Utc};
use domain::{
    ids::{ChatMessageId, ClientId, MessageId, NoteId, ParticipantId, UserId},
    live_events::LiveKind,
};
use storage::{
    PgConnection,
    chat::{
        chat_viewers::{self, ChatViewer},
        history::{self, PastMessage},
        notes::{self, ChatNote},
    },
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
    pub(super) notes: HashMap<NoteId, ChatNote>,
    pub(super) viewers: HashMap<ParticipantId, Vec<ChatViewer>>,
}

impl PageFacts {
    pub(super) async fn load(
        db: &mut PgConnection,
        client: ClientId,
        events: &[NumberedEvent],
        now: DateTime<Utc>,
    ) -> Result<Self> {
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
        let notes = notes_of(db, client, events).await?;
        let viewers = viewers_of(db, client, events, now).await?;
        let users = people((&chats, &notes, &viewers), events);
        let users = if users.is_empty() { HashMap::new() } else { shown_facts::users(db, client, &users).await? };
        Ok(Self {
            chats: chats.into_iter().map(|chat| (chat.id, chat)).collect(),
            messages: messages.into_iter().map(|message| (message.id, message)).collect(),
            users,
            failures,
            notes,
            viewers,
        })
    }
}

async fn notes_of(
    db: &mut PgConnection,
    client: ClientId,
    events: &[NumberedEvent],
) -> Result<HashMap<NoteId, ChatNote>> {
    let wanted: Vec<NoteId> = events.iter().filter_map(|one| one.event.what.note()).collect();
    if wanted.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(notes::of_ids(db, client, &wanted).await?.into_iter().map(|note| (note.id, note)).collect())
}

async fn viewers_of(
    db: &mut PgConnection,
    client: ClientId,
    events: &[NumberedEvent],
    now: DateTime<Utc>,
) -> Result<HashMap<ParticipantId, Vec<ChatViewer>>> {
    let of_viewers = events.iter().filter(|one| one.event.what == LiveKind::ViewersChanged);
    let chats: BTreeSet<ParticipantId> = of_viewers.map(|one| one.event.chat).collect();
    if chats.is_empty() {
        return Ok(HashMap::new());
    }
    Ok(chat_viewers::of_chats(db, client, &chats.into_iter().collect::<Vec<_>>(), now).await?)
}

type NamedBy<'a> = (&'a [ShownChat], &'a HashMap<NoteId, ChatNote>, &'a HashMap<ParticipantId, Vec<ChatViewer>>);

fn people((chats, notes, viewers): NamedBy<'_>, events: &[NumberedEvent]) -> Vec<UserId> {
    let of_notes = notes.values().flat_map(ChatNote::users);
    let of_viewers = viewers.values().flatten().map(|viewer| viewer.user);
    let of_chats = chats.iter().flat_map(|chat| [chat.agent, chat.last_agent]).flatten();
    let of_events = events.iter().filter_map(|one| one.event.what.agent());
    let of_hands = events.iter().flat_map(|one| &one.event.hands).filter_map(|hands| hands.agent);
    let users: BTreeSet<UserId> = of_chats.chain(of_events).chain(of_hands).chain(of_notes).chain(of_viewers).collect();
    users.into_iter().collect()
}
