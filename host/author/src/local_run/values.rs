//! Key-values in memory. The writes of a call are applied together with its answer, or not at all.

use std::{collections::BTreeMap, sync::Arc};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use plugin_host::{KeyValueError, KeyValueSnapshot, KeyValueWrite, KeysWanted, Scope};

type Stored = BTreeMap<(bool, String), (Vec<u8>, Option<DateTime<Utc>>)>;

/// The key-values of one plugin: of one participant, and shared.
#[derive(Debug, Clone, Default)]
pub(crate) struct LocalValues(Arc<Mutex<Stored>>);

fn key(scope: Scope, key: &str) -> (bool, String) {
    (scope == Scope::Client, key.to_owned())
}

impl LocalValues {
    pub(crate) fn put(&self, scope: Scope, name: &str, value: Vec<u8>) {
        self.with(|stored| stored.insert(key(scope, name), (value, None)));
    }

    pub(crate) fn commit(&self, writes: Vec<KeyValueWrite>, now: DateTime<Utc>) {
        let end = |seconds: u32| now + TimeDelta::seconds(i64::from(seconds));
        self.with(|stored| {
            for write in writes {
                match write.value {
                    Some(value) => stored.insert(key(write.scope, &write.key), (value, write.after_seconds.map(end))),
                    None => stored.remove(&key(write.scope, &write.key)),
                };
            }
        });
    }

    pub(crate) fn get(&self, scope: Scope, name: &str) -> Option<Vec<u8>> {
        self.with(|stored| stored.get(&key(scope, name)).map(|(value, _)| value.clone()))
    }

    pub(crate) fn list(&self) -> Vec<(Scope, String, Vec<u8>)> {
        let scope = |of_client: bool| if of_client { Scope::Client } else { Scope::Participant };
        self.with(|stored| {
            stored
                .iter()
                .map(|((of_client, name), (value, _))| (scope(*of_client), name.clone(), value.clone()))
                .collect()
        })
    }

    /// The store at a given time, for one call. Values that have expired by then are removed.
    pub(crate) fn snapshot(&self, now: DateTime<Utc>) -> Arc<dyn KeyValueSnapshot> {
        Arc::new(Snapshot(self.with(|stored| {
            stored.retain(|_, (_, end)| end.is_none_or(|end| end > now));
            stored.clone()
        })))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Stored) -> T) -> T {
        work(&mut self.0.lock())
    }
}

struct Snapshot(Stored);

#[async_trait]
impl KeyValueSnapshot for Snapshot {
    async fn get(&self, scope: Scope, name: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        Ok(self.0.get(&key(scope, name)).map(|(value, _)| value.clone()))
    }

    async fn list(&self, scope: Scope, wanted: &KeysWanted) -> Result<Vec<String>, KeyValueError> {
        let of_scope = self.0.keys().filter(|(of_client, _)| *of_client == (scope == Scope::Client));
        let names = of_scope.map(|(_, name)| name).filter(|name| wanted.includes(name));
        Ok(names.take(usize::try_from(wanted.most).unwrap_or(usize::MAX)).cloned().collect())
    }
}
