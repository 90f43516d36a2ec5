//! A round of upkeep over a whole database.
#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

use base::upkeep;
use chrono::{DateTime, Days, Utc};
use domain::clock::first_id_at;
use settings::Retention;
use storage::{Db, work::partitions};
use uuid::Uuid;

/// Number of partitions after a round: the current one and the next one of each table.
const ALL: u32 = 2 * partitions::PARTITIONED.len() as u32;

const CLIENT: Uuid = Uuid::from_u128(1);

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).unwrap()
}

/// Stores a provider's message id that is `days` old.
async fn remember(db: &Db, name: &str, days: u64) {
    sqlx::query("INSERT INTO provider_message (client_id, provider_id, outbound_message_id) VALUES ($1, $2, $3)")
        .bind(CLIENT)
        .bind(name)
        .bind(first_id_at(now() - Days::new(days)))
        .execute(db)
        .await
        .unwrap();
}

async fn remembered(db: &Db) -> Vec<String> {
    sqlx::query_scalar("SELECT provider_id FROM provider_message ORDER BY provider_id").fetch_all(db).await.unwrap()
}

#[tokio::test]
async fn a_round_of_upkeep_creates_missing_partitions_once_and_deletes_old_data() {
    let db = scratch::database().await.pool(4).await;
    let keep = Retention::default();
    let kept = u64::from(keep.message_days);
    remember(&db, "young", kept - 1).await;
    remember(&db, "old", kept + 1).await;

    let first = upkeep::round(&db, now(), &keep).await.unwrap();
    assert_eq!((first.made, first.dropped, first.postponed, first.forgotten), (ALL, 0, 0, 1));
    assert_eq!(remembered(&db).await, ["young"]);
    assert_eq!(upkeep::round(&db, now(), &keep).await.unwrap(), upkeep::UpkeepRound::default());

    // Partitions of messages cover seven weeks.
    let much_later = now() + Days::new(kept + 100);
    let last = upkeep::round(&db, much_later, &keep).await.unwrap();
    assert_eq!((last.made, last.dropped, last.forgotten), (ALL, ALL, 1));
}

#[tokio::test]
async fn values_of_chatbots_with_an_expiry_are_deleted_afterwards() {
    let db = scratch::database().await.pool(4).await;
    sqlx::query("INSERT INTO client (id, client_ref, display_name, created_at) VALUES ($1, 'one', 'One', $2)")
        .bind(CLIENT)
        .bind(now())
        .execute(&db)
        .await
        .unwrap();
    for (key, end) in [("over", Some(now())), ("not over", Some(now() + Days::new(1))), ("lasting", None)] {
        sqlx::query(
            "INSERT INTO chatbot_value (client_id, plugin, participant_id, key, value, version, expires_at)
             VALUES ($1, 'bot', $1, $2, 'x', 1, $3)",
        )
        .bind(CLIENT)
        .bind(key)
        .bind(end)
        .execute(&db)
        .await
        .unwrap();
    }

    assert_eq!(upkeep::round(&db, now(), &Retention::default()).await.unwrap().forgotten, 1);

    let left: Vec<String> =
        sqlx::query_scalar("SELECT key FROM chatbot_value ORDER BY key").fetch_all(&db).await.unwrap();
    assert_eq!(left, ["lasting", "not over"]);
}

#[tokio::test]
async fn receipts_that_match_no_message_for_a_day_are_deleted_and_counted_once() {
    let db = scratch::database().await.pool(4).await;
    let hours = |hours: i64| now() - chrono::TimeDelta::hours(hours);
    // The first waits under the names of two binds.
    for (id, bind, at) in [(1, "one", hours(25)), (1, "two", hours(25)), (2, "one", hours(25)), (3, "one", hours(23))] {
        sqlx::query(
            "INSERT INTO parked_receipt (bind, smsc_id, id, state, received_at) VALUES ($1, 'A', $2, 'DELIVERED', $3)",
        )
        .bind(bind)
        .bind(Uuid::from_u128(id))
        .bind(at)
        .execute(&db)
        .await
        .unwrap();
    }

    let done = upkeep::round(&db, now(), &Retention::default()).await.unwrap();

    assert_eq!((done.forgotten, done.unmatched_receipts), (3, 2));
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM parked_receipt").fetch_one(&db).await.unwrap();
    assert_eq!(left, 1);
}

#[tokio::test]
async fn a_waiting_round_of_upkeep_does_not_delay_sends() {
    let scratch = scratch::database().await;
    let db = scratch.pool(4).await;
    // A long read of all parts.
    let mut reading = db.begin().await.unwrap();
    sqlx::query("SELECT count(*) FROM outbound_part").execute(&mut *reading).await.unwrap();

    let done = upkeep::round(&db, now(), &Retention::default()).await.unwrap();

    assert_eq!((done.made, done.postponed), (ALL - 2, 2), "the partitions of that table wait for the next round");
    reading.rollback().await.unwrap();
    assert_eq!(upkeep::round(&db, now(), &Retention::default()).await.unwrap().made, 2);
}

#[tokio::test]
async fn a_change_of_a_busy_table_is_made_in_the_same_round_once_the_table_is_free() {
    let scratch = scratch::database().await;
    let (db, watching) = (scratch.pool(4).await, scratch.pool(1).await);
    let mut reading = db.begin().await.unwrap();
    sqlx::query("SELECT count(*) FROM outbound_part").execute(&mut *reading).await.unwrap();
    let passes_by = async {
        scratch::until_table_wait(&watching, "outbound_part").await;
        reading.rollback().await.unwrap();
    };

    let keep = Retention::default();
    let (done, ()) = tokio::join!(upkeep::round(&db, now(), &keep), passes_by);

    let done = done.unwrap();
    assert_eq!((done.made, done.postponed), (ALL, 0));
}

#[tokio::test]
async fn a_change_of_the_schema_does_not_wait_for_the_deletes_to_be_committed() {
    let db = scratch::database().await.pool(4).await;
    let keep = Retention::default();
    remember(&db, "old", u64::from(keep.message_days) + 1).await;
    // A delete that lasts until the test ends it.
    sqlx::raw_sql(
        "CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN OLD; END $$;
         CREATE TRIGGER slow BEFORE DELETE ON provider_message FOR EACH ROW EXECUTE FUNCTION slow()",
    )
    .execute(&db)
    .await
    .unwrap();
    let mut brake = db.begin().await.unwrap();
    sqlx::query("SELECT pg_advisory_xact_lock(42)").execute(&mut *brake).await.unwrap();
    let mut round = tokio::spawn({
        let (db, keep) = (db.clone(), keep.clone());
        async move { upkeep::round(&db, now(), &keep).await }
    });

    tokio::select! {
        () = scratch::until_lock_wait(&db, "DELETE") => {}
        _ = &mut round => panic!("nothing was deleted"),
    }
    let insert = "INSERT INTO outbound_part (client_id, id, batch_id, inbox_id, message_type, content)
                  VALUES ($1, $2, $1, $1, 'CHAT', '{}')";
    let send = sqlx::query(insert).bind(CLIENT).bind(first_id_at(now())).execute(&db);
    tokio::time::timeout(std::time::Duration::from_secs(10), send).await.expect("a send waits").unwrap();

    brake.rollback().await.unwrap();
    assert_eq!(round.await.unwrap().unwrap().forgotten, 1);
}
