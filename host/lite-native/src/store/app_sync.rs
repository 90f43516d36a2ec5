use std::collections::HashMap;

use async_trait::async_trait;
use whatsapp_rust::{
    traits::{AppStateSyncKey, AppSyncStore},
    wacore::{
        appstate::{hash::HashState, processor::AppStateMutationMAC},
        store::error::{Result, StoreError},
    },
};

use super::{DeviceMemory, delete_value, key_of, last_part, read, serialize, set_value};

const KEY: &str = "sync_key";
const LATEST_KEY: &str = "latest_sync_key";
const VERSION: &str = "sync_version";
const DIGEST: &str = "mutation_mac";

/// Key of the digest of one entry of a collection.
fn digest(name: &str, index: &[u8]) -> String {
    key_of(&[name, &hex::encode(index)])
}

#[async_trait]
impl AppSyncStore for DeviceMemory {
    async fn get_sync_key(&self, key_id: &[u8]) -> Result<Option<AppStateSyncKey>> {
        self.get(KEY, hex::encode(key_id)).await?.map(|key| read(&key)).transpose()
    }

    async fn set_sync_key(&self, key_id: &[u8], key: AppStateSyncKey) -> Result<()> {
        self.write(vec![set_value(KEY, hex::encode(key_id), serialize(&key)?), set_value(LATEST_KEY, "", key_id)]).await
    }

    async fn get_version(&self, name: &str) -> Result<HashState> {
        Ok(self.get(VERSION, name).await?.map(|state| read(&state)).transpose()?.unwrap_or_default())
    }

    async fn set_version(&self, name: &str, state: HashState) -> Result<()> {
        self.keep(VERSION, name, serialize(&state)?).await
    }

    async fn put_mutation_macs(&self, name: &str, _version: u64, mutations: &[AppStateMutationMAC]) -> Result<()> {
        let change = |one: &AppStateMutationMAC| set_value(DIGEST, digest(name, &one.index_mac), one.value_mac.clone());
        self.write(mutations.iter().map(change).collect()).await
    }

    async fn get_mutation_mac(&self, name: &str, index_mac: &[u8]) -> Result<Option<Vec<u8>>> {
        self.get(DIGEST, digest(name, index_mac)).await
    }

    async fn get_mutation_macs(&self, name: &str, index_macs: &[[u8; 32]]) -> Result<HashMap<[u8; 32], Vec<u8>>> {
        let keys: Vec<String> = index_macs.iter().map(|index| digest(name, index)).collect();
        let mut found = HashMap::with_capacity(keys.len());
        for (key, value) in self.get_all(DIGEST, &keys).await? {
            let mut index = [0; 32];
            let unusable = |_| StoreError::Validation("the index of a digest is not 32 bytes".to_owned());
            hex::decode_to_slice(last_part(&key), &mut index).map_err(unusable)?;
            found.insert(index, value);
        }
        Ok(found)
    }

    async fn delete_mutation_macs(&self, name: &str, index_macs: &[Vec<u8>]) -> Result<()> {
        self.write(index_macs.iter().map(|index| delete_value(DIGEST, digest(name, index))).collect()).await
    }

    async fn clear_mutation_macs(&self, name: &str) -> Result<()> {
        self.forget_starting(DIGEST, &key_of(&[name, ""])).await
    }

    async fn get_latest_sync_key_id(&self) -> Result<Option<Vec<u8>>> {
        self.get(LATEST_KEY, "").await
    }
}
