//! How often visitors and addresses may come. Counted in this process: several nodes allow so much each.

use std::{
    collections::HashMap,
    hash::Hash,
    net::{IpAddr, Ipv6Addr},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use uuid::Uuid;

use crate::error::{ApiError, ErrorKind};

/// What a visitor and an address may do (`limits.web_chat_*`).
#[derive(Debug, Clone, Copy)]
pub struct WebChatLimits {
    /// Messages and files of one visitor in a minute.
    pub posts_per_minute: u32,
    /// Calls and messages from one address in a minute.
    pub calls_per_minute_per_address: u32,
    /// Sockets of one visitor.
    pub sockets_per_visitor: usize,
}

impl Default for WebChatLimits {
    fn default() -> Self {
        Self { posts_per_minute: 40, calls_per_minute_per_address: 600, sockets_per_visitor: 10 }
    }
}

/// Visitors, or addresses, that are remembered before those that are idle are forgotten.
const REMEMBERED: usize = 10_000;

/// The limits, and who has used how much of them.
pub(super) struct Limits {
    pub(super) settings: WebChatLimits,
    visitors: Buckets<Uuid>,
    addresses: Buckets<IpAddr>,
}

impl Limits {
    pub(super) fn new(settings: WebChatLimits) -> Self {
        Self {
            settings,
            visitors: Buckets::new(settings.posts_per_minute),
            addresses: Buckets::new(settings.calls_per_minute_per_address),
        }
    }

    /// A call from an address; one that is not known is not held back.
    pub(super) fn call(&self, from: Option<IpAddr>) -> Result<(), Duration> {
        from.map_or(Ok(()), |from| self.addresses.take(network(from), Instant::now()))
    }

    /// A message or file of a visitor.
    pub(super) fn post(&self, from: Uuid) -> Result<(), Duration> {
        self.visitors.take(from, Instant::now())
    }
}

/// What a caller is told who comes too often.
pub(super) fn too_often(wait: Duration) -> ApiError {
    let said = "too many messages or calls in a short time: wait, and send it again";
    ApiError::new(ErrorKind::TooManyRequests, said).retry_after(wait)
}

/// Of IPv6 a household has a network of 64 bits, not an address.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
    }
}

/// Buckets that fill at a steady rate and hold a minute's worth.
struct Buckets<K> {
    per_minute: f64,
    by_key: Mutex<HashMap<K, Bucket>>,
}

struct Bucket {
    tokens: f64,
    filled: Instant,
}

impl<K: Hash + Eq> Buckets<K> {
    fn new(per_minute: u32) -> Self {
        Self { per_minute: f64::from(per_minute.max(1)), by_key: Mutex::default() }
    }

    fn take(&self, key: K, now: Instant) -> Result<(), Duration> {
        let rate = self.per_minute / 60.0;
        let filled = |bucket: &Bucket| {
            let passed = now.saturating_duration_since(bucket.filled).as_secs_f64();
            (bucket.tokens + passed * rate).min(self.per_minute)
        };
        let mut buckets = self.by_key.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= REMEMBERED && !buckets.contains_key(&key) {
            buckets.retain(|_, bucket| filled(bucket) < self.per_minute);
        }
        let bucket = buckets.entry(key).or_insert(Bucket { tokens: self.per_minute, filled: now });
        bucket.tokens = filled(bucket);
        bucket.filled = now;
        if bucket.tokens < 1.0 {
            return Err(Duration::from_secs_f64((1.0 - bucket.tokens) / rate));
        }
        bucket.tokens -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minutes_worth_may_come_at_once_and_then_as_fast_as_it_fills() {
        let (buckets, begin) = (Buckets::new(30), Instant::now());
        assert!((0..30).all(|_| buckets.take(1, begin).is_ok()));
        let wait = buckets.take(1, begin).unwrap_err();
        assert!((1.9..=2.1).contains(&wait.as_secs_f64()), "{wait:?}");
        assert!(buckets.take(2, begin).is_ok(), "somebody else is not held back");
        assert!(buckets.take(1, begin + Duration::from_millis(2_010)).is_ok());
        assert!(buckets.take(1, begin + Duration::from_millis(2_020)).is_err());
    }

    #[test]
    fn addresses_of_one_ipv6_network_are_one() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    }

    #[test]
    fn those_who_rest_are_forgotten_when_there_are_many() {
        let (buckets, begin) = (Buckets::new(60), Instant::now());
        for visitor in 0..REMEMBERED {
            buckets.take(visitor, begin).unwrap();
        }
        buckets.take(REMEMBERED, begin + Duration::from_secs(120)).unwrap();
        assert_eq!(buckets.by_key.lock().unwrap().len(), 1);
    }
}
