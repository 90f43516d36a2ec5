//! Errors of the embedded database, with their cures.

use std::{io, path::PathBuf, time::Duration};

/// Each message says what to do, because it is the last line that the operator sees.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    #[error(
        "found no PostgreSQL server programs (initdb, postgres) in {looked_in}; install the package `postgresql`, \
         set PG_BIN_DIR to their directory, or set database.url to a running server"
    )]
    NoBinaries {
        /// The searched places.
        looked_in: String,
    },
    #[error(
        "there is no database in {} yet, and no server runs on it: start `patchbay serve`, which makes one, or give `patchbay migrate`, \
         and the command again; if another one is meant, set data_dir (PATCHBAY__DATA_DIR) or database.url",
        .data_dir.display()
    )]
    NoDatabase {
        /// The data directory.
        data_dir: PathBuf,
    },
    #[error("{} does not run as a PostgreSQL server: {reason}", .program.display())]
    BadBinaries {
        /// The failed program.
        program: PathBuf,
        /// Its output.
        reason: String,
    },
    #[error(
        "PostgreSQL refuses to run as root and this system has no user `postgres` or `nobody`; \
         create one, or start patchbay as an ordinary user"
    )]
    NoAccount,
    #[error(
        "the data directory {} is in use by {}; stop it, or give this one another data_dir (PATCHBAY__DATA_DIR)",
        .data_dir.display(), holder(.pid)
    )]
    InUse {
        /// The data directory.
        data_dir: PathBuf,
        /// Process id of the other process, if it is already written.
        pid: Option<u32>,
    },
    #[error(
        "the database in {} was made by PostgreSQL {made_by} and this machine has PostgreSQL {installed}.\n\
         Either install PostgreSQL {made_by} and start again (PG_BIN_DIR names its directory of programs),\n\
         or move the data: start with PostgreSQL {made_by}, `pg_dump --format=custom --file=patchbay.dump \"$URL\"` with the\n\
         databaseUrl of run.json, stop, move {} away, start once with PostgreSQL {installed}, and\n\
         `pg_restore --clean --if-exists --dbname=\"$URL\" patchbay.dump` (docs/operations.md has it line by line)",
        .cluster.display(), .cluster.display()
    )]
    OtherVersion {
        /// Directory of the cluster.
        cluster: PathBuf,
        /// The major version that made it.
        made_by: u32,
        /// The installed major version.
        installed: u32,
    },
    #[error(
        "the database in {} belongs to the user with id {owner}; start patchbay as that user or as root, \
         or give it another data_dir",
        .cluster.display()
    )]
    OwnedByAnother {
        /// Directory of the cluster.
        cluster: PathBuf,
        /// Id of its owner.
        owner: u32,
    },
    /// The unprivileged user cannot enter a directory on the path.
    #[error(
        "started as root, PostgreSQL runs as the user with id {uid}, who cannot enter {}; \
         `chmod o+x` it, or move the data directory elsewhere",
        .blocked_by.display()
    )]
    Unreachable {
        /// Id of the user that PostgreSQL would run as.
        uid: u32,
        /// That directory.
        blocked_by: PathBuf,
    },
    #[error(
        "the database of this data directory was in {}, which is gone; restore it, \
         or delete {} to begin with an empty database",
        .home.display(), .pointer.display()
    )]
    HomeLost {
        /// The missing directory.
        home: PathBuf,
        /// The pointer file.
        pointer: PathBuf,
    },
    #[error("{program} failed ({status}):\n{output}")]
    Program {
        /// Name of the program.
        program: &'static str,
        /// Its exit status.
        status: String,
        /// The end of its output.
        output: String,
    },
    #[error("PostgreSQL did not start ({status}); the end of {} says:\n{tail}", .log.display())]
    NotStarted {
        /// Its exit status.
        status: String,
        /// Its log file.
        log: PathBuf,
        /// The last log lines of this start.
        tail: String,
    },
    #[error("PostgreSQL took no connections within {} s; see {}", .waited.as_secs(), .log.display())]
    NotReady {
        /// The time it had.
        waited: Duration,
        /// Its log file.
        log: PathBuf,
    },
    #[error("an earlier PostgreSQL (process {pid}) of this data directory does not stop; stop it with `kill -9 {pid}`")]
    OrphanStays {
        /// Its process id.
        pid: i32,
    },
    #[error("cannot {action} {}", .path.display())]
    Files {
        /// The operation.
        action: &'static str,
        /// Its path.
        path: PathBuf,
        /// The error of the system.
        #[source]
        source: io::Error,
    },
}

fn holder(pid: &Option<u32>) -> String {
    pid.map_or_else(|| "another patchbay".to_owned(), |pid| format!("another patchbay (process {pid})"))
}

impl PostgresError {
    /// For `map_err` after a file operation.
    pub(super) fn files(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Files { action, path, source }
    }
}
