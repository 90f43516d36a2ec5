//! What a provider sent of a message: what people read may be words of ours.

use base::Context;
use domain::{chat::ChatContent, ids::ChatMessageId, inbound::kept};
use storage::chat::{
    chat_messages, originals,
    versions::{self, Version},
};

use super::{Acting, DeskError};

/// The original of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Original {
    /// The message.
    pub message: ChatMessageId,
    /// The provider's JSON, its first 64 KiB. `None` for a message that was written here, and where nothing is kept.
    pub content: Option<String>,
    /// What the message said before its author edited or deleted it, oldest first.
    pub versions: Vec<Version>,
}

/// What the provider sent of a message, and what it said before it was changed. Not for those who must not see who the customer is.
///
/// # Errors
/// [`DeskError::NotFound`] when there is no such message, or neither is kept of it.
pub async fn original(ctx: &Context, acting: Acting, id: ChatMessageId) -> Result<Original, DeskError> {
    let mut db = ctx.db.acquire().await?;
    let message = chat_messages::find(&mut db, acting.client, id).await?.ok_or(DeskError::NotFound)?;
    let stored = originals::find(&mut db, acting.client, id).await?;
    let beside = || match message.content {
        ChatContent::Incoming(received) if !received.raw.0.is_null() => Some(kept(received.raw.0.to_string())),
        ChatContent::Incoming(_) | ChatContent::Outgoing(_) => None,
    };
    let content = stored.or_else(beside);
    let versions = versions::of_message(&mut db, acting.client, id).await?;
    if content.is_none() && versions.is_empty() {
        return Err(DeskError::NotFound);
    }
    Ok(Original { message: id, content, versions })
}
