//! A database that vanishes with its machine: nothing comes over its connections any more, not even an end.

use std::time::Duration;

use sqlx::PgPool;
use storage::{Error, silence};

async fn ask(pool: &PgPool) -> Result<(), Error> {
    sqlx::query("SELECT 1").execute(pool).await?;
    Ok(())
}

/// Until every connection is back in its pool.
async fn until_idle(pool: &PgPool) {
    while pool.num_idle() < usize::try_from(pool.size()).unwrap() {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_database_that_says_nothing_is_given_up_and_its_connections_keep_no_place() {
    let wire = scratch::database().await.wire().await;
    let pool = storage::connect(&wire.url, 1).await.unwrap();
    silence::in_time(ask(&pool)).await.unwrap();
    until_idle(&pool).await;

    wire.vanish();
    tokio::time::pause();
    let begun = tokio::time::Instant::now();
    let error = silence::in_time(ask(&pool)).await.unwrap_err();

    assert_eq!(begun.elapsed().as_secs(), silence::SILENCE.as_secs());
    assert!(error.is_lost() && error.is_outage(), "{error:?}");
    // The connection is tried out before it may go on, and says nothing either.
    while pool.size() > 0 {
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(begun.elapsed() < 2 * silence::SILENCE, "it keeps its place");
    }
    tokio::time::resume();
    silence::in_time(ask(&pool)).await.unwrap();
}

#[tokio::test]
async fn after_a_silence_a_connection_that_is_dead_is_not_given_out() {
    let wire = scratch::database().await.wire().await;
    let pool = storage::connect(&wire.url, 2).await.unwrap();
    drop((pool.acquire().await.unwrap(), pool.acquire().await.unwrap()));
    until_idle(&pool).await;
    assert_eq!(pool.num_idle(), 2);

    wire.vanish();
    tokio::time::pause();
    silence::in_time(ask(&pool)).await.unwrap_err();
    tokio::time::resume();

    // Both are dead, and each has a moment to say that it is not.
    ask(&pool).await.unwrap();
}
