//! A copy of the whole database.

use bytes::Bytes;
use domain::ids::ClientId;
use futures::TryStreamExt;
use storage::{
    Db,
    backup::{CopiedTable, CopyError, DatabaseSnapshot, Lineage, LoadTransaction, SnapshotContents, lineage, prepare},
    work::partitions,
};

use crate::{
    fixtures::{self, CLIENT, moment},
    migration::previous_version,
};

/// Everything that a backup holds.
struct Copy {
    contents: SnapshotContents,
    tables: Vec<(CopiedTable, Vec<Bytes>)>,
    sequences: Vec<storage::backup::CopiedSequence>,
}

async fn copy_of(db: &Db) -> Copy {
    let mut snapshot = DatabaseSnapshot::begin(db).await.unwrap();
    let contents = snapshot.contents().clone();
    let mut tables = Vec::new();
    for table in &contents.tables {
        let rows = snapshot.rows(table).await.unwrap().try_collect().await.unwrap();
        tables.push((table.clone(), rows));
    }
    let sequences = snapshot.sequences().await.unwrap();
    snapshot.end().await.unwrap();
    Copy { contents, tables, sequences }
}

async fn restore(copy: &Copy, target: &Db) -> Result<(), CopyError> {
    prepare(target, &copy.contents.migrations, &copy.contents.partitions).await?;
    let mut load = LoadTransaction::begin(target).await?;
    load.expect(&copy.contents.tables)?;
    for (table, rows) in &copy.tables {
        let mut filling = load.fill(table).await?;
        for text in rows {
            filling.send(text).await?;
        }
        filling.finish().await?;
    }
    load.commit(&copy.sequences).await
}

async fn filled() -> Db {
    let pool = scratch::database().await.pool(3).await;
    let mut db = pool.acquire().await.unwrap();
    for partition in partitions::missing(&mut db, "outbound_part", moment(0), 1).await.unwrap() {
        partitions::make(&mut db, &partition).await.unwrap();
    }
    fixtures::prepare(&mut db).await;
    drop(db);
    pool
}

/// The definition of everything that a load takes apart.
const SHAPE: &str = "SELECT string_agg(part, E'\\n' ORDER BY part) FROM (
    SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT inhrelid::regclass || ' ' || pg_get_expr(relpartbound, pg_class.oid)
              FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE relkind = 'r') AS parts (part)";

#[tokio::test]
async fn a_copy_has_the_rows_the_partitions_and_the_rules_of_the_original() {
    let original = filled().await;
    // A tab, a line feed, a backslash and the mark of a null.
    let text = "a\tb\nc\\d \\N é";
    sqlx::query("UPDATE client SET display_name = $2 WHERE id = $1")
        .bind(CLIENT.0)
        .bind(text)
        .execute(&original)
        .await
        .unwrap();
    sqlx::query(
        "INSERT INTO message_count_change (client_id, at, message_type, submitted, sent, delivered, read, failed)
         SELECT $1, now(), 'CHAT', 1, 0, 0, 0, 0",
    )
    .bind(CLIENT.0)
    .execute(&original)
    .await
    .unwrap();
    let copied = copy_of(&original).await;
    let target = scratch::empty_database().await.pool(3).await;

    restore(&copied, &target).await.unwrap();

    let shapes: Vec<String> = [
        sqlx::query_scalar(SHAPE).fetch_one(&original).await.unwrap(),
        sqlx::query_scalar(SHAPE).fetch_one(&target).await.unwrap(),
    ]
    .into();
    assert_eq!(shapes[0], shapes[1]);
    let name: String = sqlx::query_scalar("SELECT display_name FROM client WHERE id = $1")
        .bind(CLIENT.0)
        .fetch_one(&target)
        .await
        .unwrap();
    assert_eq!(name, text);
    let number =
        "INSERT INTO message_count_change (client_id, at, message_type, submitted, sent, delivered, read, failed)
                  SELECT $1, now(), 'CHAT', 1, 0, 0, 0, 0 RETURNING id";
    let next: i64 = sqlx::query_scalar(number).bind(CLIENT.0).fetch_one(&target).await.unwrap();
    assert_eq!(next, 2, "the numbers go on");
    let again = copy_of(&target).await;
    let rows = |copy: &Copy| -> Vec<usize> { copy.tables.iter().map(|(_, rows)| rows.len()).collect() };
    assert_eq!(again.tables.len(), copied.tables.len());
    assert_eq!(rows(&again).iter().sum::<usize>(), rows(&copied).iter().sum::<usize>() + 1);
}

#[tokio::test]
async fn a_copy_of_an_older_schema_is_restored_and_then_migrated() {
    let original = scratch::empty_database().await.pool(3).await;
    storage::migrate_to(&original, previous_version()).await.unwrap();
    let client = ClientId(uuid::Uuid::from_u128(7));
    sqlx::query("INSERT INTO client (id, client_ref, display_name, created_at) VALUES ($1, 'acme', 'Acme', now())")
        .bind(client.0)
        .execute(&original)
        .await
        .unwrap();
    let copied = copy_of(&original).await;
    assert_eq!(lineage(&copied.contents.migrations), Lineage::Older);
    let target = scratch::empty_database().await.pool(3).await;

    restore(&copied, &target).await.unwrap();
    assert_eq!(storage::migrate(&target).await.unwrap(), 1);

    let clients: i64 = sqlx::query_scalar("SELECT count(*) FROM client").fetch_one(&target).await.unwrap();
    assert_eq!(clients, 1);
}

#[tokio::test]
async fn a_load_without_a_commit_leaves_the_database_empty() {
    let copied = copy_of(&filled().await).await;
    let target = scratch::empty_database().await.pool(3).await;
    prepare(&target, &copied.contents.migrations, &copied.contents.partitions).await.unwrap();
    let mut load = LoadTransaction::begin(&target).await.unwrap();
    for (table, rows) in copied.tables.iter().take(20) {
        let mut filling = load.fill(table).await.unwrap();
        for text in rows {
            filling.send(text).await.unwrap();
        }
        filling.finish().await.unwrap();
    }
    drop(load);

    restore(&copied, &target).await.unwrap();
}

#[tokio::test]
async fn a_database_that_is_not_for_a_copy_is_refused() {
    let copied = copy_of(&filled().await).await;

    let refused = restore(&copied, &filled().await).await.unwrap_err();
    assert!(matches!(&refused, CopyError::NotEmpty { .. }), "{refused}");

    let foreign = scratch::empty_database().await.pool(2).await;
    sqlx::query("CREATE TABLE orders (id integer)").execute(&foreign).await.unwrap();
    let refused = restore(&copied, &foreign).await.unwrap_err();
    assert!(matches!(&refused, CopyError::Foreign { table } if table == "orders"), "{refused}");
    assert!(matches!(DatabaseSnapshot::begin(&foreign).await, Err(CopyError::NoTables)));

    let used = scratch::empty_database().await;
    let (other, own) = (used.pool(1).await, used.pool(2).await);
    let refused = restore(&copied, &own).await.unwrap_err();
    assert!(matches!(&refused, CopyError::InUse { .. }), "{refused}");
    other.close().await;

    let older = scratch::empty_database().await.pool(2).await;
    let wanted = previous_version();
    storage::migrate_to(&older, wanted).await.unwrap();
    let of_older = copy_of(&older).await;
    let newer = scratch::database().await.pool(2).await;
    let refused = restore(&of_older, &newer).await.unwrap_err();
    assert!(matches!(&refused, CopyError::OtherSchema { wanted: named, .. } if *named == wanted), "{refused}");
}

#[tokio::test]
async fn inconsistent_rows_are_refused() {
    let mut copied = copy_of(&filled().await).await;
    for (table, rows) in &mut copied.tables {
        if table.name == "client" {
            rows.clear();
        }
    }
    let target = scratch::empty_database().await.pool(3).await;
    let refused = restore(&copied, &target).await.unwrap_err();
    assert!(matches!(&refused, CopyError::Storage(_)), "{refused}");
}
