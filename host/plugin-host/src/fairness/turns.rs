//! Turns at a limited resource: the next is the waiting owner (mostly a client) that had its last turn the longest time
//! ago.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use tokio::sync::oneshot;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TurnTerms {
    pub places: usize,
    pub per_owner: usize,
    pub waiting_per_owner: usize,
}

/// The owner has as many waiting turns as it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many turns of one owner wait")]
pub struct QueueFull;

/// The turns at one resource. Cheap to clone.
pub struct Turns<O: Eq + Hash + Clone>(Arc<Shared<O>>);

struct Shared<O: Eq + Hash + Clone> {
    terms: TurnTerms,
    state: Mutex<State<O>>,
}

struct State<O: Eq + Hash + Clone> {
    free: usize,
    owners: HashMap<O, Owner<O>>,
    /// Owners that may have the next free turn, each once: they have a waiting turn, and fewer turns than `per_owner`.
    order: VecDeque<O>,
    number: u64,
}

struct Owner<O: Eq + Hash + Clone> {
    running: usize,
    waiting: VecDeque<(u64, oneshot::Sender<Turn<O>>)>,
}

pub struct Turn<O: Eq + Hash + Clone> {
    shared: Arc<Shared<O>>,
    owner: O,
}

struct Waiting<'t, O: Eq + Hash + Clone> {
    shared: &'t Shared<O>,
    owner: O,
    number: u64,
}

impl<O: Eq + Hash + Clone> Clone for Turns<O> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<O: Eq + Hash + Clone> Turns<O> {
    /// Uses at least one place, and one per owner.
    pub fn new(terms: TurnTerms) -> Self {
        let terms = TurnTerms { places: terms.places.max(1), per_owner: terms.per_owner.max(1), ..terms };
        let (owners, order) = (HashMap::new(), VecDeque::new());
        let state = Mutex::new(State { free: terms.places, owners, order, number: 0 });
        Self(Arc::new(Shared { terms, state }))
    }

    /// Waits for a turn of this owner. Fails if it already has `waiting_per_owner` waiting turns.
    pub async fn take(&self, owner: O) -> Result<Turn<O>, QueueFull> {
        let asked = self.0.ask(&owner)?;
        let Some((number, turn)) = asked else { return Ok(Turn { shared: Arc::clone(&self.0), owner }) };
        let _waiting = Waiting { shared: &self.0, owner, number };
        // The sender stays in the queue until it has sent, and the queue lives as long as this.
        turn.await.map_err(|_| QueueFull)
    }
}

type Asked<O> = Option<(u64, oneshot::Receiver<Turn<O>>)>;

impl<O: Eq + Hash + Clone> Shared<O> {
    /// Takes a turn at once (`None`), or queues for one.
    fn ask(&self, owner: &O) -> Result<Asked<O>, QueueFull> {
        let mut guard = self.state();
        let state = &mut *guard;
        let own = state.owners.entry(owner.clone()).or_insert_with(|| Owner { running: 0, waiting: VecDeque::new() });
        // If a place is free, no owner waits in the order.
        if state.free > 0 && own.running < self.terms.per_owner {
            own.running += 1;
            state.free -= 1;
            return Ok(None);
        }
        if own.waiting.len() >= self.terms.waiting_per_owner {
            return Err(QueueFull);
        }
        let (sender, turn) = oneshot::channel();
        let number = state.number;
        state.number += 1;
        own.waiting.push_back((number, sender));
        if own.waiting.len() == 1 && own.running < self.terms.per_owner {
            state.order.push_back(owner.clone());
        }
        Ok(Some((number, turn)))
    }

    fn release(self: &Arc<Self>, owner: &O) {
        let begun = {
            let mut state = self.state();
            state.free += 1;
            state.end_turn(owner, self.terms.per_owner);
            state.begin(self.terms.per_owner)
        };
        // Outside the lock, because a turn whose receiver has gone is dropped here, which takes the lock.
        for (owner, sender) in begun {
            drop(sender.send(Turn { shared: Arc::clone(self), owner }));
        }
    }

    fn state(&self) -> MutexGuard<'_, State<O>> {
        self.state.lock()
    }
}

impl<O: Eq + Hash + Clone> State<O> {
    /// Counts one turn less for the owner. Its waiting turn goes to the end of the order.
    fn end_turn(&mut self, owner: &O, per_owner: usize) {
        let Some(own) = self.owners.get_mut(owner) else { return };
        let was_full = own.running >= per_owner;
        own.running -= 1;
        if !own.waiting.is_empty() && was_full {
            self.order.push_back(owner.clone());
        }
        self.forget_idle(owner);
    }

    fn begin(&mut self, per_owner: usize) -> Vec<(O, oneshot::Sender<Turn<O>>)> {
        let mut begun = Vec::new();
        while self.free > 0
            && let Some(owner) = self.order.pop_front()
        {
            let Some(own) = self.owners.get_mut(&owner) else { continue };
            let Some((_, sender)) = own.waiting.pop_front() else { continue };
            own.running += 1;
            self.free -= 1;
            if !own.waiting.is_empty() && own.running < per_owner {
                self.order.push_back(owner.clone());
            }
            begun.push((owner, sender));
        }
        begun
    }

    fn forget_idle(&mut self, owner: &O) {
        if self.owners.get(owner).is_some_and(|own| own.running == 0 && own.waiting.is_empty()) {
            self.owners.remove(owner);
        }
    }
}

impl<O: Eq + Hash + Clone> Drop for Turn<O> {
    fn drop(&mut self) {
        self.shared.release(&self.owner);
    }
}

impl<O: Eq + Hash + Clone> Drop for Waiting<'_, O> {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        let Some(own) = state.owners.get_mut(&self.owner) else { return };
        let before = own.waiting.len();
        own.waiting.retain(|(number, _)| *number != self.number);
        if own.waiting.len() < before && own.waiting.is_empty() {
            state.order.retain(|owner| *owner != self.owner);
        }
        state.forget_idle(&self.owner);
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, poll};

    use super::*;

    fn turns(places: usize, per_owner: usize, waiting_per_owner: usize) -> Turns<u8> {
        Turns::new(TurnTerms { places, per_owner, waiting_per_owner })
    }

    #[tokio::test]
    async fn the_next_turn_goes_to_the_other_owner_even_if_the_first_has_many_waiters() {
        let turns = turns(1, 1, 100);
        let first = turns.take(1).await.unwrap();
        let mut crowd: Vec<_> = (0..50).map(|_| Box::pin(turns.take(1))).collect();
        for one in &mut crowd {
            assert!(poll!(one).is_pending());
        }
        let mut other = Box::pin(turns.take(2));
        assert!(poll!(&mut other).is_pending());

        drop(first);

        let turn = other.now_or_never().expect("it is the other's turn").unwrap();
        assert!(poll!(&mut crowd[0]).is_pending());
        drop(turn);
        assert!(poll!(&mut crowd[0]).is_ready(), "and then the crowd's");
    }

    #[tokio::test]
    async fn one_owner_leaves_places_free_for_others() {
        let turns = turns(3, 2, 100);
        let _two = (turns.take(1).await.unwrap(), turns.take(1).await.unwrap());
        assert!(turns.take(1).now_or_never().is_none());
        let other = turns.take(2).now_or_never().expect("a place is free").unwrap();
        let mut third = Box::pin(turns.take(3));
        assert!(poll!(&mut third).is_pending(), "now there is none");
        drop(other);
        assert!(poll!(&mut third).is_ready());
    }

    #[tokio::test]
    async fn owners_that_may_have_several_turns_get_them_one_by_one() {
        let turns = turns(2, 2, 100);
        let (first, second) = (turns.take(1).await.unwrap(), turns.take(1).await.unwrap());
        let (mut again, mut other) = (Box::pin(turns.take(1)), Box::pin(turns.take(2)));
        let (mut once_more, mut third) = (Box::pin(turns.take(2)), Box::pin(turns.take(3)));
        for one in [&mut again, &mut other, &mut once_more, &mut third] {
            assert!(poll!(one).is_pending());
        }
        drop(first);
        let Some(Ok(other)) = other.now_or_never() else { panic!("the second owner has waited for longest") };
        assert!(poll!(&mut third).is_pending() && poll!(&mut once_more).is_pending() && poll!(&mut again).is_pending());
        drop(second);
        let Some(Ok(third)) = third.now_or_never() else { panic!("then the third") };
        assert!(poll!(&mut once_more).is_pending() && poll!(&mut again).is_pending());
        drop((other, third));
        assert!(poll!(&mut once_more).is_ready() && poll!(&mut again).is_ready());
    }

    #[tokio::test]
    async fn the_waiters_of_one_owner_are_limited() {
        let turns = turns(1, 1, 2);
        let first = turns.take(1).await.unwrap();
        let mut waiting: Vec<_> = (0..2).map(|_| Box::pin(turns.take(1))).collect();
        for one in &mut waiting {
            assert!(poll!(one).is_pending());
        }
        assert_eq!(turns.take(1).await.err(), Some(QueueFull));
        assert!(turns.take(2).now_or_never().is_none(), "another one may wait");
        waiting.pop();
        assert!(turns.take(1).now_or_never().is_none(), "there is room to wait again");
        drop((waiting, first));
        assert!(turns.0.state().owners.is_empty() && turns.0.state().order.is_empty());
    }

    #[tokio::test]
    async fn a_cancelled_waiter_delays_no_other() {
        let turns = turns(1, 1, 8);
        let first = turns.take(1).await.unwrap();
        let mut second = Box::pin(turns.take(2));
        let mut third = Box::pin(turns.take(3));
        assert!(poll!(&mut second).is_pending() && poll!(&mut third).is_pending());
        drop(second);
        drop(first);
        drop(third);
        assert!(turns.take(4).now_or_never().is_some(), "a turn that was given and not taken goes on");
    }
}
