//! Takes messages of customers: those of one customer in order, those of several at the same time. If there are more
//! customers than [`AT_ONCE`], several share a transaction, because half of the cost of a message is the same for all
//! of them.

use std::{borrow::Cow, time::Duration};

use base::{Context, Error, Result, lanes::Lease};
use chat::receive::{self, MessageGroup, ReceiveOutcome};
use chrono::TimeDelta;
use domain::{
    ids::{CallbackId, InboxId},
    inbound::InboundMessage,
};
use storage::inbound::callbacks;

use super::{item::Item, names};

/// Lock timeout of a transaction with several messages. It locks customers in the order of their messages, and other
/// transactions lock them in other orders. After a timeout each message is taken alone and locks one customer.
const LOCK_TIMEOUT: Duration = Duration::from_millis(50);

/// How long a message waits for the outcome of a call to its customer, if it answers a message that is not known. Then it is
/// taken without that message.
const EARLY_ANSWER_PATIENCE: TimeDelta = TimeDelta::seconds(30);

/// Time between two attempts to take such a message.
pub(super) const EARLY_ANSWER_PAUSE: TimeDelta = TimeDelta::seconds(1);

pub(super) enum TakeOutcome {
    Taken,
    /// Nothing was taken: a message answers another one whose call has no outcome yet.
    TooEarly,
}

pub(super) async fn take(ctx: &Context, lease: &Lease, group: &[&Item]) -> Result<TakeOutcome> {
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
    if !callbacks::hold_and_remove(&mut tx, lease.key(), lease.fence, &done, patience).await? {
        return Err(Error::LeaseLost);
    }
    let may_wait = group.iter().any(|item| ctx.now() - item.received_at < EARLY_ANSWER_PATIENCE);
    let messages = MessageGroup { messages: &messages, may_wait };
    match receive::receive_all(ctx, &mut tx, lease.client, inbox, messages).await? {
        ReceiveOutcome::Done(wakes) => {
            tx.commit().await?;
            ctx.wake.wake_all(lease.client, wakes);
            Ok(TakeOutcome::Taken)
        }
        ReceiveOutcome::TooEarly => {
            tx.rollback().await?;
            Ok(TakeOutcome::TooEarly)
        }
    }
}
