//! The rows of all tables at one moment, while other processes write.

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures::{StreamExt, TryStreamExt, stream::BoxStream};

use super::{
    catalog::{self, CopiedPartition, CopiedSequence, CopiedTable},
    error::CopyError,
    lineage::{self, AppliedMigration},
    session,
};
use crate::{Db, Error, PgConnection, Result};

/// A read-only transaction at one moment. Only changes of the schema wait for it: migrations and upkeep of partitions.
pub struct DatabaseSnapshot {
    db: PgConnection,
    contents: SnapshotContents,
}

#[derive(Debug, Clone)]
pub struct SnapshotContents {
    /// The moment, by the clock of the database.
    pub taken_at: DateTime<Utc>,
    pub migrations: Vec<AppliedMigration>,
    pub tables: Vec<CopiedTable>,
    pub partitions: Vec<CopiedPartition>,
}

impl DatabaseSnapshot {
    pub async fn begin(pool: &Db) -> Result<Self, CopyError> {
        let mut db = session::open(pool).await?;
        if lineage::applied(&mut db).await?.is_empty() {
            return Err(CopyError::NoTables);
        }
        let tables = catalog::tables(&mut db).await?;
        let names: Vec<String> = tables.iter().map(CopiedTable::quoted_name).collect();
        sqlx::raw_sql("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY").execute(&mut db).await?;
        // The locks come first: the view of the data begins with the first SELECT, so no migration falls between.
        let locks = format!("LOCK TABLE _sqlx_migrations, {} IN ACCESS SHARE MODE", names.join(", "));
        sqlx::raw_sql(&locks).execute(&mut db).await?;
        let taken_at = sqlx::query_scalar("SELECT now()").fetch_one(&mut db).await?;
        let migrations = lineage::applied(&mut db).await?;
        if catalog::tables(&mut db).await? != tables {
            return Err(CopyError::SchemaChanged);
        }
        let partitions = catalog::partitions(&mut db).await?;
        Ok(Self { db, contents: SnapshotContents { taken_at, migrations, tables, partitions } })
    }

    pub fn contents(&self) -> &SnapshotContents {
        &self.contents
    }

    pub fn connection(&mut self) -> &mut PgConnection {
        &mut self.db
    }

    /// The rows of a table in the text format of COPY. Each row ends with a line feed, and no other line feed occurs.
    pub async fn rows(&mut self, table: &CopiedTable) -> Result<BoxStream<'_, Result<Bytes>>> {
        let statement = format!("COPY (SELECT {} FROM {}) TO STDOUT", table.quoted_columns(), table.quoted_name());
        let rows = self.db.unlimited()?.copy_out_raw(&statement).await?;
        Ok(rows.map_err(Error::from).boxed())
    }

    pub async fn sequences(&mut self) -> Result<Vec<CopiedSequence>> {
        catalog::sequences(&mut self.db).await
    }

    pub async fn end(mut self) -> Result<()> {
        sqlx::raw_sql("COMMIT").execute(&mut self.db).await?;
        self.db.close().await
    }
}
