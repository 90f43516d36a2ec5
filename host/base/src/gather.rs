//! Does work that arrives together in one step: one transaction, or one query, for many callers.
//!
//! A key has only a few groups in progress, so the next one fills while the disk works. A lone caller never waits for
//! others. Callers that return as soon as they are answered would split into two halves that take turns, each in groups
//! of half the size. So after a group of several callers, the next one waits a moment for those callers.

use std::{
    collections::HashMap,
    hash::Hash,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures::{FutureExt, future::BoxFuture};
use storage::silence::within;
use tokio::sync::{Notify, oneshot};

/// After a group of so many, some of its callers are likely to come back.
const SEVERAL: usize = 4;
/// Time that the next group waits for callers that return as soon as they have their answer.
pub const COMING_BACK: Duration = Duration::from_millis(2);
/// Work on a group that takes longer waits for a database that says nothing, and the callers after it for that. Callers are
/// answered within 30 s.
const LONGEST: Duration = Duration::from_secs(25);

/// How groups are made.
#[derive(Debug, Clone, Copy)]
pub struct Grouping {
    /// Groups of one key under way at most: while one waits for the disk, another uses the processor.
    pub groups: usize,
    /// Weight that a further group begins with: a smaller one would cost more statements than its head start is worth.
    pub further_from: usize,
    /// Items of one group at most.
    pub most_items: usize,
    /// Weight of one group at most, unless a single item weighs more.
    pub most_weight: usize,
    /// How long a group at most waits for the callers of the one before.
    pub coming_back: Duration,
}

/// Does the work of a group: answers each of the items, in their order.
type Work<K, I, A> = Box<dyn Fn(K, Vec<I>) -> BoxFuture<'static, Vec<A>> + Send + Sync>;

/// Gathers items of one kind. `K` separates groups, `I` is an item, `A` is the result of an item.
pub struct Gatherer<K, I, A> {
    grouping: Grouping,
    weight: fn(&I) -> usize,
    work: Work<K, I, A>,
    /// The waiting items of each key with a group in progress.
    waiting: Mutex<HashMap<K, Waiting<I, A>>>,
}

/// The items of one key that no group has taken yet.
struct Waiting<I, A> {
    items: Vec<(I, oneshot::Sender<A>)>,
    groups: usize,
    /// The number of items that a group waits for, and the notice that they have come.
    awaited: Option<(usize, Arc<Notify>)>,
}

impl<K, I, A> Gatherer<K, I, A>
where
    K: Copy + Eq + Hash + Send + 'static,
    I: Send + 'static,
    A: Send + 'static,
{
    /// Items of `weight` are done by `work`.
    pub fn new<F>(
        grouping: Grouping,
        weight: fn(&I) -> usize,
        work: impl Fn(K, Vec<I>) -> F + Send + Sync + 'static,
    ) -> Arc<Self>
    where
        F: Future<Output = Vec<A>> + Send + 'static,
    {
        let work: Work<K, I, A> = Box::new(move |key, items| work(key, items).boxed());
        Arc::new(Self { grouping, weight, work, waiting: Mutex::new(HashMap::new()) })
    }

    /// Does an item together with the other items of its key that arrive in the same time. `None` if the work on its
    /// group panicked or did not end.
    pub async fn join(self: &Arc<Self>, key: K, item: I) -> Option<A> {
        let (answer, answered) = oneshot::channel();
        let starts_group = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let waiting = waiting.entry(key).or_insert_with(|| Waiting { items: Vec::new(), groups: 0, awaited: None });
            waiting.items.push((item, answer));
            if let Some((_, all_are_there)) = waiting.awaited.take_if(|(awaited, _)| waiting.items.len() >= *awaited) {
                all_are_there.notify_one();
            }
            let starts_group = match waiting.groups {
                0 => true,
                under_way => under_way < self.grouping.groups && !self.is_too_light(waiting),
            };
            waiting.groups += usize::from(starts_group);
            starts_group
        };
        if starts_group {
            // Not in this caller's own task: one that hangs up must not take the group down with it.
            tokio::spawn(Arc::clone(self).do_groups(key));
        }
        answered.await.ok()
    }

    /// True if the waiting items are too few for another group at the same time.
    fn is_too_light(&self, waiting: &Waiting<I, A>) -> bool {
        waiting.items.iter().map(|(item, _)| (self.weight)(item)).sum::<usize>() < self.grouping.further_from
    }

    /// Does one group after another until no item waits.
    async fn do_groups(self: Arc<Self>, key: K) {
        let mut answered = 0;
        loop {
            self.await_callers(key, answered).await;
            let Some(group) = self.next_group(key) else { return };
            answered = group.len();
            let (items, answers): (Vec<I>, Vec<_>) = group.into_iter().unzip();
            // A panic must not leave later callers waiting for a group that never comes.
            match within(LONGEST, AssertUnwindSafe((self.work)(key, items)).catch_unwind()).await {
                // A caller that has hung up does not listen any more.
                Some(Ok(done)) => answers.into_iter().zip(done).for_each(|(answer, done)| drop(answer.send(done))),
                Some(Err(_)) => tracing::error!("the work on a group panicked; its callers are told that it failed"),
                None => tracing::error!("the work on a group did not end; its callers are told that it failed"),
            }
        }
    }

    /// Gives callers that have just been answered a moment to return, unless the waiting items are enough for a group.
    async fn await_callers(&self, key: K, answered: usize) {
        if answered < SEVERAL {
            return;
        }
        let all_are_there = {
            let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(entry) = waiting.get_mut(&key) else { return };
            if entry.groups > 1 || !self.is_too_light(entry) {
                return;
            }
            let all_are_there = Arc::new(Notify::new());
            let awaited = (entry.items.len() + answered).min(self.grouping.most_items);
            entry.awaited = Some((awaited, Arc::clone(&all_are_there)));
            all_are_there
        };
        // A caller that does not return in time is in a later group.
        let _ = tokio::time::timeout(self.grouping.coming_back, all_are_there.notified()).await;
    }

    fn next_group(&self, key: K) -> Option<Vec<(I, oneshot::Sender<A>)>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = waiting.get_mut(&key)?;
        if entry.items.is_empty() || (entry.groups > 1 && self.is_too_light(entry)) {
            entry.groups = entry.groups.saturating_sub(1);
            if entry.groups == 0 {
                waiting.remove(&key);
            }
            return None;
        }
        let mut weight = 0_usize;
        let fits = entry
            .items
            .iter()
            .take(self.grouping.most_items)
            .take_while(|(item, _)| {
                weight = weight.saturating_add((self.weight)(item));
                weight <= self.grouping.most_weight
            })
            .count();
        Some(entry.items.drain(..fits.max(1)).collect())
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::Semaphore;

    use super::*;

    const GROUPING: Grouping =
        Grouping { groups: 2, further_from: 3, most_items: 4, most_weight: 100, coming_back: COMING_BACK };

    /// Answers each item with the size of its group, once it is let through the gate.
    fn sizes(grouping: Grouping, gate: &Arc<Semaphore>) -> Arc<Gatherer<u8, usize, usize>> {
        let gate = Arc::clone(gate);
        Gatherer::new(
            grouping,
            |item| *item,
            move |_, items: Vec<usize>| {
                let gate = Arc::clone(&gate);
                async move {
                    gate.acquire().await.unwrap().forget();
                    assert!(!items.contains(&99), "an item that nobody can do");
                    vec![items.len(); items.len()]
                }
            },
        )
    }

    /// Lets one after the other of `items` join, and only then any group through the gate.
    async fn joined(
        gatherer: &Arc<Gatherer<u8, usize, usize>>,
        gate: &Semaphore,
        items: &[usize],
    ) -> Vec<Option<usize>> {
        let mut joins = Vec::new();
        for item in items.iter().copied() {
            let gatherer = Arc::clone(gatherer);
            joins.push(tokio::spawn(async move { gatherer.join(1, item).await }));
            for _ in 0..5 {
                tokio::task::yield_now().await;
            }
        }
        gate.add_permits(items.len());
        futures::future::join_all(joins).await.into_iter().map(Result::unwrap).collect()
    }

    #[tokio::test]
    async fn what_arrives_while_a_group_is_under_way_is_the_next_group() {
        let gate = Arc::new(Semaphore::new(0));
        let gatherer = sizes(GROUPING, &gate);
        assert_eq!(joined(&gatherer, &gate, &[1, 1, 1]).await, [Some(1), Some(2), Some(2)]);
        assert!(gatherer.waiting.lock().unwrap().is_empty(), "nothing is kept of a key that is done");
    }

    #[tokio::test]
    async fn a_second_group_begins_when_it_is_worth_it() {
        let gate = Arc::new(Semaphore::new(0));
        let gatherer = sizes(GROUPING, &gate);
        assert_eq!(joined(&gatherer, &gate, &[1, 3, 1, 1]).await, [Some(1), Some(1), Some(2), Some(2)]);
    }

    #[tokio::test]
    async fn a_group_has_no_more_items_and_no_more_weight_than_it_may() {
        let gate = Arc::new(Semaphore::new(0));
        let few = Grouping { groups: 1, most_weight: 10, ..GROUPING };
        let gatherer = sizes(few, &gate);
        let sizes = joined(&gatherer, &gate, &[1, 1, 1, 1, 1, 1, 8, 8, 20]).await;
        let expected = [1, 4, 4, 4, 4, 2, 2, 1, 1].map(Some);
        assert_eq!(sizes, expected);
    }

    #[tokio::test]
    async fn a_panic_fails_its_own_group_alone() {
        let gate = Arc::new(Semaphore::new(0));
        let gatherer = sizes(Grouping { groups: 1, ..GROUPING }, &gate);
        assert_eq!(joined(&gatherer, &gate, &[1, 99]).await, [Some(1), None]);
        assert_eq!(joined(&gatherer, &gate, &[1]).await, [Some(1)]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_group_that_does_not_end_fails_alone_and_the_next_one_is_done() {
        let gate = Arc::new(Semaphore::new(0));
        let gatherer = sizes(Grouping { groups: 1, ..GROUPING }, &gate);
        assert_eq!(gatherer.join(1, 1).await, None);
        gate.add_permits(1);
        assert_eq!(gatherer.join(1, 1).await, Some(1));
    }

    /// Five callers at the same time. Some of them return with a second item as soon as they are answered. Returns the
    /// sizes of all groups.
    async fn groups_where(come_back: usize) -> Vec<usize> {
        let gate = Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
        let gatherer = sizes(Grouping { groups: 1, most_items: 100, ..GROUPING }, &gate);
        let callers = (0..5).map(|caller| {
            let gatherer = Arc::clone(&gatherer);
            async move {
                let mut answers = vec![gatherer.join(1, 0).await.unwrap()];
                if caller < come_back {
                    answers.push(gatherer.join(1, 0).await.unwrap());
                }
                answers
            }
        });
        let mut answers = futures::future::join_all(callers).await.concat();
        assert_eq!(answers.len(), 5 + come_back);
        answers.sort_unstable();
        answers
    }

    #[tokio::test(start_paused = true)]
    async fn callers_who_come_back_at_once_are_one_group_again() {
        assert_eq!(groups_where(5).await, [5; 10]);
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_come_back_holds_the_others_up_for_a_moment_only() {
        let begun = tokio::time::Instant::now();
        assert_eq!(groups_where(3).await, [3, 3, 3, 5, 5, 5, 5, 5]);
        assert_eq!(begun.elapsed(), COMING_BACK);
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_alone_waits_for_nobody() {
        let gate = Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
        let gatherer = sizes(GROUPING, &gate);
        let begun = tokio::time::Instant::now();
        for _ in 0..10 {
            assert_eq!(gatherer.join(1, 0).await, Some(1));
        }
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
}
