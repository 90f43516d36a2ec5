//! The schema is migrated to any of its versions, and a later migration is applied on top of the baseline.

use std::{borrow::Cow, iter};

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use storage::{
    Db, Error, MIGRATOR,
    backup::{self, Lineage},
    inboxes,
    tenancy::clients,
};

use crate::fixtures::{self, CLIENT, INBOX};

/// The version of the last migration.
pub fn last_version() -> i64 {
    MIGRATOR.iter().map(|migration| migration.version).max().unwrap()
}

/// The version before the last one. Numbers may have gaps.
pub fn previous_version() -> i64 {
    MIGRATOR.iter().map(|migration| migration.version).filter(|version| *version < last_version()).max().unwrap()
}

/// The migrations of this program and a later one with this text.
fn with_a_later_one(text: &'static str) -> Migrator {
    with_a_later_one_of_name("later", text)
}

fn with_a_later_one_of_name(name: &str, text: &'static str) -> Migrator {
    let no_transaction = text.contains("CONCURRENTLY");
    let later =
        Migration::new(last_version() + 1, name.to_owned().into(), MigrationType::Simple, text.into(), no_transaction);
    let migrations: Vec<Migration> = MIGRATOR.iter().cloned().chain(iter::once(later)).collect();
    Migrator { migrations: Cow::Owned(migrations), ..Migrator::DEFAULT }
}

/// Runs on a session of its own, because the lock of a failed run ends with its session.
async fn apply(migrator: &Migrator, pool: &Db) -> Result<(), MigrateError> {
    let mut db = pool.acquire().await.unwrap().detach();
    let applied = migrator.run(db.unlimited().unwrap()).await;
    db.close().await.unwrap();
    applied
}

async fn lineage(pool: &Db) -> Lineage {
    backup::lineage(&backup::applied(&mut pool.acquire().await.unwrap()).await.unwrap())
}

#[tokio::test]
async fn a_database_is_migrated_to_each_version_in_turn() {
    let pool = scratch::empty_database().await.pool(2).await;
    for version in MIGRATOR.iter().map(|migration| migration.version) {
        assert_eq!(storage::migrate_to(&pool, version).await.unwrap(), 1, "version {version}");
        let is_last = version == last_version();
        assert_eq!(storage::is_current(&mut pool.acquire().await.unwrap()).await.unwrap(), is_last);
        assert_eq!(lineage(&pool).await, if is_last { Lineage::Same } else { Lineage::Older });
    }
    assert_eq!(storage::migrate(&pool).await.unwrap(), 0);
}

#[tokio::test]
async fn a_later_migration_changes_a_database_with_rows_and_keeps_them() {
    let pool = scratch::database().await.pool(2).await;
    let mut db = pool.acquire().await.unwrap();
    fixtures::prepare(&mut db).await;
    let before = inboxes::by_id(&mut db, CLIENT, INBOX).await.unwrap().unwrap();
    drop(db);
    let newer = with_a_later_one(
        "ALTER TABLE client ADD COLUMN motto text;
         UPDATE client SET motto = display_name;
         ALTER TABLE client ALTER COLUMN motto SET NOT NULL;",
    );

    apply(&newer, &pool).await.unwrap();

    let mut db = pool.acquire().await.unwrap();
    let mottos: Vec<String> = sqlx::query_scalar("SELECT motto FROM client").fetch_all(&mut *db).await.unwrap();
    assert_eq!(mottos, ["Name", "Name"]);
    assert_eq!(inboxes::by_id(&mut db, CLIENT, INBOX).await.unwrap().unwrap(), before);
    assert_eq!(clients::get(&mut db, CLIENT).await.unwrap().unwrap().display_name, "Name");
    drop(db);
    apply(&newer, &pool).await.unwrap();
    assert_eq!(lineage(&pool).await, Lineage::Newer);
}

#[tokio::test]
async fn a_migration_that_fails_leaves_the_schema_as_it_was() {
    let pool = scratch::database().await.pool(2).await;
    fixtures::prepare(&mut pool.acquire().await.unwrap()).await;
    let broken = with_a_later_one("ALTER TABLE client ADD COLUMN motto text NOT NULL;");

    let refused = apply(&broken, &pool).await.unwrap_err();

    assert!(
        matches!(&refused, MigrateError::ExecuteMigration(_, version) if *version == last_version() + 1),
        "{refused}"
    );
    assert_eq!(storage::migrate(&pool).await.unwrap(), 0);
    assert!(storage::is_current(&mut pool.acquire().await.unwrap()).await.unwrap());
}

#[tokio::test]
async fn a_program_works_on_a_newer_schema_and_applies_nothing() {
    let pool = scratch::database().await.pool(2).await;
    apply(&with_a_later_one("CREATE TABLE motto (id uuid PRIMARY KEY);"), &pool).await.unwrap();

    assert_eq!(storage::migrate(&pool).await.unwrap(), 0);

    let mut db = pool.acquire().await.unwrap();
    assert!(storage::is_current(&mut db).await.unwrap());
    assert_eq!(storage::schema(&mut db).await.unwrap(), storage::own_schema() + 1);
}

#[tokio::test]
async fn a_contract_allows_programs_from_the_one_that_it_names() {
    for (oldest, is_allowed) in [(last_version(), true), (last_version() + 1, false)] {
        let pool = scratch::database().await.pool(2).await;
        let name = format!("contract {oldest:04} drop motto");
        apply(&with_a_later_one_of_name(&name, "SELECT 1;"), &pool).await.unwrap();

        let outcome = storage::migrate(&pool).await;

        assert_eq!(outcome.is_ok(), is_allowed, "{outcome:?}");
        assert_eq!(storage::is_current(&mut pool.acquire().await.unwrap()).await.unwrap(), is_allowed);
        if let Err(refused) = outcome {
            let cure = "Start the release of Patchbay that migrated the database, or a newer one";
            assert!(refused.to_string().contains(cure), "{refused}");
        }
    }
}

#[tokio::test]
async fn a_database_that_lacks_a_migration_before_a_newer_one_is_refused() {
    let pool = scratch::database().await.pool(2).await;
    apply(&with_a_later_one("SELECT 1;"), &pool).await.unwrap();
    sqlx::query("DELETE FROM _sqlx_migrations WHERE version = $1").bind(last_version()).execute(&pool).await.unwrap();

    let refused = storage::migrate(&pool).await.unwrap_err();

    let later = |version: &i64| *version == last_version() + 1;
    assert!(matches!(&refused, Error::Migration(MigrateError::VersionMissing(version)) if later(version)), "{refused}");
}

#[tokio::test]
async fn a_migration_that_waits_for_a_lock_lets_statements_of_running_processes_pass() {
    let pool = scratch::empty_database().await.pool(4).await;
    // 0015 changes the table `audit`.
    storage::migrate_to(&pool, 14).await.unwrap();
    let mut reader = pool.begin().await.unwrap();
    sqlx::query("LOCK TABLE audit IN ACCESS SHARE MODE").execute(&mut *reader).await.unwrap();
    let migrating = {
        let pool = pool.clone();
        tokio::spawn(async move { storage::migrate_to(&pool, 15).await })
    };
    scratch::until_table_wait(&pool, "audit").await;

    // It would wait behind the migration until the reader ends.
    sqlx::query("SELECT FROM audit").execute(&pool).await.unwrap();

    assert!(!migrating.is_finished());
    reader.rollback().await.unwrap();
    assert_eq!(migrating.await.unwrap().unwrap(), 1);
}

#[tokio::test]
async fn processes_that_start_together_build_an_index_once_after_an_interrupted_build() {
    let pool = scratch::database().await.pool(4).await;
    sqlx::raw_sql(
        "CREATE INDEX client_by_name ON client (display_name);
         UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'client_by_name'::regclass;",
    )
    .execute(&pool)
    .await
    .unwrap();
    let newer = with_a_later_one("CREATE INDEX CONCURRENTLY client_by_name ON client (display_name)");

    let (one, other) = tokio::join!(storage::migrate_with(&pool, &newer), storage::migrate_with(&pool, &newer));

    assert_eq!(one.unwrap() + other.unwrap(), 1);
    let is_valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'client_by_name'::regclass";
    assert!(sqlx::query_scalar::<_, bool>(is_valid).fetch_one(&pool).await.unwrap());
}

#[tokio::test]
async fn a_migration_that_was_edited_after_its_release_is_refused() {
    let pool = scratch::database().await.pool(2).await;
    sqlx::query("UPDATE _sqlx_migrations SET checksum = '\\x00' WHERE version = 2").execute(&pool).await.unwrap();

    let refused = storage::migrate(&pool).await.unwrap_err();

    assert!(matches!(&refused, Error::Migration(MigrateError::VersionMismatch(2))), "{refused}");
}
