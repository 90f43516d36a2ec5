//! Deliveries that are not in flight. First attempts with one key go one at a time in order, retries at any time.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;
use domain::ids::{DeliveryId, InboxId};
use uuid::Uuid;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReadyDelivery {
    pub(super) id: DeliveryId,
    pub(super) order_key: i64,
    pub(super) inbox: InboxId,
    pub(super) attempts: u16,
    /// Attempts before the delivery was sent again by hand. They do not count in the schedule.
    pub(super) schedule_from: u16,
    pub(super) body: Bytes,
    /// A body of a built-in shaper is stored with the outcome of its first attempt: the same event gives the same body again.
    pub(super) is_stored: bool,
    /// The message of the event, for its trace. Known only while the event is stored, that is until the first attempt.
    pub(super) message: Option<Uuid>,
}

impl ReadyDelivery {
    fn keeps_place(&self) -> bool {
        self.attempts == self.schedule_from
    }
}

#[derive(Debug, Default)]
struct Line {
    waiting: VecDeque<ReadyDelivery>,
    in_flight: bool,
}

#[derive(Debug, Default)]
pub(super) struct SendQueue {
    lines: HashMap<i64, Line>,
    /// Keys with a delivery that may go now, in the order in which they became free.
    free: VecDeque<i64>,
    retries: VecDeque<ReadyDelivery>,
    waiting: usize,
    /// True if the last one taken was a retry, so that neither kind starves the other.
    took_retry: bool,
}

impl SendQueue {
    pub(super) fn push(&mut self, ready: ReadyDelivery) {
        self.waiting += 1;
        if !ready.keeps_place() {
            self.retries.push_back(ready);
            return;
        }
        let key = ready.order_key;
        let line = self.lines.entry(key).or_default();
        if line.waiting.is_empty() && !line.in_flight {
            self.free.push_back(key);
        }
        line.waiting.push_back(ready);
    }

    /// Takes the next delivery that may go. Its key stays closed until [`SendQueue::note_settled`].
    pub(super) fn pop(&mut self) -> Option<ReadyDelivery> {
        let retry_first = !self.took_retry;
        let taken = if retry_first {
            self.pop_retry().or_else(|| self.pop_first())
        } else {
            self.pop_first().or_else(|| self.pop_retry())
        }?;
        self.took_retry = !taken.keeps_place();
        self.waiting = self.waiting.saturating_sub(1);
        Some(taken)
    }

    fn pop_retry(&mut self) -> Option<ReadyDelivery> {
        self.retries.pop_front()
    }

    fn pop_first(&mut self) -> Option<ReadyDelivery> {
        let key = self.free.pop_front()?;
        let line = self.lines.get_mut(&key)?;
        line.in_flight = true;
        line.waiting.pop_front()
    }

    pub(super) fn note_settled(&mut self, ready: &ReadyDelivery) {
        if !ready.keeps_place() {
            return;
        }
        let Some(line) = self.lines.get_mut(&ready.order_key) else { return };
        line.in_flight = false;
        if line.waiting.is_empty() {
            self.lines.remove(&ready.order_key);
        } else {
            self.free.push_back(ready.order_key);
        }
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// True if nothing can go now. Deliveries may still wait behind those in flight.
    pub(super) fn is_blocked(&self) -> bool {
        self.free.is_empty() && self.retries.is_empty()
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivery(id: u128, order_key: i64, attempts: u16) -> ReadyDelivery {
        ReadyDelivery {
            id: DeliveryId(Uuid::from_u128(id)),
            order_key,
            inbox: InboxId(Uuid::from_u128(9)),
            attempts,
            schedule_from: 0,
            body: Bytes::from_static(b"{}"),
            is_stored: true,
            message: None,
        }
    }

    fn id(ready: Option<ReadyDelivery>) -> Option<u128> {
        ready.map(|ready| ready.id.0.as_u128())
    }

    fn send_queue(of: &[ReadyDelivery]) -> SendQueue {
        let mut send_queue = SendQueue::default();
        of.iter().cloned().for_each(|ready| send_queue.push(ready));
        send_queue
    }

    #[test]
    fn the_second_of_a_conversation_waits_for_the_answer_to_the_first() {
        let first = delivery(1, 7, 0);
        let mut send_queue = send_queue(&[first.clone(), delivery(2, 7, 0)]);
        assert_eq!(id(send_queue.pop()), Some(1));
        assert_eq!(id(send_queue.pop()), None);
        assert!(send_queue.is_blocked());
        assert_eq!(send_queue.waiting(), 1);
        send_queue.note_settled(&first);
        assert_eq!(id(send_queue.pop()), Some(2));
        assert_eq!(send_queue.waiting(), 0);
    }

    #[test]
    fn conversations_do_not_wait_for_each_other() {
        let mut send_queue = send_queue(&[delivery(1, 7, 0), delivery(2, 7, 0), delivery(3, 8, 0)]);
        assert_eq!(id(send_queue.pop()), Some(1));
        assert_eq!(id(send_queue.pop()), Some(3));
        assert_eq!(id(send_queue.pop()), None);
    }

    #[test]
    fn a_retry_neither_waits_for_its_conversation_nor_holds_it_up() {
        let retry = delivery(1, 7, 3);
        let mut send_queue = send_queue(&[delivery(2, 7, 0), delivery(3, 7, 0), retry.clone()]);
        assert_eq!(id(send_queue.pop()), Some(1));
        assert_eq!(id(send_queue.pop()), Some(2));
        send_queue.note_settled(&retry);
        assert_eq!(id(send_queue.pop()), None, "the answer to a retry lets no other delivery pass");
    }

    #[test]
    fn retries_and_first_attempts_take_turns() {
        let mut send_queue = send_queue(&[
            delivery(1, 1, 1),
            delivery(2, 1, 1),
            delivery(3, 2, 0),
            delivery(4, 3, 0),
            delivery(5, 4, 1),
        ]);
        let taken: Vec<_> = std::iter::from_fn(|| id(send_queue.pop())).collect();
        assert_eq!(taken, [1, 3, 2, 4, 5]);
    }

    #[test]
    fn resent_deliveries_keep_the_order_of_their_conversation() {
        let again = |id| ReadyDelivery { schedule_from: 4, ..delivery(id, 7, 4) };
        let mut send_queue = send_queue(&[again(1), again(2)]);
        assert_eq!(id(send_queue.pop()), Some(1));
        assert_eq!(id(send_queue.pop()), None, "the first has no answer yet");
    }

    #[test]
    fn a_key_that_was_used_up_can_be_used_again() {
        let first = delivery(1, 7, 0);
        let mut send_queue = send_queue(std::slice::from_ref(&first));
        send_queue.pop();
        send_queue.note_settled(&first);
        send_queue.push(delivery(2, 7, 0));
        assert_eq!(id(send_queue.pop()), Some(2));
    }

    #[test]
    fn a_delivery_that_arrives_while_its_conversation_is_in_flight_waits_too() {
        let first = delivery(1, 7, 0);
        let mut send_queue = send_queue(std::slice::from_ref(&first));
        send_queue.pop();
        send_queue.push(delivery(2, 7, 0));
        assert_eq!(id(send_queue.pop()), None);
        send_queue.note_settled(&first);
        assert_eq!(id(send_queue.pop()), Some(2));
    }
}
