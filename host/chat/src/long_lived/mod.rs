//! Long-lived conversations (SPEC 2.11, 3.1, 4.5; ADR 0022): opening, closing and listing them. What becomes of messages in them
//! is the business of `outbound::accept` and of [`crate::receive`].

mod list;
mod open;

use domain::{
    conversation::{CloseReason, Conversation},
    ids::{ClientId, ConversationId},
};
use storage::chat::conversations;

use base::{Context, Result};

pub use list::{Listing, list};
pub use open::{OpenError, Opened, open};

/// What a close call led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closing {
    /// The conversation as it was before.
    pub conversation: Conversation,
    /// This very call closed it.
    pub closed: bool,
}

/// Closes a conversation for good; `None` when the client has no such conversation. One that is closed already stays as it is.
pub async fn close(ctx: &Context, client: ClientId, id: ConversationId) -> Result<Option<Closing>> {
    let mut tx = ctx.db.begin().await?;
    let Some(conversation) = conversations::find(&mut tx, client, id).await? else { return Ok(None) };
    let closed = conversations::close(&mut tx, client, conversation.id, CloseReason::Asked, ctx.now()).await?;
    tx.commit().await?;
    if closed {
        return Ok(Some(Closing { conversation, closed }));
    }
    // Somebody else closed it, perhaps this very moment.
    let mut db = ctx.db.acquire().await?;
    let conversation = conversations::find(&mut db, client, id).await?.unwrap_or(conversation);
    Ok(Some(Closing { conversation, closed }))
}

/// A conversation of the client.
pub async fn find(ctx: &Context, client: ClientId, id: ConversationId) -> Result<Option<Conversation>> {
    let mut db = ctx.db.acquire().await?;
    Ok(conversations::find(&mut db, client, id).await?)
}
