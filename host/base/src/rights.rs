//! Notices about rights that may have ended, for the parts that hold connections open (ADR 0027, ADR 0029). One task of
//! a process listens to the database ([`follow`]). Each part with connections checks again those that a notice is
//! about.

use std::{future, time::Duration};

use storage::{PgPool, tenancy::rights::Notices};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio_util::sync::CancellationToken;

pub use storage::tenancy::rights::Affected;

/// Notices that a part may fall behind before it has to look at everybody.
const HELD: usize = 1024;
/// How often it is asked whether the database is there.
const ASK: Duration = Duration::from_secs(15);
/// After the database could not be listened to.
const BREATH: Duration = Duration::from_secs(1);

/// Passes notices on within a process. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Rights(broadcast::Sender<Affected>);

impl Default for Rights {
    fn default() -> Self {
        Self(broadcast::channel(HELD).0)
    }
}

impl Rights {
    /// The notices from now on.
    pub fn changes(&self) -> RightChanges {
        RightChanges(self.0.subscribe())
    }

    /// Tells every part of this process.
    pub fn tell(&self, affected: Affected) {
        // Possibly no part listens.
        drop(self.0.send(affected));
    }
}

/// Notices, as one part of a process gets them.
#[derive(Debug)]
pub struct RightChanges(broadcast::Receiver<Affected>);

impl RightChanges {
    /// Returns the next right to check. It may be dropped while it waits.
    pub async fn next(&mut self) -> Affected {
        match self.0.recv().await {
            Ok(affected) => affected,
            Err(RecvError::Lagged(_)) => Affected::Anybody,
            Err(RecvError::Closed) => future::pending().await,
        }
    }
}

/// Passes the notices of the database on, until it is told to stop. After the database was away, it continues as soon
/// as the database answers. While it cannot listen, connections are checked with their heartbeats only; when it can
/// again, all of them are checked.
pub async fn follow(db: PgPool, rights: Rights, stop: CancellationToken) {
    let followed = async {
        loop {
            let ended = match Notices::listen(&db).await {
                Ok(notices) => pass_on(notices, &rights).await,
                Err(error) => error,
            };
            tracing::warn!(error = &ended as &dyn std::error::Error, "not listening for rights that end at the moment");
            tokio::time::sleep(BREATH).await;
            db.until_answering().await;
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = followed => {}
    }
}

async fn pass_on(mut notices: Notices, rights: &Rights) -> storage::Error {
    // Earlier notices are not known here.
    rights.tell(Affected::Anybody);
    let mut asks = tokio::time::interval(ASK);
    loop {
        let heard = tokio::select! {
            heard = notices.next() => heard.map(Some),
            _ = asks.tick() => notices.ask().await.map(|()| None),
        };
        match heard {
            Ok(Some(affected)) => rights.tell(affected),
            Ok(None) => {}
            Err(error) => return error,
        }
    }
}
