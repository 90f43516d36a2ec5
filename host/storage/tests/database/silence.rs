//! A database that does not answer: its processes stand still, or the network loses everything.

use std::time::Duration;

use storage::{Db, Error, Timing, plugins::changes::Changes};
use tokio::time::timeout;

/// Nothing here takes as long on any machine.
const FOR_EVER: Duration = Duration::from_secs(60);

/// Silence is noticed soon, and statements have all the time that they want.
const ALERT: Timing = Timing {
    asked_every: Duration::from_millis(20),
    silent_after: Duration::from_millis(500),
    request: FOR_EVER,
    request_total: FOR_EVER,
    work: FOR_EVER,
};

async fn ask(pool: &Db) -> Result<(), Error> {
    sqlx::query("SELECT 1").execute(pool).await?;
    Ok(())
}

/// Fails if it hangs.
async fn ends<T>(doing: impl Future<Output = T>) -> T {
    timeout(FOR_EVER / 2, doing).await.unwrap_or_else(|_| panic!("it hangs"))
}

#[tokio::test]
async fn all_waits_for_a_silent_database_end_at_once_and_sessions_are_replaced_when_it_answers() {
    let wire = scratch::database().await.wire().await;
    let pool = storage::connect_with(&wire.url, 3, ALERT).await.unwrap();
    let mut listening = Changes::listen(&pool).await.unwrap();
    let mut locking = pool.begin().await.unwrap();
    sqlx::query("LOCK TABLE client").execute(&mut *locking).await.unwrap();
    let committing = pool.begin().await.unwrap();
    let mut asking = pool.acquire().await.unwrap();

    wire.hold();
    let statement = sqlx::query("SELECT 1").execute(&mut *asking);
    let (statement, commit, place, heard) =
        ends(async { tokio::join!(statement, committing.commit(), pool.acquire(), listening.next()) }).await;
    assert!(pool.is_silent());
    for error in [Error::from(statement.unwrap_err()), commit.unwrap_err(), place.unwrap_err()] {
        assert!(error.is_lost() && error.is_outage(), "{error:?}");
    }
    assert!(heard.unwrap_err().is_lost());
    // A session that was not waited for is not used on either.
    assert!(ends(sqlx::query("SELECT 1").execute(&mut *locking)).await.is_err());
    assert!(ends(ask(&pool)).await.unwrap_err().is_lost());
    drop((asking, locking));

    // Another machine takes the place of the old one: not even an end comes over the sessions from before.
    wire.vanish();
    wire.release();
    ends(pool.until_answering()).await;
    let asks = (0..20).map(|_| ask(&pool));
    assert!(ends(futures::future::join_all(asks)).await.iter().all(Result::is_ok));
    // A lock of a session from before is free, although PostgreSQL has not heard of its end.
    let mut db = pool.acquire().await.unwrap();
    sqlx::query("SET lock_timeout = '10s'").execute(&mut *db).await.unwrap();
    ends(sqlx::query("UPDATE client SET client_ref = client_ref").execute(&mut *db)).await.unwrap();
    Changes::listen(&pool).await.unwrap();
}

#[tokio::test]
async fn a_slow_database_is_not_a_silent_one() {
    let wire = scratch::database().await.wire().await;
    let pool = storage::connect(&wire.url, 2).await.unwrap();
    wire.delay(Duration::from_millis(200));
    let asking = async {
        for _ in 0..12 {
            ask(&pool).await.unwrap();
        }
    };
    tokio::select! {
        () = asking => {}
        () = pool.until_silent() => panic!("it was only slow"),
    }
}

#[tokio::test]
async fn a_slow_statement_of_a_request_times_out_and_is_cancelled_in_the_database() {
    let scratch = scratch::database().await;
    let timing = Timing { request: Duration::from_millis(300), ..ALERT };
    let pool = storage::connect_with(&scratch.url, 1, timing).await.unwrap();
    let taking_long = sqlx::query("SELECT pg_sleep(40)").execute(&pool.for_requests()).await.unwrap_err();
    assert!(Error::from(taking_long).is_lost());
    // Its session is not the next one's.
    ends(ask(&pool.for_requests())).await.unwrap();
    let sleeps = "SELECT EXISTS (SELECT 1 FROM pg_stat_activity
                  WHERE datname = current_database() AND wait_event = 'PgSleep')";
    let ended = async {
        while sqlx::query_scalar::<_, bool>(sleeps).fetch_one(&pool).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    ends(ended).await;
    assert!(!pool.is_silent());
}

/// The whole text of an error.
fn said(error: &dyn std::error::Error) -> String {
    let cause = error.source().map(said);
    format!("{error}: {}", cause.unwrap_or_default())
}

#[tokio::test]
async fn a_request_waits_no_longer_for_a_session_than_for_an_answer() {
    let timing = Timing { request: Duration::from_millis(300), ..ALERT };
    let pool = storage::connect_with(&scratch::database().await.url, 1, timing).await.unwrap();
    let held = pool.acquire().await.unwrap();
    let error = ends(pool.for_requests().acquire()).await.unwrap_err();
    assert!(error.is_passing() && said(&error).contains("became free for 300 ms"), "{}", said(&error));
    drop(held);
    pool.for_requests().acquire().await.unwrap();
}

#[tokio::test]
async fn all_statements_of_a_request_together_have_a_limit_and_other_work_has_none() {
    let timing = Timing { request: FOR_EVER / 2, request_total: Duration::from_millis(300), ..ALERT };
    let pool = storage::connect_with(&scratch::database().await.url, 1, timing).await.unwrap();
    let sleep = async |pool: &Db| sqlx::query("SELECT pg_sleep(0.1)").execute(pool).await;
    let requests = pool.for_requests();
    let many = async {
        loop {
            if let Err(error) = sleep(&requests).await {
                return Error::from(error);
            }
        }
    };
    let error = ends(storage::in_request(many)).await;
    assert!(error.is_passing() && said(&error).contains("statements of this request"), "{}", said(&error));
    // Neither the next request nor a report is concerned.
    storage::in_request(sleep(&requests)).await.unwrap();
    let report = async {
        for _ in 0..5 {
            sleep(&pool).await.unwrap();
        }
    };
    storage::in_request(report).await;
}

#[tokio::test]
async fn a_task_that_holds_a_session_and_takes_a_second_one_is_found() {
    let pool = storage::connect(&scratch::database().await.url, 4).await.unwrap();
    let of = |pool: &Db| pool.clone();
    let second = of(&pool);
    let nested = tokio::spawn(async move {
        let _first = second.acquire().await.unwrap();
        second.acquire().await.map(drop)
    });
    assert!(nested.await.unwrap_err().is_panic());
    let next = of(&pool);
    let others = tokio::spawn(async move {
        drop(next.acquire().await.unwrap());
        let _detached = next.acquire().await.unwrap().detach();
        let _first = next.acquire().await.unwrap();
        // Another pool, and another task, wait for other sessions.
        next.second_pool().acquire().await.unwrap();
        let apart = next.clone();
        tokio::spawn(async move { apart.acquire().await.map(drop) }).await.unwrap().unwrap();
    });
    others.await.unwrap();
    let parallel = tokio::spawn(async move {
        let asks = (0..20).map(|_| async {
            let mut db = pool.acquire().await.unwrap();
            sqlx::query("SELECT pg_sleep(0.01)").execute(&mut *db).await.map(drop)
        });
        futures::future::join_all(asks).await.into_iter().collect::<Result<Vec<_>, _>>()
    });
    parallel.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_unused_transaction_does_not_affect_the_next_one() {
    let scratch = scratch::database().await;
    let wire = scratch.wire().await;
    let pool = storage::connect_with(&wire.url, 1, ALERT).await.unwrap();
    wire.delay(Duration::from_millis(100));
    assert!(timeout(Duration::from_millis(20), pool.begin()).await.is_err());
    wire.delay(Duration::ZERO);
    sqlx::query(
        "INSERT INTO idempotency (client_id, key, response, created_at) VALUES (gen_random_uuid(), 'k', '', now())",
    )
    .execute(&pool)
    .await
    .unwrap();
    let mut other = scratch.connection().await;
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM idempotency").fetch_one(&mut other).await.unwrap();
    assert_eq!(kept, 1);
}
