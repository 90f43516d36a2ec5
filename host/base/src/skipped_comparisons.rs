//! Counts comparisons with shadow versions that were skipped for lack of room, so that clients can see how many are
//! missing.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
    time::Duration,
};

use domain::ids::ClientId;
use parking_lot::Mutex;
use storage::{
    Db,
    plugins::shadow_skips::{self, SkippedCount},
};
use uuid::Uuid;

const GATHERED: Duration = Duration::from_millis(500);

/// Counts that are not stored yet, by client and activation of the shadow. For each client in the map, a task is about
/// to store them.
type Gathering = HashMap<ClientId, BTreeMap<Uuid, SkippedCount>>;

#[derive(Debug, Clone, Default)]
pub struct SkippedComparisons(Arc<Mutex<Gathering>>);

impl SkippedComparisons {
    pub fn count(&self, db: &Db, client: ClientId, skipped: Vec<SkippedCount>) {
        if self.gather(client, skipped) {
            let (gathering, db) = (self.clone(), db.clone());
            tokio::spawn(async move {
                tokio::time::sleep(GATHERED).await;
                let gathered = gathering.take(client);
                let written = async { shadow_skips::add(&mut *db.acquire().await?, client, &gathered).await };
                if let Err(error) = written.await {
                    tracing::warn!(client.id = %client, error = &error as &dyn std::error::Error,
                        "the number of skipped comparisons with shadows could not be stored");
                }
            });
        }
    }

    fn gather(&self, client: ClientId, skipped: Vec<SkippedCount>) -> bool {
        let mut all = self.0.lock();
        let is_first = !all.contains_key(&client);
        let gathered = all.entry(client).or_default();
        for next in skipped {
            match gathered.get_mut(&next.activation) {
                Some(known) => {
                    known.comparisons += next.comparisons;
                    known.last_at = next.last_at;
                }
                None => drop(gathered.insert(next.activation, next)),
            }
        }
        is_first
    }

    fn take(&self, client: ClientId) -> Vec<SkippedCount> {
        let mut all = self.0.lock();
        all.remove(&client).into_iter().flat_map(BTreeMap::into_values).collect()
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn skipped(activations: &[u128]) -> Vec<SkippedCount> {
        activations.iter().map(one).collect()
    }

    fn one(activation: &u128) -> SkippedCount {
        SkippedCount {
            activation: Uuid::from_u128(*activation),
            plugin: "shop".to_owned(),
            version: Some(2),
            comparisons: 1,
            last_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn skipped_comparisons_are_summed_per_shadow_and_taken_once() {
        let (gathering, client) = (SkippedComparisons::default(), ClientId(Uuid::from_u128(1)));
        assert!(gathering.gather(client, skipped(&[1, 2, 1])), "this caller has to store it");
        assert!(!gathering.gather(client, skipped(&[1])), "another caller stores it");
        assert!(gathering.gather(ClientId(Uuid::from_u128(2)), skipped(&[1])), "another client's are its own");
        let counts: Vec<i64> = gathering.take(client).iter().map(|one| one.comparisons).collect();
        assert_eq!(counts, [3, 1]);
        assert_eq!(gathering.take(client), []);
        assert!(gathering.gather(client, skipped(&[1])));
    }
}
