//! Every SQL statement of Patchbay: plain functions on a connection, one file per table or aggregate, the files in rooms.
//! Functions never begin or commit a transaction; the use case that calls them owns it. `client_id` is the first argument
//! after the connection. What goes in and comes out are types of the domain; how they stand in columns is the business of
//! `stored`.

pub mod chat;
mod error;
pub mod inbound;
pub mod inboxes;
pub mod live;
pub mod outbound;
pub mod people;
pub mod personal_data;
pub mod plugins;
pub mod read_only;
mod session;
pub mod silence;
pub mod sms;
mod stored;
pub mod tenancy;
pub mod web;
pub mod webhooks;
pub mod work;

pub use error::{Error, Result, violates};
pub use sqlx::{Error as SqlxError, PgConnection, PgPool, Postgres, Transaction};
pub use work::lanes::Queue;

use std::time::Duration;

use sqlx::{
    Connection,
    migrate::Migrator,
    postgres::{PgConnectOptions, PgPoolOptions},
};

/// The migrations, embedded.
pub static MIGRATOR: Migrator = sqlx::migrate!("../../migrations");

/// Statements that a connection keeps prepared: more than there are.
const KEPT_STATEMENTS: usize = 500;

/// How long a start waits for a database that starts, too.
const PATIENCE_AT_START: Duration = Duration::from_secs(10);
/// How long the last look at a database that was waited for in vain may take.
const LAST_LOOK: Duration = Duration::from_secs(2);

/// Opens a pool of at most `connections` connections. `url` is a `postgres://` URL.
pub async fn connect(url: &str, connections: u32) -> Result<PgPool> {
    let options: PgConnectOptions = url.parse().map_err(Error::Database)?;
    let options =
        options.application_name("patchbay").options(session::settings()).statement_cache_capacity(KEPT_STATEMENTS);
    let pool = PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(PATIENCE_AT_START)
        .test_before_acquire(false)
        .after_connect(|db, _| Box::pin(session::complete(db)))
        .before_acquire(|db, is| Box::pin(is_usable(db, is.age)))
        .after_release(|db, is| Box::pin(is_usable(db, is.age)))
        .connect_with(options.clone())
        .await;
    match pool {
        Err(sqlx::Error::PoolTimedOut) => Err(Error::Database(why_not(&options).await)),
        pool => Ok(pool?),
    }
}

/// Whether a connection that has lasted for `age` can be used on: it answers, where that is doubted, and takes changes.
async fn is_usable(db: &mut PgConnection, age: Duration) -> sqlx::Result<bool> {
    Ok(silence::is_well(db).await? && read_only::takes_changes(db, age).await?)
}

/// Connections beside those of a pool, a fifth as many: whoever waits for one of these takes none of those. They are opened when
/// they are wanted.
pub fn beside(pool: &PgPool) -> PgPool {
    let connections = (pool.options().get_max_connections() / 5).max(1);
    let options = pool.options().clone().max_connections(connections);
    options.connect_lazy_with((*pool.connect_options()).clone())
}

/// Why there is no connection: the pool tried for as long as it may, and only says that.
async fn why_not(options: &PgConnectOptions) -> sqlx::Error {
    match tokio::time::timeout(LAST_LOOK, PgConnection::connect_with(options)).await {
        Ok(Err(error)) => error,
        Ok(Ok(_)) | Err(_) => sqlx::Error::PoolTimedOut,
    }
}

/// Applies what is missing and answers how many migrations that were. Refuses a shipped file that was edited.
pub async fn migrate(pool: &PgPool) -> Result<usize> {
    let before = applied_migrations(pool).await?;
    // On a connection of its own: it waits for a process that migrates already, however long that takes.
    let mut db = pool.acquire().await?.detach();
    sqlx::query("SET lock_timeout = 0").execute(&mut db).await?;
    let applied = MIGRATOR.run(&mut db).await;
    // It was for this alone: how it ends says nothing about the migrations.
    drop(db.close().await);
    applied?;
    Ok(MIGRATOR.iter().count().saturating_sub(before))
}

/// How many migrations the database has.
async fn applied_migrations(pool: &PgPool) -> Result<usize> {
    let known: Option<String> =
        sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations')::text").fetch_one(pool).await?;
    if known.is_none() {
        return Ok(0);
    }
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations WHERE success").fetch_one(pool).await?;
    Ok(usize::try_from(count).unwrap_or(0))
}

/// True when every migration of this program is applied.
pub async fn is_current(pool: &PgPool) -> Result<bool> {
    Ok(applied_migrations(pool).await? >= MIGRATOR.iter().count())
}
