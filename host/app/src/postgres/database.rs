//! The database of a process: the configured one, that of a running server, or its own embedded one.

use std::{
    env,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{BIN_DIR_VARIABLE, DataDirLock, EmbeddedPostgres, Home, PostgresError, RunFile};
use settings::Settings;

/// Time to wait for a command that uses the data directory, or for a server that is starting.
const START_TIMEOUT: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub struct Database {
    url: String,
    embedded: Option<EmbeddedPostgres>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Claim {
    /// For a server: fails if another server uses it.
    Alone,
    /// Joins the running server, if there is one. The database must exist.
    Shared,
    /// The same, but creates a missing database.
    SharedOrNew,
}

impl Database {
    /// For `patchbay serve`: the database of `database.url`, or an embedded one that no other server uses.
    pub async fn start(config: &Settings) -> Result<Self, PostgresError> {
        match Self::from_settings(config) {
            Some(database) => Ok(database),
            None => Self::claim(config.data_dir(), Claim::Alone).await,
        }
    }

    /// For commands and `patchbay work`: `database.url`, else the server that runs on the data directory, else an embedded one
    /// for the duration. A command never creates a database, because the data directory is probably the wrong one.
    pub async fn connect_for_admin(config: &Settings) -> Result<Self, PostgresError> {
        match Self::from_settings(config) {
            Some(database) => Ok(database),
            None => Self::claim(config.data_dir(), Claim::Shared).await,
        }
    }

    /// For `patchbay migrate`, which creates a missing database.
    pub async fn connect_for_migration(config: &Settings) -> Result<Self, PostgresError> {
        match Self::from_settings(config) {
            Some(database) => Ok(database),
            None => Self::claim(config.data_dir(), Claim::SharedOrNew).await,
        }
    }

    fn from_settings(config: &Settings) -> Option<Self> {
        let url = config.database.url.as_ref()?;
        Some(Self { url: url.expose().to_owned(), embedded: None })
    }

    /// Takes the data directory. If another process has it, joins its server or waits for the end of a command.
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
                    // The process id distinguishes the file from that of an earlier, killed server.
                    let running = RunFile::read(&data_dir).filter(|run| Some(run.pid) == pid);
                    match running {
                        Some(run) if claim != Claim::Alone => {
                            return Ok(Self { url: run.database_url, embedded: None });
                        }
                        None if begun.elapsed() < START_TIMEOUT => tokio::time::sleep(Duration::from_millis(50)).await,
                        _ => return Err(PostgresError::InUse { data_dir, pid }),
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub fn is_embedded(&self) -> bool {
        self.embedded.is_some()
    }

    /// Writes `run.json`, by which commands find this server at `listen`. Nothing if `database.url` is used.
    pub fn announce(&self, listen: Vec<String>) -> Result<(), PostgresError> {
        match &self.embedded {
            Some(embedded) => RunFile::new(&self.url, listen).write(embedded.data_dir()),
            None => Ok(()),
        }
    }

    /// Resolves if an embedded server has ended unexpectedly. For other databases it never resolves.
    pub async fn lost(&self) {
        match &self.embedded {
            Some(embedded) => embedded.exited().await,
            None => std::future::pending().await,
        }
    }

    pub async fn stop(self) {
        if let Some(embedded) = self.embedded {
            embedded.stop().await;
        }
    }
}
