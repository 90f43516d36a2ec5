//! Takes messages of customers: those of one customer in order, those of several at the same time. If there are more
//! customers than [`AT_ONCE`], several share a transaction, because half of the cost of a message is the same for all
//! of them (`docs/benchmarks.md`, "What comes alone").

use std::{borrow::Cow, time::Duration};

use domain::{
    ids::{CallbackId, InboxId},
    inbound::InboundMessage,
};
use futures::{StreamExt, TryStreamExt, stream};
use storage::inbound::callbacks;

use super::{names, senders, work, work::Item};
use base::{Context, Error, Result, lanes::Lease};
use chat::receive;

/// Transactions at the same time. Each holds a database connection and waits for it half of the time.
const AT_ONCE: usize = 4;
/// Bound on messages in one transaction: each customer waits for the others.
const TOGETHER: usize = 16;
/// Lock timeout of a transaction with several messages. It locks customers in the order of their messages, and other
/// transactions lock them in other orders. After a timeout each message is taken alone and locks one customer.
const PATIENCE: Duration = Duration::from_millis(50);

pub(super) async fn take_all(ctx: &Context, lease: &Lease, items: &[Item]) -> Result<()> {
    stream::iter(runs(senders::by_sender(items, Item::message)))
        .map(Ok)
        .try_for_each_concurrent(AT_ONCE, |run| async move {
            for together in run.chunks(TOGETHER) {
                if lease.is_over() {
                    break;
                }
                work::take_group(ctx, lease, together).await?;
            }
            Ok(())
        })
        .await
}

/// Splits the sequences into runs, each worked on in order: one customer, or several if there are many.
fn runs<T>(sequences: Vec<Vec<T>>) -> Vec<Vec<T>> {
    let messages: usize = sequences.iter().map(Vec::len).sum();
    let enough = messages.div_ceil(AT_ONCE).min(TOGETHER);
    let mut runs: Vec<Vec<T>> = Vec::new();
    for sequence in sequences {
        match runs.last_mut() {
            Some(run) if run.len() + sequence.len() <= enough => run.extend(sequence),
            _ => runs.push(sequence),
        }
    }
    runs
}

pub(super) async fn take(ctx: &Context, lease: &Lease, group: &[&Item]) -> Result<()> {
    let inbox = InboxId(lease.lane);
    let mut messages: Vec<Cow<'_, InboundMessage>> = Vec::with_capacity(group.len());
    for message in group.iter().filter_map(|item| item.message()) {
        let named = names::complete(ctx, (lease.client, inbox), message).await?;
        messages.push(named.map_or(Cow::Borrowed(message), Cow::Owned));
    }
    let messages: Vec<&InboundMessage> = messages.iter().map(AsRef::as_ref).collect();
    let done: Vec<CallbackId> = group.iter().map(|item| item.id).collect();
    let patience = (messages.len() > 1).then_some(PATIENCE);
    let mut tx = ctx.db.begin().await?;
    if !callbacks::hold_and_remove(&mut tx, lease.client, (lease.lane, lease.fence), &done, patience).await? {
        return Err(Error::LeaseLost);
    }
    let wakes = receive::receive_all(ctx, &mut tx, lease.client, inbox, &messages).await?;
    tx.commit().await?;
    ctx.wake.wake_all(lease.client, wakes);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs_of(customers: &[usize]) -> Vec<usize> {
        runs(customers.iter().map(|messages| vec![(); *messages]).collect()).iter().map(Vec::len).collect()
    }

    #[test]
    fn as_many_customers_as_are_taken_at_once_share_nothing() {
        assert_eq!(runs_of(&[1]), [1]);
        assert_eq!(runs_of(&[1, 1, 1, 1]), [1, 1, 1, 1]);
    }

    #[test]
    fn more_customers_share_transactions_evenly_and_never_too_many_of_them() {
        assert_eq!(runs_of(&[1; 5]), [2, 2, 1]);
        assert_eq!(runs_of(&[1; 64]), [16, 16, 16, 16]);
        assert_eq!(runs_of(&[1; 100]), [16, 16, 16, 16, 16, 16, 4]);
    }

    #[test]
    fn what_one_customer_wrote_is_one_run_however_much_it_is() {
        assert_eq!(runs_of(&[40, 1, 1, 2]), [40, 4]);
        assert_eq!(runs_of(&[3, 3, 3, 3]), [3, 3, 3, 3]);
    }
}
