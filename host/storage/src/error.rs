//! What can go wrong with the database.

use crate::read_only;

/// A failure of the database or of what it holds. "Not found" is never an error: it is `None`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The statement or the connection failed.
    #[error("the database did not do what was asked")]
    Database(#[source] sqlx::Error),
    /// A migration could not be applied.
    #[error("the database could not be migrated")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// A stored value that this version does not understand.
    #[error("{table}.{column} holds `{value}`, which this version does not understand")]
    Inconsistent {
        /// Table of the value.
        table: &'static str,
        /// Column of the value.
        column: &'static str,
        /// The value itself, when it is no personal data.
        value: String,
    },
    /// Stored JSON of a version or a shape that this version does not understand.
    #[error("{table}.{column} holds JSON of {}, which this version does not understand: {why}", version_name(*version))]
    Unreadable {
        /// Table of the value.
        table: &'static str,
        /// Column of the value.
        column: &'static str,
        /// The version that it says it has; `None` when it says none.
        version: Option<u32>,
        /// What is wrong with it, without what it says: that may be personal data.
        why: &'static str,
    },
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        if read_only::is_refusal(&error) {
            read_only::note_refusal();
        }
        Self::Database(error)
    }
}

fn version_name(version: Option<u32>) -> String {
    version.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"))
}

impl Error {
    /// The database itself fails, whatever it is asked: the connection is lost, the server stops or starts, its disk is
    /// full, it has no memory or no room for connections, or a statement gave way to another one.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Database(sqlx::Error::Database(error)) => error.code().is_some_and(|code| is_of_the_server(&code)),
            error => error.is_lost(),
        }
    }

    /// The database did not answer: the connection is lost, or there was none to be had.
    pub fn is_lost(&self) -> bool {
        match self {
            Self::Database(error) => matches!(
                error,
                sqlx::Error::Io(_)
                    | sqlx::Error::Tls(_)
                    | sqlx::Error::PoolTimedOut
                    | sqlx::Error::PoolClosed
                    | sqlx::Error::WorkerCrashed
            ),
            Self::Migration(_) | Self::Inconsistent { .. } | Self::Unreadable { .. } => false,
        }
    }

    /// The transaction gave way to another one: they were in each other's way, or a lock was not to be had in time.
    pub fn gave_way(&self) -> bool {
        const CODES: [&str; 3] = ["40001", "40P01", "55P03"];
        match self {
            Self::Database(sqlx::Error::Database(error)) => error.code().is_some_and(|code| CODES.contains(&&*code)),
            Self::Database(_) | Self::Migration(_) | Self::Inconsistent { .. } | Self::Unreadable { .. } => false,
        }
    }

    /// A stored value is the cause, so that trying again will not help.
    pub fn is_of_a_stored_value(&self) -> bool {
        matches!(self, Self::Inconsistent { .. } | Self::Unreadable { .. })
    }
}

/// Codes of PostgreSQL that say nothing about the statement: connections (08), serialization and deadlocks (40), resources such
/// as the disk (53), starting or shutting down (57), the system underneath (58), a lock that was not to be had, a database that
/// only answers questions, and a transaction of ours that stood still for too long. A statement that was cancelled may be one
/// that takes too long by itself.
fn is_of_the_server(code: &str) -> bool {
    const CLASSES: [&str; 5] = ["08", "40", "53", "57", "58"];
    const CODES: [&str; 3] = ["55P03", "25006", "25P03"];
    const CANCELLED: &str = "57014";
    code != CANCELLED && (CLASSES.iter().any(|class| code.starts_with(class)) || CODES.contains(&code))
}

/// Result of every storage function.
pub type Result<T> = std::result::Result<T, Error>;

/// True when `error` says that the named constraint or unique index was violated.
pub fn violates(error: &Error, constraint: &str) -> bool {
    match error {
        Error::Database(sqlx::Error::Database(database)) => database.constraint() == Some(constraint),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_of_the_server_and_a_violated_rule_is_not() {
        for code in ["08006", "40001", "40P01", "53100", "53300", "57P01", "58030", "55P03", "25006"] {
            assert!(is_of_the_server(code), "{code}");
        }
        for code in ["23505", "22P02", "42601", "55000", "25001", "57014", "XX001", "P0001"] {
            assert!(!is_of_the_server(code), "{code}");
        }
    }
}
