//! Notices of permissions that may have ended, for code with open connections (ADR 0027, ADR 0029). One task of a
//! process listens to the database ([`follow`]). Each part with connections checks again those that a notice concerns.

use std::{future, time::Duration};

use storage::{Db, tenancy::rights::Notices};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio_util::sync::CancellationToken;

pub use storage::tenancy::rights::AffectedOwner;

/// Notices that a part can fall behind before it must check all its connections.
const HELD: usize = 1024;
/// Interval of the checks that the database still answers.
const CHECK_INTERVAL: Duration = Duration::from_secs(15);
const RETRY_DELAY: Duration = Duration::from_secs(1);

#[derive(Debug, Clone)]
pub struct Rights(broadcast::Sender<AffectedOwner>);

impl Default for Rights {
    fn default() -> Self {
        Self(broadcast::channel(HELD).0)
    }
}

impl Rights {
    pub fn changes(&self) -> RightChanges {
        RightChanges(self.0.subscribe())
    }

    pub fn notify(&self, affected: AffectedOwner) {
        // There may be no listener.
        drop(self.0.send(affected));
    }
}

#[derive(Debug)]
pub struct RightChanges(broadcast::Receiver<AffectedOwner>);

impl RightChanges {
    /// The connections to check again. May be dropped while it waits.
    pub async fn next(&mut self) -> AffectedOwner {
        match self.0.recv().await {
            Ok(affected) => affected,
            Err(RecvError::Lagged(_)) => AffectedOwner::All,
            Err(RecvError::Closed) => future::pending().await,
        }
    }
}

/// Distributes the notices of the database until `stop`. After a failure it listens again when the database answers.
/// During the outage, connections are checked only with their heartbeats. Afterwards all of them are checked.
pub async fn follow(db: Db, rights: Rights, stop: CancellationToken) {
    let followed = async {
        loop {
            let ended = match Notices::listen(&db).await {
                Ok(notices) => pass_on(notices, &rights).await,
                Err(error) => error,
            };
            tracing::warn!(
                error = &ended as &dyn std::error::Error,
                "the connection for revoked rights was lost; it is opened again"
            );
            tokio::time::sleep(RETRY_DELAY).await;
            db.until_answering().await;
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = followed => {}
    }
}

async fn pass_on(mut notices: Notices, rights: &Rights) -> storage::Error {
    // Earlier notices may have been missed.
    rights.notify(AffectedOwner::All);
    let mut asks = tokio::time::interval(CHECK_INTERVAL);
    loop {
        let heard = tokio::select! {
            heard = notices.next() => heard.map(Some),
            _ = asks.tick() => notices.ask().await.map(|()| None),
        };
        match heard {
            Ok(Some(affected)) => rights.notify(affected),
            Ok(None) => {}
            Err(error) => return error,
        }
    }
}
