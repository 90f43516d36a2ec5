//! The registry of personal data and the schema must agree: a new table cannot be forgotten.

use std::collections::BTreeSet;

use storage::{
    PgConnection,
    personal_data::{self, PersonLink, REGISTRY, RowTreatment, TableRule},
};

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

#[test]
fn a_table_with_personal_columns_says_how_its_rows_are_tied_to_a_person() {
    for table in REGISTRY {
        let is_tied = !matches!(table.rule, TableRule::Unrelated);
        assert!(is_tied || table.columns.is_empty(), "give `{}` a rule in storage::personal_data", table.name);
    }
}

#[test]
fn an_erasure_empties_or_deletes_every_personal_column_of_a_row() {
    for table in REGISTRY {
        let TableRule::Tied(ties, fate, _) = table.rule else { continue };
        let address = |tie: &PersonLink| match tie {
            PersonLink::Value(column) => Some(*column),
            _ => None,
        };
        let emptied: Vec<&str> = match fate {
            RowTreatment::Delete | RowTreatment::DeleteMetered => continue,
            RowTreatment::Blank(columns) => columns.iter().map(|(column, _)| *column).collect(),
            // A stop keeps the address, and nothing else (ADR 0064).
            RowTreatment::KeepStop(columns) => {
                columns.iter().map(|(column, _)| *column).chain(ties.iter().filter_map(address)).collect()
            }
            RowTreatment::Redact(columns) => columns.iter().map(|(column, _)| *column).collect(),
        };
        for column in table.columns {
            // The author of an entry is a user or the operator.
            let is_of_user = (table.name, *column) == ("audit", "actor");
            assert!(is_of_user || emptied.contains(column), "{}.{column} outlives an erasure", table.name);
        }
    }
}

/// Tests of other databases on the same server may write for a moment.
async fn wait_until_not_seen(db: &mut PgConnection, transaction: i64) {
    while personal_data::is_seen_by_older(db, transaction).await.unwrap() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn deleted_rows_are_seen_by_an_earlier_write_of_another_database() {
    let mut db = scratch::database().await.connection().await;
    let mut other = scratch::database().await.connection().await;
    sqlx::raw_sql("BEGIN; SELECT pg_current_xact_id();").execute(&mut other).await.unwrap();
    let transaction = personal_data::youngest_transaction(&mut db).await.unwrap();

    assert!(personal_data::is_seen_by_older(&mut db, transaction).await.unwrap());

    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    wait_until_not_seen(&mut db, transaction).await;
}

#[tokio::test]
async fn deleted_rows_are_seen_by_an_earlier_snapshot_of_the_database_and_by_no_later_one() {
    let scratch = scratch::database().await;
    let (mut db, mut other) = (scratch.connection().await, scratch.connection().await);
    let snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM client;";
    sqlx::raw_sql(snapshot).execute(&mut other).await.unwrap();
    let transaction = personal_data::youngest_transaction(&mut db).await.unwrap();

    assert!(personal_data::is_seen_by_older(&mut db, transaction).await.unwrap());

    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    wait_until_not_seen(&mut db, transaction).await;
    sqlx::raw_sql(snapshot).execute(&mut other).await.unwrap();
    wait_until_not_seen(&mut db, transaction).await;
}
