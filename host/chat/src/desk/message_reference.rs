//! Finds the message of a chat that a request quotes or reacts to (SPEC 4.2 `quotedExternalMessageId`).

use domain::{
    chat::ChatContent,
    ids::{ChatMessageId, ClientId},
    inbox::InboxKind,
    lite::scoped_id,
};
use storage::{
    PgConnection,
    chat::{
        chat_messages::{self, ChatMessage},
        participants::Participant,
    },
};

use super::DeskError;

/// Finds the quoted message, which must be in this chat, and its provider id.
pub(super) async fn find_quote(
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    named: Option<&str>,
) -> Result<Option<(ChatMessageId, String)>, DeskError> {
    let Some(named) = named else { return Ok(None) };
    let fault = |said| DeskError::fault("quotedExternalMessageId", said);
    let found = of_chat(db, client, chat, named).await?;
    let Named { message, provider_id } = found.ok_or_else(|| fault("is not the id of a message of this chat"))?;
    if message.content.is_reaction() {
        return Err(fault("is the id of a reaction: quote the message that it is about"));
    }
    Ok(Some((message.id, provider_id.ok_or_else(not_yet_sent)?)))
}

struct Named {
    message: ChatMessage,
    provider_id: Option<String>,
}

/// Finds a message of a chat by its provider id or by ours, which webhooks use.
async fn of_chat(
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    named: &str,
) -> Result<Option<Named>, DeskError> {
    // Ids of a Lite number are stored with their inbox, those of an earlier release without.
    for provider_id in [named.to_owned(), scoped_id(chat.inbox, named)] {
        let Some(known) = chat_messages::find_quoted(db, client, &provider_id).await? else { continue };
        let Some(id) = known.chat_message else { continue };
        if let Some(message) = of_id(db, client, chat, id).await? {
            return Ok(Some(Named { message, provider_id: Some(provider_id) }));
        }
    }
    let Ok(id) = named.parse() else { return Ok(None) };
    let found = of_id(db, client, chat, id).await?;
    Ok(found.map(|message| Named { provider_id: message.provider_id.clone(), message }))
}

async fn of_id(
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    id: ChatMessageId,
) -> Result<Option<ChatMessage>, DeskError> {
    Ok(chat_messages::find(db, client, id).await?.filter(|message| message.participant == chat.id))
}

fn not_yet_sent() -> DeskError {
    DeskError::Conflict("the message that is named has not left yet: try again once it has been sent".to_owned())
}

/// The provider id of the message to react to. Refuses channels without reactions and messages of other chats.
pub(super) async fn reacted_to(
    db: &mut PgConnection,
    client: ClientId,
    chat: &Participant,
    kind: InboxKind,
    named: &str,
) -> Result<String, DeskError> {
    if let Some(why_not) = kind.facts().no_reactions {
        return Err(DeskError::fault("reaction", why_not));
    }
    let fault = |said| DeskError::fault("reaction.externalMessageId", said);
    let found = of_chat(db, client, chat, named).await?;
    let Named { message, provider_id } = found.ok_or_else(|| fault("is not the id of a message of this chat"))?;
    if message.content.is_reaction() {
        return Err(fault("is the id of a reaction: react to the message that it is about"));
    }
    // A device must know the author of the message, and our calls always name the customer.
    if kind == InboxKind::WhatsappLite && !matches!(message.content, ChatContent::Incoming(_)) {
        return Err(fault("is not a message of the customer: a WhatsApp Lite number reacts to those only"));
    }
    provider_id.ok_or_else(not_yet_sent)
}
