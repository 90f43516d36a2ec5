//! Leases, the search for work, readiness and notices, with a database that is silent or far away.

use std::{path::Path, sync::Arc, time::Duration};

use base::{
    Context, Queue, Result,
    lanes::{LEASE, LaneKey, LaneSearch, Lease, NodePresence, release_dead_nodes, write_down},
    readiness,
    rights::{AffectedOwner, follow},
};
use domain::ids::ClientId;
use props::{HandClock, Surroundings};
use storage::{Db, Timing};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Longer than any step of these tests on any machine.
const FOR_EVER: Duration = Duration::from_secs(60);

/// Silence is noticed soon, and statements have no other limit.
const ALERT: Timing = Timing {
    asked_every: Duration::from_millis(20),
    silent_after: Duration::from_millis(500),
    request: FOR_EVER,
    request_total: FOR_EVER,
    work: FOR_EVER,
};

async fn context(pool: Db) -> Context {
    let mut surroundings = Surroundings::new(Path::new(env!("CARGO_TARGET_TMPDIR")).join("base"));
    surroundings.plugins.built_ins = false;
    surroundings.build(pool, Arc::new(HandClock::at(1_790_000_000))).await
}

/// Panics if the future hangs.
async fn ends<T>(doing: impl Future<Output = T>) -> T {
    timeout(FOR_EVER / 2, doing).await.unwrap_or_else(|_| panic!("it hangs"))
}

#[tokio::test]
async fn leases_and_the_announcement_are_given_up_at_once_and_acquired_again() {
    let wire = scratch::database().await.wire().await;
    let ctx = context(storage::connect_with(&wire.url, 5, ALERT).await.unwrap()).await;
    let mut presence = NodePresence::announce(&ctx).await.unwrap();
    let lane = LaneKey { queue: Queue::Outbound, client: ClientId(Uuid::from_u128(1)), lane: Uuid::from_u128(2) };
    let lease = Lease::claim(&ctx, lane, LEASE, Default::default(), Arc::default()).await.unwrap().unwrap();
    let mut search = LaneSearch::default();
    assert!(search.due(&ctx, Queue::Outbound, 1).await.unwrap().is_empty());

    wire.hold();
    let searching = search.due(&ctx, Queue::Outbound, 1);
    let waiting =
        async { tokio::join!(lease.renew(&ctx, LEASE), searching, release_dead_nodes(&ctx), presence.holds()) };
    let (renewed, searched, buried, present) = ends(waiting).await;
    assert!(renewed.unwrap_err().is_outage() && searched.unwrap_err().is_outage() && buried.unwrap_err().is_outage());
    assert!(!present);
    assert!(!readiness::check(&ctx).await.database);

    drop(presence);
    wire.vanish();
    wire.release();
    ends(ctx.db.until_answering()).await;
    let mut presence = ends(NodePresence::announce(&ctx)).await.unwrap();
    assert!(presence.holds().await);
    assert!(lease.renew(&ctx, LEASE).await.unwrap());
    assert!(search.due(&ctx, Queue::Outbound, 1).await.unwrap().is_empty());
    assert_eq!(release_dead_nodes(&ctx).await.unwrap(), 0);
    assert!(readiness::check(&ctx).await.writable);
}

#[tokio::test]
async fn a_database_that_is_far_away_is_ready() {
    let wire = scratch::database().await.wire().await;
    let ctx = context(storage::connect(&wire.url, 2).await.unwrap()).await;
    // Four round trips of a check last longer than a probe waits.
    wire.delay(Duration::from_millis(120));
    // Requests use all sessions of the pool. Readiness checks have their own session.
    let mut busy = Vec::new();
    for look in 0..8 {
        let checks = readiness::check(&ctx).await;
        assert!(checks.database && checks.migrations && checks.writable, "look {look}: {checks:?}");
        while busy.len() < 2 {
            busy.push(ctx.db.acquire().await.unwrap());
        }
        // The result of a check is reused for one second.
        tokio::time::sleep(Duration::from_millis(600)).await;
    }
}

#[tokio::test]
async fn outcomes_are_stored_when_a_silent_database_answers_again() {
    let wire = scratch::database().await.wire().await;
    let ctx = context(storage::connect_with(&wire.url, 2, ALERT).await.unwrap()).await;
    let insert = "INSERT INTO idempotency (client_id, key, response, created_at)
                  VALUES ('00000000-0000-0000-0000-000000000001', 'done', '', now()) ON CONFLICT DO NOTHING";
    wire.hold();
    let writing = write_down(&ctx, || async {
        sqlx::query(insert).execute(&ctx.db).await.map_err(storage::Error::from)?;
        Result::Ok(())
    });
    let answering = async {
        ctx.db.until_silent().await;
        wire.release();
    };
    let (written, ()) = ends(async { tokio::join!(writing, answering) }).await;
    written.unwrap();
    let kept: i64 = sqlx::query_scalar("SELECT count(*) FROM idempotency").fetch_one(&ctx.db).await.unwrap();
    assert_eq!(kept, 1);
}

#[tokio::test]
async fn notices_of_rights_are_heard_again_once_a_silent_database_answers() {
    let wire = scratch::database().await.wire().await;
    let ctx = context(storage::connect_with(&wire.url, 2, ALERT).await.unwrap()).await;
    let (mut changes, stop) = (ctx.rights.changes(), CancellationToken::new());
    let following = tokio::spawn(follow(ctx.db.clone(), ctx.rights.clone(), stop.clone()));
    assert_eq!(ends(changes.next()).await, AffectedOwner::All);
    wire.hold();
    ends(ctx.db.until_silent()).await;
    wire.vanish();
    wire.release();
    // It listens again and may have missed notices.
    assert_eq!(ends(changes.next()).await, AffectedOwner::All);
    stop.cancel();
    following.await.unwrap();
}
