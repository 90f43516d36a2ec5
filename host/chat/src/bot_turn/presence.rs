//! Read marks and typing indicators of a chatbot. They are shown after its answer has taken effect, and a failure of the
//! provider does not matter to the turn.

use base::{Context, Result};
use domain::{channel::Channel, ids::ClientId};
use outbound::dispatch::presence::{self, PresenceSignal};
use storage::chat::history;

use super::turn_context::TurnContext;
use crate::visitor_typing;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BotPresence {
    Read,
    Typing,
}

pub(super) async fn show(ctx: &Context, client: ClientId, scene: &TurnContext, what: BotPresence) {
    if let Err(error) = try_to_show(ctx, client, scene, what).await {
        let error = &error as &dyn std::error::Error;
        tracing::info!(participant.id = %scene.participant.id, error, "a customer was not shown the activity of a chatbot");
    }
}

async fn try_to_show(ctx: &Context, client: ClientId, scene: &TurnContext, what: BotPresence) -> Result<()> {
    let chat = &scene.participant;
    let typing = what == BotPresence::Typing;
    if chat.channel == Channel::Web {
        // A widget sees in the chat itself what was read.
        return if typing { visitor_typing::show(ctx, client, chat).await } else { Ok(()) };
    }
    let Some(to) = scene.customer.addresses.written_to(scene.inbox.kind()) else { return Ok(()) };
    let last = history::last_incoming(&mut *ctx.db.acquire().await?, client, chat.id).await?;
    let signal = PresenceSignal { to: to.address(), last_message: last.as_deref(), typing };
    if let Err(unseen) = presence::show(ctx, client, chat.inbox, &signal).await? {
        tracing::debug!(participant.id = %chat.id, reason = unseen.reason, "a customer was not shown the activity of a chatbot");
    }
    Ok(())
}
