//! Limits on connections in total and per address. If all places are taken, idle connections are closed: first those of
//! the address with the most connections, and of these the longest idle.

use std::{cmp::Reverse, collections::HashMap, net::IpAddr, sync::Arc};

use domain::source::source_of;
use ipnet::IpNet;
use parking_lot::{Mutex, MutexGuard};
use tokio::time::Instant;

use super::activity::Activity;

/// Limits of the listeners of one process.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    pub connections: usize,
    /// From one address, or one /64 IPv6 network. Loopback and trusted proxies are exempt, because they speak for many
    /// clients.
    pub per_address: usize,
    pub proxies: Vec<IpNet>,
}

/// One in this many connections is closed at a time, because the search costs more than the closing.
const ROOM_MADE: usize = 64;

/// The places of one process. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ConnectionPlaces {
    limits: Arc<ConnectionLimits>,
    open: Arc<Mutex<Open>>,
}

#[derive(Debug, Default)]
struct Open {
    next: u64,
    by_number: HashMap<u64, Connection>,
    by_address: HashMap<IpAddr, usize>,
}

#[derive(Debug)]
struct Connection {
    activity: Arc<Activity>,
    /// The address that it counts for.
    address: Option<IpAddr>,
}

/// The place of a connection. It becomes free when this is dropped.
#[derive(Debug)]
pub struct ConnectionPlace {
    open: Arc<Mutex<Open>>,
    number: u64,
    address: Option<IpAddr>,
}

impl ConnectionPlaces {
    pub fn new(limits: ConnectionLimits) -> Self {
        Self { limits: Arc::new(limits), open: Arc::default() }
    }

    /// A place for a connection, or the name of the exhausted limit.
    pub fn enter(&self, peer: IpAddr, activity: &Arc<Activity>) -> Result<ConnectionPlace, &'static str> {
        let address = self.counted(peer);
        let mut open = lock(&self.open);
        let from_there = address.and_then(|address| open.by_address.get(&address)).copied().unwrap_or_default();
        if from_there >= self.limits.per_address {
            return Err("connections_per_address");
        }
        // Evicted connections may still be open, but they are already removed from the count.
        if open.by_number.len() >= self.limits.connections && !make_room(&mut open, self.limits.connections) {
            return Err("connections");
        }
        let number = open.next;
        open.next += 1;
        open.by_number.insert(number, Connection { activity: Arc::clone(activity), address });
        if let Some(address) = address {
            *open.by_address.entry(address).or_default() += 1;
        }
        Ok(ConnectionPlace { open: Arc::clone(&self.open), number, address })
    }

    /// Ends some idle connections after the process has run out of descriptors.
    pub fn make_room(&self) {
        make_room(&mut lock(&self.open), self.limits.connections);
    }

    pub fn count(&self) -> usize {
        lock(&self.open).by_number.len()
    }

    /// The address under which a peer counts. `None` if it is exempt.
    fn counted(&self, peer: IpAddr) -> Option<IpAddr> {
        let peer = peer.to_canonical();
        if peer.is_loopback() || self.limits.proxies.iter().any(|network| network.contains(&peer)) {
            return None;
        }
        Some(source_of(peer))
    }
}

fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    open.lock()
}

/// Evicts idle connections. False if there are none.
fn make_room(open: &mut Open, most: usize) -> bool {
    let of_address = |address: Option<IpAddr>| address.and_then(|address| open.by_address.get(&address)).copied();
    let idle = open.by_number.iter().filter_map(|(number, connection)| {
        let quiet = connection.activity.quiet_since()?;
        Some((Reverse(of_address(connection.address).unwrap_or_default()), quiet, *number))
    });
    let mut idle: Vec<(Reverse<usize>, Instant, u64)> = idle.collect();
    idle.sort_unstable();
    let going: Vec<u64> = idle.into_iter().map(|(.., number)| number).take((most / ROOM_MADE).max(1)).collect();
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
        let mut open = lock(&self.open);
        open.by_number.remove(&self.number);
        let Some(address) = self.address else { return };
        if let Some(count) = open.by_address.get_mut(&address) {
            *count -= 1;
            if *count == 0 {
                open.by_address.remove(&address);
            }
        }
    }
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
    async fn a_network_of_64_bits_is_one_address_and_proxies_are_none() {
        let places = places(100, 1);
        let _one = enter(&places, "2001:db8::1").unwrap();
        assert!(enter(&places, "2001:db8::2").is_err());
        let _other = enter(&places, "2001:db8:0:1::1").unwrap();
        for free in ["127.0.0.1", "::1", "10.1.2.3"] {
            let _places: Vec<_> = (0..5).map(|_| enter(&places, free).unwrap()).collect();
        }
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
    async fn nobody_makes_room_while_every_connection_has_a_request() {
        let places = places(2, 100);
        let open: Vec<_> = (0..2).map(|_| enter(&places, "192.0.2.1").unwrap()).collect();
        let mut requests: Vec<_> = open.iter().map(|(activity, _)| activity.request()).collect();
        assert_eq!(enter(&places, "192.0.2.2").unwrap_err(), "connections");
        requests.pop();
        assert!(enter(&places, "192.0.2.2").is_ok());
    }
}
