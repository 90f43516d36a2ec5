//! Takes messages of customers: those of one customer in order, those of several at the same time. If there are more
//! customers than [`AT_ONCE`], several share a transaction, because half of the cost of a message is the same for all
//! of them.

use std::{borrow::Cow, time::Duration};

use base::{Context, Error, Result, lanes::Lease};
use chat::receive;
use domain::{
    ids::{CallbackId, InboxId},
    inbound::InboundMessage,
};
use storage::inbound::callbacks;

use super::{item::Item, names};

/// Lock timeout of a transaction with several messages. It locks customers in the order of their messages, and other
/// transactions lock them in other orders. After a timeout each message is taken alone and locks one customer.
const LOCK_TIMEOUT: Duration = Duration::from_millis(50);

pub(super) async fn take(ctx: &Context, lease: &Lease, group: &[&Item]) -> Result<()> {
    let inbox = InboxId(lease.lane);
    let mut messages: Vec<Cow<'_, InboundMessage>> = Vec::with_capacity(group.len());
    for message in group.iter().filter_map(|item| item.message()) {
        let named = names::complete(ctx, lease.client, inbox, message).await?;
        messages.push(named.map_or(Cow::Borrowed(message), Cow::Owned));
    }
    let messages: Vec<&InboundMessage> = messages.iter().map(AsRef::as_ref).collect();
    let done: Vec<CallbackId> = group.iter().map(|item| item.id).collect();
    let patience = (messages.len() > 1).then_some(LOCK_TIMEOUT);
    let mut tx = ctx.db.begin().await?;
    if !callbacks::hold_and_remove(&mut tx, lease.client, (lease.lane, lease.fence), &done, patience).await? {
        return Err(Error::LeaseLost);
    }
    let wakes = receive::receive_all(ctx, &mut tx, lease.client, inbox, &messages).await?;
    tx.commit().await?;
    ctx.wake.wake_all(lease.client, wakes);
    Ok(())
}
