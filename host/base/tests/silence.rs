//! What all work hangs on, and a database that vanishes with its machine.

use std::{path::Path, sync::Arc};

use base::{
    Queue,
    lanes::{LEASE, Lease, Presence, SILENCE, Search, Wake, bury_the_dead},
};
use domain::ids::ClientId;
use props::{HandClock, Surroundings};
use tokio::time::Instant;
use uuid::Uuid;

#[tokio::test]
async fn leases_and_the_announcement_are_given_up_in_time_and_had_again() {
    let wire = scratch::database().await.wire().await;
    let pool = storage::connect(&wire.url, 3).await.unwrap();
    let mut surroundings = Surroundings::new(Path::new(env!("CARGO_TARGET_TMPDIR")).join("base"));
    surroundings.plugins.built_ins = false;
    let ctx = surroundings.build(pool.clone(), Arc::new(HandClock::at(1_790_000_000))).await;
    let mut presence = Presence::announce(&ctx).await.unwrap();
    let lane = Wake { queue: Queue::Outbound, client: ClientId(Uuid::from_u128(1)), lane: Uuid::from_u128(2) };
    let lease = Lease::claim(&ctx, lane, LEASE, Default::default(), Arc::default()).await.unwrap().unwrap();
    let mut search = Search::default();
    assert!(search.due(&ctx, Queue::Outbound, 1).await.unwrap().is_empty());
    drop((pool.acquire().await.unwrap(), pool.acquire().await.unwrap(), pool.acquire().await.unwrap()));
    while pool.num_idle() < 3 {
        tokio::task::yield_now().await;
    }

    wire.vanish();
    tokio::time::pause();
    let begun = Instant::now();
    let searching = search.due(&ctx, Queue::Outbound, 1);
    let (renewed, searched, buried, present) =
        tokio::join!(lease.renew(&ctx, LEASE), searching, bury_the_dead(&ctx), presence.holds());
    assert_eq!(begun.elapsed().as_secs(), SILENCE.as_secs());
    assert!(renewed.unwrap_err().is_outage() && searched.unwrap_err().is_outage() && buried.unwrap_err().is_outage());
    assert!(!present);
    tokio::time::resume();

    drop(presence);
    let mut presence = Presence::announce(&ctx).await.unwrap();
    assert!(presence.holds().await);
    assert!(lease.renew(&ctx, LEASE).await.unwrap());
    assert!(search.due(&ctx, Queue::Outbound, 1).await.unwrap().is_empty());
    assert_eq!(bury_the_dead(&ctx).await.unwrap(), 0);
}
