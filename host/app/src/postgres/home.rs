//! The place of the embedded cluster and its socket: normally the data directory. As root, PostgreSQL runs as another user, who
//! often cannot reach it. Then the place is in `/var/lib/patchbay`, and a file in the data directory names it.

use std::{
    env,
    fs::{self, DirBuilder, OpenOptions},
    io::Write,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::{account::SystemAccount, error::PostgresError};

const CLUSTER: &str = "postgres";

/// A file with the place of the database, if that is not the data directory.
const POINTER_FILE: &str = "postgres.location";

const SHARED_HOMES: &str = "/var/lib/patchbay";

/// Socket paths end in `/.s.PGSQL.5432` and must fit 104 bytes on all systems.
const SOCKET_DIR_BYTES: usize = 88;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    path: PathBuf,
}

impl Home {
    /// Finds the place of an existing cluster, or chooses one that `account` can reach.
    pub fn locate(data_dir: &Path, account: &SystemAccount) -> Result<Self, PostgresError> {
        let pointer = data_dir.join(POINTER_FILE);
        if let Ok(text) = fs::read_to_string(&pointer) {
            let path = PathBuf::from(text.trim_end_matches('\n'));
            if !path.is_dir() {
                return Err(PostgresError::HomeLost { home: path, pointer });
            }
            return Ok(Self { path });
        }
        let here = Self { path: data_dir.to_owned() };
        let Some(blocked_by) = account.blocked_by(data_dir) else {
            return Ok(here);
        };
        if here.cluster().exists() {
            return Err(PostgresError::Unreachable { uid: account.uid, blocked_by });
        }
        let home = Self::elsewhere(Path::new(SHARED_HOMES), data_dir, account)?;
        let line = format!("{}\n", home.path.display());
        write(&pointer, &line).map_err(PostgresError::files("write", &pointer))?;
        tracing::warn!(
            closed = %blocked_by.display(),
            database = %home.path.display(),
            "started as root, and the user of PostgreSQL cannot enter a directory above data_dir: the database is created in another place"
        );
        Ok(home)
    }

    /// A new directory below `parent`. A number in its name makes a recreated data directory start empty.
    fn elsewhere(parent: &Path, data_dir: &Path, account: &SystemAccount) -> Result<Self, PostgresError> {
        DirBuilder::new().recursive(true).mode(0o755).create(parent).map_err(PostgresError::files("create", parent))?;
        if let Some(blocked_by) = account.blocked_by(parent) {
            return Err(PostgresError::Unreachable { uid: account.uid, blocked_by });
        }
        let digest = digest(data_dir);
        for number in 1_u32.. {
            let path = parent.join(format!("{digest}-{number}"));
            match DirBuilder::new().mode(0o711).create(&path) {
                Ok(()) => {
                    let note = path.join("belongs-to");
                    let line = format!("{}\n", data_dir.display());
                    write(&note, &line).map_err(PostgresError::files("write", &note))?;
                    return Ok(Self { path });
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                    tracing::warn!(database = %path.display(), "this directory is left from an earlier data directory at the same path; delete it if you do not need it");
                }
                Err(error) => return Err(PostgresError::files("create", path)(error)),
            }
        }
        Err(PostgresError::Unreachable { uid: account.uid, blocked_by: parent.to_owned() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn cluster(&self) -> PathBuf {
        self.path.join(CLUSTER)
    }

    pub fn is_known(data_dir: &Path) -> bool {
        data_dir.join(CLUSTER).exists() || data_dir.join(POINTER_FILE).exists()
    }

    /// Only the server's account and root may enter it. If the path does not suit a socket, a short one for temporary files.
    pub fn socket_dir(&self, account: &SystemAccount) -> Result<PathBuf, PostgresError> {
        let near = self.path.join("socket");
        let dir = if suits_a_socket(&near) { near } else { short_dir(&self.path) };
        match DirBuilder::new().mode(0o700).create(&dir) {
            Ok(()) => account.own_directory(&dir)?,
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(PostgresError::files("create", dir)(error)),
        }
        // Another user may have created it in order to listen, since all users can write to the directory for temporary
        // files.
        let found = fs::symlink_metadata(&dir).map_err(PostgresError::files("look at", &dir))?;
        if account.is_another() && found.uid() == 0 && found.is_dir() {
            account.own_directory(&dir)?;
        } else if found.uid() != account.uid || !found.is_dir() {
            return Err(PostgresError::OwnedByAnother { cluster: dir, owner: found.uid() });
        }
        fs::set_permissions(&dir, fs::Permissions::from_mode(0o700)).map_err(PostgresError::files("close", &dir))?;
        Ok(dir)
    }
}

fn write(path: &Path, line: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(line.as_bytes())
}

fn short_dir(home: &Path) -> PathBuf {
    let name = format!("patchbay-{}", digest(home));
    let short = env::temp_dir().join(&name);
    if suits_a_socket(&short) { short } else { Path::new("/tmp").join(&name) }
}

/// True if the path is short enough and has no comma, which separates hosts in PostgreSQL's own programs.
fn suits_a_socket(dir: &Path) -> bool {
    let path = dir.as_os_str().as_encoded_bytes();
    path.len() <= SOCKET_DIR_BYTES && !path.contains(&b',')
}

fn digest(path: &Path) -> String {
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_too_long_for_a_socket_gets_a_short_one() {
        let home = Path::new("/srv").join("deep/".repeat(40));
        let dir = short_dir(&home);
        assert!(dir.as_os_str().len() <= SOCKET_DIR_BYTES, "{}", dir.display());
        assert_eq!(dir, short_dir(&home), "every start uses the same");
        assert_ne!(dir, short_dir(Path::new("/srv/other")));
    }

    #[test]
    fn a_path_of_88_bytes_without_a_comma_suits_a_socket() {
        let of = |length: usize| PathBuf::from(format!("/{}", "a".repeat(length - 1)));
        assert!(suits_a_socket(&of(88)) && !suits_a_socket(&of(89)));
        assert!(suits_a_socket(Path::new("/srv/päth \"of\" \\ it's")) && !suits_a_socket(Path::new("/srv/a,b")));
    }
}
