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
