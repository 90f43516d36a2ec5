//! The end of the program: Ctrl-C, SIGTERM, or a lost database or listener. SIGHUP only reads the certificate again.

use std::sync::Arc;

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    task::JoinHandle,
};

use crate::{postgres::Database, tls::CertificateFiles};

fn reload(certificate: Option<&CertificateFiles>) {
    let Some(certificate) = certificate else {
        tracing::warn!(
            "SIGHUP is ignored: there is no certificate to reload; restart the program to read the settings again"
        );
        return;
    };
    match certificate.reload() {
        Ok(()) => tracing::info!("SIGHUP: the certificate was read again; other settings are read only at a start"),
        Err(error) => tracing::error!(
            error = &error as &dyn std::error::Error,
            "SIGHUP: the new certificate cannot be used, the previous one stays in use; correct the certificate file and its key"
        ),
    }
}

/// The signals that end the program. They are noted from its creation, even before the first wait.
pub(crate) struct EndSignals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    certificate: Option<Arc<CertificateFiles>>,
}

impl EndSignals {
    /// Create it before anything else. Until then these signals, SIGHUP too, kill the program. SIGHUP reads `certificate` again.
    pub(crate) fn new(certificate: Option<Arc<CertificateFiles>>) -> anyhow::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            certificate,
        })
    }

    async fn wait_for_signal(&mut self) {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return,
                _ = self.interrupt.recv() => return,
                _ = self.hangup.recv() => reload(self.certificate.as_deref()),
            }
        }
    }

    /// The result of `beginning`, or `None` if a signal came first.
    pub(crate) async fn until_signal<T>(&mut self, beginning: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            made = beginning => Some(made),
            () = self.wait_for_signal() => {
                tracing::info!("stopping during the start");
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
            () = self.wait_for_signal() => Ok(()),
            () = database.lost() => anyhow::bail!("the database server ended; its log is in the data directory"),
            result = ended => {
                result??;
                anyhow::bail!("the listener ended")
            }
        }
    }
}
