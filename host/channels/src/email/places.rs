//! Places of the SMTP listener: open connections per source, and which one ends if no place is left.

use std::{cmp::Reverse, collections::HashMap, sync::Arc, time::Duration};

use domain::{
    source::CountedSource,
    source_places::{SourcePlace, SourcePlaces},
};
use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ListenerSettings;

/// A text without progress for this time makes room for another connection.
const SLOW: Duration = Duration::from_secs(1);

#[derive(Clone)]
pub(super) struct MailPlaces {
    connections: usize,
    shares: SourcePlaces,
    open: Arc<Mutex<Open>>,
}

#[derive(Default)]
struct Open {
    next: u64,
    by_number: HashMap<u64, Entry>,
}

struct Entry {
    share: SourcePlace,
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
    /// One /48 network of IPv6 has half of the connections.
    pub(super) fn new(settings: &ListenerSettings) -> Self {
        let shares = SourcePlaces::new(settings.connections_per_source).within_networks(settings.connections / 2);
        Self { connections: settings.connections, shares, open: Arc::default() }
    }

    /// `None` if the source, or its network, has its share, or no other has a larger one. If all places are taken, the
    /// slowest connection of the largest share ends: without a mail first, then texts without progress for [`SLOW`].
    pub(super) fn enter(&self, source: CountedSource) -> Option<MailPlace> {
        let mut open = self.open();
        let is_full = open.by_number.len() >= self.connections;
        // The shares are compared before the newcomer has its own.
        let longest = if is_full { Some(open.slowest(&self.shares, source)?) } else { None };
        let share = self.shares.take(source)?;
        // Its place is counted to the newcomer from here on.
        if let Some(entry) = longest.and_then(|longest| open.by_number.remove(&longest)) {
            entry.end.cancel();
        }
        let (number, end) = (open.next, CancellationToken::new());
        open.next += 1;
        open.by_number.insert(number, Entry { share, since: Instant::now(), work: Work::Commands, end: end.clone() });
        Some(MailPlace { places: self.clone(), number, end })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock()
    }
}

impl Open {
    fn slowest(&self, shares: &SourcePlaces, newcomer: CountedSource) -> Option<u64> {
        let of_newcomer = shares.held_by(newcomer) + 1;
        let candidates = self.by_number.iter().filter_map(|(number, entry)| {
            let share = shares.held_by(entry.share.source());
            let speed = entry.speed();
            let may_end = speed < Speed::Fast || share > of_newcomer;
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

    fn source(last: u8) -> CountedSource {
        CountedSource::of([192, 0, 2, last].into())
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_idle_of_the_largest_share_makes_room() {
        let places = MailPlaces::new(&settings(4, 3));
        let alone = places.enter(source(1)).unwrap();
        let mut of_many = Vec::new();
        for _ in 0..3 {
            advance(Duration::from_secs(1)).await;
            of_many.push(places.enter(source(2)).unwrap());
        }
        assert!(places.enter(source(2)).is_none(), "its share is full");

        let newcomer = places.enter(source(3)).unwrap();

        assert!(!alone.end().is_cancelled() && !newcomer.end().is_cancelled());
        assert_eq!(of_many.iter().map(|place| place.end().is_cancelled()).collect::<Vec<_>>(), [true, false, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_sends_a_mail_is_ended_only_when_nothing_comes() {
        let places = MailPlaces::new(&settings(2, 2));
        let enter = |last| places.enter(source(last));
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
        let places = MailPlaces::new(&settings(4, 3));
        let alone = places.enter(source(1)).unwrap();
        let of_many: Vec<_> = (0..3).map(|_| places.enter(source(2)).unwrap()).collect();
        of_many.iter().chain([&alone]).for_each(|place| place.note(Work::Text));
        assert!(places.enter(source(3)).is_some());
        assert!(!alone.end().is_cancelled());
        assert_eq!(of_many.iter().filter(|place| place.end().is_cancelled()).count(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn the_sources_of_one_ipv6_network_have_half_of_the_connections() {
        let places = MailPlaces::new(&settings(6, 2));
        let enter = |address: &str| places.enter(CountedSource::of(address.parse().unwrap()));
        let mut held: Vec<_> =
            ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1"].map(|address| enter(address).unwrap()).into();
        assert!(enter("2001:db8:1:4::1").is_none());
        assert!(enter("2001:db8:2:1::1").is_some() && enter("192.0.2.1").is_some());
        held.pop();
        assert!(enter("2001:db8:1:4::1").is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_returned_place_is_free() {
        let places = MailPlaces::new(&settings(1, 1));
        let first = places.enter(source(1)).unwrap();
        assert!(places.enter(source(1)).is_none());
        drop(first);
        assert!(places.enter(source(1)).is_some());
    }
}
