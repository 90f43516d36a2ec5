//! The registry of personal data and the schema must agree: a new table cannot be forgotten.

use std::collections::BTreeSet;

use storage::personal_data::REGISTRY;

const TABLES: &str = "SELECT relname::text FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND relname <> '_sqlx_migrations'";

#[tokio::test]
async fn every_table_is_in_the_registry_and_nothing_else() {
    let scratch = scratch::database().await;
    let mut db = scratch.connection().await;
    let tables: Vec<String> = sqlx::query_scalar(TABLES).fetch_all(&mut db).await.unwrap();
    let tables: BTreeSet<&str> = tables.iter().map(String::as_str).collect();
    let registered: BTreeSet<&str> = REGISTRY.iter().map(|table| table.name).collect();
    let forgotten: Vec<_> = tables.difference(&registered).collect();
    let gone: Vec<_> = registered.difference(&tables).collect();
    assert!(forgotten.is_empty(), "say in storage::personal_data which columns are personal, if any: {forgotten:?}");
    assert!(gone.is_empty(), "remove from storage::personal_data: {gone:?}");
    assert_eq!(registered.len(), REGISTRY.len(), "a table is registered twice");
}

#[tokio::test]
async fn every_registered_column_exists() {
    let scratch = scratch::database().await;
    let mut db = scratch.connection().await;
    for table in REGISTRY {
        for column in table.columns {
            let found: bool = sqlx::query_scalar(
                "SELECT EXISTS (SELECT 1 FROM information_schema.columns
                 WHERE table_schema = 'public' AND table_name = $1 AND column_name = $2)",
            )
            .bind(table.name)
            .bind(column)
            .fetch_one(&mut db)
            .await
            .unwrap();
            assert!(found, "{}.{column} is registered and does not exist", table.name);
        }
    }
}
