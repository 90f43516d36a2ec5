//! What a customer sees of agents beside their messages: that somebody is writing, and that what it wrote was read.

use base::Context;
use domain::{channel::Channel, chat::ParticipantState, ids::ParticipantId};
use outbound::dispatch::presence::{self, Unseen};
use storage::{
    chat::{
        history,
        participants::{self, Participant},
    },
    inboxes,
    people::customers,
};

use super::{Acting, DeskError};
use crate::visitor_typing;

/// Whether the customer sees it; else why not.
pub type Shown = Result<(), Unseen>;

/// Shows the customer of an open chat that somebody is writing.
///
/// # Errors
/// See [`DeskError`].
pub async fn typing(ctx: &Context, acting: Acting, id: ParticipantId) -> Result<Shown, DeskError> {
    let chat = {
        let mut db = ctx.db.acquire().await?;
        participants::find(&mut db, acting.client, id).await?.ok_or(DeskError::NotFound)?
    };
    if chat.state == ParticipantState::Closed {
        return Err(DeskError::Conflict("the chat is closed: nobody is writing there".to_owned()));
    }
    show(ctx, acting, &chat, true).await
}

/// Agents have seen everything in a chat: the badge goes, and the customer gets a read receipt.
///
/// # Errors
/// See [`DeskError`].
pub async fn read(ctx: &Context, acting: Acting, id: ParticipantId) -> Result<Shown, DeskError> {
    let chat = {
        let mut db = ctx.db.acquire().await?;
        let chat = participants::find(&mut db, acting.client, id).await?.ok_or(DeskError::NotFound)?;
        history::mark_seen(&mut db, acting.client, chat.id).await?;
        chat
    };
    show(ctx, acting, &chat, false).await
}

async fn show(ctx: &Context, acting: Acting, chat: &Participant, typing: bool) -> Result<Shown, DeskError> {
    let client = acting.client;
    if chat.channel == Channel::Web {
        // No provider stands between us and a visitor: its widget sees what was read in the chat itself.
        if typing {
            visitor_typing::show(ctx, client, chat).await?;
        }
        return Ok(Ok(()));
    }
    let (to, last_message) = {
        let mut db = ctx.db.acquire().await?;
        let inbox = inboxes::by_id(&mut db, client, chat.inbox).await?.ok_or(DeskError::NotFound)?;
        let customer = customers::find(&mut db, client, chat.customer).await?.ok_or(DeskError::NotFound)?;
        (customer.addresses.written_to(inbox.kind()), history::last_incoming(&mut db, client, chat.id).await?)
    };
    let Some(to) = to else {
        let reason = "no address of this customer is known that this channel can write to".to_owned();
        return Ok(Err(Unseen { reason, is_failure: false }));
    };
    let shown = presence::show(ctx, client, chat.inbox, to.address(), (last_message.as_deref(), typing)).await?;
    if let Err(unseen) = &shown {
        tracing::info!(participant.id = %chat.id, failed = unseen.is_failure, "a customer does not see what an agent does");
    }
    Ok(shown)
}
