//! Errors of the embedded database, with their cures.

use std::{io, path::PathBuf, time::Duration};

/// Each message says what to do, because it is the last line that the operator sees.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    #[error(
        "found no PostgreSQL server programs (initdb, postgres) in {looked_in}; install the package `postgresql`, \
         set PG_BIN_DIR to their directory, or set database.url to a running server"
    )]
    NoBinaries { looked_in: String },
    #[error(
        "there is no database in {} yet, and no server runs on it: start `patchbay serve`, which makes one, or give `patchbay migrate`, \
         and the command again; if another one is meant, set data_dir (PATCHBAY__DATA_DIR) or database.url",
        .data_dir.display()
    )]
    NoDatabase { data_dir: PathBuf },
    #[error("{} does not run as a PostgreSQL server: {reason}", .program.display())]
    BadBinaries { program: PathBuf, reason: String },
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
    OtherVersion { cluster: PathBuf, made_by: u32, installed: u32 },
    #[error(
        "the database in {} belongs to the user with id {owner}; start patchbay as that user or as root, \
         or give it another data_dir",
        .cluster.display()
    )]
    OwnedByAnother { cluster: PathBuf, owner: u32 },
    /// The unprivileged user cannot enter a directory on the path.
    #[error(
        "started as root, PostgreSQL runs as the user with id {uid}, who cannot enter {}; \
         `chmod o+x` it, or move the data directory elsewhere",
        .blocked_by.display()
    )]
    Unreachable { uid: u32, blocked_by: PathBuf },
    #[error(
        "the database of this data directory was in {}, which does not exist any more; restore it, \
         or delete {} to start with an empty database",
        .home.display(), .pointer.display()
    )]
    HomeLost { home: PathBuf, pointer: PathBuf },
    #[error("{program} failed ({status}):\n{output}")]
    Program { program: &'static str, status: String, output: String },
    #[error("PostgreSQL did not start ({status}); the end of {} says:\n{tail}", .log.display())]
    NotStarted { status: String, log: PathBuf, tail: String },
    #[error("PostgreSQL accepted no connections within {} s; see {}", .waited.as_secs(), .log.display())]
    NotReady { waited: Duration, log: PathBuf },
    #[error("an earlier PostgreSQL (process {pid}) of this data directory does not stop; stop it with `kill -9 {pid}`")]
    OrphanStays { pid: i32 },
    #[error("cannot {action} {}", .path.display())]
    Files {
        action: &'static str,
        path: PathBuf,
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
