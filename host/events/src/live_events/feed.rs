//! The latest events of a client, in memory once for all its connections to this process.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use domain::{ids::ClientId, live_events::Audience};
use parking_lot::{Mutex, MutexGuard};
use tokio::sync::watch;

const MOST_BYTES: usize = 16 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct ReadyEvent {
    pub(super) sequence: i64,
    pub(super) kind: &'static str,
    pub(super) text: Arc<str>,
    /// `None`: no one sees it.
    pub(super) audience: Option<Audience>,
}

#[derive(Debug)]
pub(super) struct Feed {
    pub(super) client: ClientId,
    held: Mutex<VecDeque<Arc<ReadyEvent>>>,
    most: usize,
    head: watch::Sender<i64>,
    pumping: AtomicBool,
}

impl Feed {
    /// Holds at most `most` events, and [`MOST_BYTES`] of them; events up to `head` are not in memory.
    pub(super) fn new(client: ClientId, head: i64, most: usize) -> Self {
        let (head, _) = watch::channel(head);
        Self { client, held: Mutex::default(), most, head, pumping: AtomicBool::new(false) }
    }

    fn lock_events(&self) -> MutexGuard<'_, VecDeque<Arc<ReadyEvent>>> {
        self.held.lock()
    }

    pub(super) fn head(&self) -> i64 {
        *self.head.borrow()
    }

    pub(super) fn watch(&self) -> watch::Receiver<i64> {
        self.head.subscribe()
    }

    /// Returns at most `limit` events after a number; `None` if the first of them is not in memory.
    pub(super) fn after(&self, sequence: i64, limit: usize) -> Option<Vec<Arc<ReadyEvent>>> {
        let held = self.lock_events();
        let first = held.front().map_or_else(|| self.head() + 1, |ready| ready.sequence);
        if sequence + 1 < first {
            return None;
        }
        let skipped = usize::try_from(sequence + 1 - first).unwrap_or(usize::MAX);
        Some(held.iter().skip(skipped).take(limit).cloned().collect())
    }

    /// Adds the next events. If there is a gap before them, only these are kept.
    pub(super) fn push(&self, ready: Vec<ReadyEvent>) {
        let Some(last) = ready.last().map(|ready| ready.sequence) else { return };
        {
            let mut held = self.lock_events();
            if ready.first().is_some_and(|first| first.sequence != self.head() + 1) {
                held.clear();
            }
            held.extend(ready.into_iter().map(Arc::new));
            let mut bytes: usize = held.iter().map(|ready| ready.text.len()).sum();
            while held.len() > self.most || (bytes > MOST_BYTES && held.len() > 1) {
                bytes -= held.pop_front().map_or(0, |ready| ready.text.len());
            }
        }
        self.head.send_replace(last);
    }

    /// Takes the right to look for new events; `false` if another task has it.
    pub(super) fn begin(&self) -> bool {
        !self.pumping.swap(true, Ordering::AcqRel)
    }

    pub(super) fn end(&self) {
        self.pumping.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn ready(numbers: std::ops::RangeInclusive<i64>) -> Vec<ReadyEvent> {
        let ready = |sequence| ReadyEvent { sequence, kind: "x", text: "{}".into(), audience: None };
        numbers.map(ready).collect()
    }

    fn numbers(feed: &Feed, after: i64, limit: usize) -> Option<Vec<i64>> {
        Some(feed.after(after, limit)?.iter().map(|ready| ready.sequence).collect())
    }

    #[test]
    fn every_reader_continues_at_its_own_position() {
        let feed = Feed::new(ClientId(Uuid::nil()), 5, 10);
        assert_eq!(numbers(&feed, 5, 9), Some(vec![]), "nothing has come yet");
        assert_eq!(numbers(&feed, 4, 9), None, "the fifth was before");
        feed.push(ready(6..=9));
        assert_eq!(numbers(&feed, 5, 9), Some(vec![6, 7, 8, 9]));
        assert_eq!(numbers(&feed, 7, 1), Some(vec![8]));
        assert_eq!(numbers(&feed, 9, 9), Some(vec![]));
        assert_eq!(numbers(&feed, 12, 9), Some(vec![]), "ahead of this process");
    }

    #[test]
    fn no_more_than_the_latest_are_held() {
        let feed = Feed::new(ClientId(Uuid::nil()), 0, 3);
        feed.push(ready(1..=2));
        feed.push(ready(3..=5));
        assert_eq!(numbers(&feed, 1, 9), None);
        assert_eq!(numbers(&feed, 2, 9), Some(vec![3, 4, 5]));
    }

    #[test]
    fn large_events_are_held_as_far_as_their_bytes_go() {
        let feed = Feed::new(ClientId(Uuid::nil()), 0, 10);
        let large =
            |sequence| ReadyEvent { sequence, kind: "x", text: "x".repeat(MOST_BYTES / 2).into(), audience: None };
        feed.push((1..=3).map(large).collect());
        assert_eq!(numbers(&feed, 0, 9), None);
        assert_eq!(numbers(&feed, 1, 9), Some(vec![2, 3]));
    }

    #[test]
    fn after_a_gap_only_later_events_are_held() {
        let feed = Feed::new(ClientId(Uuid::nil()), 0, 10);
        feed.push(ready(1..=2));
        feed.push(ready(5..=6));
        assert_eq!(numbers(&feed, 2, 9), None, "a reader before it must resynchronize");
        assert_eq!(numbers(&feed, 4, 9), Some(vec![5, 6]));
    }
}
