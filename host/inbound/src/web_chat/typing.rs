//! Tells agents that a visitor types. A lost notice does no harm.

use base::{Context, Result};
use domain::event::{CustomerTypes, Event};
use events::{NewEvent, record};
use storage::web::{sites::Site, threads::Thread};

/// Tells agents that the visitor of a chat types. If no agent reads live events, it costs one read.
pub async fn types(ctx: &Context, site: &Site, chat: &Thread) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let event = Event::CustomerTypes(CustomerTypes { participant: chat.participant });
    let order_key = chat.participant.0.as_u64_pair().1.cast_signed();
    let new = NewEvent { inbox: Some(site.id), order_key, at: ctx.now(), event };
    let wakes = record(ctx, &mut tx, site.client, &[new]).await?;
    tx.commit().await?;
    ctx.wake.wake_all(site.client, wakes);
    Ok(())
}
