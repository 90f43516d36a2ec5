//! When the program is to stop: Ctrl-C, SIGTERM, or something that it cannot go on without. SIGHUP, which some supervisors send
//! after a log was rotated or a configuration was changed, is not a reason: the log goes to standard error, and settings are read at
//! the start alone.

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    task::JoinHandle,
};

use crate::postgres::Database;

/// What asks the program to stop. It counts from when this was made on, also where nobody waits for it yet.
pub(crate) struct Ending {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Ending {
    /// Before anything is begun: until then such a signal, and SIGHUP too, ends the program on the spot.
    pub(crate) fn new() -> anyhow::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Returns when the program was asked to stop.
    async fn asked(&mut self) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.hangup.recv() => {
                    tracing::warn!("SIGHUP is ignored: restart the program to have it read its settings and certificates again");
                }
            }
        }
    }

    /// What `beginning` makes, or `None` where the program was asked to stop before that was made.
    pub(crate) async fn unless_asked<T>(&mut self, beginning: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            made = beginning => Some(made),
            () = self.asked() => {
                tracing::info!("stopping before everything was begun");
                None
            }
        }
    }

    /// Returns when the program was asked to stop, and fails when the database or the first of the `servers` has ended.
    pub(crate) async fn wait(
        &mut self,
        database: &Database,
        servers: &mut [JoinHandle<anyhow::Result<()>>],
    ) -> anyhow::Result<()> {
        let ended = async {
            match servers.first_mut() {
                Some(server) => server.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.asked() => Ok(()),
            () = database.lost() => anyhow::bail!("the database server ended; its log is in the data directory"),
            result = ended => {
                result??;
                anyhow::bail!("the listener ended")
            }
        }
    }
}
