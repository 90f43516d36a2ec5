//! Keys of the Signal protocol: of this device, and its sessions with others.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use whatsapp_rust::{
    traits::SignalStore,
    wacore::store::error::{Result, StoreError},
};

use super::{DeviceMemory, set_value};

const IDENTITY: &str = "identity";
const SESSION: &str = "session";
const PREKEY: &str = "prekey";
const SIGNED_PREKEY: &str = "signed_prekey";
const SENDER_KEY: &str = "sender_key";

/// Ids of keys sort as text as they do as numbers.
fn number_key(id: u32) -> String {
    format!("{id:010}")
}

fn number(key: &str) -> Result<u32> {
    key.parse().map_err(|_| StoreError::Validation(format!("`{key}` is not the id of a key")))
}

#[async_trait]
impl SignalStore for DeviceMemory {
    async fn put_identity(&self, address: &str, key: [u8; 32]) -> Result<()> {
        self.keep(IDENTITY, address, key).await
    }

    async fn put_identities_batch(&self, identities: &[(Arc<str>, [u8; 32])]) -> Result<()> {
        self.write(identities.iter().map(|(address, key)| set_value(IDENTITY, &**address, *key)).collect()).await
    }

    async fn load_identity(&self, address: &str) -> Result<Option<[u8; 32]>> {
        let Some(key) = self.get(IDENTITY, address).await? else { return Ok(None) };
        let unusable = |key: Vec<u8>| StoreError::Validation(format!("an identity of {} bytes", key.len()));
        key.try_into().map(Some).map_err(unusable)
    }

    async fn delete_identity(&self, address: &str) -> Result<()> {
        self.forget(IDENTITY, address).await
    }

    async fn get_session(&self, address: &str) -> Result<Option<Bytes>> {
        Ok(self.get(SESSION, address).await?.map(Bytes::from))
    }

    async fn put_session(&self, address: &str, session: &[u8]) -> Result<()> {
        self.keep(SESSION, address, session).await
    }

    async fn put_sessions_batch(&self, sessions: &[(Arc<str>, Bytes)]) -> Result<()> {
        self.write(sessions.iter().map(|(address, session)| set_value(SESSION, &**address, &**session)).collect()).await
    }

    async fn delete_session(&self, address: &str) -> Result<()> {
        self.forget(SESSION, address).await
    }

    async fn has_signal_state_for_user(&self, user: &str) -> Result<bool> {
        // Addresses are `user@server` and `user:device@server`; a longer number begins with a shorter one.
        for space in [SESSION, IDENTITY] {
            for end in ['@', ':'] {
                if !self.starting(space, &format!("{user}{end}")).await?.is_empty() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    async fn store_prekey(&self, id: u32, record: &[u8], _uploaded: bool) -> Result<()> {
        self.keep(PREKEY, number_key(id), record).await
    }

    async fn store_prekeys_batch(&self, keys: &[(u32, Bytes)], _uploaded: bool) -> Result<()> {
        self.write(keys.iter().map(|(id, record)| set_value(PREKEY, number_key(*id), &**record)).collect()).await
    }

    async fn load_prekey(&self, id: u32) -> Result<Option<Bytes>> {
        Ok(self.get(PREKEY, number_key(id)).await?.map(Bytes::from))
    }

    async fn load_prekeys_batch(&self, ids: &[u32]) -> Result<Vec<(u32, Bytes)>> {
        let keys: Vec<String> = ids.iter().map(|id| number_key(*id)).collect();
        let found = self.get_all(PREKEY, &keys).await?;
        found.into_iter().map(|(key, record)| Ok((number(&key)?, Bytes::from(record)))).collect()
    }

    /// The device counts the keys that the server has. A key that was used in between must not come back.
    async fn mark_prekeys_uploaded(&self, _ids: &[u32]) -> Result<()> {
        Ok(())
    }

    async fn remove_prekey(&self, id: u32) -> Result<()> {
        self.forget(PREKEY, number_key(id)).await
    }

    async fn get_max_prekey_id(&self) -> Result<u32> {
        self.starting(PREKEY, "").await?.last().map_or(Ok(0), |(key, _)| number(key))
    }

    async fn store_signed_prekey(&self, id: u32, record: &[u8]) -> Result<()> {
        self.keep(SIGNED_PREKEY, number_key(id), record).await
    }

    async fn load_signed_prekey(&self, id: u32) -> Result<Option<Vec<u8>>> {
        self.get(SIGNED_PREKEY, number_key(id)).await
    }

    async fn load_all_signed_prekeys(&self) -> Result<Vec<(u32, Vec<u8>)>> {
        let found = self.starting(SIGNED_PREKEY, "").await?;
        found.into_iter().map(|(key, record)| Ok((number(&key)?, record))).collect()
    }

    async fn remove_signed_prekey(&self, id: u32) -> Result<()> {
        self.forget(SIGNED_PREKEY, number_key(id)).await
    }

    async fn put_sender_key(&self, address: &str, record: &[u8]) -> Result<()> {
        self.keep(SENDER_KEY, address, record).await
    }

    async fn put_sender_keys_batch(&self, sender_keys: &[(Arc<str>, Bytes)]) -> Result<()> {
        self.write(sender_keys.iter().map(|(address, record)| set_value(SENDER_KEY, &**address, &**record)).collect())
            .await
    }

    async fn get_sender_key(&self, address: &str) -> Result<Option<Vec<u8>>> {
        self.get(SENDER_KEY, address).await
    }

    async fn delete_sender_key(&self, address: &str) -> Result<()> {
        self.forget(SENDER_KEY, address).await
    }
}
