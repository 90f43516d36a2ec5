//! Receipts of a visitor. Widgets report delivered and read messages by sequence number, and this sets the state of
//! messages as on all channels (SPEC 3.2).

use std::collections::BTreeSet;

use base::{Context, Result};
use domain::{
    ids::{ClientId, MessageId},
    inbound::{ProviderStatus, StatusUpdate},
};
use outbound::delivery;
use storage::{
    outbound::legs::LockPolicy,
    web::{
        sites::Site,
        threads,
        visitors::{self, NewVisitor},
    },
};

use super::{thread, token::VisitorToken};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VisitorProgress {
    /// All messages up to here are in the widget.
    pub delivered_up_to: i64,
    /// All messages up to here were on the screen.
    pub read_up_to: i64,
}

const MOST: i64 = 500;

/// Stores the progress of a visitor and returns the stored value. Repeated and unknown numbers change nothing.
pub async fn note_progress(
    ctx: &Context,
    site: &Site,
    from: &VisitorToken,
    told: VisitorProgress,
) -> Result<VisitorProgress> {
    let visitor = from.visitor.to_string();
    let mut tx = ctx.db.begin().await?;
    let Some(chat) = thread::find(&mut tx, site, &visitor).await? else { return Ok(VisitorProgress::default()) };
    let new = NewVisitor { inbox: site.id, visitor: &visitor, proven: None };
    let mut known = visitors::begin(&mut tx, site.client, new, ctx.now()).await?;
    let newest = chat.next_sequence - 1;
    let read = told.read_up_to.min(newest).min(known.read_up_to.saturating_add(MOST));
    let delivered = told.delivered_up_to.max(read).min(newest).min(known.delivered_up_to.saturating_add(MOST));
    let (was_delivered, was_read) = (known.delivered_up_to, known.read_up_to);
    if known.joined_to.is_some() || (delivered <= was_delivered && read <= was_read) {
        return Ok(VisitorProgress { delivered_up_to: was_delivered, read_up_to: was_read });
    }
    let mut updates = Vec::new();
    for (reached, from, to) in
        [(ProviderStatus::Delivered, was_delivered, delivered), (ProviderStatus::Read, was_read, read)]
    {
        if to > from {
            let moved = threads::on_their_way(&mut tx, site.client, chat.participant, from, to).await?;
            updates.extend(moved.iter().filter_map(|(_, gst_id)| update(ctx, site.client, gst_id, reached)));
        }
    }
    let updates: Vec<_> = updates.iter().collect();
    let outcome = delivery::apply_statuses(ctx, &mut tx, site.client, &updates, LockPolicy::Wait).await?;
    known.delivered_up_to = was_delivered.max(delivered);
    known.read_up_to = was_read.max(read);
    visitors::save(&mut tx, site.client, site.id, &visitor, &known).await?;
    tx.commit().await?;
    ctx.wake.wake_all(site.client, outcome.wakes.into_iter().collect::<BTreeSet<_>>());
    Ok(VisitorProgress { delivered_up_to: known.delivered_up_to, read_up_to: known.read_up_to })
}

/// The chat message id of a message we sent is the id of its outgoing message.
fn update(ctx: &Context, client: ClientId, gst_id: &str, status: ProviderStatus) -> Option<StatusUpdate> {
    let message: MessageId = gst_id.parse().ok()?;
    Some(StatusUpdate {
        provider_id: channels::web::message_id(message),
        opaque: Some(delivery::opaque(client, message, 0)),
        status,
        at: ctx.now(),
        recipient: None,
        recipient_user_id: None,
        error: None,
    })
}
