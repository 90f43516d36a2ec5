//! Reports of Messenger about all messages up to a moment (PROVIDERS B).

use base::{Context, Result};
use domain::{
    delivery::DeliveryState,
    ids::{ClientId, InboxId, MessageId},
    inbound::{ProviderStatus, Watermark},
};
use storage::{
    PgConnection, Queue,
    outbound::messenger::{self, UnreadMessage},
};
use uuid::Uuid;

use crate::{delivery::advance, delivery_step::DeliveryStep};

#[derive(Debug)]
pub struct WatermarkOutcome {
    /// True if some of the messages have no answer yet. The report must be read again later.
    pub unsettled: bool,
    pub wakes: Vec<(Queue, Uuid)>,
}

/// Moves each message to a customer that was called for at or before the moment, inside the caller's transaction.
pub async fn apply(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    mark: &Watermark,
) -> Result<WatermarkOutcome> {
    let reached = match mark.status {
        ProviderStatus::Read | ProviderStatus::Played => DeliveryState::Read,
        ProviderStatus::Delivered | ProviderStatus::Sent | ProviderStatus::Failed => DeliveryState::Delivered,
    };
    let meant = messenger::unread(db, client, inbox, mark.to.value(), ctx.clock.at(mark.until)).await?;
    let waits = |one: &UnreadMessage| one.state == Some(DeliveryState::Queued);
    let moves =
        |one: &&UnreadMessage| one.state.is_some_and(|state| !state.is_failed() && state != DeliveryState::Queued);
    let step = |one: &UnreadMessage| DeliveryStep {
        message: one.message,
        ordinal: one.ordinal,
        reached,
        at: mark.until,
        provider_id: None,
        failure: None,
        named: Vec::new(),
    };
    let steps: Vec<DeliveryStep> = meant.iter().filter(moves).map(step).collect();
    let wakes = advance(ctx, db, client, steps).await?;
    let is_over = |one: &&UnreadMessage| !waits(one) && (reached == DeliveryState::Read || !moves(one));
    let over: Vec<(MessageId, i16)> = meant.iter().filter(is_over).map(|one| (one.message, one.ordinal)).collect();
    messenger::forget(db, client, inbox, mark.to.value(), &over).await?;
    Ok(WatermarkOutcome { unsettled: meant.iter().any(waits), wakes })
}
