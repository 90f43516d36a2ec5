//! The schema of the next release.

use sqlx::{Connection, PgConnection};

use crate::Patchbay;

/// Limit for a wait for a lock, as the program has it for its migrations.
const LOCK_WAIT: &str = "SET LOCAL lock_timeout = '500ms'";

impl Patchbay {
    /// Applies a migration that the program does not have: two columns in each table. Its name says which programs may work
    /// on them.
    pub async fn apply_later_migration(&self, name: &str) {
        let mut db = self.database().await;
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT format('%I', relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
               AND NOT relispartition AND relname <> '_sqlx_migrations' ORDER BY relname",
        )
        .fetch_all(&mut db)
        .await
        .unwrap();
        assert!(tables.len() > 50, "found only {tables:?}");
        for table in tables {
            while !add_columns(&mut db, &table).await {}
        }
        sqlx::query(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             SELECT max(version) + 1, $1, true, '', 0 FROM _sqlx_migrations",
        )
        .bind(name)
        .execute(&mut db)
        .await
        .unwrap();
    }
}

/// False if the table was locked for too long.
async fn add_columns(db: &mut PgConnection, table: &str) -> bool {
    let mut tx = db.begin().await.unwrap();
    sqlx::query(LOCK_WAIT).execute(&mut *tx).await.unwrap();
    let statement =
        format!("ALTER TABLE {table} ADD COLUMN later_text text, ADD COLUMN later_count bigint NOT NULL DEFAULT 0");
    let altered = sqlx::query(&statement).execute(&mut *tx).await;
    match altered {
        Ok(_) => tx.commit().await.is_ok(),
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("55P03") => false,
        Err(error) => panic!("{statement}: {error}"),
    }
}
