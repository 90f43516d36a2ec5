use std::ops::{Deref, DerefMut};

use futures::future::BoxFuture;
use sqlx::{TransactionManager, postgres::PgTransactionManager};

use super::{PgConnection, limit::LimitedExchange};
use crate::Result;

/// A transaction, rolled back unless it is committed. If [`commit`](Self::commit) gets no answer, its effect is
/// unknown: the session is closed, and the failure is that of a lost connection. The session is also closed if the
/// caller does not wait for the answer, or if the server refuses the commit.
#[derive(Debug)]
pub struct Transaction<'c> {
    db: Held<'c>,
    open: bool,
}

#[derive(Debug)]
enum Held<'c> {
    /// It goes back to its pool when the transaction is over.
    Own(PgConnection),
    /// It is used on when the transaction is over.
    Borrowed(&'c mut PgConnection),
}

impl<'c> Transaction<'c> {
    pub(super) async fn on(db: PgConnection) -> sqlx::Result<Self> {
        Self::begin(Held::Own(db)).await
    }

    pub(super) async fn beginning(db: &'c mut PgConnection) -> sqlx::Result<Self> {
        Self::begin(Held::Borrowed(db)).await
    }

    async fn begin(db: Held<'c>) -> sqlx::Result<Self> {
        let mut tx = Self { db, open: false };
        let (raw, limit) = tx.parts()?;
        // The caller may go away before the answer: the session would be given back inside a transaction that nothing ends.
        *limit.given_up = true;
        LimitedExchange::new(PgTransactionManager::begin(raw, None), limit).await?;
        tx.is_whole();
        tx.open = true;
        Ok(tx)
    }

    pub async fn commit(self) -> Result<()> {
        self.end(PgTransactionManager::commit).await
    }

    pub async fn rollback(self) -> Result<()> {
        self.end(PgTransactionManager::rollback).await
    }

    async fn end(
        mut self,
        ending: for<'r> fn(&'r mut sqlx::PgConnection) -> BoxFuture<'r, sqlx::Result<()>>,
    ) -> Result<()> {
        let (raw, limit) = self.parts()?;
        // The caller may go away before the answer: a ROLLBACK after this statement would be one outside a transaction.
        *limit.given_up = true;
        LimitedExchange::new(ending(raw), limit).await?;
        self.is_whole();
        self.open = false;
        Ok(())
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.open {
            // It is sent before the next statement on the session, and when it is given back.
            self.leave(PgTransactionManager::start_rollback);
        }
    }
}

impl Deref for Transaction<'_> {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        match &self.db {
            Held::Own(db) => db,
            Held::Borrowed(db) => db,
        }
    }
}

impl DerefMut for Transaction<'_> {
    fn deref_mut(&mut self) -> &mut PgConnection {
        match &mut self.db {
            Held::Own(db) => db,
            Held::Borrowed(db) => db,
        }
    }
}
