//! Limits on connections in total, per address and per IPv6 network. If all places are taken, connections are closed:
//! first idle ones, then those that wait for their peer, then WebSockets. Of these, the address with the most connections
//! goes first, and of its connections the one that has waited longest. So no newcomer is refused because of others.

use std::{
    cmp::Reverse,
    collections::HashMap,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use channels::http::Pace;
use domain::{
    source::CountedSource,
    source_places::{SourcePlace, SourcePlaces},
};
use ipnet::IpNet;
use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

use super::activity::{Activity, ConnectionSums, Idleness};

/// Limits of the listeners of one process.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    pub connections: usize,
    /// From one address, or one /64 IPv6 network. One /48 network has at most half of all. Loopback and trusted
    /// proxies are exempt, because they speak for many clients.
    pub per_address: usize,
    pub proxies: Vec<IpNet>,
}

/// One in this many connections is closed at a time, because the search costs more than the closing. This holds for idle
/// ones, and for those of equally large shares that wait for their peer. WebSockets are closed one at a time.
const ROOM_MADE: usize = 64;

/// Addresses whose processor time is kept without a search for idle ones.
const ADDRESSES: usize = 1_024;

/// The places of one process. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ConnectionPlaces {
    limits: Arc<ConnectionLimits>,
    /// A connection that ends for another one counts here until it is closed.
    shares: SourcePlaces,
    open: Arc<Mutex<Open>>,
    /// Bytes of unfinished heads.
    heads: Arc<AtomicU64>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    /// At so many addresses, those without connections are forgotten.
    sweep_at: usize,
    by_number: HashMap<u64, Connection>,
    /// The processor time of each address.
    paces: HashMap<CountedSource, Arc<Pace>>,
}

#[derive(Debug)]
struct Connection {
    activity: Arc<Activity>,
    /// The address that it counts for.
    source: Option<CountedSource>,
}

/// The place of a connection. It becomes free when this is dropped.
#[derive(Debug)]
pub struct ConnectionPlace {
    places: ConnectionPlaces,
    number: u64,
    /// `None` if its address is exempt.
    share: Option<SourcePlace>,
}

impl ConnectionPlaces {
    pub fn new(limits: ConnectionLimits) -> Self {
        let shares = SourcePlaces::new(limits.per_address).within_networks(limits.connections / 2);
        Self { limits: Arc::new(limits), shares, open: Arc::default(), heads: Arc::default() }
    }

    /// A place for a connection, or the name of the exhausted limit.
    pub fn enter(&self, peer: IpAddr, activity: &Arc<Activity>) -> Result<ConnectionPlace, &'static str> {
        let source = self.counted_source(peer);
        let mut open = lock(&self.open);
        let share = match source {
            Some(source) => Some(self.shares.take(source).ok_or("connections_per_address")?),
            None => None,
        };
        // The shares are compared without the newcomer.
        let share_of = |other: CountedSource| self.shares.held_by(other) - usize::from(source == Some(other));
        // Evicted connections may still be open, but they are already removed from the count.
        if open.by_number.len() >= self.limits.connections && !make_room(&mut open, self.limits.connections, share_of) {
            return Err("connections");
        }
        let number = open.next;
        open.next += 1;
        open.by_number.insert(number, Connection { activity: Arc::clone(activity), source });
        let pace = source.map(|source| open.pace(source, &self.shares));
        drop(open);
        let (places, heads) = (self.clone(), Arc::clone(&self.heads));
        activity.count(ConnectionSums { heads, end_heads: Box::new(move |most| places.end_heads(most)), pace });
        Ok(ConnectionPlace { places: self.clone(), number, share })
    }

    /// Ends some connections after the process has run out of descriptors.
    pub fn make_room(&self) {
        make_room(&mut lock(&self.open), self.limits.connections, |source| self.shares.held_by(source));
    }

    /// Ends connections with unfinished heads until these have at most so many bytes: of the address with the most
    /// bytes, the largest head.
    fn end_heads(&self, most: u64) {
        let mut open = lock(&self.open);
        let mut of_source: HashMap<Option<CountedSource>, u64> = HashMap::new();
        for connection in open.by_number.values() {
            *of_source.entry(connection.source).or_default() += connection.activity.head_bytes();
        }
        while self.heads.load(Ordering::Relaxed) > most {
            let Some((source, sum)) = of_source.iter_mut().max_by_key(|(_, bytes)| **bytes) else { return };
            let of_largest = open.by_number.iter().filter(|(_, connection)| connection.source == *source);
            let largest = of_largest.max_by_key(|(_, connection)| connection.activity.head_bytes());
            let Some(number) = largest.map(|(number, _)| *number) else { return };
            let Some(connection) = open.by_number.remove(&number) else { return };
            metrics::counter!("patchbay_http_connections_ended_total", "reason" => "unfinished_heads").increment(1);
            connection.activity.evicted.cancel();
            match connection.activity.forget_head() {
                0 => return,
                bytes => *sum = sum.saturating_sub(bytes),
            }
        }
    }

    pub fn count(&self) -> usize {
        lock(&self.open).by_number.len()
    }

    /// The address under which a peer counts. `None` if it is exempt.
    fn counted_source(&self, peer: IpAddr) -> Option<CountedSource> {
        let peer = peer.to_canonical();
        if peer.is_loopback() || self.limits.proxies.iter().any(|network| network.contains(&peer)) {
            return None;
        }
        Some(CountedSource::of(peer))
    }
}

fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    open.lock()
}

/// Evicts connections that do not work for their peers. False if there are none.
fn make_room(open: &mut Open, most: usize, share_of: impl Fn(CountedSource) -> usize) -> bool {
    let mut forwarded: HashMap<CountedSource, usize> = HashMap::new();
    for source in open.by_number.values().filter_map(|connection| connection.activity.forwarded_source()) {
        *forwarded.entry(source).or_default() += 1;
    }
    let share = |connection: &Connection| match (connection.source, connection.activity.forwarded_source()) {
        (Some(source), _) => share_of(source),
        (None, Some(source)) => forwarded.get(&source).copied().unwrap_or_default(),
        (None, None) => 0,
    };
    let idle = open.by_number.iter().filter_map(|(number, connection)| {
        let (idleness, since) = connection.activity.idleness()?;
        Some((idleness, Reverse(share(connection)), since, *number))
    });
    let mut idle: Vec<(Idleness, Reverse<usize>, Instant, u64)> = idle.collect();
    idle.sort_unstable();
    let first = idle.first().map(|(idleness, share, ..)| (*idleness, *share));
    let alike = |(idleness, share): (Idleness, Reverse<usize>)| match idleness {
        Idleness::Quiet => first.is_some_and(|(first, _)| first == idleness),
        Idleness::WaitsForPeer => first == Some((idleness, share)),
        Idleness::Socket => false,
    };
    let many = idle.iter().take_while(|(idleness, share, ..)| alike((*idleness, *share))).count();
    let many = many.min(most / ROOM_MADE).max(1);
    let going: Vec<u64> = idle.into_iter().map(|(.., number)| number).take(many).collect();
    for number in &going {
        // Its place is free at once. It ends quickly without being waited for.
        if let Some(connection) = open.by_number.remove(number) {
            connection.activity.evicted.cancel();
        }
    }
    !going.is_empty()
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let mut open = lock(&self.places.open);
        open.by_number.remove(&self.number);
        let Some(share) = self.share.take() else { return };
        let source = share.source();
        drop(share);
        let pace = open.paces.get(&source);
        // Otherwise the address would get new processor time with each connection.
        if pace.is_some_and(|pace| is_idle(source, pace, &self.places.shares)) {
            open.paces.remove(&source);
        }
    }
}

impl Open {
    /// The processor time of an address.
    fn pace(&mut self, source: CountedSource, shares: &SourcePlaces) -> Arc<Pace> {
        if self.paces.len() >= self.sweep_at && !self.paces.contains_key(&source) {
            self.paces.retain(|other, pace| !is_idle(*other, pace, shares));
            self.sweep_at = (self.paces.len() * 2).max(ADDRESSES);
        }
        Arc::clone(self.paces.entry(source).or_insert_with(|| Arc::new(api::pace_of_address())))
    }
}

/// True if the address has no connections, and new processor time would be the same.
fn is_idle(source: CountedSource, pace: &Pace, shares: &SourcePlaces) -> bool {
    shares.held_by(source) == 0 && pace.is_unused()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn places(connections: usize, per_address: usize) -> ConnectionPlaces {
        ConnectionPlaces::new(ConnectionLimits {
            connections,
            per_address,
            proxies: vec!["10.0.0.0/8".parse().unwrap()],
        })
    }

    fn enter(places: &ConnectionPlaces, peer: &str) -> Result<(Arc<Activity>, ConnectionPlace), &'static str> {
        let activity = Activity::new();
        let place = places.enter(peer.parse().unwrap(), &activity)?;
        Ok((activity, place))
    }

    #[tokio::test(start_paused = true)]
    async fn one_address_has_a_limit_and_gets_its_places_back() {
        let places = places(100, 2);
        let first = enter(&places, "192.0.2.1").unwrap();
        let _second = enter(&places, "192.0.2.1").unwrap();
        assert_eq!(enter(&places, "::ffff:192.0.2.1").unwrap_err(), "connections_per_address");
        assert!(enter(&places, "192.0.2.2").is_ok());
        drop(first);
        assert!(enter(&places, "192.0.2.1").is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_network_of_64_bits_is_one_address_and_proxies_do_not_count() {
        let places = places(100, 1);
        let _one = enter(&places, "2001:db8::1").unwrap();
        assert!(enter(&places, "2001:db8::2").is_err());
        let _other = enter(&places, "2001:db8:0:1::1").unwrap();
        for free in ["127.0.0.1", "::1", "10.1.2.3"] {
            let _places: Vec<_> = (0..5).map(|_| enter(&places, free).unwrap()).collect();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_addresses_of_one_ipv6_network_have_half_of_the_connections() {
        let places = places(6, 1);
        let mut held: Vec<_> =
            ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1"].map(|peer| enter(&places, peer).unwrap()).into();
        assert_eq!(enter(&places, "2001:db8:1:4::1").unwrap_err(), "connections_per_address");
        assert!(enter(&places, "2001:db8:2:1::1").is_ok() && enter(&places, "192.0.2.1").is_ok());
        held.pop();
        assert!(enter(&places, "2001:db8:1:4::1").is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn the_address_with_the_most_connections_makes_room_first() {
        let places = places(4, 100);
        let (alone, _alone_place) = enter(&places, "192.0.2.1").unwrap();
        tokio::time::advance(Duration::from_secs(1)).await;
        let many: Vec<_> = (0..3).map(|_| enter(&places, "192.0.2.2").unwrap()).collect();
        let _newcomer = enter(&places, "192.0.2.3").unwrap();
        let evicted = many.iter().filter(|(activity, _)| activity.evicted.is_cancelled()).count();
        assert_eq!((evicted, alone.evicted.is_cancelled()), (1, false), "although it has been idle for longest");
    }

    #[tokio::test(start_paused = true)]
    async fn the_longest_idle_makes_room_and_a_request_in_flight_does_not() {
        let places = places(3, 100);
        let (busy, _busy_place) = enter(&places, "192.0.2.1").unwrap();
        let request = busy.request();
        let (oldest, oldest_place) = enter(&places, "192.0.2.2").unwrap();
        tokio::time::advance(Duration::from_secs(1)).await;
        let (younger, _younger_place) = enter(&places, "192.0.2.3").unwrap();
        let _fourth = enter(&places, "192.0.2.4").unwrap();
        assert!(oldest.evicted.is_cancelled() && !busy.evicted.is_cancelled() && !younger.evicted.is_cancelled());
        assert_eq!(places.count(), 3);
        drop(oldest_place);
        assert_eq!(places.count(), 3, "its place is not given back twice");
        drop(request);
    }

    #[tokio::test(start_paused = true)]
    async fn if_every_connection_has_a_request_the_one_that_waits_longest_for_its_peer_makes_room() {
        let places = places(4, 100);
        let open: Vec<_> =
            ["192.0.2.1", "192.0.2.2", "192.0.2.2", "192.0.2.2"].map(|peer| enter(&places, peer).unwrap()).into();
        let requests: Vec<_> = open.iter().map(|(activity, _)| Arc::new(activity.request())).collect();
        assert_eq!(enter(&places, "192.0.2.3").unwrap_err(), "connections", "all of them work");
        let mut waits = Vec::new();
        for request in &requests[..3] {
            waits.push(request.wait_for_peer());
            tokio::time::advance(Duration::from_secs(1)).await;
        }
        let _newcomer = enter(&places, "192.0.2.3").unwrap();
        let evicted: Vec<bool> = open.iter().map(|(activity, _)| activity.evicted.is_cancelled()).collect();
        assert_eq!(evicted, [false, true, false, false], "of the address with the most connections");
        drop(waits);
    }

    #[tokio::test(start_paused = true)]
    async fn unfinished_heads_of_the_largest_address_end_beyond_their_sum() {
        let places = places(2_000, 1_000);
        let (alone, _alone_place) = enter(&places, "192.0.2.1").unwrap();
        alone.was_read(60_000);
        let many: Vec<_> = (0..600).map(|_| enter(&places, "192.0.2.2").unwrap()).collect();
        many.iter().for_each(|(activity, _)| activity.was_read(60_000));
        let ended = many.iter().filter(|(activity, _)| activity.evicted.is_cancelled()).count();
        assert!(ended > 0 && !alone.evicted.is_cancelled());
        assert!(places.heads.load(Ordering::Relaxed) <= 32 << 20);
        drop((many, alone.request()));
        assert_eq!(places.heads.load(Ordering::Relaxed), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_has_no_new_processor_time_after_its_last_connection() {
        let places = places(10, 10);
        let (first, place) = enter(&places, "192.0.2.1").unwrap();
        first.pace().unwrap().note(Duration::from_secs(2));
        drop((first, place));
        let (again, place) = enter(&places, "192.0.2.1").unwrap();
        assert!(again.pace().unwrap().pause().is_some());
        tokio::time::advance(Duration::from_secs(10)).await;
        drop((again, place));
        assert!(lock(&places.open).paces.is_empty());
        assert!(enter(&places, "10.1.2.3").unwrap().0.pace().is_none(), "a proxy speaks for many");
    }

    #[tokio::test(start_paused = true)]
    async fn sockets_make_room_after_all_others() {
        let places = places(2, 100);
        let (socket, _socket_place) = enter(&places, "192.0.2.1").unwrap();
        socket.note_upgraded(None);
        let (waits, _waits_place) = enter(&places, "192.0.2.2").unwrap();
        let request = Arc::new(waits.request());
        let _wait = request.wait_for_peer();
        tokio::time::advance(Duration::from_secs(1)).await;
        let (third, _third_place) = enter(&places, "192.0.2.3").unwrap();
        assert!(waits.evicted.is_cancelled() && !socket.evicted.is_cancelled());
        let _request = third.request();
        let _fourth = enter(&places, "192.0.2.4").unwrap();
        assert!(socket.evicted.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn of_the_sockets_behind_a_proxy_the_source_with_the_most_makes_room_first() {
        let places = places(4, 100);
        let sockets = ["203.0.113.1", "203.0.113.2", "203.0.113.2", "203.0.113.2"].map(|source| {
            let (socket, place) = enter(&places, "10.1.2.3").unwrap();
            socket.note_upgraded(Some(source.parse().unwrap()));
            (socket, place)
        });
        let _newcomer = enter(&places, "10.1.2.3").unwrap();
        let evicted: Vec<bool> = sockets.iter().map(|(socket, _)| socket.evicted.is_cancelled()).collect();
        assert!(!evicted[0] && evicted.iter().filter(|evicted| **evicted).count() == 1, "{evicted:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn unfinished_frames_of_websockets_count_as_unfinished_heads() {
        let places = places(2_000, 1_000);
        let (alone, _alone_place) = enter(&places, "192.0.2.1").unwrap();
        let many: Vec<_> = (0..600).map(|_| enter(&places, "192.0.2.2").unwrap()).collect();
        let requests: Vec<_> = many.iter().map(|(activity, _)| activity.request()).collect();
        many.iter().for_each(|(activity, _)| activity.note_upgraded(None));
        many.iter().for_each(|(activity, _)| activity.was_read(60_000));
        let ended = many.iter().filter(|(activity, _)| activity.evicted.is_cancelled()).count();
        assert!(ended > 0 && !alone.evicted.is_cancelled());
        assert!(places.heads.load(Ordering::Relaxed) <= 32 << 20);
        for (activity, _) in &many {
            activity.forget_head();
        }
        assert_eq!(places.heads.load(Ordering::Relaxed), 0, "the frames are complete");
        drop(requests);
    }
}
