//! Lite numbers with devices in the process that holds their sessions (ADR 0037).

use std::{
    collections::VecDeque,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use base::{
    Context,
    lanes::{LaneKey, Lease},
};
use channels::{
    carrier::Carriers,
    media_download::{DownloadedMedia, MediaError, MediaExpectation},
    whatsapp_lite::{
        DeviceEvent, DeviceFailure, DeviceMessage, DeviceNews, LiteCarrier, LiteDevice, LiteDevices, LiteNumber, QrCode,
    },
};
use chrono::TimeDelta;
use domain::{
    address::{Address, AddressKind},
    carriage::SendFailure,
    channel::Channel,
    clock::Clock,
    content::{ListRow, ListSection, OutboundContent, ReplyList},
    ids::{CallbackId, ClientId, InboxId, NodeId},
    inbound::{CallbackBody, CallbackItem, CallbackTarget, InboundContent, InboundMessage, ProviderFailure},
    inbox::{BillingModel, LiteHosting},
    lite::{SessionNews, WantedSession},
    recipient::Recipient,
};
use outbound::{
    dispatch::{self, DispatchHooks},
    reply::{self, ChatReply},
};
use props::{HandClock, Surroundings, one_number};
use storage::{
    Db, Queue,
    chat::chat_messages,
    inbound::callbacks::{self, NewCallback},
    inboxes::{
        self, Inbox, InboxSettings, WhatsappLite,
        lite::{self, LiteSession, NextCheck, SessionWrite},
    },
    work::lanes,
};
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub(crate) const ZO: &str = "27820000001";

/// The past calls and future events of a pocket.
#[derive(Default)]
struct Notes {
    /// The calls, in order.
    asked: Vec<String>,
    news: VecDeque<DeviceEvent>,
    /// The process that held its device, at each request for events.
    lived_in: Vec<Option<Uuid>>,
    /// If present, each send waits for a permit.
    gate: Option<Arc<Semaphore>>,
    /// The outcomes of the next sends. Later ones succeed.
    failures: VecDeque<SendFailure>,
}

/// A scripted device inside the process.
#[derive(Clone)]
struct Pocket {
    notes: Arc<Mutex<Notes>>,
    db: Db,
}

impl Pocket {
    fn note(&self, asked: &str) {
        self.notes.lock().unwrap().asked.push(asked.to_owned());
    }
}

#[async_trait]
impl LiteDevice for Pocket {
    async fn start(&self, _holder: &str, paired: bool) -> Result<(), DeviceFailure> {
        self.note(if paired { "start again" } else { "start new" });
        Ok(())
    }

    async fn pair_qr(&self) -> Result<Option<QrCode>, DeviceFailure> {
        Ok(None)
    }

    async fn disconnect(&self) -> Result<(), DeviceFailure> {
        self.note("disconnect");
        Ok(())
    }

    async fn logout(&self, holder: &str) -> Result<(), DeviceFailure> {
        self.note(&format!("logout for {holder}"));
        Ok(())
    }

    async fn send(&self, message: &DeviceMessage<'_>) -> Result<String, SendFailure> {
        self.note("send");
        let gate = self.notes.lock().unwrap().gate.clone();
        if let Some(gate) = gate {
            gate.acquire().await.unwrap().forget();
        }
        match self.notes.lock().unwrap().failures.pop_front() {
            Some(failure) => Err(failure),
            None => Ok(message.id.to_owned()),
        }
    }

    async fn account_of(&self, phone: &str) -> Result<Option<Address>, DeviceFailure> {
        Ok(Address::of_kind(AddressKind::Phone, phone))
    }

    async fn mark_read(&self, _from: &str, _message_id: &str) -> Result<(), DeviceFailure> {
        Ok(())
    }

    async fn typing(&self, _to: &str) -> Result<(), DeviceFailure> {
        Ok(())
    }

    async fn events(&self, seen: u64) -> Result<DeviceNews, DeviceFailure> {
        let lived_in = sqlx::query_scalar("SELECT device_node FROM lite_session WHERE device_node IS NOT NULL");
        let lived_in: Option<Uuid> = lived_in.fetch_optional(&self.db).await.unwrap();
        let mut notes = self.notes.lock().unwrap();
        notes.lived_in.push(lived_in);
        Ok(DeviceNews { last: seen + 1, events: notes.news.pop_front().into_iter().collect() })
    }

    async fn let_go(&self) {
        self.note("let go");
    }
}

#[async_trait]
impl LiteDevices for Pocket {
    fn device(&self, _number: &LiteNumber) -> Arc<dyn LiteDevice> {
        Arc::new(self.clone())
    }

    fn live_in_the_process(&self) -> bool {
        true
    }

    async fn download(&self, url: &str, _: &MediaExpectation, _: &Path) -> Result<DownloadedMedia, MediaError> {
        Err(MediaError::HostNotAllowed(url.to_owned()))
    }
}

pub(crate) struct Stage {
    pub(crate) ctx: Context,
    pub(crate) client: ClientId,
    pub(crate) number: InboxId,
    clock: Arc<HandClock>,
    pocket: Pocket,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        let db = scratch::database().await.pool(8).await;
        let clock = Arc::new(HandClock::at(1_790_000_000));
        let pocket = Pocket { notes: Arc::default(), db: db.clone() };
        let devices: Arc<dyn LiteDevices> = Arc::new(pocket.clone());
        let carrier = LiteCarrier::new(Arc::clone(&devices), Arc::<HandClock>::clone(&clock) as Arc<dyn Clock>);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("receiving-lite");
        let carriers = Carriers::default().with(carrier).with_devices(devices);
        let ctx = Surroundings { carriers, ..Surroundings::new(folder) }
            .build(db, Arc::<HandClock>::clone(&clock) as Arc<dyn Clock>)
            .await;
        let (client, _) = one_number(&ctx, "27600000001").await;
        let number = lite_number(&ctx, client, "27830000001").await;
        Self { ctx, client, number, clock, pocket }
    }

    /// Another number of the same client.
    pub(crate) async fn with_another_number(&self) -> Self {
        let number = lite_number(&self.ctx, self.client, "27830000002").await;
        let (ctx, clock) = (self.ctx.clone(), Arc::clone(&self.clock));
        Self { ctx, client: self.client, number, clock, pocket: self.pocket.clone() }
    }

    pub(crate) fn advance(&self, by: TimeDelta) {
        self.clock.advance(by);
    }

    /// The device is connected, reports these events and loses its connection. Then its callbacks are worked off.
    pub(crate) async fn device_reports(&self, events: Vec<DeviceEvent>) {
        self.wants(WantedSession::Connected).await;
        self.tells(&[SessionNews::Synced]);
        self.pocket.notes.lock().unwrap().news.extend(events);
        self.tells(&[SessionNews::Dropped]);
        self.holds_the_session().await;
        self.works_off_callbacks().await;
    }

    async fn works_off_callbacks(&self) {
        let mut db = self.ctx.db.acquire().await.unwrap();
        // Items that were put off become ready at their time.
        lanes::due(&mut db, Queue::Callback, self.ctx.now(), 1).await.unwrap();
        drop(db);
        let lease = self.claim(Queue::Callback).await;
        inbound::callbacks::work(&self.ctx, &lease).await.unwrap();
        lease.release(&self.ctx).await.unwrap();
    }

    /// A process of an earlier release stored a callback, with WhatsApp's own ids. This one works it off.
    pub(crate) async fn callback_of_an_earlier_release(&self, body: CallbackBody) {
        self.called_back([body]).await;
    }

    /// Stores callbacks of the number, and works off those that are due.
    pub(crate) async fn called_back(&self, bodies: impl IntoIterator<Item = CallbackBody>) {
        let new = |body: CallbackBody| {
            let id: CallbackId = self.ctx.mint();
            let mut dedupe_hash = [0_u8; 32];
            dedupe_hash[..16].copy_from_slice(id.0.as_bytes());
            let item = CallbackItem { dedupe_key: id.to_string(), target: CallbackTarget::Inbox(self.number), body };
            NewCallback { id, lane: self.number.0, dedupe_hash, item }
        };
        let new: Vec<NewCallback> = bodies.into_iter().map(new).collect();
        let mut db = self.ctx.db.acquire().await.unwrap();
        callbacks::insert_new(&mut db, self.client, &new, self.ctx.now()).await.unwrap();
        drop(db);
        self.works_off_callbacks().await;
    }

    /// The next call gets no answer.
    pub(crate) fn loses_an_answer(&self) {
        let lost = SendFailure::Unknown { reason: "no answer".to_owned() };
        self.pocket.notes.lock().unwrap().failures.push_back(lost);
    }

    pub(crate) fn message(&self, id: &str, text: &str) -> InboundMessage {
        InboundMessage {
            provider_id: id.to_owned(),
            from: Some(ZO.to_owned()),
            from_user_id: None,
            from_parent_user_id: None,
            from_address: None,
            profile_name: None,
            username: None,
            sent_at: self.ctx.now(),
            quoted_provider_id: None,
            content: InboundContent::Text { body: text.to_owned() },
            raw: serde_json::Value::Null,
            referral: None,
        }
    }

    async fn wants(&self, wanted: WantedSession) {
        let mut db = self.ctx.db.acquire().await.unwrap();
        lite::want(&mut db, self.client, self.number, wanted, self.ctx.now()).await.unwrap();
    }

    async fn session(&self) -> LiteSession {
        let mut db = self.ctx.db.acquire().await.unwrap();
        lite::session(&mut db, self.client, self.number).await.unwrap().unwrap()
    }

    /// The number is connected through a device in this node.
    pub(crate) async fn is_up_in(&self, node: NodeId) {
        self.wants(WantedSession::Connected).await;
        let mut session = LiteSession { device_node: Some(node), ..self.session().await };
        session.state.take(SessionNews::Synced);
        let mut db = self.ctx.db.acquire().await.unwrap();
        let write = SessionWrite { session: &session, next: NextCheck::Held, opens: true };
        lite::save(&mut db, self.client, self.number, write).await.unwrap();
    }

    async fn claim(&self, queue: Queue) -> Lease {
        let lane = LaneKey { queue, client: self.client, lane: self.number.0 };
        let (stop, nudge) = (CancellationToken::new(), Arc::new(Notify::new()));
        Lease::claim(&self.ctx, lane, Duration::from_secs(60), stop, nudge).await.unwrap().expect("the lane is free")
    }

    async fn holds_the_session(&self) {
        let lease = self.claim(Queue::LiteSession).await;
        inbound::lite::work(&self.ctx, &lease).await.unwrap();
        lease.release(&self.ctx).await.unwrap();
    }

    pub(crate) async fn sends(&self) {
        let lease = self.claim(Queue::Outbound).await;
        dispatch::work(&self.ctx, &DispatchHooks::default(), &lease).await.unwrap();
        lease.release(&self.ctx).await.unwrap();
    }

    pub(crate) async fn says(&self, text: &str) {
        self.says_all(OutboundContent::Text { body: text.to_owned() }).await;
    }

    async fn says_all(&self, content: OutboundContent) {
        let reply = ChatReply {
            inbox: self.number,
            channel: Channel::Whatsapp,
            participant: self.ctx.mint(),
            chat_message: self.ctx.mint(),
            recipient: Recipient::from(Address::of_kind(AddressKind::Phone, ZO).unwrap()),
            content,
            quoted_provider_id: None,
        };
        let mut tx = self.ctx.db.begin().await.unwrap();
        reply::queue(&self.ctx, &mut tx, self.client, reply).await.unwrap();
        tx.commit().await.unwrap();
    }

    pub(crate) async fn offers(&self, one: &str, other: &str) {
        let row = |name: &str| ListRow { id: name.to_lowercase(), title: name.to_owned(), description: None };
        let sections = vec![ListSection { title: String::new(), rows: vec![row(one), row(other)] }];
        let list = ReplyList {
            header: None,
            body: "What is it?".to_owned(),
            footer: None,
            button: "Menu".to_owned(),
            sections,
        };
        self.says_all(OutboundContent::List(list)).await;
    }

    /// Zo answers. Returns how the message was understood.
    async fn zo_answers(&self, id: &str, text: &str) -> InboundContent {
        let message = self.message(id, text);
        let mut tx = self.ctx.db.begin().await.unwrap();
        chat::receive::receive(&self.ctx, &mut tx, self.client, self.number, &message).await.unwrap();
        tx.commit().await.unwrap();
        self.understood(id).await
    }

    pub(crate) async fn understood(&self, id: &str) -> InboundContent {
        let mut db = self.ctx.db.acquire().await.unwrap();
        let stored = chat_messages::find_quoted(&mut db, self.client, id).await.unwrap().unwrap().chat_message.unwrap();
        let stored = chat_messages::find(&mut db, self.client, stored).await.unwrap().unwrap();
        stored.content.incoming().unwrap().content.clone()
    }

    /// Each send waits for a permit.
    pub(crate) fn holds_answers(&self) -> Arc<Semaphore> {
        let gate = Arc::new(Semaphore::new(0));
        self.pocket.notes.lock().unwrap().gate = Some(Arc::clone(&gate));
        gate
    }

    /// Waits for the first call to the device.
    pub(crate) async fn until_asked(&self) {
        let asked = async {
            while self.asked().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), asked).await.expect("no call came to the device");
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.pocket.notes.lock().unwrap().asked.clone()
    }

    fn tells(&self, news: &[SessionNews]) {
        self.pocket.notes.lock().unwrap().news.extend(news.iter().copied().map(DeviceEvent::Session));
    }
}

#[tokio::test]
async fn a_device_runs_in_the_process_that_holds_its_session_and_is_released_at_the_end() {
    let stage = Stage::new().await;
    stage.wants(WantedSession::Connected).await;
    stage.tells(&[SessionNews::Synced, SessionNews::Dropped]);
    stage.holds_the_session().await;
    assert_eq!(stage.asked(), ["start new", "let go"]);
    let here = Some(stage.ctx.node.0);
    assert_eq!(stage.pocket.notes.lock().unwrap().lived_in, [here, here]);
    assert_eq!(stage.session().await.device_node, None);
}

#[tokio::test]
async fn a_pairing_continues_until_the_phone_ends_it() {
    let stage = Stage::new().await;
    for last in [SessionNews::Dropped, SessionNews::LoggedOut, SessionNews::Dropped] {
        stage.wants(WantedSession::Connected).await;
        stage.tells(&[SessionNews::Synced, last]);
        stage.holds_the_session().await;
    }
    let starts: Vec<String> = stage.asked().into_iter().filter(|asked| asked != "let go").collect();
    assert_eq!(starts, ["start new", "start again", "start new"]);
}

#[tokio::test]
async fn the_process_that_ends_a_pairing_holds_the_device_and_names_itself() {
    let stage = Stage::new().await;
    stage.is_up_in(stage.ctx.node).await;
    stage.wants(WantedSession::LoggedOut).await;
    stage.holds_the_session().await;
    assert_eq!(stage.asked(), [format!("logout for {}", stage.ctx.node), "let go".to_owned()]);
    assert_eq!(stage.session().await.device_node, None);
}

#[tokio::test]
async fn messages_go_out_from_the_process_that_the_device_lives_in_and_no_other() {
    let stage = Stage::new().await;
    stage.is_up_in(NodeId(Uuid::from_u128(77))).await;
    stage.says("Hello").await;
    stage.sends().await;
    assert_eq!(stage.asked(), Vec::<String>::new(), "the device is elsewhere");
    stage.is_up_in(stage.ctx.node).await;
    stage.sends().await;
    assert_eq!(stage.asked(), ["send"]);
}

async fn lite_number(ctx: &Context, client: ClientId, msisdn: &str) -> InboxId {
    let number: InboxId = ctx.mint();
    let settings = InboxSettings::WhatsappLite(WhatsappLite {
        msisdn: msisdn.parse().unwrap(),
        link_id: ctx.mint(),
        rate_per_second: None,
        hosting: LiteHosting::WhatsappGo,
        billing: BillingModel::Message,
    });
    let mut db = ctx.db.acquire().await.unwrap();
    inboxes::insert(&mut db, client, &Inbox { id: number, settings }, ctx.now()).await.unwrap();
    number
}

pub(crate) fn tap(name: &str) -> InboundContent {
    InboundContent::Interactive { text: name.to_owned(), payload: name.to_lowercase() }
}

#[tokio::test]
async fn an_answer_that_comes_before_the_device_has_answered_is_the_tap_that_it_stands_for() {
    let stage = Stage::new().await;
    stage.is_up_in(stage.ctx.node).await;
    let gate = stage.holds_answers();
    stage.offers("Sales", "Support").await;
    let answered = async {
        stage.until_asked().await;
        let taken = stage.zo_answers("ANSWER", "2").await;
        gate.add_permits(1);
        taken
    };
    let ((), taken) = tokio::join!(stage.sends(), answered);
    assert_eq!(taken, tap("Support"));
    let in_flight: i64 =
        sqlx::query_scalar("SELECT count(*) FROM offer_in_flight").fetch_one(&stage.ctx.db).await.unwrap();
    assert_eq!(in_flight, 0, "it is settled");
    assert_eq!(stage.zo_answers("AGAIN", "1").await, tap("Sales"), "the settled choices are the same");
}

#[tokio::test]
async fn choices_whose_answer_never_comes_count_and_those_of_a_refused_message_do_not() {
    let stage = Stage::new().await;
    stage.is_up_in(stage.ctx.node).await;
    stage.offers("Sales", "Support").await;
    stage.sends().await;
    let refused = ProviderFailure { code: 1, text: "no".to_owned() };
    stage.pocket.notes.lock().unwrap().failures.push_back(SendFailure::Rejected(refused));
    stage.offers("Red", "Blue").await;
    stage.sends().await;
    assert_eq!(stage.zo_answers("A", "2").await, tap("Support"), "the other list was never shown");
    stage.loses_an_answer();
    stage.offers("Tea", "Coffee").await;
    stage.sends().await;
    assert_eq!(stage.zo_answers("B", "2").await, tap("Coffee"));
    assert_eq!(stage.zo_answers("C", "tea").await, tap("Tea"), "a label counts, too");
}
