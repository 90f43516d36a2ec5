//! Places of the SMTP listener: open connections per source, and which one ends if no place is left.

use std::{cmp::Reverse, collections::HashMap, net::IpAddr, sync::Arc, time::Duration};

use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ListenerSettings;

/// A text without progress for this time makes room for another connection.
const SLOW: Duration = Duration::from_secs(1);

#[derive(Clone, Default)]
pub(super) struct MailPlaces(Arc<Mutex<Open>>);

#[derive(Default)]
struct Open {
    next: u64,
    by_number: HashMap<u64, Entry>,
}

struct Entry {
    source: IpAddr,
    /// When the work changed or, during a text, when bytes came.
    since: Instant,
    work: Work,
    end: CancellationToken,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Commands,
    Text,
    /// Patchbay, which stores a mail.
    Ours,
}

pub(super) struct MailPlace {
    places: MailPlaces,
    number: u64,
    end: CancellationToken,
}

impl MailPlaces {
    /// `None` if the source has its share, or no other has a larger one. If all places are taken, the slowest
    /// connection of the largest share ends: without a mail first, then texts without progress for [`SLOW`].
    pub(super) fn enter(&self, source: IpAddr, settings: &ListenerSettings) -> Option<MailPlace> {
        let mut open = self.open();
        let of_source = open.by_number.values().filter(|entry| entry.source == source).count();
        if of_source >= settings.connections_per_source {
            return None;
        }
        if open.by_number.len() >= settings.connections {
            let longest = open.slowest(of_source + 1)?;
            // Its place is counted to the newcomer from here on.
            if let Some(entry) = open.by_number.remove(&longest) {
                entry.end.cancel();
            }
        }
        let (number, end) = (open.next, CancellationToken::new());
        open.next += 1;
        open.by_number.insert(number, Entry { source, since: Instant::now(), work: Work::Commands, end: end.clone() });
        Some(MailPlace { places: self.clone(), number, end })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock()
    }
}

impl Open {
    fn slowest(&self, newcomer: usize) -> Option<u64> {
        let mut shares: HashMap<IpAddr, usize> = HashMap::new();
        for entry in self.by_number.values() {
            *shares.entry(entry.source).or_default() += 1;
        }
        let candidates = self.by_number.iter().filter_map(|(number, entry)| {
            let share = shares.get(&entry.source).copied().unwrap_or(0);
            let speed = entry.speed();
            let may_end = speed < Speed::Fast || share > newcomer;
            may_end.then_some(((speed, Reverse(share), entry.since), *number))
        });
        candidates.min_by_key(|(order, _)| *order).map(|(_, number)| number)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Speed {
    WithoutMail,
    Slow,
    Fast,
}

impl Entry {
    fn speed(&self) -> Speed {
        match self.work {
            Work::Commands => Speed::WithoutMail,
            Work::Text if self.since.elapsed() >= SLOW => Speed::Slow,
            Work::Text | Work::Ours => Speed::Fast,
        }
    }
}

impl MailPlace {
    /// Cancelled if another connection needs the place.
    pub(super) fn end(&self) -> &CancellationToken {
        &self.end
    }

    pub(super) fn note(&self, work: Work) {
        if let Some(entry) = self.places.open().by_number.get_mut(&self.number) {
            (entry.since, entry.work) = (Instant::now(), work);
        }
    }
}

impl Drop for MailPlace {
    fn drop(&mut self) {
        self.places.open().by_number.remove(&self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::sms_products::email::EmailDomain;
    use tokio::time::advance;

    use super::*;

    fn settings(connections: usize, connections_per_source: usize) -> ListenerSettings {
        let domain = EmailDomain::parse("sms.example.com").unwrap();
        ListenerSettings { connections, connections_per_source, ..ListenerSettings::new(domain) }
    }

    fn source(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_idle_of_the_largest_share_makes_room() {
        let (places, settings) = (MailPlaces::default(), settings(4, 3));
        let alone = places.enter(source(1), &settings).unwrap();
        let mut of_many = Vec::new();
        for _ in 0..3 {
            advance(Duration::from_secs(1)).await;
            of_many.push(places.enter(source(2), &settings).unwrap());
        }
        assert!(places.enter(source(2), &settings).is_none(), "its share is full");

        let newcomer = places.enter(source(3), &settings).unwrap();

        assert!(!alone.end().is_cancelled() && !newcomer.end().is_cancelled());
        assert_eq!(of_many.iter().map(|place| place.end().is_cancelled()).collect::<Vec<_>>(), [true, false, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_sends_a_mail_is_ended_only_when_nothing_comes() {
        let (places, settings) = (MailPlaces::default(), settings(2, 2));
        let enter = |last| places.enter(source(last), &settings);
        let (first, second) = (enter(1).unwrap(), enter(2).unwrap());
        first.note(Work::Text);
        second.note(Work::Text);
        assert!(enter(3).is_none(), "none of them is slow, and no share is larger");
        advance(SLOW / 2).await;
        second.note(Work::Text);
        advance(SLOW / 2).await;
        let third = enter(3).unwrap();
        assert!(first.end().is_cancelled() && !second.end().is_cancelled());
        third.note(Work::Ours);
        second.note(Work::Text);
        assert!(enter(4).is_none(), "a mail that is being stored is not slow");
    }

    #[tokio::test(start_paused = true)]
    async fn texts_of_the_largest_share_make_room_even_if_they_have_just_begun() {
        let (places, settings) = (MailPlaces::default(), settings(4, 3));
        let alone = places.enter(source(1), &settings).unwrap();
        let of_many: Vec<_> = (0..3).map(|_| places.enter(source(2), &settings).unwrap()).collect();
        of_many.iter().chain([&alone]).for_each(|place| place.note(Work::Text));
        assert!(places.enter(source(3), &settings).is_some());
        assert!(!alone.end().is_cancelled());
        assert_eq!(of_many.iter().filter(|place| place.end().is_cancelled()).count(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_returned_place_is_free() {
        let (places, settings) = (MailPlaces::default(), settings(1, 1));
        let first = places.enter(source(1), &settings).unwrap();
        assert!(places.enter(source(1), &settings).is_none());
        drop(first);
        assert!(places.enter(source(1), &settings).is_some());
    }
}
