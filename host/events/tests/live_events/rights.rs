//! A connection is open as long as its right exists. Heartbeats are an hour apart unless a test sets another time, so a
//! connection that ends at once was ended by a notice of the database.

use std::time::Duration;

use domain::privacy::CustomerVisibility;
use events::live_events::{ConnectionEnd, ConnectionStep, EventFrame, LiveConnection, tickets};
use storage::tenancy::{
    api_keys::{self, NewApiKey},
    users::Role,
};

use crate::stage::{Stage, first, numbers, turn, user};

/// Longer than any test.
const HOUR: Duration = Duration::from_secs(3600);

async fn without_heartbeats() -> Stage {
    Stage::new(|settings| settings.limits.live_heartbeat = HOUR).await
}

async fn change(stage: &Stage, statement: &str) {
    sqlx::query(statement).execute(&mut stage.scratch.connection().await).await.unwrap();
}

/// A connection to each process, greeted.
async fn everywhere(stage: &Stage) -> [LiveConnection; 2] {
    let mut open = [stage.open(0, None).await, stage.open(1, None).await];
    for connection in &mut open {
        assert_eq!(first(connection).await.0, "hello");
    }
    open
}

#[tokio::test]
async fn every_open_connection_ends_at_once_on_every_node_when_its_right_ends() {
    for ends in [
        "UPDATE api_key SET key_hash = 'another'",
        "DELETE FROM api_key",
        "UPDATE client_user SET deleted_at = now()",
        "UPDATE client_user SET role = 'DEVELOPER'",
    ] {
        let stage = without_heartbeats().await;
        let open = everywhere(&stage).await;
        change(&stage, ends).await;
        for mut connection in open {
            assert_eq!(turn(&mut connection).await, ConnectionStep::End(ConnectionEnd::NotAllowed), "{ends}");
        }
        assert!(stage.nodes[0].hub.open(&stage.holder, None).await.is_err(), "{ends}");
    }
}

#[tokio::test]
async fn a_connection_of_a_user_with_a_changed_role_ends_with_the_position_to_resume() {
    let stage = without_heartbeats().await;
    let open = everywhere(&stage).await;
    change(&stage, "UPDATE client_user SET role = 'AGENT'").await;
    for mut connection in open {
        let at = connection.position();
        assert_eq!(turn(&mut connection).await, ConnectionStep::End(ConnectionEnd::RoleChanged(at)));
    }
}

#[tokio::test]
async fn no_event_after_a_revocation_is_delivered_even_under_load() {
    let stage = without_heartbeats().await;
    let mut connection = stage.open(0, None).await;
    first(&mut connection).await;
    stage.happen(1, &[1, 2, 3]).await;
    assert_eq!(numbers(&mut connection, 3).await, [1, 2, 3]);
    let mut changes = stage.nodes[0].ctx.rights.changes();
    change(&stage, "UPDATE api_key SET key_hash = 'another'").await;
    changes.next().await;
    // The connection hears of it in the same moment as this test does, so that it may be told of one event that came before.
    for number in 4..1000 {
        stage.happen(1, &[number]).await;
        match turn(&mut connection).await {
            ConnectionStep::End(end) => {
                assert_eq!(end, ConnectionEnd::NotAllowed);
                assert!(number <= 5, "{number} events came");
                return;
            }
            ConnectionStep::Send(_) => {}
            other => panic!("{other:?}"),
        }
    }
    panic!("it never ended");
}

#[tokio::test]
async fn a_right_revoked_between_the_handshake_and_the_first_check_opens_no_connection() {
    let stage = Stage::new(|settings| settings.limits.live_heartbeat = HOUR).await;
    let mut connection = stage.open(0, None).await;
    // No notice of it reaches this connection: it has not been told anything yet, and looks by itself.
    change(&stage, "UPDATE api_key SET key_hash = 'another'").await;
    assert_eq!(connection.next().await, ConnectionStep::End(ConnectionEnd::NotAllowed), "it is not even greeted");
}

#[tokio::test]
async fn an_unnoticed_revocation_ends_its_connections_at_the_next_heartbeat() {
    let stage = Stage::new(|settings| settings.limits.live_heartbeat = Duration::from_millis(50)).await;
    let mut connection = stage.open(0, None).await;
    let (_, at) = first(&mut connection).await;
    assert_eq!(turn(&mut connection).await, ConnectionStep::Heartbeat(EventFrame::position_frame("position", at)));
    // As if the notice were lost.
    change(&stage, "ALTER TABLE client_user DISABLE TRIGGER USER").await;
    change(&stage, "UPDATE client_user SET deleted_at = now()").await;
    loop {
        match turn(&mut connection).await {
            ConnectionStep::End(end) => break assert_eq!(end, ConnectionEnd::NotAllowed),
            other => assert_eq!(
                other,
                ConnectionStep::Heartbeat(EventFrame::position_frame("position", at)),
                "it began before"
            ),
        }
    }
}

#[tokio::test]
async fn a_change_of_one_user_leaves_the_connections_of_others_open() {
    let stage = without_heartbeats().await;
    let ctx = &stage.nodes[0].ctx;
    let ben = user(ctx, stage.client, "ben@example.org", Role::Admin).await;
    let mut connection = stage.open(0, None).await;
    first(&mut connection).await;
    let mut bens = stage.nodes[0].hub.open(&ben, None).await.unwrap();
    first(&mut bens).await;
    change(&stage, "UPDATE api_key SET key_hash = 'another' WHERE key_hash = 'ben@example.org'").await;
    assert_eq!(turn(&mut bens).await, ConnectionStep::End(ConnectionEnd::NotAllowed));
    stage.happen(0, &[7]).await;
    assert_eq!(numbers(&mut connection, 1).await, [7]);
}

#[tokio::test]
async fn a_changed_team_and_masking_count_at_once_on_open_connections() {
    let stage = without_heartbeats().await;
    let agent = user(&stage.nodes[0].ctx, stage.client, "ben@example.org", Role::Agent).await;
    let mut connection = stage.nodes[1].hub.open(&agent, None).await.unwrap();
    first(&mut connection).await;
    assert_eq!(connection.sight(), CustomerVisibility::Whole);
    let mut changes = stage.nodes[1].ctx.rights.changes();
    change(&stage, "UPDATE client SET popia_compliant = true").await;
    changes.next().await;
    // The hub of this process hears of it in the same moment.
    while connection.sight() == CustomerVisibility::Whole {
        assert_eq!(connection.check().await, None);
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_ticket_is_good_once_and_not_for_long() {
    let stage = Stage::new(|_| {}).await;
    let node = &stage.nodes[0];
    let ticket = tickets::issue(&node.ctx, &stage.holder).await.unwrap();
    let holder = tickets::redeem(&node.ctx, &ticket).await.unwrap().unwrap();
    assert_eq!((holder.client, holder.user, holder.role), (stage.client, stage.holder.user, Role::Supervisor));
    assert_eq!(holder.key_hash, stage.holder.key_hash, "its connections end with the key");
    assert_eq!(tickets::redeem(&node.ctx, &ticket).await.unwrap(), None, "once");
    let late = tickets::issue(&node.ctx, &stage.holder).await.unwrap();
    node.clock.advance(chrono::TimeDelta::seconds(31));
    assert_eq!(tickets::redeem(&node.ctx, &late).await.unwrap(), None);
    for nonsense in ["", "x", "AAAA", &"A".repeat(64), &"A".repeat(10_000)] {
        assert_eq!(tickets::redeem(&node.ctx, nonsense).await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_ticket_ends_with_the_key_that_it_was_asked_for_with() {
    let stage = Stage::new(|_| {}).await;
    let ctx = &stage.nodes[0].ctx;
    let ticket = tickets::issue(ctx, &stage.holder).await.unwrap();
    let mut db = ctx.db.acquire().await.unwrap();
    let key = NewApiKey { user: stage.holder.user, hash: b"another", sealed: b"sealed" };
    api_keys::replace(&mut db, stage.client, key, ctx.now()).await.unwrap();
    assert_eq!(tickets::redeem(ctx, &ticket).await.unwrap(), None);
    let late = tickets::issue(ctx, &stage.holder).await.unwrap();
    assert_eq!(tickets::redeem(ctx, &late).await.unwrap(), None, "asked for while the key was replaced");
}
