use crate::read_only_session;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the database refused a statement")]
    Database(#[source] sqlx::Error),
    #[error("the database could not be migrated")]
    Migration(#[from] sqlx::migrate::MigrateError),
    #[error(
        "the database has schema {schema}, which needs a program of schema {oldest} or newer, and this program is of schema \
         {own}. Start the release of Patchbay that migrated the database, or a newer one"
    )]
    NewerSchema { schema: i64, oldest: i64, own: i64 },
    #[error("{table}.{column} holds `{value}`, which this version does not understand")]
    Inconsistent {
        table: &'static str,
        column: &'static str,
        /// The value, if it is not personal data.
        value: String,
    },
    #[error("{table}.{column} holds JSON of {}, which this version does not understand: {why}", version_name(*version))]
    Unreadable {
        table: &'static str,
        column: &'static str,
        version: Option<u32>,
        /// The fault, without the content, which may be personal data.
        why: &'static str,
    },
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        if read_only_session::is_refusal(&error) {
            read_only_session::note_refusal();
        }
        Self::Database(error)
    }
}

fn version_name(version: Option<u32>) -> String {
    version.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"))
}

impl Error {
    /// True if the database itself fails: connection, shutdown, disk, memory, or a deadlock.
    pub fn is_outage(&self) -> bool {
        match self {
            Self::Database(sqlx::Error::Database(error)) => error.code().is_some_and(|code| is_of_the_server(&code)),
            error => error.is_lost(),
        }
    }

    /// True for a temporary failure, such as an overloaded, restarting or unreachable database. The caller may try again.
    pub fn is_passing(&self) -> bool {
        let Self::Database(error) = self else { return false };
        match error {
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_) => true,
            // PostgreSQL codes: classes 08 (connection), 53 (resources), 57P (shutdown) and 40 (rollback). 55P03: a lock wait
            // was too long. 25P03: an idle transaction was too long. 25006: the server has become read-only.
            sqlx::Error::Database(error) => error.code().is_some_and(|code| {
                ["08", "53", "57P", "40", "55P03", "25P03", "25006"].iter().any(|class| code.starts_with(class))
            }),
            _ => false,
        }
    }

    /// True if the database answered that it refuses the statement.
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Database(sqlx::Error::Database(_)))
    }

    /// Other transactions changed the same rows again and again. The caller's transaction may be tried again.
    pub fn overtaken(said: &str) -> Self {
        Self::Database(sqlx::Error::Protocol(said.to_owned()))
    }

    pub fn missing_row() -> Self {
        Self::Database(sqlx::Error::RowNotFound)
    }

    /// True if the database did not answer: the connection is lost, or there was none.
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
            Self::Migration(_) | Self::NewerSchema { .. } | Self::Inconsistent { .. } | Self::Unreadable { .. } => {
                false
            }
        }
    }

    /// True after a deadlock, a serialization failure, or a lock that took too long.
    pub fn lost_to_another_transaction(&self) -> bool {
        const CODES: [&str; 3] = ["40001", "40P01", "55P03"];
        match self {
            Self::Database(sqlx::Error::Database(error)) => error.code().is_some_and(|code| CODES.contains(&&*code)),
            _ => false,
        }
    }

    /// True if a stored value is the cause. Trying again does not help.
    pub fn is_of_a_stored_value(&self) -> bool {
        matches!(self, Self::Inconsistent { .. } | Self::Unreadable { .. })
    }
}

/// Codes of PostgreSQL that do not depend on the statement: connections (08), serialization (40), resources (53),
/// shutdown (57), operating system (58), and a lock that took too long, a read-only database, an ended idle
/// transaction.
fn is_of_the_server(code: &str) -> bool {
    const CLASSES: [&str; 5] = ["08", "40", "53", "57", "58"];
    const CODES: [&str; 3] = ["55P03", "25006", "25P03"];
    const CANCELLED: &str = "57014";
    code != CANCELLED && (CLASSES.iter().any(|class| code.starts_with(class)) || CODES.contains(&code))
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

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
