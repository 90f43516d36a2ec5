//! The order of uploads: next is the one whose client has used the least processor time lately, one per client.

use std::sync::Arc;

use domain::ids::ClientId;
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

use super::budget::Budgets;

#[derive(Clone)]
pub(super) struct CompileTurns(Arc<Inner>);

struct Inner {
    places: usize,
    most_waiting: usize,
    budgets: Arc<Budgets>,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    running: Vec<ClientId>,
    waiting: Vec<Waiting>,
    number: u64,
}

struct Waiting {
    client: ClientId,
    number: u64,
    turn: oneshot::Sender<CompileTurn>,
}

/// The turn of one upload. The next one begins when it is dropped.
pub(crate) struct CompileTurn {
    turns: CompileTurns,
    client: ClientId,
}

#[derive(Debug)]
pub(super) struct CompileQueueFull;

impl CompileTurns {
    pub(super) fn new(places: usize, most_waiting: usize, budgets: Arc<Budgets>) -> Self {
        Self(Arc::new(Inner { places: places.max(1), most_waiting, budgets, queue: Mutex::default() }))
    }

    pub(super) async fn wait(&self, client: ClientId) -> Result<CompileTurn, CompileQueueFull> {
        let (number, turn) = {
            let mut queue = self.queue();
            let of_client = |waiting: &Waiting| waiting.client == client;
            if queue.running.contains(&client) || queue.waiting.iter().any(of_client) {
                return Err(CompileQueueFull);
            }
            if queue.running.len() < self.0.places {
                queue.running.push(client);
                return Ok(CompileTurn { turns: self.clone(), client });
            }
            if queue.waiting.len() >= self.0.most_waiting {
                return Err(CompileQueueFull);
            }
            let (sender, turn) = oneshot::channel();
            let number = queue.number;
            queue.number += 1;
            queue.waiting.push(Waiting { client, number, turn: sender });
            (number, turn)
        };
        let _place = Place { turns: self, number };
        turn.await.map_err(|_| CompileQueueFull)
    }

    fn pass_on(&self, ended: ClientId) {
        let next = {
            let mut queue = self.queue();
            queue.running.retain(|client| *client != ended);
            let next = self.due(&queue.waiting).map(|place| queue.waiting.remove(place));
            queue.running.extend(next.as_ref().map(|next| next.client));
            next
        };
        if let Some(Waiting { client, turn, .. }) = next {
            // If the receiver has gone, the turn is dropped here, which passes it on.
            drop(turn.send(CompileTurn { turns: self.clone(), client }));
        }
    }

    /// The upload whose client has the most budget left. If several have the same, the first.
    fn due(&self, waiting: &[Waiting]) -> Option<usize> {
        let left = |place: &usize| waiting.get(*place).map_or(f64::MIN, |one| self.0.budgets.remaining(one.client));
        (0..waiting.len()).rev().max_by(|one, other| left(one).total_cmp(&left(other)))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock()
    }
}

impl Drop for CompileTurn {
    fn drop(&mut self) {
        self.turns.pass_on(self.client);
    }
}

/// A place in the queue. Dropping it leaves the queue, also if the wait is cancelled.
struct Place<'a> {
    turns: &'a CompileTurns,
    number: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.turns.queue().waiting.retain(|waiting| waiting.number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::task::JoinHandle;

    use super::*;

    fn client(number: u128) -> ClientId {
        ClientId(uuid::Uuid::from_u128(number))
    }

    fn turns(most_waiting: usize) -> (CompileTurns, Arc<Budgets>) {
        let budgets = Arc::new(Budgets::new(Duration::from_secs(60), Duration::from_secs(600)));
        (CompileTurns::new(1, most_waiting, Arc::clone(&budgets)), budgets)
    }

    /// Waits in its own task. Returns when the upload is in the queue.
    async fn queued(turns: &CompileTurns, number: u128) -> JoinHandle<Result<CompileTurn, CompileQueueFull>> {
        let (before, turns) = (turns.queue().waiting.len(), turns.clone());
        let task = tokio::spawn({
            let turns = turns.clone();
            async move { turns.wait(client(number)).await }
        });
        while turns.queue().waiting.len() == before {
            tokio::task::yield_now().await;
        }
        task
    }

    #[tokio::test(start_paused = true)]
    async fn the_waiter_with_the_least_use_comes_first() {
        let (turns, budgets) = turns(8);
        budgets.spend(client(2), Duration::from_secs(50));
        budgets.spend(client(3), Duration::from_secs(10));
        let first = turns.wait(client(1)).await.unwrap();
        let (second, third, fourth) = (queued(&turns, 2).await, queued(&turns, 3).await, queued(&turns, 4).await);
        drop(first);
        let turn = fourth.await.unwrap().unwrap();
        assert!(!third.is_finished());
        drop(turn);
        let turn = third.await.unwrap().unwrap();
        assert!(!second.is_finished());
        drop(turn);
        drop(second.await.unwrap().unwrap());
        assert!(turns.queue().running.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn waiters_with_equal_use_come_in_their_order() {
        let (turns, _) = turns(8);
        let first = turns.wait(client(1)).await.unwrap();
        let (second, third) = (queued(&turns, 2).await, queued(&turns, 3).await);
        drop(first);
        let turn = second.await.unwrap().unwrap();
        assert!(!third.is_finished());
        drop(turn);
        assert!(third.await.unwrap().is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_has_one_under_way_and_the_queue_has_an_end() {
        let (turns, _) = turns(1);
        let first = turns.wait(client(1)).await.unwrap();
        assert!(turns.wait(client(1)).await.is_err(), "it has one under way");
        let second = queued(&turns, 2).await;
        assert!(turns.wait(client(2)).await.is_err(), "it waits already");
        assert!(turns.wait(client(3)).await.is_err(), "one waits, and no more may");
        drop(first);
        drop(second.await.unwrap().unwrap());
        assert!(turns.wait(client(1)).await.is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_has_one_of_several_places_and_another_client_finds_one_free() {
        let budgets = Arc::new(Budgets::new(Duration::from_secs(60), Duration::from_secs(600)));
        let turns = CompileTurns::new(2, 8, budgets);
        let large = turns.wait(client(1)).await.unwrap();
        assert!(turns.wait(client(1)).await.is_err(), "it has one under way");
        let small = turns.wait(client(2)).await.unwrap();
        let third = queued(&turns, 3).await;
        drop(small);
        let turn = third.await.unwrap().unwrap();
        assert!(turns.wait(client(1)).await.is_err(), "its first is still under way");
        drop((turn, large));
        assert!(turns.queue().running.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_wait_delays_no_other() {
        let (turns, _) = turns(8);
        let first = turns.wait(client(1)).await.unwrap();
        let (second, third) = (queued(&turns, 2).await, queued(&turns, 3).await);
        second.abort();
        drop(first);
        assert!(third.await.unwrap().is_ok());
        assert!(turns.wait(client(2)).await.is_ok(), "its place is free again");
    }
}
