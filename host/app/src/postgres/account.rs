//! The account that PostgreSQL runs as: our own, or an unprivileged one if we are root, which PostgreSQL refuses.

use std::{
    env, fs,
    os::unix::{
        fs::{MetadataExt, chown},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::Command,
};

use super::error::PostgresError;

const UNPRIVILEGED: [&str; 2] = ["postgres", "nobody"];

/// Variables that the programs of PostgreSQL keep. `PGPORT`, `PGDATA` and others would change their behaviour.
const KEPT_VARIABLES: [&str; 3] = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SystemAccount {
    pub uid: u32,
    pub gid: u32,
    switch: bool,
}

impl SystemAccount {
    /// Our own account, or for root the first unprivileged user that exists.
    pub fn choose() -> Result<Self, PostgresError> {
        let uid = rustix::process::geteuid().as_raw();
        if uid != 0 {
            return Ok(Self { uid, gid: rustix::process::getegid().as_raw(), switch: false });
        }
        let users = fs::read_to_string("/etc/passwd").map_err(PostgresError::files("read", "/etc/passwd"))?;
        UNPRIVILEGED.iter().find_map(|name| look_up(&users, name)).ok_or(PostgresError::NoAccount)
    }

    /// `true` if we are root and PostgreSQL runs as another user.
    pub fn is_another(&self) -> bool {
        self.switch
    }

    /// Keeps the owner of an existing cluster, if we may switch to that user.
    pub fn for_cluster(self, cluster: &Path) -> Result<Self, PostgresError> {
        let owner = fs::metadata(cluster).map_err(PostgresError::files("look at", cluster))?;
        if owner.uid() == self.uid {
            return Ok(self);
        }
        if !self.switch {
            return Err(PostgresError::OwnedByAnother { cluster: cluster.to_owned(), owner: owner.uid() });
        }
        if owner.uid() == 0 {
            // Copied by root, so PostgreSQL could not read it.
            self.own(cluster)?;
            return Ok(self);
        }
        Ok(Self { uid: owner.uid(), gid: owner.gid(), switch: true })
    }

    /// Gives a directory with its content to this account. Does nothing if it is our own.
    pub fn own(&self, path: &Path) -> Result<(), PostgresError> {
        if !self.switch {
            return Ok(());
        }
        std::os::unix::fs::lchown(path, Some(self.uid), Some(self.gid))
            .map_err(PostgresError::files("give away", path))?;
        let is_directory = fs::symlink_metadata(path).map_err(PostgresError::files("look at", path))?.is_dir();
        if !is_directory {
            return Ok(());
        }
        for entry in fs::read_dir(path).map_err(PostgresError::files("list", path))? {
            self.own(&entry.map_err(PostgresError::files("list", path))?.path())?;
        }
        Ok(())
    }

    /// Runs as this account in its own process group: Ctrl-C reaches only us, and we stop PostgreSQL after the last request.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(KEPT_VARIABLES.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        // That user may have no access to our working directory.
        command.current_dir("/").process_group(0);
        if self.switch {
            command.uid(self.uid).gid(self.gid);
        }
        command
    }

    /// The first directory on the path (with `path` itself) that this account may not enter.
    pub fn blocked_by(&self, path: &Path) -> Option<PathBuf> {
        if !self.switch {
            return None;
        }
        let mut ancestors: Vec<&Path> = path.ancestors().collect();
        ancestors.reverse();
        ancestors.into_iter().find(|directory| !self.may_enter(directory)).map(Path::to_owned)
    }

    fn may_enter(&self, directory: &Path) -> bool {
        let Ok(directory) = fs::metadata(directory) else {
            return false;
        };
        let execute = if directory.uid() == self.uid {
            0o100
        } else if directory.gid() == self.gid {
            0o010
        } else {
            0o001
        };
        directory.mode() & execute != 0
    }

    /// Gives a directory without its content to this account.
    pub fn own_directory(&self, path: &Path) -> Result<(), PostgresError> {
        if !self.switch {
            return Ok(());
        }
        chown(path, Some(self.uid), Some(self.gid)).map_err(PostgresError::files("give away", path))
    }
}

fn look_up(users: &str, name: &str) -> Option<SystemAccount> {
    let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut ids = line.split(':').skip(2).map(str::parse);
    let (uid, gid) = (ids.next()?.ok()?, ids.next()?.ok()?);
    (uid != 0).then_some(SystemAccount { uid, gid, switch: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: &str = "root:x:0:0:root:/root:/bin/sh\npostgres:x:101:104::/var/lib/postgresql:/bin/bash\n";

    #[test]
    fn users_are_found_by_their_whole_name() {
        assert_eq!(look_up(USERS, "postgres"), Some(SystemAccount { uid: 101, gid: 104, switch: true }));
        assert_eq!(look_up(USERS, "post"), None);
    }

    #[test]
    fn root_is_never_an_unprivileged_user() {
        assert_eq!(look_up("postgres:x:0:0::/:/bin/sh\n", "postgres"), None);
    }
}
