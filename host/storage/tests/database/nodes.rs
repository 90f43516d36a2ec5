//! A lane of a process that died is free at once; a lane of one that lives is not.

use std::time::Duration;

use domain::ids::{ClientId, NodeId};
use sqlx::{Connection, PgConnection};
use storage::{
    Queue,
    work::{lanes, nodes},
};
use uuid::Uuid;

const CLIENT: ClientId = ClientId(Uuid::from_u128(1));
const LANE: Uuid = Uuid::from_u128(2);
const ME: NodeId = NodeId(Uuid::from_u128(3));
const OTHER: NodeId = NodeId(Uuid::from_u128(4));

async fn claim(db: &mut PgConnection, node: NodeId) -> Option<i64> {
    lanes::claim(db, CLIENT, Queue::Outbound, LANE, node, Duration::from_secs(30)).await.unwrap()
}

async fn bury(db: &mut PgConnection) -> Vec<NodeId> {
    let mut tx = db.begin().await.unwrap();
    let dead = nodes::bury_the_dead(&mut tx, ME).await.unwrap();
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
    panic!("nobody was found dead");
}

#[tokio::test]
async fn the_lanes_of_a_process_that_died_are_free_before_their_lease_ends() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let mut presence = scratch.connection().await;
    nodes::announce(&mut presence, OTHER).await.unwrap();
    let fence = claim(db, OTHER).await.unwrap();
    assert_eq!(claim(db, ME).await, None);

    // What a killed process does to its connections.
    drop(presence);

    assert_eq!(until_buried(db).await, [OTHER]);
    assert_eq!(claim(db, ME).await, Some(fence + 1));
    assert!(!lanes::hold(db, CLIENT, Queue::Outbound, LANE, fence).await.unwrap(), "the old fence counts no more");
    assert!(bury(db).await.is_empty(), "nobody dies twice");
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
    assert!(nodes::is_present(&mut presence).await);
}

#[tokio::test]
async fn a_process_that_stopped_in_good_order_is_not_among_the_dead() {
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
async fn nobody_buries_itself() {
    let scratch = scratch::database().await;
    let db = &mut scratch.connection().await;
    let mut presence = scratch.connection().await;
    nodes::announce(&mut presence, ME).await.unwrap();
    drop(presence);

    tokio::time::sleep(Duration::from_millis(200)).await;

    assert!(bury(db).await.is_empty());
}
