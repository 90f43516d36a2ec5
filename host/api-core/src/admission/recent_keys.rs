//! The clients of keys that were used recently. A request with such a key counts to its client from the beginning, so
//! that other callers at the same address cannot keep it out. It gives no rights: the key is looked up for each
//! request.

use std::{
    collections::HashMap,
    hash::{BuildHasher, RandomState},
    time::Duration,
};

use domain::ids::ClientId;
use tokio::time::Instant;

/// How long a key is remembered after its last use.
const REMEMBERED_FOR: Duration = Duration::from_secs(60);
/// Most remembered keys.
const KEYS: usize = 10_000;

/// Clients by a hash of their keys that callers cannot predict.
#[derive(Debug, Default)]
pub(super) struct RecentKeys {
    hasher: RandomState,
    clients: HashMap<u64, (ClientId, Instant)>,
}

impl RecentKeys {
    pub fn client(&self, key: &[u8], now: Instant) -> Option<ClientId> {
        let (client, used) = self.clients.get(&self.hasher.hash_one(key))?;
        (now.saturating_duration_since(*used) < REMEMBERED_FOR).then_some(*client)
    }

    pub fn remember(&mut self, key: &[u8], client: ClientId, now: Instant) {
        if self.clients.len() >= KEYS {
            self.clients.retain(|_, (_, used)| now.saturating_duration_since(*used) < REMEMBERED_FOR);
        }
        if self.clients.len() < KEYS {
            self.clients.insert(self.hasher.hash_one(key), (client, now));
        }
    }

    pub fn forget(&mut self, key: &[u8]) {
        self.clients.remove(&self.hasher.hash_one(key));
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_key_is_remembered_for_a_minute_after_its_last_use() {
        let (client, begin) = (ClientId::from(Uuid::from_u128(7)), Instant::now());
        let mut keys = RecentKeys::default();
        assert_eq!(keys.client(b"key", begin), None);
        keys.remember(b"key", client, begin);
        keys.remember(b"key", client, begin + Duration::from_secs(30));
        assert_eq!(keys.client(b"key", begin + Duration::from_secs(89)), Some(client));
        assert_eq!(keys.client(b"key", begin + Duration::from_secs(90)), None);
        assert_eq!(keys.client(b"other", begin), None);
    }

    #[test]
    fn a_key_that_is_refused_is_forgotten() {
        let (client, now) = (ClientId::from(Uuid::from_u128(7)), Instant::now());
        let mut keys = RecentKeys::default();
        keys.remember(b"key", client, now);
        keys.forget(b"key");
        assert_eq!(keys.client(b"key", now), None);
    }
}
