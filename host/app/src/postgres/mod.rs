//! The embedded PostgreSQL: a private cluster in the data directory, run as a child process (PROVIDERS H.3), on a Unix
//! socket that other users cannot reach. As root it runs as an unprivileged user. If patchbay is killed, a watcher
//! stops PostgreSQL; if that fails too, the next start does it.

mod account;
mod binaries;
mod cluster;
mod database;
mod error;
mod home;
mod lock;
mod orphan_server;
mod process;

pub use account::SystemAccount;
pub use binaries::{BIN_DIR_VARIABLE, Binaries};
pub use database::Database;
pub use error::PostgresError;
pub use home::Home;
pub use lock::{DataDirLock, RunFile};

use std::{
    env,
    path::{Path, PathBuf},
    time::Duration,
};

use process::{Launch, PostgresServer};

/// Back ends of a killed postmaster end when they notice it. Until then a new server is refused with this text.
const SHARED_MEMORY_IN_USE: &str = "still in use";

const STARTS: u32 = 10;

/// A running embedded PostgreSQL. Dropping it without [`EmbeddedPostgres::stop`] stops the server a moment later.
#[derive(Debug)]
pub struct EmbeddedPostgres {
    server: PostgresServer,
    url: String,
    lock: DataDirLock,
}

impl EmbeddedPostgres {
    /// Starts the PostgreSQL of a data directory, and creates both if missing. `PG_BIN_DIR` names its programs if they are not in
    /// a usual place. Another process on the directory or another major version is an error that says what to do.
    pub async fn start(data_dir: &Path) -> Result<Self, PostgresError> {
        let bin_dir = env::var_os(BIN_DIR_VARIABLE).filter(|dir| !dir.is_empty()).map(PathBuf::from);
        Self::start_locked(DataDirLock::acquire(data_dir)?, bin_dir).await
    }

    /// The same for a data directory that this process has already locked. `bin_dir` optionally names the programs.
    pub async fn start_locked(lock: DataDirLock, bin_dir: Option<PathBuf>) -> Result<Self, PostgresError> {
        let data_dir = lock.data_dir().to_owned();
        let prepared = tokio::task::spawn_blocking(move || Prepared::new(&data_dir, bin_dir.as_deref())).await;
        let prepared = prepared.unwrap_or_else(|panic| {
            let source = std::io::Error::other(panic.to_string());
            Err(PostgresError::files("prepare", lock.data_dir())(source))
        })?;
        let server = prepared.start(&lock.data_dir().join("postgres.log")).await?;
        let url = socket_url(&prepared.socket_dir);
        tracing::info!(directory = %prepared.cluster.display(), "embedded PostgreSQL {} is running", prepared.binaries.major);
        Ok(Self { server, url, lock })
    }

    pub fn url(&self) -> String {
        self.url.clone()
    }

    pub fn data_dir(&self) -> &Path {
        self.lock.data_dir()
    }

    /// Resolves if the server has ended unexpectedly. Then this process cannot continue.
    pub async fn exited(&self) {
        self.server.exited().await;
    }

    /// Stops the server cleanly and releases the data directory. Takes a fraction of a second, at most 20 seconds.
    pub async fn stop(mut self) {
        self.server.stop().await;
        RunFile::remove(self.lock.data_dir());
        tracing::info!("embedded PostgreSQL stopped");
    }
}

struct Prepared {
    binaries: Binaries,
    account: SystemAccount,
    cluster: PathBuf,
    socket_dir: PathBuf,
}

impl Prepared {
    /// Finds programs, user and place, creates a missing cluster, and clears the remains of an earlier run.
    fn new(data_dir: &Path, bin_dir: Option<&Path>) -> Result<Self, PostgresError> {
        let mut account = SystemAccount::choose()?;
        let home = Home::locate(data_dir, &account)?;
        let cluster = home.cluster();
        if cluster.exists() {
            account = account.for_cluster(&cluster)?;
        }
        let made_by = cluster::made_by(&cluster)?;
        let binaries = Binaries::find(bin_dir, made_by)?;
        match made_by {
            Some(made_by) if made_by != binaries.major => {
                return Err(PostgresError::OtherVersion { cluster, made_by, installed: binaries.major });
            }
            Some(_) => {}
            None => cluster::create(&home, &account, &binaries)?,
        }
        if let Some(blocked_by) = account.blocked_by(home.path()) {
            return Err(PostgresError::Unreachable { uid: account.uid, blocked_by });
        }
        let socket_dir = home.socket_dir(&account)?;
        orphan_server::clear(&cluster, &socket_dir)?;
        Ok(Self { binaries, account, cluster, socket_dir })
    }

    async fn start(&self, log: &Path) -> Result<PostgresServer, PostgresError> {
        let launch = Launch {
            binaries: &self.binaries,
            account: &self.account,
            cluster: &self.cluster,
            socket_dir: &self.socket_dir,
            log,
        };
        for _ in 1..STARTS {
            match PostgresServer::start(&launch).await {
                Err(PostgresError::NotStarted { tail, .. }) if tail.contains(SHARED_MEMORY_IN_USE) => {
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
                other => return other,
            }
        }
        PostgresServer::start(&launch).await
    }
}

/// Port and TLS mode are explicit, so that `PGPORT` and `PGSSLMODE` of the environment have no effect.
fn socket_url(socket_dir: &Path) -> String {
    let mut host = String::new();
    for byte in socket_dir.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => host.push(char::from(*byte)),
            other => host.push_str(&format!("%{other:02X}")),
        }
    }
    format!("postgres://{}@localhost:5432/{}?host={host}&sslmode=disable", cluster::USER, cluster::DATABASE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_socket_directory_is_escaped_in_the_url() {
        assert_eq!(
            socket_url(Path::new("/srv/pätch bay/s&q")),
            "postgres://patchbay@localhost:5432/patchbay?host=/srv/p%C3%A4tch%20bay/s%26q&sslmode=disable"
        );
    }
}
