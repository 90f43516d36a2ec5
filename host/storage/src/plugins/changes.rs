//! Notices between nodes about new activations. They are hints to load a version; the table is the truth.

use std::time::Duration;

use domain::ids::ClientId;
use sqlx::postgres::PgNotification;

use crate::{Db, Error, PgConnection, Result, read_only_session::TrustedSince, session::Listener};

const CHANNEL: &str = "patchbay_plugin";
/// How often a silent connection must show that it lives: that of a vanished machine never ends by itself.
const CHECK_INTERVAL: Duration = Duration::from_secs(30);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivationChange {
    pub client: ClientId,
    pub sha256: String,
}

/// Do not use it in a transaction that other work waits for, because notifications serialise commits.
pub async fn announce(db: &mut PgConnection, change: &ActivationChange) -> Result<()> {
    let told = format!("{} {}", change.client, change.sha256);
    sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(told).execute(db).await?;
    Ok(())
}

/// Receives the notices of nodes, on a session outside the pool.
pub struct Changes {
    listener: Listener,
    trusted: TrustedSince,
}

enum Next {
    Told(PgNotification),
    /// The connection is in doubt, or was silent for long.
    Look,
}

impl Changes {
    pub async fn listen(db: &Db) -> Result<Self> {
        Ok(Self { listener: db.listen(CHANNEL).await?, trusted: TrustedSince::from_now() })
    }

    /// Fails as soon as the database does not answer. After an error listen again: notices in between are lost.
    pub async fn next(&mut self) -> Result<ActivationChange> {
        loop {
            let next = tokio::select! {
                told = self.listener.next() => Next::Told(told?.ok_or_else(lost_session)?),
                () = self.trusted.wait_until_expired() => Next::Look,
                () = tokio::time::sleep(CHECK_INTERVAL) => Next::Look,
            };
            let Next::Told(told) = next else {
                self.look().await?;
                continue;
            };
            let (client, sha256) = told.payload().split_once(' ').unwrap_or_default();
            if let Ok(client) = client.parse() {
                return Ok(ActivationChange { client, sha256: sha256.to_owned() });
            }
        }
    }

    /// Fails unless the connection lives and its server takes changes, because nodes send their notices only there.
    async fn look(&mut self) -> Result<()> {
        let now = TrustedSince::from_now();
        if self.listener.takes_changes().await? {
            self.trusted = now;
            return Ok(());
        }
        Err(Error::Database(sqlx::Error::Protocol("the server has become read-only".to_owned())))
    }
}

/// The failure of a session that ended, also if there is a new one: notices between the two were lost.
fn lost_session() -> Error {
    Error::Database(sqlx::Error::Io(std::io::ErrorKind::ConnectionReset.into()))
}
