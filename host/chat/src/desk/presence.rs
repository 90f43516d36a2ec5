use base::Context;
use domain::{channel::Channel, chat::ParticipantState, ids::ParticipantId};
use outbound::dispatch::presence::{self, PresenceFailure, PresenceSignal};
use storage::{
    chat::{
        history,
        participants::{self, Participant},
    },
    inboxes,
    people::customers,
    tenancy::users::Role,
};

use super::{ActingUser, DeskError};
use crate::visitor_typing;

/// `Ok` if the customer sees it, else the reason.
pub type PresenceResult = Result<(), PresenceFailure>;

pub async fn typing(ctx: &Context, acting: ActingUser, id: ParticipantId) -> Result<PresenceResult, DeskError> {
    let chat = {
        let mut db = ctx.db.acquire().await?;
        participants::find(&mut db, acting.client, id).await?.ok_or(DeskError::NotFound)?
    };
    if chat.state == ParticipantState::Closed {
        return Err(DeskError::Conflict("the chat is closed: open it first".to_owned()));
    }
    // Providers also take it as a read receipt. Users with other roles than AGENT may write in the chat of an agent, so
    // they may type there.
    if acting.role == Role::Agent && !sees_for_business(acting, &chat) {
        return Ok(Err(of_another()));
    }
    show(ctx, acting, &chat, true).await
}

/// Marks all messages of a chat as read: clears the unread count and sends a read receipt. In an assigned chat only its agent
/// or a program does this. For other users it changes nothing.
pub async fn read(ctx: &Context, acting: ActingUser, id: ParticipantId) -> Result<PresenceResult, DeskError> {
    let chat = {
        let mut db = ctx.db.acquire().await?;
        let chat = participants::find(&mut db, acting.client, id).await?.ok_or(DeskError::NotFound)?;
        if !sees_for_business(acting, &chat) {
            return Ok(Err(of_another()));
        }
        let only_of = (acting.role != Role::Api).then_some(acting.user);
        history::mark_seen(&mut db, acting.client, chat.id, only_of).await?;
        chat
    };
    show(ctx, acting, &chat, false).await
}

/// True if reading by the caller counts as reading by the business: no other agent has the chat.
fn sees_for_business(acting: ActingUser, chat: &Participant) -> bool {
    let of_another = chat.state == ParticipantState::Active && chat.assigned_agent != Some(acting.user);
    !of_another || acting.role == Role::Api
}

fn of_another() -> PresenceFailure {
    PresenceFailure { reason: "another agent has this chat".to_owned(), is_failure: false }
}

async fn show(
    ctx: &Context,
    acting: ActingUser,
    chat: &Participant,
    typing: bool,
) -> Result<PresenceResult, DeskError> {
    let client = acting.client;
    if chat.channel == Channel::Web {
        // A visitor's widget sees in the chat itself what was read.
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
        return Ok(Err(PresenceFailure { reason, is_failure: false }));
    };
    let signal = PresenceSignal { to: to.address(), last_message: last_message.as_deref(), typing };
    let shown = presence::show(ctx, client, chat.inbox, &signal).await?;
    if let Err(unseen) = &shown {
        tracing::info!(participant.id = %chat.id, failed = unseen.is_failure, "a customer was not shown the activity of an agent");
    }
    Ok(shown)
}
