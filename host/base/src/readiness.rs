//! Whether this process can do its work, and whether a failure is worth trying again.

use std::time::Duration;

use crate::{Context, Error};

/// Longest time that a check may take.
const CHECK_TIMEOUT: Duration = Duration::from_secs(3);

/// What `/readyz` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checks {
    /// The database answers.
    pub database: bool,
    /// Every migration of this program is applied.
    pub migrations: bool,
    /// Components are loaded.
    pub plugins: bool,
}

impl Checks {
    /// True when everything is.
    pub fn all(self) -> bool {
        self.database && self.migrations && self.plugins
    }
}

/// Looks at the database and the plugins.
pub async fn check(ctx: &Context) -> Checks {
    let current = tokio::time::timeout(CHECK_TIMEOUT, storage::is_current(&ctx.db)).await;
    let current = current.ok().and_then(Result::ok);
    Checks { database: current.is_some(), migrations: current == Some(true), plugins: ctx.plugins.ready() }
}

/// True for a failure that passes by itself, such as a database that is overloaded, restarting or not reachable: the
/// caller may try again (SPEC 7).
pub fn is_passing(error: &Error) -> bool {
    let Error::Storage(storage::Error::Database(error)) = error else { return matches!(error, Error::Stopped) };
    match error {
        storage::SqlxError::PoolTimedOut | storage::SqlxError::PoolClosed | storage::SqlxError::Io(_) => true,
        // Classes 08 (connection), 53 (resources), 57P (shutdown) and 40 (rollback) of PostgreSQL's codes.
        storage::SqlxError::Database(error) => {
            error.code().is_some_and(|code| ["08", "53", "57P", "40"].iter().any(|class| code.starts_with(class)))
        }
        _ => false,
    }
}
