//! The lock that keeps a data directory for one process, and `run.json`, by which commands find the running server.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{Read, Seek, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
    process,
};

use serde::{Deserialize, Serialize};

use super::error::PostgresError;

const LOCK_FILE: &str = "patchbay.lock";
const RUN_FILE: &str = "run.json";

/// Held by the process that uses a data directory. The system releases it at the end of the process.
#[derive(Debug)]
pub struct DataDirLock {
    data_dir: PathBuf,
    _file: File,
}

impl DataDirLock {
    /// Locks a data directory for this process, whose id goes into the lock file. Creates the directory if it is
    /// missing. Fails with [`PostgresError::InUse`] if another process holds the lock.
    pub fn acquire(data_dir: &Path) -> Result<Self, PostgresError> {
        let data_dir = create_data_dir(data_dir)?;
        let path = data_dir.join(LOCK_FILE);
        let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let mut file = open.map_err(PostgresError::files("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                // The holder may be writing its process id now. Without it the message is only shorter.
                let _ = file.read_to_string(&mut text);
                return Err(PostgresError::InUse { data_dir, pid: text.trim().parse().ok() });
            }
            Err(TryLockError::Error(source)) => {
                return Err(PostgresError::files("lock", &path)(source));
            }
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", process::id()))
            .map_err(PostgresError::files("write", &path))?;
        Ok(Self { data_dir, _file: file })
    }

    /// True if another process holds the lock of the data directory. Creates nothing.
    pub fn is_held(data_dir: &Path) -> bool {
        let file = File::open(data_dir.join(LOCK_FILE));
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }
}

/// Creates a data directory to which other users have no access. If this process is root, they may pass through to
/// files below it, because PostgreSQL then runs as another user.
fn create_data_dir(data_dir: &Path) -> Result<PathBuf, PostgresError> {
    let root = rustix::process::geteuid().is_root();
    let mode = if root { 0o711 } else { 0o700 };
    DirBuilder::new().recursive(true).mode(mode).create(data_dir).map_err(PostgresError::files("create", data_dir))?;
    let data_dir = data_dir.canonicalize().map_err(PostgresError::files("resolve", data_dir))?;
    let mut permissions = fs::metadata(&data_dir).map_err(PostgresError::files("look at", &data_dir))?.permissions();
    if root && permissions.mode() & 0o001 == 0 {
        permissions.set_mode(permissions.mode() | 0o001);
        fs::set_permissions(&data_dir, permissions)
            .map_err(PostgresError::files("change the permissions of", &data_dir))?;
    }
    Ok(data_dir)
}

/// `run.json`, by which commands find the running server. Valid only while the process that wrote it holds the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunFile {
    pub pid: u32,
    pub database_url: String,
    pub listen: Vec<String>,
}

impl RunFile {
    pub fn new(database_url: &str, listen: Vec<String>) -> Self {
        Self { pid: process::id(), database_url: database_url.to_owned(), listen }
    }

    /// Writes it atomically. Other users cannot read it.
    pub fn write(&self, data_dir: &Path) -> Result<(), PostgresError> {
        let (path, draft) = (data_dir.join(RUN_FILE), data_dir.join("run.json.new"));
        let text = serde_json::to_vec_pretty(self).map_err(std::io::Error::from);
        text.and_then(|text| {
            let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
            file.write_all(&text)?;
            fs::rename(&draft, &path)
        })
        .map_err(PostgresError::files("write", &path))
    }

    /// Reads the file, also one of a process that has ended. `None`: it is missing or unreadable.
    pub fn read(data_dir: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(data_dir.join(RUN_FILE)).ok()?).ok()
    }

    /// Removes it at the end of a run. A remaining file does no harm.
    pub fn remove(data_dir: &Path) {
        let _ = fs::remove_file(data_dir.join(RUN_FILE));
    }
}
