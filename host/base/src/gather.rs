//! Groups items that arrive together, so that many callers share one transaction or one query.
//!
//! Only a few groups of a key run at the same time, so the next group fills up while the disk works. A caller without
//! company never waits for others. After a group of several callers, the next group waits a moment for them to come
//! back. Without that pause, such callers would split into two halves that take turns, each with groups of half the
//! size.

use std::{collections::HashMap, hash::Hash, panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures::{FutureExt, future::BoxFuture};
use parking_lot::Mutex;
use storage::silence::within;
use tokio::sync::{Notify, oneshot};

/// After a group of this size, some of its callers are likely to come back.
const SEVERAL: usize = 4;
/// Time for which the next group waits for callers that come back at once.
pub const RETURN_WAIT: Duration = Duration::from_millis(2);
/// Limit for the work on a group. It is exceeded only if the database does not answer, and later callers would wait for
/// it too. Callers must have an answer within 30 s.
const LONGEST: Duration = Duration::from_secs(25);

#[derive(Debug, Clone, Copy)]
pub struct GroupLimits {
    /// Most groups of one key that run at the same time. While one waits for the disk, another uses the processor.
    pub groups: usize,
    /// Least weight with which a second or later group starts. A smaller one would cost more statements than it gains.
    pub further_from: usize,
    pub most_items: usize,
    /// Largest weight of one group. A single item may weigh more.
    pub most_weight: usize,
    pub coming_back: Duration,
}

/// Does the work of a group and returns one answer per item, in order.
type Work<K, I, A> = Box<dyn Fn(K, Vec<I>) -> BoxFuture<'static, Vec<A>> + Send + Sync>;

/// Gathers items. `K` is the key: items of different keys are never grouped. `I` is an item, `A` its answer.
pub struct Gatherer<K, I, A> {
    grouping: GroupLimits,
    weight: fn(&I) -> usize,
    work: Work<K, I, A>,
    waiting: Mutex<HashMap<K, Waiting<I, A>>>,
}

struct Waiting<I, A> {
    items: Vec<(I, oneshot::Sender<A>)>,
    groups: usize,
    /// The number of items that a group waits for, and the signal for their arrival.
    awaited: Option<(usize, Arc<Notify>)>,
}

impl<K, I, A> Gatherer<K, I, A>
where
    K: Copy + Eq + Hash + Send + 'static,
    I: Send + 'static,
    A: Send + 'static,
{
    pub fn new<F>(
        grouping: GroupLimits,
        weight: fn(&I) -> usize,
        work: impl Fn(K, Vec<I>) -> F + Send + Sync + 'static,
    ) -> Arc<Self>
    where
        F: Future<Output = Vec<A>> + Send + 'static,
    {
        let work: Work<K, I, A> = Box::new(move |key, items| work(key, items).boxed());
        Arc::new(Self { grouping, weight, work, waiting: Mutex::new(HashMap::new()) })
    }

    /// Adds an item to a group of its key and waits for the answer. `None` if the work of the group panicked or did not
    /// end.
    pub async fn join(self: &Arc<Self>, key: K, item: I) -> Option<A> {
        let (answer, answered) = oneshot::channel();
        let starts_group = {
            let mut waiting = self.waiting.lock();
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
            // In a task of its own: if this caller hangs up, the group must continue.
            tokio::spawn(Arc::clone(self).do_groups(key));
        }
        answered.await.ok()
    }

    /// True if the waiting items do not justify another parallel group.
    fn is_too_light(&self, waiting: &Waiting<I, A>) -> bool {
        waiting.items.iter().map(|(item, _)| (self.weight)(item)).sum::<usize>() < self.grouping.further_from
    }

    async fn do_groups(self: Arc<Self>, key: K) {
        let mut answered = 0;
        loop {
            self.await_callers(key, answered).await;
            let Some(group) = self.next_group(key) else { return };
            answered = group.len();
            let (items, answers): (Vec<I>, Vec<_>) = group.into_iter().unzip();
            // After a panic, later callers must still get their group.
            match within(LONGEST, AssertUnwindSafe((self.work)(key, items)).catch_unwind()).await {
                // The receiver is gone if the caller hung up.
                Some(Ok(done)) => answers.into_iter().zip(done).for_each(|(answer, done)| drop(answer.send(done))),
                Some(Err(_)) => tracing::error!("the work on a group panicked; its callers get an error"),
                None => tracing::error!("the work on a group did not end; its callers get an error"),
            }
        }
    }

    /// Waits a moment for the `answered` callers to come back, unless the waiting items already justify a group.
    async fn await_callers(&self, key: K, answered: usize) {
        if answered < SEVERAL {
            return;
        }
        let all_are_there = {
            let mut waiting = self.waiting.lock();
            let Some(entry) = waiting.get_mut(&key) else { return };
            if entry.groups > 1 || !self.is_too_light(entry) {
                return;
            }
            let all_are_there = Arc::new(Notify::new());
            let awaited = (entry.items.len() + answered).min(self.grouping.most_items);
            entry.awaited = Some((awaited, Arc::clone(&all_are_there)));
            all_are_there
        };
        // A caller that comes later is in a later group.
        let _ = tokio::time::timeout(self.grouping.coming_back, all_are_there.notified()).await;
    }

    fn next_group(&self, key: K) -> Option<Vec<(I, oneshot::Sender<A>)>> {
        let mut waiting = self.waiting.lock();
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

    const GROUPING: GroupLimits =
        GroupLimits { groups: 2, further_from: 3, most_items: 4, most_weight: 100, coming_back: RETURN_WAIT };

    /// Answers each item with the size of its group after the gate opens.
    fn sizes(grouping: GroupLimits, gate: &Arc<Semaphore>) -> Arc<Gatherer<u8, usize, usize>> {
        let gate = Arc::clone(gate);
        Gatherer::new(
            grouping,
            |item| *item,
            move |_, items: Vec<usize>| {
                let gate = Arc::clone(&gate);
                async move {
                    gate.acquire().await.unwrap().forget();
                    assert!(!items.contains(&99), "an item that no worker can do");
                    vec![items.len(); items.len()]
                }
            },
        )
    }

    /// Adds `items` one by one, and then lets the groups through the gate.
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
    async fn calls_that_arrive_during_a_group_form_the_next_group() {
        let gate = Arc::new(Semaphore::new(0));
        let gatherer = sizes(GROUPING, &gate);
        assert_eq!(joined(&gatherer, &gate, &[1, 1, 1]).await, [Some(1), Some(2), Some(2)]);
        assert!(gatherer.waiting.lock().is_empty(), "nothing is kept of a key that is done");
    }

    #[tokio::test]
    async fn a_second_group_begins_when_it_is_worth_it() {
        let gate = Arc::new(Semaphore::new(0));
        let gatherer = sizes(GROUPING, &gate);
        assert_eq!(joined(&gatherer, &gate, &[1, 3, 1, 1]).await, [Some(1), Some(1), Some(2), Some(2)]);
    }

    #[tokio::test]
    async fn a_group_is_limited_in_items_and_weight() {
        let gate = Arc::new(Semaphore::new(0));
        let few = GroupLimits { groups: 1, most_weight: 10, ..GROUPING };
        let gatherer = sizes(few, &gate);
        let sizes = joined(&gatherer, &gate, &[1, 1, 1, 1, 1, 1, 8, 8, 20]).await;
        let expected = [1, 4, 4, 4, 4, 2, 2, 1, 1].map(Some);
        assert_eq!(sizes, expected);
    }

    #[tokio::test]
    async fn a_panic_fails_its_own_group_alone() {
        let gate = Arc::new(Semaphore::new(0));
        let gatherer = sizes(GroupLimits { groups: 1, ..GROUPING }, &gate);
        assert_eq!(joined(&gatherer, &gate, &[1, 99]).await, [Some(1), None]);
        assert_eq!(joined(&gatherer, &gate, &[1]).await, [Some(1)]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_group_that_does_not_end_fails_alone_and_the_next_one_is_done() {
        let gate = Arc::new(Semaphore::new(0));
        let gatherer = sizes(GroupLimits { groups: 1, ..GROUPING }, &gate);
        assert_eq!(gatherer.join(1, 1).await, None);
        gate.add_permits(1);
        assert_eq!(gatherer.join(1, 1).await, Some(1));
    }

    /// Five callers start together, and `come_back` of them add a second item after their answer. Returns the sizes of
    /// all groups.
    async fn groups_where(come_back: usize) -> Vec<usize> {
        let gate = Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
        let gatherer = sizes(GroupLimits { groups: 1, most_items: 100, ..GROUPING }, &gate);
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
    async fn callers_that_return_at_once_form_one_group_again() {
        assert_eq!(groups_where(5).await, [5; 10]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_that_does_not_return_delays_the_others_only_briefly() {
        let begun = tokio::time::Instant::now();
        assert_eq!(groups_where(3).await, [3, 3, 3, 5, 5, 5, 5, 5]);
        assert_eq!(begun.elapsed(), RETURN_WAIT);
    }

    #[tokio::test(start_paused = true)]
    async fn a_single_caller_does_not_wait() {
        let gate = Arc::new(Semaphore::new(Semaphore::MAX_PERMITS));
        let gatherer = sizes(GROUPING, &gate);
        let begun = tokio::time::Instant::now();
        for _ in 0..10 {
            assert_eq!(gatherer.join(1, 0).await, Some(1));
        }
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
}
