//! Internal notes of chats, with mentions, and whispers: notes to the agent of a chat that no other AGENT sees.

use std::collections::HashMap;

use base::Context;
use domain::{
    event::{Event, NoteWritten},
    ids::{ClientId, ParticipantId, UserId},
    invisible_characters::is_all_blank,
    page::{Page, PageRequest},
};
use events::{NewEvent, record};
pub use storage::chat::notes::ChatNote;
use storage::{
    PgConnection,
    chat::{lists, notes, participants},
    tenancy::users::Role,
};

use super::{ActingUser, DeskError};

const TEXT_MAX: usize = 4_000;
const MENTIONS_MAX: usize = 20;

#[derive(Debug, Clone)]
pub struct NoteDraft {
    pub text: String,
    /// A whisper mentions no other user than the agent of the chat, so others are left out.
    pub mentions: Vec<UserId>,
    /// A whisper: of the users with the role AGENT, only the agent of the chat sees it.
    pub whisper: bool,
}

/// A note, and the names of the users that it names.
#[derive(Debug, Clone)]
pub struct NoteView {
    pub note: ChatNote,
    names: HashMap<UserId, String>,
}

impl NoteView {
    pub fn name(&self, user: UserId) -> Option<&str> {
        self.names.get(&user).map(String::as_str)
    }
}

/// A note that mentions a user, and the name of its customer.
#[derive(Debug, Clone)]
pub struct MentionView {
    pub note: NoteView,
    pub customer_name: Option<String>,
}

pub async fn write(
    ctx: &Context,
    acting: ActingUser,
    chat: ParticipantId,
    draft: NoteDraft,
) -> Result<NoteView, DeskError> {
    let mut mentions = draft.mentions;
    mentions.sort_unstable();
    mentions.dedup();
    if is_all_blank(&draft.text) || draft.text.chars().count() > TEXT_MAX {
        return Err(DeskError::fault(
            "text",
            format!("must have 1 to {TEXT_MAX} characters, something to see among them"),
        ));
    }
    if mentions.len() > MENTIONS_MAX {
        return Err(DeskError::fault("mentions", format!("may name {MENTIONS_MAX} users at most")));
    }
    if draft.whisper && acting.role == Role::Agent {
        return Err(DeskError::Forbidden("a user with the role AGENT may not whisper: write a note".to_owned()));
    }
    let mut tx = ctx.db.begin().await?;
    if notes::known_users(&mut tx, acting.client, &mentions).await?.len() != mentions.len() {
        return Err(DeskError::fault("mentions", "names a user that is not one of yours"));
    }
    let chat = participants::find(&mut tx, acting.client, chat).await?.ok_or(DeskError::NotFound)?;
    let whisper_to = match (draft.whisper, chat.assigned_agent) {
        (false, _) => None,
        (true, Some(agent)) => Some(agent),
        (true, None) => return Err(DeskError::Conflict("no agent has this chat: write a note".to_owned())),
    };
    if let Some(agent) = whisper_to {
        // A mention would show the whisper to another user.
        mentions.retain(|user| *user == agent);
    }
    let note = ChatNote {
        id: ctx.mint(),
        participant: chat.id,
        author: acting.user,
        text: draft.text,
        mentions,
        whisper_to,
        created_at: ctx.now(),
    };
    notes::insert(&mut tx, acting.client, &note).await?;
    let event = Event::NoteWritten(NoteWritten {
        participant: chat.id,
        note: note.id,
        author: note.author,
        mentions: note.mentions.clone(),
        whisper_to,
    });
    let order_key = chat.id.0.as_u64_pair().1.cast_signed();
    let new = NewEvent { inbox: Some(chat.inbox), order_key, at: note.created_at, event };
    let wakes = record(ctx, &mut tx, acting.client, &[new]).await?;
    let view = views(&mut tx, acting.client, vec![note]).await?.pop().ok_or(DeskError::NotFound)?;
    tx.commit().await?;
    ctx.wake.wake_all(acting.client, wakes);
    Ok(view)
}

/// The notes of a chat, newest first. An agent sees no whispers to others.
pub async fn list(
    ctx: &Context,
    acting: ActingUser,
    chat: ParticipantId,
    page: PageRequest,
) -> Result<Page<NoteView>, DeskError> {
    let mut db = ctx.db.acquire().await?;
    let chat = participants::find(&mut db, acting.client, chat).await?.ok_or(DeskError::NotFound)?;
    let only_for = (acting.role == Role::Agent).then_some(acting.user);
    let found = notes::page(&mut db, acting.client, chat.id, only_for, page).await?;
    Ok(Page { items: views(&mut db, acting.client, found.items).await?, total: found.total })
}

/// The notes that mention the caller, newest first.
pub async fn mentions(ctx: &Context, acting: ActingUser, page: PageRequest) -> Result<Page<MentionView>, DeskError> {
    let mut db = ctx.db.acquire().await?;
    let found = notes::mentions(&mut db, acting.client, acting.user, page).await?;
    let chats: Vec<ParticipantId> = found.items.iter().map(|note| note.participant).collect();
    let customers = lists::customers_of_chats(&mut db, acting.client, &chats).await?;
    let mention = |note: NoteView| {
        let customer = customers.get(&note.note.participant);
        MentionView { customer_name: customer.and_then(|known| known.shown_name()).map(str::to_owned), note }
    };
    let views = views(&mut db, acting.client, found.items).await?;
    Ok(Page { items: views.into_iter().map(mention).collect(), total: found.total })
}

async fn views(db: &mut PgConnection, client: ClientId, notes: Vec<ChatNote>) -> Result<Vec<NoteView>, DeskError> {
    let mut users: Vec<UserId> = notes.iter().flat_map(ChatNote::users).collect();
    users.sort_unstable();
    users.dedup();
    let names = if users.is_empty() { HashMap::new() } else { participants::agent_names(db, client, &users).await? };
    let named = |note: &ChatNote| note.users().filter_map(|user| Some((user, names.get(&user)?.clone()))).collect();
    Ok(notes.into_iter().map(|note| NoteView { names: named(&note), note }).collect())
}
