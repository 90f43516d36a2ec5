//! Key-values in memory. Writes of a call are put in when its answer is, or not at all.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use plugin_host::{KeyValueError, KeyValueSnapshot, KeyValueWrite, Scope};

type Stored = BTreeMap<(bool, String), Vec<u8>>;

/// What one plugin has stored: of one participant, and shared.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values(Arc<Mutex<Stored>>);

fn key(scope: Scope, key: &str) -> (bool, String) {
    (scope == Scope::Client, key.to_owned())
}

impl Values {
    /// Stores a value by hand.
    pub(crate) fn put(&self, scope: Scope, name: &str, value: Vec<u8>) {
        self.with(|stored| stored.insert(key(scope, name), value));
    }

    /// Lets the writes of a call take effect.
    pub(crate) fn commit(&self, writes: Vec<KeyValueWrite>) {
        self.with(|stored| {
            for write in writes {
                match write.value {
                    Some(value) => stored.insert(key(write.scope, &write.key), value),
                    None => stored.remove(&key(write.scope, &write.key)),
                };
            }
        });
    }

    /// What is stored under a key.
    pub(crate) fn get(&self, scope: Scope, name: &str) -> Option<Vec<u8>> {
        self.with(|stored| stored.get(&key(scope, name)).cloned())
    }

    /// Everything that is stored, for people.
    pub(crate) fn list(&self) -> Vec<(Scope, String, Vec<u8>)> {
        let scope = |of_client: bool| if of_client { Scope::Client } else { Scope::Participant };
        self.with(|stored| {
            stored.iter().map(|((of_client, name), value)| (scope(*of_client), name.clone(), value.clone())).collect()
        })
    }

    /// The store as it is now, for one call.
    pub(crate) fn snapshot(&self) -> Arc<dyn KeyValueSnapshot> {
        Arc::new(Snapshot(self.with(|stored| stored.clone())))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Stored) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Snapshot(Stored);

#[async_trait]
impl KeyValueSnapshot for Snapshot {
    async fn get(&self, scope: Scope, name: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        Ok(self.0.get(&key(scope, name)).cloned())
    }
}
