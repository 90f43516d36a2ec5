use std::{
    fmt::{self, Debug, Formatter},
    future::Future,
    sync::Arc,
    time::{Duration, Instant},
};

use futures::{FutureExt, StreamExt, future::BoxFuture, stream::BoxStream};
use sqlx::{
    Connection as _, Describe, Either, Execute, Executor, Postgres,
    pool::PoolConnection,
    postgres::{PgQueryResult, PgRow, PgStatement, PgTypeInfo},
};
use tokio::runtime::Handle;

use super::{
    Transaction,
    held_sessions::HeldSession,
    limit::{AnswerTimeout, LimitedExchange},
    watch::DatabaseWatch,
};
use crate::Result;

/// Longest time in which a returned session must show that the server has answered everything.
const GIVEN_BACK_WITHIN: Duration = Duration::from_secs(3);

/// One session with the database. It waits for each answer for a limited time, and not at all while the database is
/// silent. It goes back to its pool, unless an exchange was given up: then it is closed.
pub struct PgConnection {
    /// `None` only while it is dropped.
    session: Option<Session>,
    taken_at: Instant,
    watch: Option<Arc<DatabaseWatch>>,
    patience: Duration,
    given_up: bool,
    held: Option<HeldSession>,
}

enum Session {
    Pooled(PoolConnection<Postgres>),
    Own(Box<sqlx::PgConnection>),
}

impl Session {
    fn raw(&mut self) -> &mut sqlx::PgConnection {
        match self {
            Self::Pooled(pooled) => pooled,
            Self::Own(own) => own,
        }
    }
}

impl PgConnection {
    pub(super) fn from_pool(
        pooled: PoolConnection<Postgres>,
        watch: &Arc<DatabaseWatch>,
        patience: Duration,
        held: Option<HeldSession>,
    ) -> Self {
        let session = Some(Session::Pooled(pooled));
        Self { session, taken_at: Instant::now(), watch: Some(Arc::clone(watch)), patience, given_up: false, held }
    }

    /// A separate session without the settings of [`connect`](crate::connect) and without the watch.
    pub async fn connect(url: &str) -> Result<Self> {
        let session = Some(Session::Own(Box::new(sqlx::PgConnection::connect(url).await?)));
        let patience = super::Timing::default().work;
        Ok(Self { session, taken_at: Instant::now(), watch: None, patience, given_up: false, held: None })
    }

    pub(super) fn detach(mut self) -> Self {
        if let Some(Session::Pooled(pooled)) = self.session.take() {
            self.session = Some(Session::Own(Box::new(pooled.detach())));
            self.held = None;
        }
        self
    }

    /// The same session, whose answers are waited for longer or shorter.
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    pub async fn ping(&mut self) -> Result<()> {
        let (raw, limit) = self.parts()?;
        Ok(LimitedExchange::new(raw.ping(), limit).await?)
    }

    pub async fn begin(&mut self) -> Result<Transaction<'_>> {
        Ok(Transaction::beginning(self).await?)
    }

    pub async fn close(mut self) -> Result<()> {
        match self.session.take() {
            Some(Session::Pooled(pooled)) => limit_close(pooled.close()).await?,
            Some(Session::Own(own)) => limit_close(own.close()).await?,
            None => {}
        }
        Ok(())
    }

    /// The driver's session, and the limit for an exchange on it.
    pub(super) fn parts(&mut self) -> sqlx::Result<(&mut sqlx::PgConnection, AnswerTimeout<'_>)> {
        let Self { session, taken_at, watch, patience, given_up, held } = self;
        let watch = watch.as_ref();
        let outdated = *given_up || watch.is_some_and(|watch| watch.is_outdated(*taken_at));
        let session = session.as_mut().ok_or(sqlx::Error::PoolClosed)?;
        Ok((session.raw(), AnswerTimeout { watch, outdated, patience: *patience, given_up, held: held.as_ref() }))
    }

    /// The session itself, without a limit: for migrations, which take as long as they must.
    pub fn unlimited(&mut self) -> Result<&mut sqlx::PgConnection> {
        Ok(self.session.as_mut().ok_or(sqlx::Error::PoolClosed)?.raw())
    }

    /// Everything that was asked is answered.
    pub(super) fn is_whole(&mut self) {
        self.given_up = false;
    }

    /// Has something done on the session without waiting for it; nothing where there was no answer before.
    pub(super) fn leave(&mut self, doing: impl FnOnce(&mut sqlx::PgConnection)) {
        if let (false, Some(session)) = (self.given_up, &mut self.session) {
            doing(session.raw());
        }
    }
}

async fn limit_close(closing: impl Future<Output = sqlx::Result<()>>) -> sqlx::Result<()> {
    // A server that does not read the goodbye message detects the end.
    tokio::time::timeout(GIVEN_BACK_WITHIN, closing).await.unwrap_or(Ok(()))
}

impl Drop for PgConnection {
    fn drop(&mut self) {
        let Some(Session::Pooled(mut pooled)) = self.session.take() else { return };
        let outdated = self.watch.as_ref().is_some_and(|watch| watch.is_outdated(self.taken_at));
        let Ok(runtime) = Handle::try_current() else { return drop(pooled.leak()) };
        if self.given_up || outdated {
            return drop(pooled.detach());
        }
        let giving_back = pooled.return_to_pool();
        drop(runtime.spawn(tokio::time::timeout(GIVEN_BACK_WITHIN, giving_back)));
    }
}

impl Debug for PgConnection {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("PgConnection").field("given_up", &self.given_up).finish_non_exhaustive()
    }
}

impl<'c> Executor<'c> for &'c mut PgConnection {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, sqlx::Result<Either<PgQueryResult, PgRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        match self.parts() {
            Ok((raw, limit)) => LimitedExchange::new(raw.fetch_many(query), limit).boxed(),
            Err(error) => futures::stream::iter([Err(error)]).boxed(),
        }
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, sqlx::Result<Option<PgRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        match self.parts() {
            Ok((raw, limit)) => LimitedExchange::new(raw.fetch_optional(query), limit).boxed(),
            Err(error) => futures::future::ready(Err(error)).boxed(),
        }
    }

    fn prepare_with<'e, 'q: 'e>(
        self,
        sql: &'q str,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, sqlx::Result<PgStatement<'q>>>
    where
        'c: 'e,
    {
        match self.parts() {
            Ok((raw, limit)) => LimitedExchange::new(raw.prepare_with(sql, parameters), limit).boxed(),
            Err(error) => futures::future::ready(Err(error)).boxed(),
        }
    }

    fn describe<'e, 'q: 'e>(self, sql: &'q str) -> BoxFuture<'e, sqlx::Result<Describe<Postgres>>>
    where
        'c: 'e,
    {
        match self.parts() {
            Ok((raw, limit)) => LimitedExchange::new(raw.describe(sql), limit).boxed(),
            Err(error) => futures::future::ready(Err(error)).boxed(),
        }
    }
}
