//! Takes the messages of a page: each customer in order, several customers at a time.

use base::{Context, Result, lanes::Lease};
use futures::{StreamExt, TryStreamExt, stream};

use super::{group::take_group, item::Item, senders, waiting_senders::WaitingSenders};

/// Transactions at the same time. Each holds a database connection and waits for it half of the time.
pub(super) const AT_ONCE: usize = 4;

/// Bound on messages in one transaction: each customer waits for the others.
pub(super) const MOST_PER_TRANSACTION: usize = 16;

pub(super) async fn take_all(ctx: &Context, lease: &Lease, waiting: &WaitingSenders, items: &[Item]) -> Result<()> {
    stream::iter(runs(senders::by_sender(items, Item::message)))
        .map(Ok)
        .try_for_each_concurrent(AT_ONCE, |run| async move {
            for together in run.chunks(MOST_PER_TRANSACTION) {
                if lease.is_over() {
                    break;
                }
                take_group(ctx, lease, waiting, together).await?;
            }
            Ok(())
        })
        .await
}

/// Splits the sequences into runs, each worked on in order: one customer, or several if there are many.
pub(super) fn runs<T>(sequences: Vec<Vec<T>>) -> Vec<Vec<T>> {
    let messages: usize = sequences.iter().map(Vec::len).sum();
    let enough = messages.div_ceil(AT_ONCE).min(MOST_PER_TRANSACTION);
    let mut runs: Vec<Vec<T>> = Vec::new();
    for sequence in sequences {
        match runs.last_mut() {
            Some(run) if run.len() + sequence.len() <= enough => run.extend(sequence),
            _ => runs.push(sequence),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs_of(customers: &[usize]) -> Vec<usize> {
        runs(customers.iter().map(|messages| vec![(); *messages]).collect()).iter().map(Vec::len).collect()
    }

    #[test]
    fn customers_processed_in_parallel_share_nothing() {
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
    fn all_messages_of_one_customer_are_one_run() {
        assert_eq!(runs_of(&[40, 1, 1, 2]), [40, 4]);
        assert_eq!(runs_of(&[3, 3, 3, 3]), [3, 3, 3, 3]);
    }
}
