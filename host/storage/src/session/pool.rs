use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use futures::{FutureExt, StreamExt, future::BoxFuture, stream::BoxStream};
use sqlx::{
    Describe, Either, Execute, Executor, Postgres,
    pool::PoolOptions,
    postgres::{PgConnectOptions, PgPoolOptions, PgQueryResult, PgRow, PgStatement, PgTypeInfo},
};
use tokio::task::JoinHandle;

use super::{
    PgConnection, Timing, Transaction, held_sessions::HeldSessions, limit, listener::Listener, settings,
    statement_time, wait_end::WaitEnd, watch::DatabaseWatch,
};
use crate::{Error, Result, read_only_session};

/// Statements that a session keeps prepared: more than there are.
const KEPT_STATEMENTS: usize = 500;
/// How long a start waits for a database that starts, too.
const PATIENCE_AT_START: Duration = Duration::from_secs(10);
/// Timeout of the last check of a database that did not answer in time.
const LAST_CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// Opens a pool of at most `connections` sessions, for background work. `url` is a `postgres://` URL.
pub async fn connect(url: &str, connections: u32) -> Result<Db> {
    connect_with(url, connections, Timing::default()).await
}

pub async fn connect_with(url: &str, connections: u32, timing: Timing) -> Result<Db> {
    let options: PgConnectOptions = url.parse().map_err(Error::Database)?;
    let options =
        options.application_name("patchbay").options(settings::settings()).statement_cache_capacity(KEPT_STATEMENTS);
    let watch = Arc::new(DatabaseWatch::new(timing));
    let sessions = pool_options(&watch).max_connections(connections).connect_with(options.clone()).await;
    let sessions = match sessions {
        Err(sqlx::Error::PoolTimedOut) => return Err(Error::Database(why_not(&options).await)),
        sessions => sessions?,
    };
    let (name, options) = name_sessions(&sessions, options).await?;
    sessions.set_connect_options(options.clone());
    let keeping = tokio::spawn({
        let watch = Arc::clone(&watch);
        async move { watch.keep(options, name).await }
    });
    let patience = timing.work;
    let keeper = Arc::new(Keeper(keeping));
    Ok(Db { sessions, watch, patience, keeper, held: Arc::default(), ending: Arc::default() })
}

fn pool_options(watch: &Arc<DatabaseWatch>) -> PoolOptions<Postgres> {
    let (before, after) = (Arc::clone(watch), Arc::clone(watch));
    PgPoolOptions::new()
        .acquire_timeout(PATIENCE_AT_START)
        .test_before_acquire(false)
        .after_connect(|db, _| Box::pin(settings::complete(db)))
        .before_acquire(move |db, is| is_usable(Arc::clone(&before), db, is.age).boxed())
        .after_release(move |db, is| is_usable(Arc::clone(&after), db, is.age).boxed())
}

/// Whether a session that has lasted for `age` can be used on: it is of now, and takes changes.
async fn is_usable(watch: Arc<DatabaseWatch>, db: &mut sqlx::PgConnection, age: Duration) -> sqlx::Result<bool> {
    if watch.is_silent() || std::time::Instant::now().checked_sub(age).is_some_and(|begun| watch.is_outdated(begun)) {
        return Err(WaitEnd::Outdated.into());
    }
    watch.limit(read_only_session::takes_changes(db, age)).await
}

async fn name_sessions(sessions: &sqlx::PgPool, options: PgConnectOptions) -> Result<(String, PgConnectOptions)> {
    let name: String =
        sqlx::query_scalar("SELECT set_config('application_name', 'patchbay ' || gen_random_uuid(), false)")
            .fetch_one(sessions)
            .await?;
    Ok((name.clone(), options.application_name(&name)))
}

/// Why there is no session: the pool tried for as long as it may, and only says that.
async fn why_not(options: &PgConnectOptions) -> sqlx::Error {
    use sqlx::Connection;
    match tokio::time::timeout(LAST_CHECK_TIMEOUT, sqlx::PgConnection::connect_with(options)).await {
        Ok(Err(error)) => error,
        Ok(Ok(_)) | Err(_) => sqlx::Error::PoolTimedOut,
    }
}

/// Sessions with the database, taken one at a time. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Db {
    sessions: sqlx::PgPool,
    watch: Arc<DatabaseWatch>,
    patience: Duration,
    keeper: Arc<Keeper>,
    held: Arc<HeldSessions>,
    /// Set when the process ends.
    ending: Arc<AtomicBool>,
}

#[derive(Debug)]
pub struct PooledSession(PgConnection);

impl PooledSession {
    /// Takes the session out of its pool, which may open another one for it.
    pub fn detach(self) -> PgConnection {
        self.0.detach()
    }

    pub async fn close(self) -> Result<()> {
        self.0.close().await
    }
}

impl Deref for PooledSession {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.0
    }
}

impl DerefMut for PooledSession {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.0
    }
}

/// The task that watches; it ends with the last clone of the pool.
#[derive(Debug)]
struct Keeper(JoinHandle<()>);

impl Drop for Keeper {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Db {
    /// A session. Fails at once while the database answers nothing.
    pub async fn acquire(&self) -> Result<PooledSession> {
        Ok(self.take().await?)
    }

    pub async fn begin(&self) -> Result<Transaction<'static>> {
        Ok(Transaction::on(self.take().await?.0).await?)
    }

    /// Takes a session with the error of the driver, as [`Executor`] requires.
    async fn take(&self) -> sqlx::Result<PooledSession> {
        self.held.check();
        let (timing, begun) = (self.watch.timing(), Instant::now());
        let total = (self.patience <= timing.request).then_some(timing.request_total);
        let (longest, why) = limit::longest_wait(self.patience, total, WaitEnd::NoSession);
        let taking = self.watch.unless_silent(self.next_session());
        let pooled = tokio::time::timeout(longest, taking).await.unwrap_or_else(|_| Err(why.into()))?;
        if total.is_some() {
            statement_time::spend(begun);
        }
        Ok(PooledSession(PgConnection::from_pool(pooled, &self.watch, self.patience, self.held.hold())))
    }

    async fn next_session(&self) -> sqlx::Result<sqlx::pool::PoolConnection<Postgres>> {
        match self.sessions.acquire().await {
            Err(sqlx::Error::PoolClosed) if self.ending.load(Ordering::Acquire) => std::future::pending().await,
            session => session,
        }
    }

    pub fn for_requests(&self) -> Self {
        self.with_patience(self.watch.timing().request)
    }

    pub fn for_work(&self) -> Self {
        self.with_patience(self.watch.timing().work)
    }

    pub fn with_patience(&self, patience: Duration) -> Self {
        Self { patience, ..self.clone() }
    }

    /// A second pool with a fifth as many sessions, so that its callers do not wait for those of the first one. A session
    /// is opened when it is needed.
    pub fn second_pool(&self) -> Self {
        let connections = (self.max_connections() / 5).max(1);
        Self { sessions: self.more(connections), held: Arc::default(), ..self.clone() }
    }

    fn more(&self, connections: u32) -> sqlx::PgPool {
        let options = pool_options(&self.watch).max_connections(connections);
        options.connect_lazy_with((*self.sessions.connect_options()).clone())
    }

    pub(crate) async fn listen(&self, channel: &str) -> Result<Listener> {
        // A listener that is dropped talks to the server once more: it must not keep a place among the others until that answers.
        Listener::begin(&self.more(1), channel, &self.watch).await
    }

    pub fn is_silent(&self) -> bool {
        self.watch.is_silent()
    }

    pub async fn until_silent(&self) {
        self.watch.until_silent().await;
    }

    pub async fn until_answering(&self) {
        self.watch.until_answering().await;
    }

    /// Closes the pool at the end of the process. A background task that asks for a session after that waits for the end
    /// of the process: it must not log a clean stop as a fault of the database.
    pub async fn close_for_exit(&self) {
        self.ending.store(true, Ordering::Release);
        self.close().await;
    }

    /// Ends all sessions, once they are given back.
    pub async fn close(&self) {
        self.keeper.0.abort();
        while !self.keeper.0.is_finished() {
            tokio::task::yield_now().await;
        }
        self.sessions.close().await;
    }

    pub fn max_connections(&self) -> u32 {
        self.sessions.options().get_max_connections()
    }

    pub fn size(&self) -> u32 {
        self.sessions.size()
    }

    pub fn num_idle(&self) -> usize {
        self.sessions.num_idle()
    }
}

impl<'p> Executor<'p> for &'p Db {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, sqlx::Result<Either<PgQueryResult, PgRow>>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let all = async move {
            match self.take().await {
                Ok(mut db) => db.fetch_many(query).collect::<Vec<_>>().await,
                Err(error) => vec![Err(error)],
            }
        };
        all.into_stream().flat_map(futures::stream::iter).boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, sqlx::Result<Option<PgRow>>>
    where
        'p: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        async move { self.take().await?.fetch_optional(query).await }.boxed()
    }

    fn prepare_with<'e, 'q: 'e>(
        self,
        sql: &'q str,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, sqlx::Result<PgStatement<'q>>>
    where
        'p: 'e,
    {
        async move { self.take().await?.prepare_with(sql, parameters).await }.boxed()
    }

    fn describe<'e, 'q: 'e>(self, sql: &'q str) -> BoxFuture<'e, sqlx::Result<Describe<Postgres>>>
    where
        'p: 'e,
    {
        async move { self.take().await?.describe(sql).await }.boxed()
    }
}
