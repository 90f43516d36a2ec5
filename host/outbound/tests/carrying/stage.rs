//! A web site with visitors, whose messages leave by the toy carrier.

use std::{
    path::Path,
    sync::{Arc, MutexGuard},
    time::Duration,
};

use base::{
    Context,
    lanes::{LaneKey, Lease},
};
use channels::carrier::Carriers;
use chrono::TimeDelta;
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    content::OutboundContent,
    ids::{ClientId, InboxId, MessageId},
    recipient::Recipient,
};
use outbound::{
    dispatch::{self, DispatchHooks},
    reply::{self, ChatReply},
};
use props::{HandClock, Surroundings};
use storage::{
    Db, Queue,
    inboxes::{self, Inbox, InboxSettings, WebInbox},
    tenancy::clients::{self, ClientRecord},
    work::lanes,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::toy::{Notes, Toy};

/// The lock that stands for a disk that is slow.
const DISK: i64 = 1;

/// One client with one web site.
pub struct Stage {
    pub ctx: Context,
    pub client: ClientId,
    pub site: InboxId,
    /// Rules of the site for the dispatcher.
    pub hooks: DispatchHooks,
    clock: Arc<HandClock>,
    toy: Toy,
    /// Wakes the worker of the lane.
    nudge: Arc<Notify>,
}

impl Stage {
    pub async fn new() -> Self {
        let db = scratch::database().await.pool(8).await;
        let clock = Arc::new(HandClock::at(1_790_000_000));
        let toy = Toy::new(db.clone());
        let ctx = context(db, Arc::clone(&clock), &toy).await;
        let (client, site) = (ctx.mint(), ctx.mint());
        let mut db = ctx.db.acquire().await.unwrap();
        let new = ClientRecord {
            client_ref: "demo",
            display_name: "Demo",
            parent: None,
            allow_private_targets: false,
            sms_inbox: ctx.mint(),
        };
        clients::insert(&mut db, client, &new, ctx.now()).await.unwrap();
        let settings =
            InboxSettings::Web(WebInbox { site_key: "site".to_owned(), name: "Shop".to_owned(), origins: Vec::new() });
        inboxes::insert(&mut db, client, &Inbox { id: site, settings }, ctx.now()).await.unwrap();
        drop(db);
        Self { ctx, client, site, hooks: DispatchHooks::default(), clock, toy, nudge: Arc::default() }
    }

    /// Says something to a visitor, as a chatbot or an agent would.
    pub async fn say(&self, visitor: &str, text: &str) -> MessageId {
        self.say_content(visitor, OutboundContent::Text { body: text.to_owned() }).await
    }

    /// The same for any content.
    pub async fn say_content(&self, visitor: &str, content: OutboundContent) -> MessageId {
        let (ctx, client) = (&self.ctx, self.client);
        let address = Address::of_kind(AddressKind::Visitor, visitor).unwrap();
        let mut tx = ctx.db.begin().await.unwrap();
        let reply = ChatReply {
            inbox: self.site,
            channel: Channel::Web,
            participant: ctx.mint(),
            chat_message: ctx.mint(),
            recipient: Recipient::from(address),
            content,
            quoted_provider_id: None,
        };
        let message = reply::queue(ctx, &mut tx, client, reply).await.unwrap().message;
        tx.commit().await.unwrap();
        message
    }

    /// Sends something to a visitor, as a program would: it is in no chat.
    pub async fn send(&self, visitor: &str, text: &str) -> MessageId {
        let message = self.say(visitor, text).await;
        let in_no_chat = "UPDATE outbound_message SET participant_id = NULL, chat_message_id = NULL WHERE id = $1";
        sqlx::query(in_no_chat).bind(message.0).execute(&self.ctx.db).await.unwrap();
        message
    }

    /// Works on the lane of the site, as the runner does when it finds it.
    pub async fn work(&self) {
        self.work_until(CancellationToken::new()).await;
    }

    /// The same in another process, which holds the lane for that time.
    pub async fn work_in(&self, process: &Context) {
        self.work_as(process, CancellationToken::new()).await;
    }

    /// Another process on the same database.
    pub async fn another_process(&self) -> Context {
        context(self.ctx.db.clone(), Arc::clone(&self.clock), &self.toy).await
    }

    /// Works on the lane until the program is stopped.
    pub async fn work_until(&self, stop: CancellationToken) {
        self.work_as(&self.ctx, stop).await;
    }

    async fn work_as(&self, ctx: &Context, stop: CancellationToken) {
        let lane = LaneKey { queue: Queue::Outbound, client: self.client, lane: self.site.0 };
        self.notes().now = ctx.now();
        let mut db = ctx.db.acquire().await.unwrap();
        if lanes::due(&mut db, Queue::Outbound, ctx.now(), 10).await.unwrap().is_empty() {
            return;
        }
        drop(db);
        let claimed = Lease::claim(ctx, lane, Duration::from_secs(60), stop, Arc::clone(&self.nudge)).await;
        let lease = claimed.unwrap().expect("the lane is free");
        dispatch::work(ctx, &self.hooks, &lease).await.unwrap();
        lease.release(ctx).await.unwrap();
    }

    pub fn notes(&self) -> MutexGuard<'_, Notes> {
        self.toy.notes.lock().unwrap()
    }

    pub fn advance(&self, by: TimeDelta) {
        self.clock.advance(by);
    }

    /// Channel, ordinal and state of the legs of a message, and whether one may have gone out twice.
    pub async fn legs(&self, message: MessageId) -> Vec<(String, i16, String, bool)> {
        let legs = "SELECT channel, ordinal, state, ambiguous FROM outbound_leg WHERE message_id = $1 ORDER BY ordinal";
        sqlx::query_as(legs).bind(message.0).fetch_all(&self.ctx.db).await.unwrap()
    }

    /// From now on the database takes no step of any leg, and counts how often it was asked to.
    pub async fn refuse_receipts(&self) {
        self.refuse_receipts_where("true").await;
    }

    /// From now on the database takes no step of this message.
    pub async fn refuse_receipts_of(&self, message: MessageId) {
        self.refuse_receipts_where(&format!("NEW.message_id = '{}'", message.0)).await;
    }

    async fn refuse_receipts_where(&self, condition: &str) {
        let statements = format!(
            "CREATE SEQUENCE refusal;
             CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 PERFORM pg_advisory_xact_lock_shared({DISK});
                 IF {condition} THEN PERFORM nextval('refusal'); RAISE EXCEPTION 'the disk is full'; END IF;
                 RETURN NEW;
             END $$;
             CREATE TRIGGER refuse BEFORE INSERT ON delivery_receipt FOR EACH ROW EXECUTE FUNCTION refuse()"
        );
        sqlx::raw_sql(&statements).execute(&self.ctx.db).await.unwrap();
    }

    /// From now on the database neither takes nor refuses a step that [`Self::refuse_receipts`] would see to, until the
    /// answer is given to [`Self::let_go`].
    pub async fn hold_receipts(&self) -> storage::PooledSession {
        let mut disk = self.ctx.db.acquire().await.unwrap();
        sqlx::query("SELECT pg_advisory_lock($1)").bind(DISK).execute(&mut *disk).await.unwrap();
        disk
    }

    /// Lets the database continue.
    pub async fn let_go(&self, mut disk: storage::PooledSession) {
        sqlx::query("SELECT pg_advisory_unlock($1)").bind(DISK).execute(&mut *disk).await.unwrap();
    }

    /// Waits until so many messages went out.
    pub async fn sent(&self, count: usize) {
        while self.notes().sent.len() < count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Wakes the worker of the lane, until it has decided twice what may leave.
    pub async fn think_again(&self) {
        let before = self.notes().thoughts;
        while self.notes().thoughts < before + 2 {
            self.nudge.notify_one();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Waits until the database has refused so often.
    pub async fn refusals(&self, least: i64) {
        self.until(&format!("SELECT last_value >= {least} FROM refusal")).await;
    }

    /// Waits until one leg is left in the queue.
    pub async fn only_one_waits(&self) {
        self.until("SELECT count(*) = 1 FROM outbound_work").await;
    }

    /// Waits until so many legs are marked.
    pub async fn marked(&self, count: i64) {
        self.until(&format!("SELECT count(*) = {count} FROM outbound_work WHERE phase = 'SENDING'")).await;
    }

    async fn until(&self, condition: &str) {
        while !sqlx::query_scalar::<_, bool>(condition).fetch_one(&self.ctx.db).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// The database accepts everything again. The trigger stays, because dropping it takes a lock that writers wait
    /// for.
    pub async fn take_receipts(&self) {
        let harmless =
            "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$";
        sqlx::raw_sql(harmless).execute(&self.ctx.db).await.unwrap();
    }

    /// Legs that wait.
    pub async fn waiting(&self) -> i64 {
        sqlx::query_scalar("SELECT count(*) FROM outbound_work").fetch_one(&self.ctx.db).await.unwrap()
    }
}

async fn context(db: Db, clock: Arc<HandClock>, toy: &Toy) -> Context {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("carrying");
    let carriers = Carriers::default().with(toy.clone());
    Surroundings { carriers, ..Surroundings::new(folder) }.build(db, clock).await
}
