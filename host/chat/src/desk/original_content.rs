//! The provider's original of a message. The text in the chat may be ours.

use base::Context;
use domain::{chat::ChatContent, ids::ChatMessageId, inbound::kept};
use storage::chat::{
    chat_messages, originals,
    versions::{self, MessageVersion},
};

use super::{ActingUser, DeskError};

#[derive(Debug, Clone, PartialEq)]
pub struct OriginalContent {
    pub message: ChatMessageId,
    /// The provider's JSON, its first 64 KiB. `None` for a message written here, or if none is kept.
    pub content: Option<String>,
    /// The texts before edits and deletion, oldest first.
    pub versions: Vec<MessageVersion>,
}

/// The original and the earlier versions of a message. Not for roles that see masked customers. [`DeskError::NotFound`] if
/// there is no such message, or if nothing is kept.
pub async fn original(ctx: &Context, acting: ActingUser, id: ChatMessageId) -> Result<OriginalContent, DeskError> {
    let mut db = ctx.db.acquire().await?;
    let message = chat_messages::find(&mut db, acting.client, id).await?.ok_or(DeskError::NotFound)?;
    let stored = originals::find(&mut db, acting.client, id).await?;
    let in_message = || match message.content {
        ChatContent::Incoming(received) if !received.raw.0.is_null() => Some(kept(received.raw.0.to_string())),
        ChatContent::Incoming(_) | ChatContent::Outgoing(_) => None,
    };
    let content = stored.or_else(in_message);
    let versions = versions::of_message(&mut db, acting.client, id).await?;
    if content.is_none() && versions.is_empty() {
        return Err(DeskError::NotFound);
    }
    Ok(OriginalContent { message: id, content, versions })
}
