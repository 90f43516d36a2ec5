//! Whose upload is compiled next: one at a time, one per client, and of those that wait the one whose client has used the
//! least processor time lately. So a client that uploads what is dear to compile stands behind everybody else.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::ids::ClientId;
use tokio::sync::oneshot;

use super::budget::Budgets;

/// The queue.
#[derive(Clone)]
pub(super) struct Turns(Arc<Inner>);

struct Inner {
    /// Uploads that may wait.
    most_waiting: usize,
    budgets: Arc<Budgets>,
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    /// Whose turn it is.
    running: Option<ClientId>,
    /// In the order in which they came.
    waiting: Vec<Waiting>,
    /// Of the next that waits.
    number: u64,
}

struct Waiting {
    client: ClientId,
    number: u64,
    turn: oneshot::Sender<Turn>,
}

/// The turn of one upload; the next begins when it is dropped.
pub(crate) struct Turn(Turns);

/// Too many are waiting, or this client has one under way.
#[derive(Debug)]
pub(super) struct Busy;

impl Turns {
    pub(super) fn new(most_waiting: usize, budgets: Arc<Budgets>) -> Self {
        Self(Arc::new(Inner { most_waiting, budgets, queue: Mutex::default() }))
    }

    /// Waits for the turn of an upload of a client.
    pub(super) async fn wait(&self, client: ClientId) -> Result<Turn, Busy> {
        let (number, turn) = {
            let mut queue = self.queue();
            let of_client = |waiting: &Waiting| waiting.client == client;
            if queue.running == Some(client) || queue.waiting.iter().any(of_client) {
                return Err(Busy);
            }
            if queue.running.is_none() {
                queue.running = Some(client);
                return Ok(Turn(self.clone()));
            }
            if queue.waiting.len() >= self.0.most_waiting {
                return Err(Busy);
            }
            let (sender, turn) = oneshot::channel();
            let number = queue.number;
            queue.number += 1;
            queue.waiting.push(Waiting { client, number, turn: sender });
            (number, turn)
        };
        let _place = Place { turns: self, number };
        turn.await.map_err(|_| Busy)
    }

    /// Gives the turn to the one that is due, if any waits.
    fn pass_on(&self) {
        let next = {
            let mut queue = self.queue();
            let next = self.due(&queue.waiting).map(|place| queue.waiting.remove(place));
            queue.running = next.as_ref().map(|next| next.client);
            next
        };
        if let Some(next) = next {
            // One that has been given up meanwhile drops its turn, which passes it on.
            drop(next.turn.send(Turn(self.clone())));
        }
    }

    /// The one whose client has the most left; of equals the first.
    fn due(&self, waiting: &[Waiting]) -> Option<usize> {
        let left = |place: &usize| waiting.get(*place).map_or(f64::MIN, |one| self.0.budgets.left(one.client));
        (0..waiting.len()).rev().max_by(|one, other| left(one).total_cmp(&left(other)))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.pass_on();
    }
}

/// A place in the queue, also when the wait is given up.
struct Place<'a> {
    turns: &'a Turns,
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

    fn turns(most_waiting: usize) -> (Turns, Arc<Budgets>) {
        let budgets = Arc::new(Budgets::new(Duration::from_secs(60), Duration::from_secs(600)));
        (Turns::new(most_waiting, Arc::clone(&budgets)), budgets)
    }

    /// Waits in a task of its own, until it stands in the queue.
    async fn queued(turns: &Turns, number: u128) -> JoinHandle<Result<Turn, Busy>> {
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
    async fn of_those_that_wait_the_one_that_has_used_the_least_comes_first() {
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
        assert!(turns.queue().running.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn those_that_have_used_as_much_come_in_their_order() {
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
    async fn one_that_gives_up_waiting_holds_nobody_up() {
        let (turns, _) = turns(8);
        let first = turns.wait(client(1)).await.unwrap();
        let (second, third) = (queued(&turns, 2).await, queued(&turns, 3).await);
        second.abort();
        drop(first);
        assert!(third.await.unwrap().is_ok());
        assert!(turns.wait(client(2)).await.is_ok(), "its place is free again");
    }
}
