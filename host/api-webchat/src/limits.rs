//! Limits of visitors, of their addresses, and of the clients of their sites: how often they may come, and how much
//! they may hold at once. They are counted in this process, so with several nodes each node allows that much.

use std::{
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use api_core::error::{ApiError, ErrorKind};
use base::{SharePart, Shares};
use domain::{
    ids::ClientId,
    source::{CountedSource, SourceNetwork},
    source_places::{SourcePlace, SourcePlaces},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use super::buckets::Buckets;

#[derive(Debug, Clone, Copy)]
pub struct WebChatLimits {
    pub posts_per_minute: u32,
    pub calls_per_minute_per_address: u32,
    pub frames_per_minute: u32,
    pub frames_per_minute_per_address: u32,
    pub sockets_per_visitor: usize,
    pub sockets_per_address: usize,
    /// Bytes of pages that the widgets of one visitor have not read.
    pub unread_bytes_per_visitor: usize,
    /// Bytes of pages that all widgets at one address have not read.
    pub unread_bytes_per_address: usize,
    /// Time in which a widget must take a frame, and must have read a page.
    pub write_timeout: Duration,
    pub database_connections: usize,
}

impl Default for WebChatLimits {
    fn default() -> Self {
        Self {
            posts_per_minute: 40,
            calls_per_minute_per_address: 600,
            frames_per_minute: 240,
            frames_per_minute_per_address: 2_400,
            sockets_per_visitor: 10,
            sockets_per_address: 200,
            unread_bytes_per_visitor: 256 * 1024,
            unread_bytes_per_address: 2 * 1024 * 1024,
            write_timeout: Duration::from_secs(30),
            database_connections: 10,
        }
    }
}

/// Frames that a page of older messages counts as.
pub(super) const HISTORY_COST: u32 = 5;
/// One client's visitors use this part of the connections of web chat at the same time.
const ONE_OF_CLIENT: usize = 3;
/// One address uses this part of them.
const ONE_OF_ADDRESS: usize = 5;
/// One /48 network of IPv6 uses this part of them.
const ONE_OF_NETWORK: usize = 2;

#[derive(Debug, Clone, Copy)]
pub(super) struct SocketOwner {
    pub(super) visitor: Uuid,
    /// Source address. An unknown one is not limited.
    pub(super) address: Option<IpAddr>,
}

pub(super) struct SocketLimits {
    pub(super) settings: WebChatLimits,
    posts: Buckets<Uuid>,
    calls: Buckets<CountedSource>,
    frames: Buckets<Uuid>,
    frames_of_addresses: Buckets<CountedSource>,
    sockets: SourcePlaces,
    unread: Shares<Uuid>,
    unread_of_addresses: Shares<CountedSource>,
    reads: Arc<Semaphore>,
    reads_of_clients: Shares<ClientId>,
    reads_of_addresses: Shares<CountedSource>,
    reads_of_networks: Shares<SourceNetwork>,
}

pub(super) struct PageRoom {
    _of_visitor: OwnedSemaphorePermit,
    _of_address: SharePart,
}

pub(super) struct PageTurn {
    _of_address: SharePart,
    _of_network: SharePart,
    _of_client: SharePart,
    _of_all: SharePart,
}

impl SocketLimits {
    pub(super) fn new(settings: WebChatLimits) -> Self {
        let at_once = settings.database_connections.max(1);
        Self {
            settings,
            posts: Buckets::new(settings.posts_per_minute),
            calls: Buckets::new(settings.calls_per_minute_per_address),
            frames: Buckets::new(settings.frames_per_minute),
            frames_of_addresses: Buckets::new(settings.frames_per_minute_per_address),
            sockets: SourcePlaces::new(settings.sockets_per_address.max(1)),
            unread: Shares::new(settings.unread_bytes_per_visitor),
            unread_of_addresses: Shares::new(settings.unread_bytes_per_address),
            reads: Arc::new(Semaphore::new(at_once)),
            reads_of_clients: Shares::new(at_once / ONE_OF_CLIENT),
            reads_of_addresses: Shares::new(at_once / ONE_OF_ADDRESS),
            reads_of_networks: Shares::new(at_once / ONE_OF_NETWORK),
        }
    }

    pub(super) fn call(&self, from: Option<IpAddr>) -> Result<(), Duration> {
        from.map_or(Ok(()), |from| self.calls.take(CountedSource::of(from), 1, Instant::now()))
    }

    pub(super) fn post(&self, from: Uuid) -> Result<(), Duration> {
        self.posts.take(from, 1, Instant::now())
    }

    /// Counts a frame of a socket. If it is refused, it counts neither for its visitor nor for its address.
    pub(super) fn frame(&self, from: SocketOwner, cost: u32) -> Result<(), Duration> {
        let now = Instant::now();
        self.frames.take(from.visitor, cost, now)?;
        let of_address =
            from.address.map_or(Ok(()), |from| self.frames_of_addresses.take(CountedSource::of(from), cost, now));
        of_address.inspect_err(|_| self.frames.give_back(&from.visitor, cost))
    }

    pub(super) fn socket(&self, from: Option<IpAddr>) -> Result<Option<SourcePlace>, ApiError> {
        let Some(from) = from else { return Ok(None) };
        let said = "too many widgets are open at this address: close one, or try again later";
        let full = || ApiError::new(ErrorKind::TooManyRequests, said);
        self.sockets.take(CountedSource::of(from)).map(Some).ok_or_else(full)
    }

    pub(super) fn room(&self, of: SocketOwner, bytes: usize) -> Option<PageRoom> {
        let of_visitor = self.unread.try_take(of.visitor, bytes)?;
        let of_address = match of.address {
            Some(address) => Some(self.unread_of_addresses.try_take(CountedSource::of(address), bytes)?),
            None => None,
        };
        Some(PageRoom { _of_visitor: of_visitor, _of_address: of_address })
    }

    /// Takes a turn at the database. Turns are limited for each address, for each IPv6 network, for each client's
    /// visitors, and for web chat as a whole, in this order. So a caller that waits for its own share blocks no other.
    pub(super) async fn turn(&self, address: Option<IpAddr>, client: Option<ClientId>) -> PageTurn {
        let source = address.map(CountedSource::of);
        let of_address = match source {
            Some(source) => self.reads_of_addresses.take(source, 1).await,
            None => None,
        };
        let of_network = match source.and_then(CountedSource::network) {
            Some(network) => self.reads_of_networks.take(network, 1).await,
            None => None,
        };
        let of_client = match client {
            Some(client) => self.reads_of_clients.take(client, 1).await,
            None => None,
        };
        let of_all = Arc::clone(&self.reads).acquire_owned().await.ok();
        PageTurn { _of_address: of_address, _of_network: of_network, _of_client: of_client, _of_all: of_all }
    }
}

pub(super) fn too_often(wait: Duration) -> ApiError {
    let said = "too many messages or calls in a short time: wait, and send it again";
    ApiError::new(ErrorKind::TooManyRequests, said).retry_after(wait)
}

#[cfg(test)]
mod tests {
    use futures::poll;

    use super::*;

    fn guest(visitor: u128, address: &str) -> SocketOwner {
        SocketOwner { visitor: Uuid::from_u128(visitor), address: Some(address.parse().unwrap()) }
    }

    fn client(id: u128) -> Option<ClientId> {
        Some(ClientId(Uuid::from_u128(id)))
    }

    #[test]
    fn addresses_of_one_ipv6_network_are_one() {
        let of = |text: &str| CountedSource::of(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }

    #[test]
    fn frames_are_charged_to_the_visitor_and_to_the_address() {
        let limits = SocketLimits::new(WebChatLimits {
            frames_per_minute: 3,
            frames_per_minute_per_address: 5,
            ..WebChatLimits::default()
        });
        let (ann, ben, far) = (guest(1, "192.0.2.1"), guest(2, "192.0.2.1"), guest(3, "192.0.2.2"));
        assert!((0..3).all(|_| limits.frame(ann, 1).is_ok()));
        assert!(limits.frame(ann, 1).is_err(), "the visitor's own share");
        assert!(limits.frame(ben, HISTORY_COST).is_err(), "more than is left of the address");
        assert!((0..2).all(|_| limits.frame(ben, 1).is_ok()), "and was not taken from the visitor");
        assert!(limits.frame(ben, 1).is_err(), "the share of the address");
        assert!(limits.frame(far, 1).is_ok());
    }

    #[test]
    fn pages_that_are_not_read_fill_the_share_of_the_visitor_and_of_the_address() {
        let limits = SocketLimits::new(WebChatLimits {
            unread_bytes_per_visitor: 100,
            unread_bytes_per_address: 150,
            ..WebChatLimits::default()
        });
        let of_ann = limits.room(guest(1, "192.0.2.1"), 80).unwrap();
        assert!(limits.room(guest(1, "192.0.2.9"), 80).is_none(), "the visitor, wherever it is");
        assert!(limits.room(guest(2, "192.0.2.1"), 80).is_none(), "the address");
        assert!(limits.room(guest(2, "192.0.2.2"), 80).is_some(), "and left nothing behind");
        drop(of_ann);
        assert!(limits.room(guest(2, "192.0.2.1"), 80).is_some());
    }

    #[test]
    fn an_address_has_so_many_sockets() {
        let limits = SocketLimits::new(WebChatLimits { sockets_per_address: 2, ..WebChatLimits::default() });
        let at = |address: &str| limits.socket(Some(address.parse().unwrap()));
        let held = (at("192.0.2.1").unwrap(), at("192.0.2.1").unwrap());
        assert!(at("192.0.2.1").is_err() && at("192.0.2.2").is_ok());
        drop(held);
        assert!(at("192.0.2.1").is_ok());
    }

    #[tokio::test]
    async fn an_address_and_a_client_have_a_small_share_of_the_database() {
        let limits = SocketLimits::new(WebChatLimits { database_connections: 10, ..WebChatLimits::default() });
        let at = |last: u8| Some(IpAddr::from([192, 0, 2, last]));
        let mut held = vec![limits.turn(at(1), client(1)).await, limits.turn(at(1), client(2)).await];
        assert!(poll!(Box::pin(limits.turn(at(1), client(3)))).is_pending(), "two of one address");
        for address in 2..4 {
            held.push(limits.turn(at(address), client(1)).await);
        }
        assert!(poll!(Box::pin(limits.turn(at(7), client(1)))).is_pending(), "three of one client");
        for id in 11..17 {
            held.push(limits.turn(None, client(id)).await);
        }
        assert!(poll!(Box::pin(limits.turn(None, client(20)))).is_pending(), "ten in all");
        held.pop();
        assert!(poll!(Box::pin(limits.turn(None, client(20)))).is_ready());
    }

    #[tokio::test]
    async fn the_sources_of_one_ipv6_network_have_half_of_the_database() {
        let limits = SocketLimits::new(WebChatLimits { database_connections: 10, ..WebChatLimits::default() });
        let at = |network: u8, subnet: u8| format!("2001:db8:{network}:{subnet}::1").parse().ok();
        let mut held = Vec::new();
        for subnet in 0..5 {
            held.push(limits.turn(at(1, subnet), None).await);
        }
        let mut sixth = Box::pin(limits.turn(at(1, 5), None));
        assert!(poll!(&mut sixth).is_pending());
        assert!(poll!(Box::pin(limits.turn(at(2, 0), None))).is_ready(), "another network");
        held.pop();
        assert!(poll!(&mut sixth).is_ready());
    }
}
