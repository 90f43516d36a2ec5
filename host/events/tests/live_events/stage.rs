//! Two processes on one database, with one client and a user of it; and the events of connections.

use std::{sync::Arc, time::Duration};

use base::{
    Context,
    rights::{self, AffectedOwner},
};
use domain::{
    event::{Event, TicketMoved, TicketStatus},
    ids::{ClientId, ParticipantId, UserId},
    privacy::CustomerVisibility,
    sandbox::KeyMode,
};
use events::{
    NewEvent,
    live_events::{ConnectionEnd, ConnectionStep, EventFrame, Hub, LiveConnection, tickets::Holder},
    record,
};
use props::{HandClock, Surroundings, one_number};
use serde_json::Value;
use settings::Settings;
use storage::{
    live_events::streams,
    tenancy::{
        api_keys::{self, NewApiKey},
        users::{self, Role, User},
    },
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Two processes on one database, with one client and a user of it.
pub struct Stage {
    pub scratch: scratch::Scratch,
    pub nodes: Vec<Node>,
    pub client: ClientId,
    /// A supervisor.
    pub holder: Holder,
    _folder: tempfile::TempDir,
}

pub struct Node {
    pub ctx: Arc<Context>,
    pub hub: Arc<Hub>,
    pub stop: CancellationToken,
    pub clock: Arc<HandClock>,
}

impl Stage {
    pub async fn new(change: impl Fn(&mut Settings)) -> Self {
        let scratch = scratch::database().await;
        let folder = tempfile::tempdir().unwrap();
        let mut nodes = Vec::new();
        for _ in 0..2 {
            let clock = Arc::new(HandClock::at(1_790_000_000));
            let mut surroundings = Surroundings::new(folder.path().to_owned());
            change(&mut surroundings.settings);
            let ctx = Arc::new(surroundings.build(scratch.pool(10).await, Arc::clone(&clock) as _).await);
            let stop = CancellationToken::new();
            let hub = Hub::start(Arc::clone(&ctx), stop.clone());
            let mut changes = ctx.rights.changes();
            tokio::spawn(rights::follow(ctx.db.clone(), ctx.rights.clone(), stop.clone()));
            assert_eq!(changes.next().await, AffectedOwner::All, "it listens");
            nodes.push(Node { ctx, hub, stop, clock });
        }
        let ctx = &nodes[0].ctx;
        let (client, _) = one_number(ctx, "27600000001").await;
        let holder = user(ctx, client, "ann@example.org", Role::Supervisor).await;
        Self { scratch, nodes, client, holder, _folder: folder }
    }

    pub async fn open(&self, node: usize, after: Option<i64>) -> LiveConnection {
        self.nodes[node].hub.open(&self.holder, after).await.unwrap()
    }

    /// Records tickets in a transaction of its own.
    pub async fn happen(&self, node: usize, numbers: &[i64]) {
        let ctx = &self.nodes[node].ctx;
        let mut tx = ctx.db.begin().await.unwrap();
        record(ctx, &mut tx, self.client, &numbers.iter().map(|number| ticket(*number)).collect::<Vec<_>>())
            .await
            .unwrap();
        tx.commit().await.unwrap();
    }

    /// Waits until everything up to this number has one.
    pub async fn numbered(&self, last: i64) {
        let mut db = self.scratch.connection().await;
        loop {
            let standing = streams::standing(&mut db, self.client).await.unwrap();
            if standing.is_some_and(|standing| standing.last >= last) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The numbers of `count` tickets after a number, read by a connection that resumes if it is closed. That happens
    /// to the quickest connection if more events come at once than are kept.
    pub async fn resumed(&self, node: usize, mut after: i64, count: usize) -> Vec<i64> {
        let mut all = Vec::new();
        loop {
            let mut connection = self.open(node, Some(after)).await;
            assert_eq!(first(&mut connection).await, ("hello", after));
            after = loop {
                match turn(&mut connection).await {
                    ConnectionStep::Send(pieces) => all.extend(pieces.iter().filter_map(number)),
                    ConnectionStep::End(ConnectionEnd::TooSlow(resume)) => break resume,
                    other => panic!("{other:?}"),
                }
                if all.len() >= count {
                    return all;
                }
            };
        }
    }

    pub async fn rows(&self) -> i64 {
        let mut db = self.scratch.connection().await;
        let count = "SELECT (SELECT count(*) FROM live_event) + (SELECT count(*) FROM live_event_new)";
        sqlx::query_scalar(count).fetch_one(&mut db).await.unwrap()
    }
}

/// A new user; its key is its e-mail.
pub async fn user(ctx: &Context, client: ClientId, email: &str, role: Role) -> Holder {
    let id: UserId = ctx.mint();
    let new = User {
        id,
        email: email.to_owned(),
        name: "Ann".to_owned(),
        role,
        team: None,
        password_hash: "x".to_owned(),
        password_is_temporary: false,
    };
    let mut db = ctx.db.acquire().await.unwrap();
    users::insert(&mut db, client, &new, ctx.now()).await.unwrap();
    let key = NewApiKey { user: id, hash: email.as_bytes(), sealed: b"sealed" };
    api_keys::replace(&mut db, client, key, ctx.now()).await.unwrap();
    let (client_ref, key_hash) = ("acme".to_owned(), email.as_bytes().to_vec());
    Holder { client, user: id, role, client_ref, sight: CustomerVisibility::Whole, key_hash, mode: KeyMode::Live }
}

/// An event that says its number and nothing that has to be there.
pub fn ticket(number: i64) -> NewEvent {
    let moved = TicketMoved {
        number,
        participant: ParticipantId(Uuid::from_u128(7)),
        from: None,
        to: TicketStatus::Open,
        agent: None,
    };
    NewEvent { inbox: None, order_key: 0, at: chrono::DateTime::UNIX_EPOCH, event: Event::TicketMoved(moved) }
}

pub fn number(piece: &EventFrame) -> Option<i64> {
    let body: Value = serde_json::from_str(&piece.text).unwrap();
    assert_eq!(body["type"], piece.kind);
    assert_eq!(body["sequence"], piece.sequence);
    body["ticket"]["ticketNumber"].as_str().map(|number| number.parse().unwrap())
}

/// The next turn, however long it takes.
pub async fn turn(connection: &mut LiveConnection) -> ConnectionStep {
    tokio::time::timeout(Duration::from_secs(30), connection.next()).await.expect("something comes")
}

pub async fn pieces(connection: &mut LiveConnection) -> Vec<EventFrame> {
    match turn(connection).await {
        ConnectionStep::Send(pieces) => pieces,
        other => panic!("{other:?}"),
    }
}

pub async fn first(connection: &mut LiveConnection) -> (&'static str, i64) {
    let pieces = pieces(connection).await;
    assert_eq!(pieces.len(), 1);
    (pieces[0].kind, pieces[0].sequence)
}

/// As many ticket numbers as come, up to `count`.
pub async fn numbers(connection: &mut LiveConnection, count: usize) -> Vec<i64> {
    let mut all = Vec::new();
    while all.len() < count {
        all.extend(pieces(connection).await.iter().filter_map(number));
    }
    all
}
