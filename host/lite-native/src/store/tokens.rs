//! Tokens by which contacts show that they trust each other. One value has the received and the issued one; each only
//! moves forward.

use whatsapp_rust::{traits::TcTokenEntry, wacore::store::error::Result};

use super::{DeviceMemory, delete_value, read, serialize};

pub(super) const TOKEN: &str = "token";

impl DeviceMemory {
    pub(super) async fn token(&self, jid: &str) -> Result<Option<TcTokenEntry>> {
        self.get(TOKEN, jid).await?.map(|entry| read(&entry)).transpose()
    }

    pub(super) async fn keep_token(&self, jid: &str, entry: &TcTokenEntry) -> Result<()> {
        self.keep(TOKEN, jid, serialize(entry)?).await
    }

    pub(super) async fn token_issued(&self, jid: &str, at: i64) -> Result<()> {
        let _turn = self.turn.lock().await;
        let entry = match self.token(jid).await? {
            Some(known) => {
                let latest = known.sender_timestamp.map_or(at, |before| before.max(at));
                TcTokenEntry { sender_timestamp: Some(latest), ..known }
            }
            None => TcTokenEntry { token: Vec::new(), token_timestamp: at, sender_timestamp: Some(at) },
        };
        self.keep_token(jid, &entry).await
    }

    /// An older token than the known one changes nothing.
    pub(super) async fn token_received(&self, jid: &str, token: &[u8], at: i64) -> Result<()> {
        let _turn = self.turn.lock().await;
        let known = self.token(jid).await?;
        if known.as_ref().is_some_and(|known| !known.token.is_empty() && at < known.token_timestamp) {
            return Ok(());
        }
        let sender_timestamp = known.and_then(|known| known.sender_timestamp);
        self.keep_token(jid, &TcTokenEntry { token: token.to_vec(), token_timestamp: at, sender_timestamp }).await
    }

    /// Removes tokens of which neither half is young enough; returns their number.
    pub(super) async fn forget_stale_tokens(&self, received_since: i64, issued_since: i64) -> Result<u32> {
        let _turn = self.turn.lock().await;
        let mut stale = Vec::new();
        for (jid, entry) in self.starting(TOKEN, "").await? {
            let entry: TcTokenEntry = read(&entry)?;
            let received = !entry.token.is_empty() && entry.token_timestamp >= received_since;
            let issued = entry.sender_timestamp.is_some_and(|at| at >= issued_since);
            if !received && !issued {
                stale.push(delete_value(TOKEN, jid));
            }
        }
        let count = u32::try_from(stale.len()).unwrap_or(u32::MAX);
        self.write(stale).await?;
        Ok(count)
    }
}
