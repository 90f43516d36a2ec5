//! Shows a visitor of a web site for a moment that an agent is typing. Channels of providers have calls of their own
//! for it.

use base::{Context, Result};
use chrono::TimeDelta;
use domain::{channel::Channel, ids::ClientId};
use storage::{chat::participants::Participant, web::visitors};

/// How long it is shown.
const SHOWN: TimeDelta = TimeDelta::seconds(6);

/// Shows it. Does nothing on another channel, or in a chat without a visitor.
pub async fn show(ctx: &Context, client: ClientId, chat: &Participant) -> Result<()> {
    if chat.channel != Channel::Web {
        return Ok(());
    }
    let mut db = ctx.db.acquire().await?;
    let until = ctx.now() + SHOWN;
    for visitor in visitors::agent_types(&mut db, client, (chat.inbox, chat.customer), until).await? {
        ctx.carriers.doorbell().ring(client, chat.inbox, &visitor);
    }
    Ok(())
}
