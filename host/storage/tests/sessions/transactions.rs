//! Sessions after the end of a transaction.

use std::pin::pin;

use futures::poll;
use scratch::Scratch;
use storage::Db;

/// A pool of one session. The constraint of `entry` is checked at the commit: it takes 0.2 s, and refuses the number 0.
async fn pool_with_a_slow_commit() -> (Scratch, Db) {
    let scratch = scratch::database().await;
    let db = storage::connect(&scratch.url, 1).await.unwrap();
    sqlx::raw_sql(
        "CREATE TABLE entry (number int);
         CREATE FUNCTION refuse_zero() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             PERFORM pg_sleep(0.2);
             IF NEW.number = 0 THEN RAISE EXCEPTION 'zero'; END IF;
             RETURN NULL;
         END $$;
         CREATE CONSTRAINT TRIGGER refuse_zero AFTER INSERT ON entry
             DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_zero()",
    )
    .execute(&db)
    .await
    .unwrap();
    (scratch, db)
}

async fn insert(db: &mut storage::PgConnection, number: i32) {
    sqlx::query("INSERT INTO entry VALUES ($1)").bind(number).execute(db).await.unwrap();
}

async fn server_process(db: &Db) -> i32 {
    sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(db).await.unwrap()
}

#[tokio::test]
async fn a_commit_whose_answer_is_not_waited_for_closes_its_session() {
    let (_scratch, db) = pool_with_a_slow_commit().await;
    let before = server_process(&db).await;
    let mut tx = db.begin().await.unwrap();
    insert(&mut tx, 1).await;

    {
        let mut commit = pin!(tx.commit());
        assert!(poll!(&mut commit).is_pending());
    }

    assert_ne!(server_process(&db).await, before);
}

#[tokio::test]
async fn a_commit_that_is_refused_closes_its_session() {
    let (_scratch, db) = pool_with_a_slow_commit().await;
    let before = server_process(&db).await;
    let mut tx = db.begin().await.unwrap();
    insert(&mut tx, 0).await;

    assert!(tx.commit().await.is_err());

    assert_ne!(server_process(&db).await, before);
    assert_eq!(sqlx::query_scalar::<_, i64>("SELECT count(*) FROM entry").fetch_one(&db).await.unwrap(), 0);
}

#[tokio::test]
async fn a_session_is_used_on_after_a_commit_and_after_a_rollback() {
    let (_scratch, db) = pool_with_a_slow_commit().await;
    let before = server_process(&db).await;

    let mut tx = db.begin().await.unwrap();
    insert(&mut tx, 1).await;
    tx.commit().await.unwrap();
    db.begin().await.unwrap().rollback().await.unwrap();
    drop(db.begin().await.unwrap());

    assert_eq!(server_process(&db).await, before);
}
