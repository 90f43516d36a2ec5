//! A lane of a process that died is free at once; a lane of one that lives is not.

use std::time::Duration;

use domain::ids::{ClientId, NodeId};
use storage::{
    PgConnection, Queue,
    read_only_session::TrustedSince,
    work::{
        lanes::{self, LaneKey},
        nodes, retention,
    },
};
use uuid::Uuid;

const CLIENT: ClientId = ClientId(Uuid::from_u128(1));
const LANE: Uuid = Uuid::from_u128(2);
const ME: NodeId = NodeId(Uuid::from_u128(3));
const OTHER: NodeId = NodeId(Uuid::from_u128(4));

fn outbound(lane: Uuid) -> LaneKey {
    LaneKey { client: CLIENT, queue: Queue::Outbound, lane }
}

async fn claim(db: &mut PgConnection, node: NodeId) -> Option<i64> {
    lanes::claim(db, outbound(LANE), node, Duration::from_secs(30)).await.unwrap()
}

/// Runs an operation that must not wait.
async fn at_once<T>(doing: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(10), doing).await.unwrap_or_else(|_| panic!("it waits for a lock"))
}

async fn bury(db: &mut PgConnection) -> Vec<NodeId> {
    let mut tx = db.begin().await.unwrap();
    let dead = nodes::delete_dead(&mut tx, ME).await.unwrap();
    tx.commit().await.unwrap();
    dead
}

/// PostgreSQL needs a moment to see that a client has gone.
async fn until_buried(db: &mut PgConnection) -> Vec<NodeId> {
    for _ in 0..500 {
        let dead = bury(db).await;
        if !dead.is_empty() {
            return dead;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no node was found dead");
}

#[tokio::test]
async fn the_lanes_of_a_process_that_died_are_free_before_their_lease_ends() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let mut presence = scratch.connection().await;
    nodes::announce(&mut presence, OTHER).await.unwrap();
    let fence = claim(db, OTHER).await.unwrap();
    assert_eq!(claim(db, ME).await, None);

    // Ends its connections as a killed process does.
    drop(presence);

    assert_eq!(until_buried(db).await, [OTHER]);
    assert_eq!(claim(db, ME).await, Some(fence + 1));
    assert!(!lanes::hold(db, outbound(LANE), fence).await.unwrap(), "the old fence counts no more");
    assert!(bury(db).await.is_empty(), "no node dies twice");
}

#[tokio::test]
async fn a_process_that_lives_keeps_its_lanes() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let mut presence = scratch.connection().await;
    nodes::announce(&mut presence, OTHER).await.unwrap();
    claim(db, OTHER).await.unwrap();

    assert!(bury(db).await.is_empty());

    assert_eq!(claim(db, ME).await, None);
    assert!(nodes::is_present(&mut presence, &mut TrustedSince::from_now()).await);
}

#[tokio::test]
async fn a_process_that_stopped_cleanly_is_not_counted_as_dead() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let mut presence = scratch.connection().await;
    nodes::announce(&mut presence, OTHER).await.unwrap();
    nodes::retire(&mut presence, OTHER).await.unwrap();
    drop(presence);

    tokio::time::sleep(Duration::from_millis(200)).await;

    assert!(bury(db).await.is_empty());
}

#[tokio::test]
async fn a_node_does_not_remove_itself() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let mut presence = scratch.connection().await;
    nodes::announce(&mut presence, ME).await.unwrap();
    drop(presence);

    tokio::time::sleep(Duration::from_millis(200)).await;

    assert!(bury(db).await.is_empty());
}

#[tokio::test]
async fn a_claim_does_not_wait_for_a_frozen_process_with_an_open_transaction() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let over = Duration::ZERO;
    let fence = lanes::claim(db, outbound(LANE), OTHER, over).await.unwrap().unwrap();
    let mut stands_still = scratch.connection().await;
    let mut tx = stands_still.begin().await.unwrap();
    assert!(lanes::hold(&mut tx, outbound(LANE), fence).await.unwrap());

    assert_eq!(at_once(claim(db, ME)).await, None);

    tx.rollback().await.unwrap();
    assert_eq!(at_once(claim(db, ME)).await, Some(fence + 1));
}

#[tokio::test]
async fn a_claim_does_not_wait_for_a_row_that_another_transaction_is_making() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let mut stands_still = scratch.connection().await;
    let mut tx = stands_still.begin().await.unwrap();
    lanes::block_lane(&mut tx, outbound(LANE)).await.unwrap();

    assert_eq!(at_once(claim(db, ME)).await, None);
    let another = Uuid::from_u128(5);
    let claimed = lanes::claim(db, outbound(another), ME, Duration::from_secs(30));
    assert!(at_once(claimed).await.unwrap().is_some(), "other lanes are free");

    tx.rollback().await.unwrap();
    assert!(at_once(claim(db, ME)).await.is_some());
}

#[tokio::test]
async fn a_lane_frozen_before_its_first_claim_is_free_after_the_commit() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let mut stands_still = scratch.connection().await;
    let mut tx = stands_still.begin().await.unwrap();
    lanes::block_lane(&mut tx, outbound(LANE)).await.unwrap();
    tx.commit().await.unwrap();

    assert!(at_once(claim(db, ME)).await.is_some());
}

#[tokio::test]
async fn the_old_holder_of_a_lane_that_was_deleted_and_made_again_cannot_write() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let old = claim(db, OTHER).await.unwrap();
    sqlx::query("UPDATE lane SET leased_until = now() - interval '25 hours'").execute(&mut *db).await.unwrap();
    retention::forget_idle_lanes(db, None, 10).await.unwrap();
    assert!(!lanes::hold(db, outbound(LANE), old).await.unwrap(), "it is deleted");

    for _ in 0..3 {
        let fence = lanes::claim(db, outbound(LANE), ME, Duration::ZERO).await.unwrap().unwrap();
        assert!(fence > old);
        assert!(!lanes::hold(db, outbound(LANE), old).await.unwrap());
    }
}

#[tokio::test]
async fn two_simultaneous_claims_of_a_new_lane_do_not_both_succeed() {
    let scratch = scratch::database().await;
    let pool = scratch.pool(8).await;
    for lane in 0..20 {
        let claims = (0..8).map(|node| {
            let pool = &pool;
            async move {
                let db = &mut pool.acquire().await.unwrap();
                let (lane, node) = (Uuid::from_u128(lane), NodeId(Uuid::from_u128(node)));
                lanes::claim(db, outbound(lane), node, Duration::from_secs(30)).await.unwrap()
            }
        });
        let fences: Vec<i64> = futures::future::join_all(claims).await.into_iter().flatten().collect();
        assert_eq!(fences.len(), 1);
    }
}

#[tokio::test]
async fn the_removal_of_dead_nodes_skips_locked_lanes_and_returns_to_them() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let mut presence = scratch.connection().await;
    nodes::announce(&mut presence, OTHER).await.unwrap();
    let fence = claim(db, OTHER).await.unwrap();
    let mut left_open = scratch.connection().await;
    let mut tx = left_open.begin().await.unwrap();
    assert!(lanes::hold(&mut tx, outbound(LANE), fence).await.unwrap());
    drop(presence);
    until_forgotten(db).await;

    assert_eq!(at_once(bury(db)).await, [], "its lane is still held");

    tx.rollback().await.unwrap();
    assert_eq!(at_once(bury(db)).await, [OTHER]);
    assert_eq!(claim(db, ME).await, Some(fence + 1));
}

/// Waits until PostgreSQL has seen that the announced process has gone.
async fn until_forgotten(db: &mut PgConnection) {
    let announced = "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1
                     AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
    for _ in 0..500 {
        if !sqlx::query_scalar::<_, bool>(announced).fetch_one(&mut *db).await.unwrap() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the connection is still there");
}

#[tokio::test]
async fn locks_of_a_frozen_process_end_within_the_length_of_a_lease() {
    let scratch = scratch::database().await;
    let pool = scratch.pool(1).await;
    let lease = lanes::LEASE.as_millis().to_string();
    // The settings of the connection: PostgreSQL shows 0 for those that a Unix socket cannot have.
    for (name, value) in [
        ("idle_in_transaction_session_timeout", lease.as_str()),
        ("lock_timeout", &lease),
        ("tcp_user_timeout", &lease),
        ("tcp_keepalives_idle", "5"),
        ("tcp_keepalives_interval", "3"),
        ("tcp_keepalives_count", "3"),
    ] {
        let asked: String = sqlx::query_scalar("SELECT reset_val FROM pg_settings WHERE name = $1")
            .bind(name)
            .fetch_one(&pool)
            .await
            .unwrap();
        assert_eq!(asked, value, "{name}");
    }
}
