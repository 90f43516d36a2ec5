//! The stored rows, for tests that nothing else is stored.

use std::collections::BTreeMap;

use sqlx::{Connection, PgConnection};

use crate::Patchbay;

/// Tables with the progress of workers, not with requests of clients.
const TRANSIENT: &[&str] = &["lane", "messaging_tier", "request_log"];

/// Rows per table.
pub type RowCounts = BTreeMap<String, i64>;

impl Patchbay {
    /// A connection to the program's database.
    pub async fn database(&self) -> PgConnection {
        PgConnection::connect(self.database_url()).await.expect("the database of the test answers")
    }

    /// How many rows a client has in every table that holds rows of clients.
    pub async fn rows_of(&self, client_ref: &str) -> RowCounts {
        let mut db = self.database().await;
        let tables: Vec<(String,)> = sqlx::query_as(
            "SELECT c.relname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
             WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND a.attname = 'client_id'
               AND c.relnamespace = 'public'::regnamespace ORDER BY 1",
        )
        .fetch_all(&mut db)
        .await
        .unwrap();
        assert!(tables.len() > 20, "found only {tables:?}");
        let mut counts = RowCounts::new();
        for (table,) in tables.into_iter().filter(|(table,)| !TRANSIENT.contains(&table.as_str())) {
            let statement =
                format!("SELECT count(*) FROM {table} WHERE client_id = (SELECT id FROM client WHERE client_ref = $1)");
            let rows: i64 = sqlx::query_scalar(&statement).bind(client_ref).fetch_one(&mut db).await.unwrap();
            counts.insert(table, rows);
        }
        counts
    }

    /// How many outbound messages a client has.
    pub async fn messages_of(&self, client_ref: &str) -> i64 {
        self.rows_of(client_ref).await.get("outbound_message").copied().expect("there is a table of messages")
    }
}
