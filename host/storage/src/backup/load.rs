//! Fills a prepared database with the rows of a backup, all or none.

use chrono::{DateTime, Utc};
use sqlx::postgres::PgCopyIn;

use super::{
    catalog::{self, CopiedSequence, CopiedTable, ForeignKey, quote_name},
    error::CopyError,
    restore_mark, session,
    target::{OF_PROCESSES, refuse_if_filled},
};
use crate::{Db, Error, PgConnection, Result};

/// A transaction that fills all tables. Foreign keys are dropped and made again with the rows in place, because tables
/// point at each other. This also checks the rows.
pub struct LoadTransaction {
    db: PgConnection,
    tables: Vec<CopiedTable>,
    foreign_keys: Vec<ForeignKey>,
    triggered: Vec<String>,
}

impl LoadTransaction {
    pub async fn begin(pool: &Db) -> Result<Self, CopyError> {
        let mut db = session::open(pool).await?;
        sqlx::raw_sql("BEGIN").execute(&mut db).await?;
        // A process that starts now reads the migrations first, and fails instead of working on half of the rows.
        sqlx::raw_sql("LOCK TABLE _sqlx_migrations IN ACCESS EXCLUSIVE MODE").execute(&mut db).await?;
        refuse_if_filled(&mut db).await?;
        let tables = catalog::tables(&mut db).await?;
        // The schema of an older backup lacks some of them.
        for table in tables.iter().filter(|table| OF_PROCESSES.contains(&table.name.as_str())) {
            sqlx::raw_sql(&format!("DELETE FROM {}", table.name)).execute(&mut db).await?;
        }
        let foreign_keys = catalog::foreign_keys(&mut db).await?;
        let triggered = catalog::tables_with_triggers(&mut db).await?;
        for ForeignKey { table, name, .. } in &foreign_keys {
            sqlx::raw_sql(&format!("ALTER TABLE {table} DROP CONSTRAINT {name}")).execute(&mut db).await?;
        }
        for table in &triggered {
            sqlx::raw_sql(&format!("ALTER TABLE {table} DISABLE TRIGGER USER")).execute(&mut db).await?;
        }
        Ok(Self { db, tables, foreign_keys, triggered })
    }

    pub fn expect(&self, copied: &[CopiedTable]) -> Result<(), CopyError> {
        let lacks = |here: &[CopiedTable], there: &[CopiedTable]| {
            there.iter().find(|table| !here.iter().any(|own| own.has_columns_of(table))).map(|table| table.name.clone())
        };
        match lacks(&self.tables, copied).or_else(|| lacks(copied, &self.tables)) {
            Some(table) => Err(CopyError::Mismatch { table }),
            None => Ok(()),
        }
    }

    /// Begins to fill one table, whose columns come in this order.
    pub async fn fill(&mut self, table: &CopiedTable) -> Result<TableFill<'_>, CopyError> {
        if !self.tables.iter().any(|own| own.has_columns_of(table)) {
            return Err(CopyError::Mismatch { table: table.name.clone() });
        }
        let statement = format!("COPY {} ({}) FROM STDIN", table.quoted_name(), table.quoted_columns());
        Ok(TableFill { copy: self.db.unlimited()?.copy_in_raw(&statement).await? })
    }

    pub fn connection(&mut self) -> &mut PgConnection {
        &mut self.db
    }

    /// Marks the database as unfinished until [`finish`](super::finish). `taken_at` is the moment of the backup.
    pub async fn mark_unfinished(&mut self, taken_at: DateTime<Utc>) -> Result<(), CopyError> {
        Ok(restore_mark::mark(&mut self.db, taken_at).await?)
    }

    /// Checks the rows against each other, and keeps them.
    pub async fn commit(mut self, sequences: &[CopiedSequence]) -> Result<(), CopyError> {
        for table in &self.triggered {
            sqlx::raw_sql(&format!("ALTER TABLE {table} ENABLE TRIGGER USER")).execute(&mut self.db).await?;
        }
        for ForeignKey { table, name, definition } in &self.foreign_keys {
            let statement = format!("ALTER TABLE {table} ADD CONSTRAINT {name} {definition}");
            sqlx::raw_sql(&statement).execute(self.db.unlimited()?).await?;
        }
        for CopiedSequence { table, column, last } in sequences {
            if !self.tables.iter().any(|own| own.name == *table) {
                return Err(CopyError::Mismatch { table: table.clone() });
            }
            sqlx::query("SELECT setval(pg_get_serial_sequence($1, $2)::regclass, $3)")
                .bind(quote_name(table))
                .bind(column)
                .bind(last)
                .execute(&mut self.db)
                .await?;
        }
        // The work of the processes of the backup is free at once.
        crate::work::lanes::end_all(&mut self.db).await?;
        sqlx::raw_sql("COMMIT").execute(self.db.unlimited()?).await?;
        Ok(self.db.close().await?)
    }
}

pub struct TableFill<'c> {
    copy: PgCopyIn<&'c mut sqlx::PgConnection>,
}

impl TableFill<'_> {
    /// Sends some of the text; rows may be split anywhere.
    pub async fn send(&mut self, text: &[u8]) -> Result<()> {
        self.copy.send(text).await.map(drop).map_err(Error::from)
    }

    pub async fn finish(self) -> Result<u64> {
        Ok(self.copy.finish().await?)
    }
}
