//! Lite numbers whose devices live in the process that holds their sessions (ADR 0037).

use std::{
    collections::VecDeque,
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use base::{
    Context,
    lanes::{Lease, Wake},
};
use channels::{
    carrier::Carriers,
    whatsapp_cloud::{DownloadedMedia, MediaError, MediaExpectation},
    whatsapp_lite::{
        DeviceEvent, DeviceFailure, DeviceMessage, LiteCarrier, LiteDevice, LiteDevices, LiteNumber, News, QrCode,
    },
};
use domain::{
    address::{Address, AddressKind},
    carriage::SendFailure,
    channel::Channel,
    clock::Clock,
    content::OutboundContent,
    ids::{ClientId, InboxId, NodeId},
    inbox::{BillingModel, LiteHosting},
    lite::{SessionNews, WantedSession},
    recipient::Recipient,
};
use outbound::{
    dispatch,
    reply::{self, Reply},
};
use props::{HandClock, Surroundings, one_number};
use storage::{
    PgPool, Queue,
    inboxes::{
        self, Inbox, InboxSettings, WhatsappLite,
        lite::{self, LiteSession, NextLook},
    },
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// What a pocket did and will tell.
#[derive(Default)]
struct Notes {
    /// What was asked of it, in order.
    asked: Vec<String>,
    /// What it tells next.
    news: VecDeque<DeviceEvent>,
    /// Which process its device lived in each time that it was asked for news.
    lived_in: Vec<Option<Uuid>>,
}

/// A device in the process: it is what it is told to be.
#[derive(Clone)]
struct Pocket {
    notes: Arc<Mutex<Notes>>,
    db: PgPool,
}

impl Pocket {
    fn note(&self, asked: &str) {
        self.notes.lock().unwrap().asked.push(asked.to_owned());
    }
}

#[async_trait]
impl LiteDevice for Pocket {
    async fn start(&self, _holder: &str, paired: bool) -> Result<(), DeviceFailure> {
        self.note(if paired { "start again" } else { "start anew" });
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
        Ok(message.id.to_owned())
    }

    async fn is_registered(&self, _phone: &str) -> Result<bool, DeviceFailure> {
        Ok(true)
    }

    async fn mark_read(&self, _from: &str, _message_id: &str) -> Result<(), DeviceFailure> {
        Ok(())
    }

    async fn typing(&self, _to: &str) -> Result<(), DeviceFailure> {
        Ok(())
    }

    async fn events(&self, seen: u64) -> Result<News, DeviceFailure> {
        let lived_in = sqlx::query_scalar("SELECT device_node FROM lite_session WHERE device_node IS NOT NULL");
        let lived_in: Option<Uuid> = lived_in.fetch_optional(&self.db).await.unwrap();
        let mut notes = self.notes.lock().unwrap();
        notes.lived_in.push(lived_in);
        Ok(News { last: seen + 1, events: notes.news.pop_front().into_iter().collect() })
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

/// A client with a Lite number.
struct Stage {
    ctx: Context,
    client: ClientId,
    number: InboxId,
    pocket: Pocket,
}

impl Stage {
    async fn new() -> Self {
        let db = scratch::database().await.pool(8).await;
        let clock = Arc::new(HandClock::at(1_790_000_000));
        let pocket = Pocket { notes: Arc::default(), db: db.clone() };
        let devices: Arc<dyn LiteDevices> = Arc::new(pocket.clone());
        let carrier = LiteCarrier::new(Arc::clone(&devices), Arc::<HandClock>::clone(&clock) as Arc<dyn Clock>);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("receiving-lite");
        let carriers = Carriers::default().with(carrier).with_devices(devices);
        let ctx = Surroundings { carriers, ..Surroundings::new(folder) }.build(db, clock).await;
        let (client, _) = one_number(&ctx, "27600000001").await;
        let number: InboxId = ctx.mint();
        let settings = InboxSettings::WhatsappLite(WhatsappLite {
            msisdn: "27830000001".parse().unwrap(),
            link_id: ctx.mint(),
            rate_per_second: None,
            hosting: LiteHosting::WhatsappGo,
            billing: BillingModel::Message,
        });
        let mut db = ctx.db.acquire().await.unwrap();
        inboxes::insert(&mut db, client, &Inbox { id: number, settings }, ctx.now()).await.unwrap();
        drop(db);
        Self { ctx, client, number, pocket }
    }

    async fn wants(&self, wanted: WantedSession) {
        let mut db = self.ctx.db.acquire().await.unwrap();
        lite::want(&mut db, self.client, self.number, wanted, self.ctx.now()).await.unwrap();
    }

    async fn session(&self) -> LiteSession {
        let mut db = self.ctx.db.acquire().await.unwrap();
        lite::session(&mut db, self.client, self.number).await.unwrap().unwrap()
    }

    /// The number is connected, by a device that lives there.
    async fn is_up_in(&self, node: NodeId) {
        self.wants(WantedSession::Connected).await;
        let mut session = LiteSession { device_node: Some(node), ..self.session().await };
        session.state.take(SessionNews::Synced);
        let mut db = self.ctx.db.acquire().await.unwrap();
        lite::save(&mut db, self.client, self.number, &session, NextLook::Held, true).await.unwrap();
    }

    async fn claim(&self, queue: Queue) -> Lease {
        let lane = Wake { queue, client: self.client, lane: self.number.0 };
        let (stop, nudge) = (CancellationToken::new(), Arc::new(Notify::new()));
        Lease::claim(&self.ctx, lane, Duration::from_secs(60), stop, nudge).await.unwrap().expect("the lane is free")
    }

    async fn holds_the_session(&self) {
        let lease = self.claim(Queue::LiteSession).await;
        inbound::lite::work(&self.ctx, &lease).await.unwrap();
        lease.release(&self.ctx).await.unwrap();
    }

    async fn sends(&self) {
        let lease = self.claim(Queue::Outbound).await;
        dispatch::work(&self.ctx, &lease).await.unwrap();
        lease.release(&self.ctx).await.unwrap();
    }

    async fn says(&self, text: &str) {
        let reply = Reply {
            inbox: self.number,
            channel: Channel::Whatsapp,
            participant: self.ctx.mint(),
            chat_message: self.ctx.mint(),
            recipient: Recipient::from(Address::of_kind(AddressKind::Phone, "27820000001").unwrap()),
            content: OutboundContent::Text { body: text.to_owned() },
            quoted_provider_id: None,
        };
        let mut tx = self.ctx.db.begin().await.unwrap();
        reply::queue(&self.ctx, &mut tx, self.client, reply).await.unwrap();
        tx.commit().await.unwrap();
    }

    fn asked(&self) -> Vec<String> {
        self.pocket.notes.lock().unwrap().asked.clone()
    }

    fn tells(&self, news: &[SessionNews]) {
        self.pocket.notes.lock().unwrap().news.extend(news.iter().copied().map(DeviceEvent::Session));
    }
}

#[tokio::test]
async fn a_device_lives_in_the_process_that_holds_its_session_and_is_let_go_in_the_end() {
    let stage = Stage::new().await;
    stage.wants(WantedSession::Connected).await;
    stage.tells(&[SessionNews::Synced, SessionNews::Dropped]);
    stage.holds_the_session().await;
    assert_eq!(stage.asked(), ["start anew", "let go"]);
    let here = Some(stage.ctx.node.0);
    assert_eq!(stage.pocket.notes.lock().unwrap().lived_in, [here, here]);
    assert_eq!(stage.session().await.device_node, None);
}

#[tokio::test]
async fn a_pairing_is_gone_on_with_until_the_phone_ends_it() {
    let stage = Stage::new().await;
    for last in [SessionNews::Dropped, SessionNews::LoggedOut, SessionNews::Dropped] {
        stage.wants(WantedSession::Connected).await;
        stage.tells(&[SessionNews::Synced, last]);
        stage.holds_the_session().await;
    }
    let starts: Vec<String> = stage.asked().into_iter().filter(|asked| asked != "let go").collect();
    assert_eq!(starts, ["start anew", "start again", "start anew"]);
}

#[tokio::test]
async fn whoever_ends_a_pairing_holds_the_device_meanwhile_and_says_who_it_is() {
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
