//! Leases and searches on a server that has become read-only.

use std::{path::Path, sync::Arc, time::Duration};

use base::{
    Queue,
    lanes::{LaneSearch, NodePresence},
};
use props::{HandClock, Surroundings};

#[tokio::test]
async fn the_search_for_work_and_the_announcement_leave_a_server_that_is_read_only() {
    let scratch = scratch::database().await;
    let writable = scratch.pool(1).await;
    let name: String = sqlx::query_scalar("SELECT current_database()").fetch_one(&writable).await.unwrap();
    let make_read_only = async |on: &str| {
        let statement = format!("ALTER DATABASE {name} SET default_transaction_read_only = {on}");
        sqlx::query(&statement).execute(&writable).await.unwrap();
    };
    make_read_only("on").await;
    // These sessions are on a read-only server. Later sessions are not.
    let pool = scratch.pool(3).await;
    drop((pool.acquire().await.unwrap(), pool.acquire().await.unwrap(), pool.acquire().await.unwrap()));
    make_read_only("off").await;
    tokio::time::sleep(Duration::from_millis(600)).await;
    let mut surroundings = Surroundings::new(Path::new(env!("CARGO_TARGET_TMPDIR")).join("base"));
    surroundings.plugins.built_ins = false;
    let ctx = surroundings.build(pool, Arc::new(HandClock::at(1_790_000_000))).await;
    let mut search = LaneSearch::default();

    let refused = search.due(&ctx, Queue::Outbound, 1).await.unwrap_err();

    assert!(refused.is_outage() && base::readiness::is_passing(&refused), "{refused:?}");
    search.due(&ctx, Queue::Outbound, 1).await.unwrap();
    let mut presence = NodePresence::announce(&ctx).await.unwrap();
    assert!(presence.holds().await);
}
