//! Decides when to read due deliveries again, and from which position.

use std::time::Duration;

use storage::webhooks::deliveries::Position;
use tokio::time::Instant;

/// First pause between reads that find nothing while requests are in flight.
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);
/// Longest such pause. An event can wait this long while other requests to its endpoint hang.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Shortest time between two reads because of new work, so that one read finds more of it. A single event is read at once.
const READ_INTERVAL: Duration = Duration::from_millis(15);

/// Each page starts where the last full one ended. At the end it starts over, because commits may come late.
#[derive(Debug)]
pub(super) struct PageSchedule {
    after: Option<Position>,
    /// After this time, added work is looked for at once.
    not_before: Instant,
    next_at: Instant,
    pause: Duration,
    undisturbed: bool,
    saw_all: bool,
}

impl PageSchedule {
    /// The first read is due at once.
    pub(super) fn new(now: Instant) -> Self {
        Self { after: None, not_before: now, next_at: now, pause: SHORTEST_PAUSE, undisturbed: true, saw_all: false }
    }

    pub(super) fn begin(&mut self, now: Instant) -> Option<Position> {
        self.undisturbed = true;
        self.not_before = now + READ_INTERVAL;
        self.after
    }

    pub(super) fn note_page(&mut self, now: Instant, ended_at: Option<Position>, fresh: usize) {
        let from_start = self.after.is_none();
        self.saw_all = from_start && ended_at.is_none() && self.undisturbed;
        self.after = ended_at;
        if ended_at.is_some() {
            self.next_at = now;
            return;
        }
        self.pause = if fresh == 0 { (self.pause * 2).min(LONGEST_PAUSE) } else { SHORTEST_PAUSE };
        self.next_at = now + self.pause;
    }

    /// Work was added: the next read is due now, unless one has just begun.
    pub(super) fn expect(&mut self, now: Instant) {
        self.undisturbed = false;
        self.saw_all = false;
        self.pause = SHORTEST_PAUSE;
        self.next_at = now.max(self.not_before);
    }

    /// True if the last read found all due deliveries and no work was announced since.
    pub(super) fn is_complete(&self) -> bool {
        self.saw_all
    }

    pub(super) fn is_time(&self, now: Instant) -> bool {
        self.next_at <= now
    }

    pub(super) fn next_at(&self) -> Instant {
        self.next_at
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::ids::DeliveryId;
    use uuid::Uuid;

    use super::*;

    fn position(id: u128) -> Position {
        Position { due_at: DateTime::from_timestamp(1_790_000_000, 0).unwrap(), id: DeliveryId(Uuid::from_u128(id)) }
    }

    #[test]
    fn a_full_page_is_followed_by_the_next_at_once() {
        let now = Instant::now();
        let mut page_schedule = PageSchedule::new(now);
        assert_eq!(page_schedule.begin(now), None);
        page_schedule.note_page(now, Some(position(9)), 5);
        assert!(page_schedule.is_time(now));
        assert_eq!(page_schedule.begin(now), Some(position(9)));
    }

    #[test]
    fn the_end_of_the_queue_is_only_known_after_a_read_from_its_start() {
        let now = Instant::now();
        let mut page_schedule = PageSchedule::new(now);
        page_schedule.begin(now);
        page_schedule.note_page(now, Some(position(9)), 5);
        page_schedule.begin(now);
        page_schedule.note_page(now, None, 0);
        assert!(!page_schedule.is_complete(), "rows before the page were not looked at");
        assert_eq!(page_schedule.begin(now), None);
        page_schedule.note_page(now, None, 3);
        assert!(page_schedule.is_complete());
    }

    #[test]
    fn work_added_during_a_read_or_after_it_causes_another_one() {
        let now = Instant::now();
        let mut page_schedule = PageSchedule::new(now);
        page_schedule.begin(now);
        page_schedule.expect(now);
        page_schedule.note_page(now, None, 0);
        assert!(!page_schedule.is_complete());
        page_schedule.begin(now);
        page_schedule.note_page(now, None, 0);
        assert!(page_schedule.is_complete());
        page_schedule.expect(now);
        assert!(!page_schedule.is_complete());
    }

    #[test]
    fn pauses_grow_while_nothing_comes_and_shrink_when_something_does() {
        let now = Instant::now();
        let mut page_schedule = PageSchedule::new(now);
        for expected in [40, 80, 160, 320, 500, 500] {
            page_schedule.begin(now);
            page_schedule.note_page(now, None, 0);
            assert_eq!(page_schedule.next_at() - now, Duration::from_millis(expected));
        }
        page_schedule.begin(now);
        page_schedule.note_page(now, None, 3);
        assert_eq!(page_schedule.next_at() - now, SHORTEST_PAUSE);
    }

    #[test]
    fn added_work_is_read_at_once() {
        let begun = Instant::now();
        let mut page_schedule = PageSchedule::new(begun);
        page_schedule.begin(begun);
        let now = begun + READ_INTERVAL;
        page_schedule.note_page(now, None, 0);
        assert!(!page_schedule.is_time(now));
        page_schedule.expect(now);
        assert!(page_schedule.is_time(now));
        assert!(!page_schedule.is_complete());
    }

    #[test]
    fn work_added_right_after_a_read_is_read_with_later_work() {
        let now = Instant::now();
        let mut page_schedule = PageSchedule::new(now);
        page_schedule.begin(now);
        page_schedule.note_page(now, None, 3);
        page_schedule.expect(now + READ_INTERVAL / 2);
        assert!(!page_schedule.is_time(now + READ_INTERVAL / 2));
        assert!(page_schedule.is_time(now + READ_INTERVAL));
    }
}
