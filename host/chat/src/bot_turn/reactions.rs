//! Reactions of a chatbot to messages of its chat.

use base::{Context, Result};
use domain::{
    chat::ChatContent,
    content::{OutboundContent, Reaction},
    ids::{ChatMessageId, ClientId},
    inbox::InboxKind,
};
use plugin_host::chatbot::Reaction as Wanted;
use storage::chat::chat_messages;

use super::turn_context::TurnContext;

/// The content of a reaction. The inner error says why it is left out.
pub(super) async fn plan(
    ctx: &Context,
    client: ClientId,
    scene: &TurnContext,
    wanted: &Wanted,
) -> Result<std::result::Result<OutboundContent, String>> {
    let left_out = |why: &str| Ok(Err(format!("a reaction was left out: {why}")));
    let kind = scene.inbox.kind();
    if let Some(why_not) = kind.facts().no_reactions {
        return left_out(why_not);
    }
    let Ok(id) = wanted.message_id.parse::<ChatMessageId>() else {
        return left_out("its message is none of this conversation");
    };
    let found = chat_messages::find(&mut *ctx.db.acquire().await?, client, id).await?;
    let Some(message) = found.filter(|message| message.participant == scene.participant.id) else {
        return left_out("its message is none of this conversation");
    };
    if message.content.is_reaction() {
        return left_out("its message is a reaction");
    }
    // A device must know the author of the message, and our calls always name the customer.
    if kind == InboxKind::WhatsappLite && !matches!(message.content, ChatContent::Incoming(_)) {
        return left_out("a WhatsApp Lite number reacts to messages of the customer only");
    }
    let Some(message_id) = message.provider_id else { return left_out("the provider does not have its message yet") };
    Ok(Ok(OutboundContent::Reaction(Reaction { message_id, emoji: wanted.emoji.clone() })))
}
