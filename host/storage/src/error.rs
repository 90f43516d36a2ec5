//! What can go wrong with the database.

/// A failure of the database or of what it holds. "Not found" is never an error: it is `None`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The statement or the connection failed.
    #[error("the database did not do what was asked")]
    Database(#[from] sqlx::Error),
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

fn version_name(version: Option<u32>) -> String {
    version.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"))
}

impl Error {
    /// A stored value is the cause, so that trying again will not help.
    pub fn is_of_a_stored_value(&self) -> bool {
        matches!(self, Self::Inconsistent { .. } | Self::Unreadable { .. })
    }
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
