//! The tables of our schema, read from the catalogue of PostgreSQL, so that new tables are copied without a change
//! here.

use serde::{Deserialize, Serialize};

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedTable {
    pub name: String,
    pub columns: Vec<String>,
}

impl CopiedTable {
    pub(super) fn quoted_name(&self) -> String {
        quote_name(&self.name)
    }

    pub(super) fn quoted_columns(&self) -> String {
        let columns: Vec<String> = self.columns.iter().map(|column| quote_name(column)).collect();
        columns.join(", ")
    }

    pub(super) fn has_columns_of(&self, other: &Self) -> bool {
        let sorted = |table: &Self| {
            let mut columns = table.columns.clone();
            columns.sort_unstable();
            columns
        };
        self.name == other.name && sorted(self) == sorted(other)
    }
}

/// The last number that a column with numbers of its own has given out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedSequence {
    pub table: String,
    pub column: String,
    pub last: i64,
}

/// A partition of a table, with its bounds as PostgreSQL writes them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopiedPartition {
    pub table: String,
    pub bounds: String,
}

#[derive(Debug)]
pub(super) struct ForeignKey {
    pub(super) table: String,
    pub(super) name: String,
    pub(super) definition: String,
}

pub(super) fn quote_name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Without that of the migrations. A partitioned table is one table.
pub(super) async fn tables(db: &mut PgConnection) -> Result<Vec<CopiedTable>> {
    let tables: Vec<(String, Vec<String>)> = sqlx::query_as(
        "SELECT c.relname::text, array_agg(a.attname::text ORDER BY a.attnum)
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
           AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> '_sqlx_migrations'
           AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
         GROUP BY c.relname ORDER BY c.relname",
    )
    .fetch_all(db)
    .await?;
    Ok(tables.into_iter().map(|(name, columns)| CopiedTable { name, columns }).collect())
}

pub(super) async fn sequences(db: &mut PgConnection) -> Result<Vec<CopiedSequence>> {
    let sequences: Vec<(String, String, Option<i64>)> = sqlx::query_as(
        "SELECT c.relname::text, a.attname::text,
                pg_sequence_last_value(pg_get_serial_sequence(quote_ident(c.relname), a.attname)::regclass)
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
         WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
           AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attnum > 0 AND a.attidentity <> ''
         ORDER BY c.relname, a.attname",
    )
    .fetch_all(db)
    .await?;
    let given_out =
        |(table, column, last): (String, String, Option<i64>)| last.map(|last| CopiedSequence { table, column, last });
    Ok(sequences.into_iter().filter_map(given_out).collect())
}

/// All partitions except the default ones, which the migrations make.
pub(super) async fn partitions(db: &mut PgConnection) -> Result<Vec<CopiedPartition>> {
    let partitions: Vec<(String, String)> = sqlx::query_as(
        "SELECT parent.relname::text, pg_get_expr(child.relpartbound, child.oid)
         FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
         WHERE parent.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
           AND parent.relkind = 'p' AND pg_get_expr(child.relpartbound, child.oid) <> 'DEFAULT'
         ORDER BY parent.relname, child.relname",
    )
    .fetch_all(db)
    .await?;
    Ok(partitions.into_iter().map(|(table, bounds)| CopiedPartition { table, bounds }).collect())
}

pub(super) async fn foreign_keys(db: &mut PgConnection) -> Result<Vec<ForeignKey>> {
    let keys: Vec<(String, String, String)> = sqlx::query_as(
        "SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid) FROM pg_constraint
         WHERE connamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
           AND contype = 'f' AND conparentid = 0
         ORDER BY conname",
    )
    .fetch_all(db)
    .await?;
    Ok(keys.into_iter().map(|(table, name, definition)| ForeignKey { table, name, definition }).collect())
}

pub(super) async fn tables_with_triggers(db: &mut PgConnection) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar(
        "SELECT DISTINCT c.oid::regclass::text FROM pg_class c JOIN pg_trigger t ON t.tgrelid = c.oid
         WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
           AND NOT c.relispartition AND NOT t.tgisinternal",
    )
    .fetch_all(db)
    .await?)
}
