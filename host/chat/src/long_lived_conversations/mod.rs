//! Long-lived conversations (SPEC 2.11, 3.1, 4.5; ADR 0022): open, close and list. `outbound::accept` and
//! [`crate::receive`] handle the messages in them.

mod list;
mod open;

use domain::{
    conversation::{CloseReason, Conversation},
    ids::{ClientId, ConversationId},
};
use storage::chat::conversations;

use base::{Context, Result};

pub use list::{Listing, list};
pub use open::{OpenConversationError, OpenResult, open};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloseResult {
    /// The conversation before the call.
    pub conversation: Conversation,
    pub closed: bool,
}

/// Closes a conversation permanently. `None` if the client has no such conversation. A closed one does not change.
pub async fn close(ctx: &Context, client: ClientId, id: ConversationId) -> Result<Option<CloseResult>> {
    let mut tx = ctx.db.begin().await?;
    let Some(conversation) = conversations::find(&mut tx, client, id).await? else { return Ok(None) };
    let closed = conversations::close(&mut tx, client, conversation.id, CloseReason::Asked, ctx.now()).await?;
    tx.commit().await?;
    if closed {
        return Ok(Some(CloseResult { conversation, closed }));
    }
    // Another caller closed it, perhaps at this moment.
    let mut db = ctx.db.acquire().await?;
    let conversation = conversations::find(&mut db, client, id).await?.unwrap_or(conversation);
    Ok(Some(CloseResult { conversation, closed }))
}

pub async fn find(ctx: &Context, client: ClientId, id: ConversationId) -> Result<Option<Conversation>> {
    let mut db = ctx.db.acquire().await?;
    Ok(conversations::find(&mut db, client, id).await?)
}
