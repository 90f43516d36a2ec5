//! Secrets of messages, by which reactions and edits are opened that belong to them.

use std::collections::HashMap;

use async_trait::async_trait;
use channels::whatsapp_lite::values::ValueChange;
use serde::{Deserialize, Serialize};
use whatsapp_rust::{
    traits::{MessageSecret, MsgSecretEntry, MsgSecretStore, merge_msg_secret_expiry, merge_msg_secret_message_ts},
    wacore::store::error::Result,
};

use super::{DeviceMemory, key_of, read, serialize};

const SECRET: &str = "message_secret";

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Secret {
    secret: MessageSecret,
    /// 0: never.
    expires_at: i64,
    /// Of the message; 0: not known.
    message_ts: i64,
}

#[async_trait]
impl MsgSecretStore for DeviceMemory {
    async fn put_msg_secrets(&self, entries: Vec<MsgSecretEntry>) -> Result<usize> {
        let _turn = self.turn.lock().await;
        let key = |entry: &MsgSecretEntry| key_of(&[&entry.chat, &entry.sender, &entry.msg_id]);
        let keys: Vec<String> = entries.iter().map(key).collect();
        let mut secrets: HashMap<String, Secret> = HashMap::with_capacity(keys.len());
        for (key, known) in self.get_all(SECRET, &keys).await? {
            secrets.insert(key, read(&known)?);
        }
        for entry in &entries {
            let MsgSecretEntry { secret, expires_at, message_ts, .. } = *entry;
            let new = Secret { secret, expires_at, message_ts };
            let merged = |known: &mut Secret| {
                known.secret = secret;
                known.expires_at = merge_msg_secret_expiry(known.expires_at, expires_at);
                known.message_ts = merge_msg_secret_message_ts(known.message_ts, message_ts);
            };
            secrets.entry(key(entry)).and_modify(merged).or_insert(new);
        }
        let change = |(key, secret): (String, Secret)| {
            let moment = (secret.expires_at != 0).then_some(secret.expires_at);
            Ok(ValueChange { space: SECRET, key, value: Some(serialize(&secret)?), moment })
        };
        self.write(secrets.into_iter().map(change).collect::<Result<_>>()?).await?;
        Ok(entries.len())
    }

    async fn get_msg_secret(&self, chat: &str, sender: &str, msg_id: &str) -> Result<Option<Vec<u8>>> {
        Ok(self.get_msg_secret_with_ts(chat, sender, msg_id).await?.map(|(secret, _)| secret))
    }

    async fn get_msg_secret_with_ts(&self, chat: &str, sender: &str, msg_id: &str) -> Result<Option<(Vec<u8>, i64)>> {
        let Some(known) = self.get(SECRET, key_of(&[chat, sender, msg_id])).await? else { return Ok(None) };
        let known: Secret = read(&known)?;
        Ok(Some((known.secret.to_vec(), known.message_ts)))
    }

    /// A value that expires at this moment is removed, too.
    async fn delete_expired_msg_secrets(&self, cutoff_timestamp: i64) -> Result<u32> {
        self.forget_before(SECRET, cutoff_timestamp.saturating_add(1)).await
    }
}
