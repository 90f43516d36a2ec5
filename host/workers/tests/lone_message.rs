//! All that a message which comes alone asks of the database, from its acceptance to its last webhook (ADR 0047): accepted, sent,
//! delivered and read, each told by a webhook, with the real lanes.
#![expect(clippy::unwrap_used, reason = "a test may panic, in its helper functions too")]

use std::{path::Path, sync::Arc, time::Duration};

use async_trait::async_trait;
use base::{Context, lanes::Wakeups, secrets::SecretPurpose};
use channels::carrier::{Carrier, CarrierInbox, CarrierPause, Carriers, OutgoingMessage, SendPlace};
use chrono::TimeDelta;
use domain::{
    carriage::{Acceptance, SendFailure},
    ids::{ClientId, MessageId},
    inbound::{CallbackBody, CallbackItem, CallbackTarget, ProviderStatus, StatusUpdate},
    inbox::InboxKind,
    opaque_json::OpaqueJson,
    sandbox::KeyMode,
    template::TemplateRecord,
    webhook::{PayloadVersion, WebhookSettings, WebhookType},
};
use inbound::callbacks::Intake;
use outbound::{
    accept::{Acceptor, SendCall, SendEndpoint, Senders},
    dispatch::DispatchHooks,
};
use props::{HandClock, Surroundings, one_number};
use scratch::{Scratch, Wire};
use serde_json::json;
use sqlx::{Connection, PgConnection};
use storage::{
    inboxes::templates,
    webhooks::configs::{self, NewConfig},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};
use workers::{Runner, RunnerSettings};

/// Transactions that write, from the acceptance to the last webhook, at most. Measured: 16.
const MOST_TRANSACTIONS: i64 = 18;
/// Records that they write to the log of PostgreSQL, at most. Measured: 148 to 150.
const MOST_RECORDS: i64 = 180;
/// Messages, of which the one with the fewest transactions counts: with the others connections prepare statements.
const TRIES: usize = 12;

/// Takes every message.
struct Provider;

#[async_trait]
impl Carrier for Provider {
    fn kind(&self) -> InboxKind {
        InboxKind::WhatsappCloud
    }

    fn window(&self, _inbox: &CarrierInbox) -> usize {
        16
    }

    fn take(&self, _inbox: &CarrierInbox, wanted: usize) -> Result<Vec<SendPlace>, CarrierPause> {
        Ok((0..wanted).map(|_| SendPlace::of(())).collect())
    }

    async fn send(
        &self,
        _inbox: &CarrierInbox,
        _place: SendPlace,
        outgoing: &OutgoingMessage<'_>,
    ) -> Result<Acceptance, SendFailure> {
        Ok(Acceptance { provider_id: Some(format!("wamid.{}", outgoing.opaque)), ..Acceptance::default() })
    }
}

/// Answers each request with 200, and tells that it came.
async fn receive(listener: TcpListener, came: mpsc::UnboundedSender<()>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, came.clone()));
    }
}

async fn serve(mut stream: TcpStream, came: mpsc::UnboundedSender<()>) {
    let mut request = Vec::new();
    while stream.read_buf(&mut request).await.is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&request).to_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() < length.and_then(|length| length.parse().ok()).unwrap_or(0) {
            continue;
        }
        request.clear();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        came.send(()).unwrap();
    }
}

struct Stage {
    ctx: Arc<Context>,
    client: ClientId,
    acceptor: Arc<Acceptor>,
    intake: Arc<Intake>,
    scratch: Scratch,
    wire: Wire,
    webhooks: mpsc::UnboundedReceiver<()>,
    runner: Runner,
}

impl Stage {
    async fn new() -> Self {
        let scratch = scratch::database().await;
        let wire = scratch.wire().await;
        let db = storage::connect(&wire.url, 10).await.unwrap();
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lone-message");
        let surroundings = Surroundings { carriers: Carriers::default().with(Provider), ..Surroundings::new(folder) };
        let (wake, wakes) = Wakeups::channel();
        let clock = Arc::new(HandClock::at(1_790_000_000));
        let ctx = Arc::new(surroundings.build_waking(db, clock, wake).await);
        let (client, _) = one_number(&ctx, "27600000001").await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        configure(&ctx, client, format!("http://{}/status", listener.local_addr().unwrap())).await;
        let (came, webhooks) = mpsc::unbounded_channel();
        tokio::spawn(receive(listener, came));
        // Nothing is searched for: all of it is announced.
        let never = Duration::from_secs(86_400);
        let settings = RunnerSettings { poll: never, upkeep: never, ..RunnerSettings::default() };
        let runner = Runner::start(Arc::clone(&ctx), DispatchHooks::default(), wakes, settings);
        let (acceptor, intake) = (Acceptor::new(Arc::clone(&ctx)), Intake::new(Arc::clone(&ctx)));
        Self { ctx, client, acceptor, intake, scratch, wire, webhooks, runner }
    }

    /// Waits until a webhook has come and no lane is held any more.
    async fn told(&mut self, db: &mut PgConnection) {
        self.webhooks.recv().await.unwrap();
        let busy = "SELECT EXISTS (SELECT FROM webhook_delivery WHERE state = 'PENDING')
                        OR EXISTS (SELECT FROM lane WHERE leased_until > now())";
        while sqlx::query_scalar::<_, bool>(busy).fetch_one(&mut *db).await.unwrap() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// A message with everything that follows.
    async fn message(&mut self, db: &mut PgConnection, number: usize) {
        let to = format!("278300000{number:02}");
        let body = json!({
            "sender": "+27600000001", "messageType": "NOTIFICATION", "templateName": "order_ready", "templateId": "920",
            "messages": [{"recipients": [{"to": to}]}],
        });
        let call = SendCall {
            client: self.client,
            mode: KeyMode::Live,
            endpoint: SendEndpoint::Whatsapp,
            senders: Senders::All,
            body: body.to_string().into(),
            idempotency_key: Some(format!("order-{number}")),
            request_id: self.ctx.mint(),
        };
        self.acceptor.accept(call).await.unwrap();
        self.told(db).await;
        let id = "SELECT id FROM outbound_message ORDER BY id DESC LIMIT 1";
        let id: uuid::Uuid = sqlx::query_scalar(id).fetch_one(&mut *db).await.unwrap();
        let opaque = outbound::delivery::opaque(self.client, MessageId(id), 0);
        for status in [ProviderStatus::Sent, ProviderStatus::Delivered, ProviderStatus::Read] {
            let update = StatusUpdate {
                provider_id: format!("wamid.{opaque}"),
                opaque: Some(opaque.clone()),
                status,
                at: self.ctx.now(),
                recipient: Some(to.clone()),
                recipient_user_id: None,
                error: None,
            };
            let item = CallbackItem {
                dedupe_key: format!("{opaque} {status:?}"),
                target: CallbackTarget::PhoneNumberId("PN".to_owned()),
                body: CallbackBody::Status(update),
            };
            self.intake.take(100, vec![item]).await.unwrap();
            self.told(db).await;
        }
    }
}

async fn configure(ctx: &Context, client: ClientId, url: String) {
    let mut db = ctx.db.acquire().await.unwrap();
    let config = NewConfig {
        id: ctx.mint(),
        inbox: None,
        settings: WebhookSettings {
            urls: [(WebhookType::StatusUpdate, url)].into(),
            chatbot_include_outgoing: false,
            chatbot_stop_on_agent_assignment: false,
            chatbot_payload_version: PayloadVersion::V2,
        },
        endpoints: vec![(WebhookType::StatusUpdate, ctx.mint())],
        secret_sealed: ctx.sealer.seal(client, SecretPurpose::WebhookSecret, b"secret").unwrap(),
        created_at: ctx.now(),
    };
    configs::insert(&mut db, client, &config).await.unwrap();
    let record = TemplateRecord {
        id: "920".to_owned(),
        waba_id: "WABA".to_owned(),
        name: "order_ready".to_owned(),
        language: "en".to_owned(),
        status: "APPROVED".to_owned(),
        category: "UTILITY".to_owned(),
        parameter_format: "POSITIONAL".to_owned(),
        components: OpaqueJson(json!([{"type": "BODY", "text": "Your order is ready."}])),
    };
    let due = ctx.now() + TimeDelta::days(1);
    templates::replace_all(&mut db, client, "WABA", &[record], ctx.now(), due).await.unwrap();
}

/// The place that the log of PostgreSQL has reached, once all before it can be read.
async fn place(db: &mut PgConnection) -> String {
    let place: String =
        sqlx::query_scalar("SELECT pg_current_wal_insert_lsn()::text").fetch_one(&mut *db).await.unwrap();
    let is_there = "SELECT pg_current_wal_flush_lsn() >= $1::pg_lsn";
    while !sqlx::query_scalar::<_, bool>(is_there).bind(&place).fetch_one(&mut *db).await.unwrap() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    place
}

/// Commits in the log between two places, and all records.
async fn log_between(db: &mut PgConnection, begin: &str, end: &str) -> (i64, i64) {
    let counted =
        "SELECT count(*) FILTER (WHERE resource_manager = 'Transaction' AND record_type LIKE 'COMMIT%'), count(*)
                   FROM pg_get_wal_records_info($1::pg_lsn, $2::pg_lsn)";
    sqlx::query_as(counted).bind(begin).bind(end).fetch_one(db).await.unwrap()
}

#[tokio::test]
async fn a_lone_message_with_three_statuses_and_four_webhooks_takes_few_transactions() {
    let mut stage = Stage::new().await;
    let mut db = PgConnection::connect(&stage.scratch.url).await.unwrap();
    sqlx::query("CREATE EXTENSION pg_walinspect").execute(&mut db).await.unwrap();
    let mut fewest: Option<((i64, i64), Vec<String>)> = None;
    for number in 0..TRIES {
        let begin = place(&mut db).await;
        stage.wire.round_trips();
        stage.message(&mut db, number).await;
        let trips = stage.wire.round_trips();
        let end = place(&mut db).await;
        let counted = log_between(&mut db, &begin, &end).await;
        if fewest.as_ref().is_none_or(|(fewest, _)| counted < *fewest) {
            fewest = Some((counted, trips));
        }
    }
    let ((commits, records), trips) = fewest.unwrap();
    let said = format!(
        "{commits} transactions that write, {records} records in the log, {} round trips\n  {}",
        trips.len(),
        trips.join("\n  ")
    );
    println!("{said}");
    assert!((5..=MOST_TRANSACTIONS).contains(&commits) && records <= MOST_RECORDS, "{said}");
    stage.runner.stop(Duration::from_secs(5)).await;
}
