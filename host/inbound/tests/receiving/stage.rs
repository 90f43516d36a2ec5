//! One client with one number, with its own database, a clock that the test moves, and the built-in plugins.

use std::{
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, OnceLock},
    time::Duration,
};

use base::{
    Context,
    lanes::{LaneKey, Lease},
};
use channels::{
    media_store::MediaStore,
    whatsapp_cloud::{CloudApi, CloudSettings, callback},
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::{ClientId, InboxId, ParticipantId},
    inbound::InboundContent,
};
use inbound::callbacks::{self, Intake};
use plugin_host::{
    OutgoingHttp,
    webhook_shaper::{ChatbotEvent, IncomingMessageEvent, WebhookEvent},
};
use props::{HandClock, Surroundings, one_number};
use serde_json::{Value, json};
use settings::Settings;
use storage::{
    Db, Queue,
    chat::{
        chat_messages::{self, ChatMessage},
        participants::{self, Participant},
    },
    plugins::activations::{self, ActivatedHttpLimits, Activation},
    work::lanes,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use webhooks::{configure, shaper_event};

pub const BUSINESS: &str = "27600000001";
pub const ZO: &str = "27820000001";

pub struct Stage {
    pub ctx: Arc<Context>,
    pub client: ClientId,
    pub number: InboxId,
    intake: Arc<Intake>,
    clock: Arc<HandClock>,
}

impl Stage {
    pub async fn new() -> Self {
        Self::reaching(None).await
    }

    /// A stage whose plugins send their requests to `web`.
    pub async fn with_web(web: Arc<dyn OutgoingHttp>) -> Self {
        Self::reaching(Some(web)).await
    }

    async fn reaching(web: Option<Arc<dyn OutgoingHttp>>) -> Self {
        let db = scratch::database().await.pool(8).await;
        let clock = Arc::new(HandClock::at(1_790_000_000));
        let ctx = Arc::new(context(db, Arc::clone(&clock), web).await);
        let (client, number) = one_number(&ctx, BUSINESS).await;
        let stage = Self { intake: Intake::new(Arc::clone(&ctx)), ctx, client, number, clock };
        let webhooks = json!({
            "incomingMessageURL": "http://127.0.0.1:9/incoming",
            "chatbotWebhookURL": "http://127.0.0.1:9/chatbot",
            "chatbotIncludeOutgoing": true,
            "chatbotPayloadVersion": "v2",
            "eventWebhookURL": "http://127.0.0.1:9/event"
        });
        let request = serde_json::from_value(webhooks).unwrap();
        configure::create(&stage.ctx, client, "tester", &request).await.unwrap();
        stage
    }

    /// A stage with a chatbot for all numbers. The plugin need not exist.
    pub async fn with_chatbot(plugin: &str, config: Value) -> Self {
        let stage = Self::new().await;
        stage.activate(plugin, config).await;
        stage
    }

    /// The same stage with its files in another store.
    pub fn with_files_in(self, store: Arc<dyn MediaStore>) -> Self {
        let mut ctx = Context::clone(&self.ctx);
        ctx.media = store;
        let ctx = Arc::new(ctx);
        Self { intake: Intake::new(Arc::clone(&ctx)), ctx, ..self }
    }

    /// The same stage with the Graph API at this address.
    pub fn with_graph_at(self, url: &str) -> Self {
        let mut ctx = Context::clone(&self.ctx);
        ctx.cloud = CloudApi::new(CloudSettings { graph_url: url.to_owned(), ..CloudSettings::default() }).unwrap();
        let ctx = Arc::new(ctx);
        Self { intake: Intake::new(Arc::clone(&ctx)), ctx, ..self }
    }

    pub async fn activate(&self, plugin: &str, config: Value) {
        self.activate_in("chatbot", plugin, config).await;
    }

    pub async fn activate_in(&self, world: &str, plugin: &str, config: Value) {
        self.activate_with(world, plugin, config, &[]).await;
    }

    /// A chatbot that may reach these hosts.
    pub async fn activate_reaching(&self, plugin: &str, config: Value, hosts: &[&str]) {
        self.activate_with("chatbot", plugin, config, hosts).await;
    }

    async fn activate_with(&self, world: &str, plugin: &str, config: Value, hosts: &[&str]) {
        let active = Activation {
            id: self.ctx.mint(),
            world: world.to_owned(),
            inbox: None,
            mode: "live".to_owned(),
            plugin: plugin.to_owned(),
            upload: None,
            config: config.into(),
            allowed_hosts: hosts.iter().map(|host| (*host).to_owned()).collect(),
            http_limits: ActivatedHttpLimits::default(),
            percent: 100,
            error_threshold: 10,
            minimum_calls: 20,
            previous: None,
            recording: None,
            activated_at: self.ctx.now(),
        };
        let mut db = self.ctx.db.acquire().await.unwrap();
        for before in activations::in_scope(&mut db, self.client, &active.world, None).await.unwrap() {
            activations::end(&mut db, self.client, before.id, "replaced", self.ctx.now()).await.unwrap();
        }
        activations::begin(&mut db, self.client, &active).await.unwrap();
    }

    pub fn advance(&self, by: TimeDelta) {
        self.clock.advance(by);
    }

    /// Zo sends a message of type `kind`, with `part` under that name.
    pub async fn zo_sends(&self, id: &str, kind: &str, part: Value, context: Option<&str>) {
        self.zo_sends_at(id, kind, part, context, self.ctx.now()).await;
    }

    pub async fn zo_sends_at(&self, id: &str, kind: &str, part: Value, context: Option<&str>, at: DateTime<Utc>) {
        let mut message = json!({
            "from": ZO, "from_user_id": "ZA.100", "id": id, "timestamp": at.timestamp().to_string(), "type": kind
        });
        message[kind] = part;
        if let Some(context) = context {
            message["context"] = json!({ "from": BUSINESS, "id": context });
        }
        let contact = json!({ "profile": { "name": "Zo", "username": "zo" }, "wa_id": ZO, "user_id": "ZA.100" });
        self.called_back(json!({ "contacts": [contact], "messages": [message] })).await;
    }

    pub async fn zo_writes(&self, id: &str, text: &str) {
        self.zo_sends(id, "text", json!({ "body": text }), None).await;
    }

    /// Delivers a `messages` change with these fields.
    pub async fn called_back(&self, fields: Value) {
        let mut value = json!({
            "messaging_product": "whatsapp",
            "metadata": { "display_phone_number": BUSINESS, "phone_number_id": "PN" }
        });
        value.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.told_of_the_account("messages", value).await;
    }

    /// Delivers a change of this field.
    pub async fn told_of_the_account(&self, field: &str, value: Value) {
        let body = json!({
            "object": "whatsapp_business_account",
            "entry": [{ "id": "WABA", "changes": [{ "field": field, "value": value }] }]
        });
        let raw = body.to_string();
        let items = callback::parse(raw.as_bytes()).unwrap();
        self.intake.take(raw.len(), items).await.unwrap();
    }

    /// Works off all due work of both queues, as the runner does.
    pub async fn settle(&self) {
        self.work_off(&[Queue::Callback, Queue::Participant]).await;
    }

    /// Works on the only chat that has work, once.
    pub async fn try_turn(&self) -> base::Result<()> {
        let [lane] = self.due(Queue::Participant).await.try_into().unwrap();
        let lease = self.claim(Queue::Participant, lane).await;
        let worked = chat::work(&self.ctx, &lease).await;
        lease.release(&self.ctx).await.unwrap();
        worked
    }

    /// Works off callbacks only, without the chatbot.
    pub async fn settle_callbacks_only(&self) {
        self.work_off(&[Queue::Callback]).await;
    }

    /// Fetches the files of customers that are due.
    pub async fn fetch_files(&self) {
        self.work_off(&[Queue::Media]).await;
    }

    /// Sends the requests that chatbots have started.
    pub async fn send_requests(&self) {
        self.work_off(&[Queue::PluginRequest]).await;
    }

    /// Sends the templates that are due.
    pub async fn send_templates(&self) {
        self.work_off(&[Queue::ScheduledTemplate]).await;
    }

    /// Begins to send the only started request, and stops the process once `begun` holds.
    pub async fn stop_during_a_request(&self, begun: impl Fn() -> bool) {
        let [lane] = self.due(Queue::PluginRequest).await.try_into().unwrap();
        let lease = self.claim(Queue::PluginRequest, lane).await;
        let stop = async {
            while !begun() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            lease.stop.cancel();
        };
        let (sent, ()) = tokio::join!(chat::started_requests::work(&self.ctx, &lease), stop);
        sent.unwrap();
        lease.release(&self.ctx).await.unwrap();
    }

    async fn work_off(&self, queues: &[Queue]) {
        loop {
            let mut idle = true;
            for queue in queues.iter().copied() {
                for lane in self.due(queue).await {
                    idle = false;
                    let lease = self.claim(queue, lane).await;
                    match queue {
                        Queue::Callback => callbacks::work(&self.ctx, &lease).await.unwrap(),
                        Queue::Media => inbound::media::work(&self.ctx, &lease).await.unwrap(),
                        Queue::ScheduledTemplate => chat::scheduled_templates::work(&self.ctx, &lease).await.unwrap(),
                        Queue::PluginRequest => chat::started_requests::work(&self.ctx, &lease).await.unwrap(),
                        _ => chat::work(&self.ctx, &lease).await.unwrap(),
                    }
                    lease.release(&self.ctx).await.unwrap();
                }
            }
            if idle {
                return;
            }
        }
    }

    pub async fn due(&self, queue: Queue) -> Vec<Uuid> {
        let mut db = self.ctx.db.acquire().await.unwrap();
        let due = lanes::due(&mut db, queue, self.ctx.now(), 10).await.unwrap();
        due.into_iter().map(|(_, lane)| lane).collect()
    }

    pub async fn claim(&self, queue: Queue, lane: Uuid) -> Lease {
        let lane = LaneKey { queue, client: self.client, lane };
        let (stop, nudge) = (CancellationToken::new(), Arc::new(Notify::new()));
        let claimed = Lease::claim(&self.ctx, lane, Duration::from_secs(60), stop, nudge).await;
        claimed.unwrap().expect("the lane is free")
    }

    pub async fn add_team(&self, name: &str) {
        let mut db = self.ctx.db.acquire().await.unwrap();
        let statement = "INSERT INTO team (client_id, id, name, created_at) VALUES ($1, gen_random_uuid(), $2, now())";
        sqlx::query(statement).bind(self.client.0).bind(name).execute(&mut *db).await.unwrap();
    }

    pub async fn chat(&self) -> Participant {
        let [id]: [Uuid; 1] = self.ids("SELECT id FROM participant").await.try_into().unwrap();
        let mut db = self.ctx.db.acquire().await.unwrap();
        participants::find(&mut db, self.client, ParticipantId(id)).await.unwrap().unwrap()
    }

    /// Its messages, oldest first.
    pub async fn messages(&self) -> Vec<ChatMessage> {
        let chat = self.chat().await.id;
        let mut db = self.ctx.db.acquire().await.unwrap();
        let mut page = chat_messages::page(&mut db, self.client, chat, None, 100).await.unwrap();
        page.reverse();
        page
    }

    /// Their texts, `<` before those of the customer and `>` before ours.
    pub async fn transcript(&self) -> Vec<String> {
        let line = |message: ChatMessage| {
            let mark = if message.content.incoming().is_some() { '<' } else { '>' };
            format!("{mark} {}", message.body.unwrap_or_default())
        };
        self.messages().await.into_iter().map(line).collect()
    }

    /// The content of the customer's last message.
    pub async fn last_said(&self) -> InboundContent {
        let messages = self.messages().await;
        let last = messages.into_iter().rfind(|message| message.content.incoming().is_some()).unwrap();
        last.content.incoming().unwrap().content.clone()
    }

    /// The events that the shaper would get.
    async fn events(&self) -> Vec<WebhookEvent> {
        let rows = self.texts("SELECT (event::json->'value')::text FROM webhook_delivery ORDER BY id").await;
        rows.iter().map(|row| shaper_event::read(row, BUSINESS).unwrap()).collect()
    }

    pub async fn incoming_events(&self) -> Vec<IncomingMessageEvent> {
        let incoming = |event| match event {
            WebhookEvent::Incoming(event) => Some(event),
            _ => None,
        };
        self.events().await.into_iter().filter_map(incoming).collect()
    }

    pub async fn chatbot_events(&self) -> Vec<ChatbotEvent> {
        let chatbot = |event| match event {
            WebhookEvent::Chatbot(event) => Some(event),
            _ => None,
        };
        self.events().await.into_iter().filter_map(chatbot).collect()
    }

    pub async fn partner_events(&self) -> Vec<plugin_host::webhook_shaper::PartnerEvent> {
        let partner = |event| match event {
            WebhookEvent::Partner(event) => Some(event),
            _ => None,
        };
        self.events().await.into_iter().filter_map(partner).collect()
    }

    pub async fn ids(&self, sql: &'static str) -> Vec<Uuid> {
        sqlx::query_scalar(sql).fetch_all(&self.ctx.db).await.unwrap()
    }

    pub async fn texts(&self, sql: &'static str) -> Vec<String> {
        sqlx::query_scalar(sql).fetch_all(&self.ctx.db).await.unwrap()
    }

    pub async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(&self.ctx.db).await.unwrap()
    }

    /// Outcomes of the chatbot's calls, oldest first.
    pub async fn outcomes(&self) -> Vec<String> {
        sqlx::query_scalar("SELECT outcome FROM plugin_invocation WHERE world = 'chatbot' ORDER BY id")
            .fetch_all(&self.ctx.db)
            .await
            .unwrap()
    }
}

/// A directory with the chatbots `tests/guests/hostile-bot` under the name `puppet`, `errand-bot` as `errands`, and `clerk`.
fn guests(folder: &Path) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let directory = BUILT.get_or_init(|| {
        let manifest =
            PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../tests/guests/Cargo.toml");
        // The folder of the built-in components, which have the same dependencies.
        let target_dir = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("plugins");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args([
            "build",
            "--release",
            "--quiet",
            "--target",
            "wasm32-wasip2",
            "-p",
            "hostile-bot",
            "-p",
            "errand-bot",
            "-p",
            "clerk",
        ]);
        cargo.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(&target_dir);
        for variable in
            ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WORKSPACE_WRAPPER", "CARGO_TARGET_DIR", "RUSTC_BOOTSTRAP"]
        {
            cargo.env_remove(variable);
        }
        assert!(cargo.status().unwrap().success(), "tests/guests must build");
        let directory = folder.join("guests");
        std::fs::create_dir_all(&directory).unwrap();
        for (built, name) in [("hostile_bot", "puppet"), ("errand_bot", "errands"), ("clerk", "clerk")] {
            let built = target_dir.join(format!("wasm32-wasip2/release/{built}.wasm"));
            std::fs::copy(built, directory.join(format!("{name}.wasm"))).unwrap();
        }
        directory
    });
    directory.clone()
}

async fn context(db: Db, clock: Arc<HandClock>, web: Option<Arc<dyn OutgoingHttp>>) -> Context {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("receiving");
    let plugins_dir = Some(guests(&folder));
    let mut surroundings = Surroundings { settings: settings(), ..Surroundings::new(folder) };
    surroundings.plugins.plugins_dir = plugins_dir;
    surroundings.plugins.http = web;
    surroundings.build(db, clock).await
}

fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.server.public_url = Some("http://127.0.0.1:8080".parse().unwrap());
    settings.limits.inbound_media_max_bytes = 1 << 20;
    settings
}
