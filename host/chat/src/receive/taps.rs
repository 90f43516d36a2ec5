//! Effects of a tap on a quick reply on a long-lived conversation (SPEC 2.3, 3.1).

use domain::{
    content::{ConversationEffect, OutboundContent},
    conversation::{CloseReason, ConversationRef},
    ids::ClientId,
    inbound::InboundContent,
};
use storage::{PgConnection, chat::conversations};

use super::answers::AnswerStep;
use base::{Context, Result};

/// Records a tap and closes the conversation if the button says so: the one it was sent in, or the active one.
pub(super) async fn take(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    answered: &AnswerStep,
    active: Option<&ConversationRef>,
) -> Result<()> {
    let (InboundContent::Button { .. }, Some(target)) = (&answered.content, &answered.target) else { return Ok(()) };
    if !matches!(target.sent, Some(OutboundContent::Template(_))) {
        return Ok(());
    }
    let conversation = match target.quoted.conversation {
        Some(id) => conversations::find_refs(db, client, &[id]).await?.get(&id).map(|shown| shown.id),
        None => active.map(|active| active.id),
    };
    let Some(conversation) = conversation else { return Ok(()) };
    conversations::note_tap(db, client, conversation, &target.quoted.gst_id).await?;
    match answered.effect {
        Some(ConversationEffect::End) => {
            conversations::close(db, client, conversation, CloseReason::Button, ctx.now()).await?;
        }
        // It is open already.
        Some(ConversationEffect::Start) | None => {}
    }
    Ok(())
}
