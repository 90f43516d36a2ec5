//! Users who look at a chat or write in it. A console repeats that it looks, so that a closed one is soon forgotten.

use std::collections::HashMap;

use base::Context;
use chrono::TimeDelta;
use domain::{
    event::{ChatViewed, Event},
    ids::{ParticipantId, UserId},
};
use events::{NewEvent, record};
use storage::{
    Transaction,
    chat::{
        chat_viewers::{self, ChatViewing},
        participants::{self, Participant},
    },
};

use super::{ActingUser, DeskError};

/// A viewer who does not repeat that it looks is forgotten after this.
const SEEN: TimeDelta = TimeDelta::seconds(45);
const WRITING: TimeDelta = TimeDelta::seconds(8);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewerView {
    pub user: UserId,
    pub name: Option<String>,
    pub writes: bool,
}

/// Records that the caller looks at a chat, and whether it writes. Returns all viewers.
pub async fn look(
    ctx: &Context,
    acting: ActingUser,
    chat: ParticipantId,
    writes: bool,
) -> Result<Vec<ViewerView>, DeskError> {
    let now = ctx.now();
    let mut tx = ctx.db.begin().await?;
    let chat = participants::find(&mut tx, acting.client, chat).await?.ok_or(DeskError::NotFound)?;
    let viewing = ChatViewing {
        chat: chat.id,
        user: acting.user,
        seen_until: now + SEEN,
        writing_until: writes.then(|| now + WRITING),
    };
    let before = chat_viewers::look(&mut tx, acting.client, viewing, now).await?;
    let is_news = writes || before.is_none_or(|before| before.writes);
    let shown = of(&mut tx, ctx, acting, chat.id).await?;
    finish(ctx, acting, &chat, tx, is_news).await?;
    Ok(shown)
}

/// Records that the caller no longer looks at a chat.
pub async fn leave(ctx: &Context, acting: ActingUser, chat: ParticipantId) -> Result<(), DeskError> {
    let mut tx = ctx.db.begin().await?;
    let chat = participants::find(&mut tx, acting.client, chat).await?.ok_or(DeskError::NotFound)?;
    let left = chat_viewers::leave(&mut tx, acting.client, chat.id, acting.user).await?;
    finish(ctx, acting, &chat, tx, left).await
}

pub async fn list(ctx: &Context, acting: ActingUser, chat: ParticipantId) -> Result<Vec<ViewerView>, DeskError> {
    let mut db = ctx.db.acquire().await?;
    let chat = participants::find(&mut db, acting.client, chat).await?.ok_or(DeskError::NotFound)?;
    of(&mut db, ctx, acting, chat.id).await
}

async fn of(
    db: &mut storage::PgConnection,
    ctx: &Context,
    acting: ActingUser,
    chat: ParticipantId,
) -> Result<Vec<ViewerView>, DeskError> {
    let viewers =
        chat_viewers::of_chats(db, acting.client, &[chat], ctx.now()).await?.remove(&chat).unwrap_or_default();
    let users: Vec<UserId> = viewers.iter().map(|viewer| viewer.user).collect();
    let names = match users.is_empty() {
        true => HashMap::new(),
        false => participants::agent_names(db, acting.client, &users).await?,
    };
    let view = |viewer: chat_viewers::ChatViewer| ViewerView {
        user: viewer.user,
        name: names.get(&viewer.user).cloned(),
        writes: viewer.writes,
    };
    Ok(viewers.into_iter().map(view).collect())
}

/// Commits, with an event if other users see a change.
async fn finish(
    ctx: &Context,
    acting: ActingUser,
    chat: &Participant,
    mut tx: Transaction<'static>,
    is_news: bool,
) -> Result<(), DeskError> {
    let mut wakes = Vec::new();
    if is_news {
        let event = Event::ChatViewed(ChatViewed { participant: chat.id });
        let order_key = chat.id.0.as_u64_pair().1.cast_signed();
        let new = NewEvent { inbox: Some(chat.inbox), order_key, at: ctx.now(), event };
        wakes = record(ctx, &mut tx, acting.client, &[new]).await?;
    }
    tx.commit().await?;
    ctx.wake.wake_all(acting.client, wakes);
    Ok(())
}
