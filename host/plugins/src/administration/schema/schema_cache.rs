//! Schemas that are ready for checks, compiled once for each version of a plugin.

use std::{collections::HashMap, sync::Arc};

use domain::ids::ClientId;
use parking_lot::{Mutex, MutexGuard};
use plugin_host::config_schema::CompiledSchema;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Client and hash of the schema.
type Key = (ClientId, [u8; 32]);

/// A cache of compiled schemas with a limit in bytes. Beyond the limit it drops the schema with the oldest use of the
/// client with the most bytes, so a client with many schemas does not displace those of others.
pub(super) struct CompiledSchemas {
    most: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    by_key: HashMap<Key, (Arc<CompiledSchema>, u64)>,
    /// Counter of uses, to find the oldest use.
    uses: u64,
}

impl CompiledSchemas {
    pub(super) fn new(most: usize) -> Self {
        Self { most, kept: Mutex::default() }
    }

    /// The compiled form of a client's schema. The caller must hold a turn of the client.
    pub(super) fn get(&self, client: ClientId, schema: Value) -> Result<Arc<CompiledSchema>, String> {
        let key = (client, Sha256::digest(schema.to_string()).into());
        if let Some(compiled) = self.lock_cache().find(&key) {
            return Ok(compiled);
        }
        let compiled = Arc::new(CompiledSchema::new(schema)?);
        self.lock_cache().keep(key, Arc::clone(&compiled), self.most);
        Ok(compiled)
    }

    fn lock_cache(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock()
    }
}

impl Kept {
    fn find(&mut self, key: &Key) -> Option<Arc<CompiledSchema>> {
        self.uses += 1;
        let (compiled, used) = self.by_key.get_mut(key)?;
        *used = self.uses;
        Some(Arc::clone(compiled))
    }

    fn keep(&mut self, key: Key, compiled: Arc<CompiledSchema>, most: usize) {
        self.uses += 1;
        self.by_key.insert(key, (compiled, self.uses));
        while self.by_key.values().map(|(compiled, _)| compiled.weight()).sum::<usize>() > most {
            let Some(given_up) = self.least_due() else { return };
            self.by_key.remove(&given_up);
        }
    }

    fn least_due(&self) -> Option<Key> {
        let mut by_client: HashMap<ClientId, usize> = HashMap::new();
        for ((client, _), (compiled, _)) in &self.by_key {
            *by_client.entry(*client).or_default() += compiled.weight();
        }
        let (largest, _) = by_client.into_iter().max_by_key(|(_, weight)| *weight)?;
        let of_client = self.by_key.iter().filter(|((client, _), _)| *client == largest);
        of_client.min_by_key(|(_, (_, used))| *used).map(|(key, _)| *key)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    fn client(number: u128) -> ClientId {
        ClientId(Uuid::from_u128(number))
    }

    fn schema(number: usize) -> Value {
        json!({ "properties": { "a": { "pattern": format!("^a{{{number}}}$") } } })
    }

    #[test]
    fn a_schema_is_compiled_once_for_a_client() {
        let schemas = CompiledSchemas::new(1 << 20);
        let first = schemas.get(client(1), schema(1)).unwrap();
        assert!(Arc::ptr_eq(&first, &schemas.get(client(1), schema(1)).unwrap()));
        assert!(!Arc::ptr_eq(&first, &schemas.get(client(2), schema(1)).unwrap()), "each client has its own");
        assert!(!Arc::ptr_eq(&first, &schemas.get(client(1), schema(2)).unwrap()));
    }

    #[test]
    fn a_client_with_many_schemas_gives_up_its_own_first() {
        let one = CompiledSchema::new(schema(5)).unwrap().weight();
        let schemas = CompiledSchemas::new(one * 10);
        let other = schemas.get(client(2), schema(5)).unwrap();
        let first = schemas.get(client(1), schema(10)).unwrap();
        for number in 11..100 {
            schemas.get(client(1), schema(number)).unwrap();
        }
        assert!(schemas.lock_cache().by_key.values().map(|(compiled, _)| compiled.weight()).sum::<usize>() <= one * 10);
        assert!(Arc::ptr_eq(&other, &schemas.get(client(2), schema(5)).unwrap()), "the other client's is still there");
        assert!(!Arc::ptr_eq(&first, &schemas.get(client(1), schema(10)).unwrap()), "its oldest has gone");
    }

    #[test]
    fn an_entry_larger_than_the_cache_is_used_and_not_kept() {
        let schemas = CompiledSchemas::new(1);
        assert!(schemas.get(client(1), schema(1)).is_ok());
        assert!(schemas.lock_cache().by_key.is_empty());
    }
}
