//! Places of the SMTP listener: open connections per source, and which one ends if no place is left.

use std::{cmp::Reverse, collections::HashMap, net::IpAddr, sync::Arc, time::Duration};

use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::ListenerSettings;

/// A text has at most 64 KiB, so a sender needs no longer for it if places are short.
const TEXT_AT_LEAST: Duration = Duration::from_secs(30);

/// The open connections.
#[derive(Clone, Default)]
pub(super) struct MailPlaces(Arc<Mutex<Open>>);

#[derive(Default)]
struct Open {
    next: u64,
    by_number: HashMap<u64, Entry>,
}

struct Entry {
    source: IpAddr,
    /// When the value of `sends_text` changed.
    since: Instant,
    /// True while the text of a mail is being sent.
    sends_text: bool,
    end: CancellationToken,
}

/// The place of one connection. A drop frees it.
pub(super) struct MailPlace {
    places: MailPlaces,
    number: u64,
    end: CancellationToken,
}

impl MailPlaces {
    /// A place for a connection of `source`; `None` if the source has its share, or if all others are sending a mail.
    ///
    /// If all places are taken, a connection that sends no mail ends: of the source that has the most such connections, the one that
    /// has been silent for the longest time. Without such a connection, one that has sent a text for more than
    /// [`TEXT_AT_LEAST`] ends. So silence does not keep other senders out.
    pub(super) fn enter(&self, source: IpAddr, settings: &ListenerSettings) -> Option<MailPlace> {
        let mut open = self.open();
        let of_source = open.by_number.values().filter(|entry| entry.source == source).count();
        if of_source >= settings.connections_per_source {
            return None;
        }
        if open.by_number.len() >= settings.connections {
            let longest = open.longest_silent()?;
            // Its place is counted to the newcomer from here on.
            if let Some(entry) = open.by_number.remove(&longest) {
                entry.end.cancel();
            }
        }
        let (number, end) = (open.next, CancellationToken::new());
        open.next += 1;
        open.by_number.insert(number, Entry { source, since: Instant::now(), sends_text: false, end: end.clone() });
        Some(MailPlace { places: self.clone(), number, end })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.0.lock()
    }
}

impl Open {
    fn longest_silent(&self) -> Option<u64> {
        let mut shares: HashMap<(IpAddr, bool), usize> = HashMap::new();
        for entry in self.by_number.values() {
            *shares.entry((entry.source, entry.sends_text)).or_default() += 1;
        }
        let may_end = |entry: &Entry| !entry.sends_text || entry.since.elapsed() > TEXT_AT_LEAST;
        let share = |entry: &Entry| shares.get(&(entry.source, entry.sends_text)).copied().unwrap_or(0);
        let candidates = self.by_number.iter().filter(|(_, entry)| may_end(entry));
        let longest = candidates.min_by_key(|(_, entry)| (entry.sends_text, Reverse(share(entry)), entry.since));
        longest.map(|(number, _)| *number)
    }
}

impl MailPlace {
    /// Cancelled if another connection needs the place.
    pub(super) fn end(&self) -> &CancellationToken {
        &self.end
    }

    /// Records if the text of a mail is being sent.
    pub(super) fn set_sends_text(&self, sends_text: bool) {
        if let Some(entry) = self.places.open().by_number.get_mut(&self.number) {
            (entry.since, entry.sends_text) = (Instant::now(), sends_text);
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
    async fn a_connection_that_sends_a_mail_is_ended_only_when_it_takes_long() {
        let (places, settings) = (MailPlaces::default(), settings(2, 2));
        let (first, second) =
            (places.enter(source(1), &settings).unwrap(), places.enter(source(1), &settings).unwrap());
        first.set_sends_text(true);
        second.set_sends_text(true);
        advance(TEXT_AT_LEAST).await;
        assert!(places.enter(source(2), &settings).is_none());
        second.set_sends_text(false);
        let third = places.enter(source(2), &settings).unwrap();
        assert!(second.end().is_cancelled() && !first.end().is_cancelled());
        third.set_sends_text(true);
        advance(Duration::from_secs(1)).await;
        assert!(places.enter(source(3), &settings).is_some());
        assert!(first.end().is_cancelled() && !third.end().is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_that_was_given_back_is_free() {
        let (places, settings) = (MailPlaces::default(), settings(1, 1));
        let first = places.enter(source(1), &settings).unwrap();
        assert!(places.enter(source(1), &settings).is_none());
        drop(first);
        assert!(places.enter(source(1), &settings).is_some());
    }
}
