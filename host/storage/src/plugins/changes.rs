//! The wire between nodes: which version of whom was put in force. Only a hint, so that the others load it ahead of its
//! first call; the table is the truth.

use domain::ids::ClientId;
use sqlx::{PgConnection, PgPool, postgres::PgListener};

use crate::Result;

const CHANNEL: &str = "patchbay_plugin";

/// A version that was put in force somewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Whose.
    pub client: ClientId,
    /// Hash of its bytes.
    pub sha256: String,
}

/// Tells the other nodes. Not in a transaction that other work waits for: notifying serialises commits.
pub async fn announce(db: &mut PgConnection, change: &Change) -> Result<()> {
    let told = format!("{} {}", change.client, change.sha256);
    sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(told).execute(db).await?;
    Ok(())
}

/// Hears what nodes tell. Holds a connection of the pool for as long as it lives.
#[derive(Debug)]
pub struct Changes(PgListener);

impl Changes {
    /// Begins to listen.
    pub async fn listen(db: &PgPool) -> Result<Self> {
        let mut listener = PgListener::connect_with(db).await?;
        listener.listen(CHANNEL).await?;
        Ok(Self(listener))
    }

    /// The next change. After an error the connection is made anew by the next call; what was told meanwhile is lost.
    pub async fn next(&mut self) -> Result<Change> {
        loop {
            let told = self.0.recv().await?;
            let (client, sha256) = told.payload().split_once(' ').unwrap_or_default();
            if let Ok(client) = client.parse() {
                return Ok(Change { client, sha256: sha256.to_owned() });
            }
        }
    }
}
