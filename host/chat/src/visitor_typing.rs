//! Typing indicators for visitors of a web site. Other channels have calls of their provider for this.

use base::{Context, Result};
use chrono::TimeDelta;
use domain::{channel::Channel, ids::ClientId};
use storage::{chat::participants::Participant, web::visitors};

const SHOWN: TimeDelta = TimeDelta::seconds(6);

/// Shows the indicator to the visitors of a chat. No effect on other channels.
pub async fn show(ctx: &Context, client: ClientId, chat: &Participant) -> Result<()> {
    if chat.channel != Channel::Web {
        return Ok(());
    }
    let mut db = ctx.db.acquire().await?;
    let until = ctx.now() + SHOWN;
    for visitor in visitors::agent_types(&mut db, client, chat.inbox, chat.customer, until).await? {
        ctx.carriers.doorbell().ring(client, chat.inbox, &visitor);
    }
    Ok(())
}
