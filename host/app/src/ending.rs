//! The end of the program: Ctrl-C, SIGTERM, or the loss of something essential. SIGHUP does not end it. Some
//! supervisors send it after a log rotation or a change of configuration, but the log goes to standard error and
//! settings are read only at the start.

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    task::JoinHandle,
};

use crate::postgres::Database;

/// The signals that end the program. They are noted from its creation, even before the first wait.
pub(crate) struct Ending {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Ending {
    /// Create it before anything else. Until then these signals, SIGHUP too, kill the program.
    pub(crate) fn new() -> anyhow::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Returns after a signal to stop.
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

    /// The result of `beginning`, or `None` if a signal came first.
    pub(crate) async fn unless_asked<T>(&mut self, beginning: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            made = beginning => Some(made),
            () = self.asked() => {
                tracing::info!("stopping before everything was begun");
                None
            }
        }
    }

    /// Returns after a signal to stop, and fails if the database or the first of the `servers` has ended.
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
