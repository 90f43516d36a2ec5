use base::{Context, Result, media};
use domain::ids::{ClientId, MediaId, ParticipantId};
use storage::{
    PgConnection,
    web::{
        sites::Site,
        threads::{self, Thread, ThreadExtent, ThreadMessage, ThreadPage},
    },
};

/// Bounds of a page. Anonymous visitors request pages, so they are small.
pub const PAGE: ThreadExtent = ThreadExtent { messages: 50, bytes: 32 * 1024 };

pub async fn chat_of(ctx: &Context, site: &Site, visitor: &str) -> Result<Option<Thread>> {
    let mut db = ctx.db.acquire().await?;
    find(&mut db, site, visitor).await
}

pub(super) async fn find(db: &mut PgConnection, site: &Site, visitor: &str) -> Result<Option<Thread>> {
    Ok(threads::of_visitors(db, site.client, site.id, &[visitor.to_owned()]).await?.pop())
}

pub async fn messages_after(ctx: &Context, client: ClientId, chat: ParticipantId, after: i64) -> Result<ThreadPage> {
    let mut db = ctx.db.acquire().await?;
    Ok(threads::after(&mut db, client, chat, after, PAGE).await?)
}

pub async fn messages_before(ctx: &Context, client: ClientId, chat: ParticipantId, before: i64) -> Result<ThreadPage> {
    let mut db = ctx.db.acquire().await?;
    Ok(threads::before(&mut db, client, chat, before, PAGE).await?)
}

/// An address of a file of the chat. It expires.
pub fn media_url(ctx: &Context, client: ClientId, file: MediaId) -> String {
    media::url_for(ctx, client, file)
}

pub fn key_of_message(message: &ThreadMessage) -> Option<&str> {
    crate::web_chat::post_key::key_of(message.provider_id.as_deref()?)
}
