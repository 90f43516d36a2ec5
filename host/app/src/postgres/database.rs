//! The database that a process works on: the configured one, that of a running server, or an embedded one of its own.

use std::{
    env,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{BIN_DIR_VARIABLE, DataDirLock, EmbeddedPostgres, Home, PostgresError, RunFile};
use crate::config::Config;

/// How long to wait for a command that has the data directory for a moment, or for a server that is just starting.
const PATIENCE: Duration = Duration::from_secs(60);

/// A database and, when this process runs its server, that server.
#[derive(Debug)]
pub struct Database {
    url: String,
    embedded: Option<EmbeddedPostgres>,
}

/// How a data directory is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    /// For a server: no other one may use it.
    Alone,
    /// With the server that runs on it, if there is one. There must be a database.
    Shared,
    /// The same, and a database is made where there is none.
    SharedOrNew,
}

impl Database {
    /// For `patchbay serve`: the database of `database.url`, or an embedded one, which no other server may be using.
    pub async fn start(config: &Config) -> Result<Self, PostgresError> {
        match Self::configured(config) {
            Some(database) => Ok(database),
            None => Self::claim(config.data_dir(), Claim::Alone).await,
        }
    }

    /// For commands, and for `patchbay work`: the database of `database.url`, else that of the server that runs on the
    /// data directory, else the embedded one of the data directory for the duration of the command. A command never makes a
    /// database: the data directory is more likely to be the wrong one.
    pub async fn connect_for_admin(config: &Config) -> Result<Self, PostgresError> {
        match Self::configured(config) {
            Some(database) => Ok(database),
            None => Self::claim(config.data_dir(), Claim::Shared).await,
        }
    }

    /// The same for `patchbay migrate`, which makes the database where there is none: that is what it is for.
    pub async fn connect_for_migration(config: &Config) -> Result<Self, PostgresError> {
        match Self::configured(config) {
            Some(database) => Ok(database),
            None => Self::claim(config.data_dir(), Claim::SharedOrNew).await,
        }
    }

    fn configured(config: &Config) -> Option<Self> {
        let url = config.database.url.as_ref()?;
        Some(Self { url: url.expose().to_owned(), embedded: None })
    }

    /// Takes the data directory; while another process has it, joins its server or waits for a command to end.
    async fn claim(data_dir: &Path, claim: Claim) -> Result<Self, PostgresError> {
        let begun = Instant::now();
        loop {
            if claim == Claim::Shared && !Home::is_known(data_dir) && !DataDirLock::is_held(data_dir) {
                return Err(PostgresError::NoDatabase { data_dir: data_dir.to_owned() });
            }
            match DataDirLock::acquire(data_dir) {
                Ok(lock) => {
                    let bin_dir = env::var_os(BIN_DIR_VARIABLE).filter(|dir| !dir.is_empty()).map(PathBuf::from);
                    let embedded = EmbeddedPostgres::start_locked(lock, bin_dir).await?;
                    return Ok(Self { url: embedded.url(), embedded: Some(embedded) });
                }
                Err(PostgresError::InUse { data_dir, pid }) => {
                    // A file of an earlier, killed server is told by its process id.
                    let running = RunFile::read(&data_dir).filter(|run| Some(run.pid) == pid);
                    match running {
                        Some(run) if claim != Claim::Alone => {
                            return Ok(Self { url: run.database_url, embedded: None });
                        }
                        None if begun.elapsed() < PATIENCE => tokio::time::sleep(Duration::from_millis(50)).await,
                        _ => return Err(PostgresError::InUse { data_dir, pid }),
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// URL to connect to; it may hold a password.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// `true` when this process runs the database server.
    pub fn is_embedded(&self) -> bool {
        self.embedded.is_some()
    }

    /// Says in the data directory where commands find this server, once it listens (`listen`: URLs). Nothing is written
    /// when the database is not embedded: then commands find it by `database.url`.
    pub fn announce(&self, listen: Vec<String>) -> Result<(), PostgresError> {
        match &self.embedded {
            Some(embedded) => RunFile::new(&self.url, listen).write(embedded.data_dir()),
            None => Ok(()),
        }
    }

    /// Resolves when an embedded server has ended although nobody stopped it; never for any other database.
    pub async fn lost(&self) {
        match &self.embedded {
            Some(embedded) => embedded.exited().await,
            None => std::future::pending().await,
        }
    }

    /// Stops the server if it is ours. Close the connections first.
    pub async fn stop(self) {
        if let Some(embedded) = self.embedded {
            embedded.stop().await;
        }
    }
}
