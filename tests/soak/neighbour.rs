//! The neighbour: its actions are timed, first alone and then during an attack.

use std::{
    collections::BTreeMap,
    fmt,
    future::Future,
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use harness::{TestClient, TestSite, inbound_text, status};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::{Instant, timeout},
};
use uuid::Uuid;

use crate::{
    receiver::Receiver,
    samples::Samples,
    sockets::{Failed, Socket, visit},
    sources::{NEIGHBOUR, PROBE, Source},
    stage::{PASSWORD, Stage},
};

const CHANNEL: &str = "/whatsapp-api-service/v2/channels/whatsapp";
const LOGIN: &str = "/messaging-service/WhatsApp/authenticate/retrieveApiKey";
const CALLBACK: &str = "/providers/whatsapp-cloud/webhook";
const EVENTS: &str = "/chat-service/api/v2/events";
/// An attempt that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(20);
/// Visitors take turns: each may write 40 messages in a minute.
const VISITORS: usize = 8;

/// An action that is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// A send, until its 202.
    Send,
    /// A login with a password.
    Login,
    /// A callback of a provider, until its 200.
    Callback,
    /// From a customer's message to the event on a live connection.
    LiveEvent,
    /// A visitor's message, until it is stored.
    WebChat,
    /// `GET /readyz`.
    Ready,
    /// From a connection to the mail listener to the greeting.
    Mail,
    /// From a send to its first status at the webhook receiver.
    Webhook,
    /// The activation of a plugin with a configuration that fits.
    Activation,
}

/// The actions of every case over plain HTTP.
pub const USUAL: [Action; 8] = [
    Action::Send,
    Action::Login,
    Action::Callback,
    Action::LiveEvent,
    Action::WebChat,
    Action::Ready,
    Action::Mail,
    Action::Webhook,
];

/// The same at a node without the mail listener.
pub const USUAL_WITHOUT_MAIL: [Action; 7] =
    [Action::Send, Action::Login, Action::Callback, Action::LiveEvent, Action::WebChat, Action::Ready, Action::Webhook];

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Send => "send",
            Self::Login => "login",
            Self::Callback => "callback",
            Self::LiveEvent => "live event",
            Self::WebChat => "web chat",
            Self::Ready => "/readyz",
            Self::Mail => "mail",
            Self::Webhook => "webhook",
            Self::Activation => "activation",
        })
    }
}

impl Action {
    /// Time from one attempt to the next.
    fn period(self) -> Duration {
        Duration::from_millis(match self {
            Self::Send | Self::Callback | Self::Ready => 200,
            Self::LiveEvent | Self::WebChat | Self::Mail | Self::Webhook | Self::Activation => 400,
            Self::Login => 1_000,
        })
    }
}

/// How long each action took.
pub type Timings = BTreeMap<Action, Samples>;

/// The neighbour. Cheap to clone.
#[derive(Clone)]
pub struct Neighbour {
    base: String,
    address: SocketAddr,
    mail: SocketAddr,
    source: Source,
    http: reqwest::Client,
    probe: reqwest::Client,
    client: TestClient,
    site: TestSite,
    receiver: Receiver,
    app_secret: &'static str,
}

impl Neighbour {
    /// The neighbour of a stage, with its webhook receiver.
    pub async fn of(stage: &Stage) -> Self {
        let receiver = Receiver::start().await;
        let webhooks = json!({ "statusUpdateURL": receiver.url() });
        let reply = stage.neighbour.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &webhooks).await;
        assert!(matches!(reply.status, 200 | 201), "{}", reply.text);
        let (source, probe) = (stage.sources.source(NEIGHBOUR), stage.sources.source(PROBE));
        let ground = stage.ground();
        Self {
            base: stage.base(),
            address: ground.http,
            mail: ground.mail,
            source,
            http: source.http(PATIENCE),
            probe: probe.http(PATIENCE),
            client: stage.neighbour.clone(),
            site: stage.neighbours_site.clone(),
            receiver,
            app_secret: stage.patchbay.app_secret(),
        }
    }

    /// Does all of these for so long, each at its own pace, and answers how long they took.
    pub async fn measure(&self, actions: &[Action], length: Duration) -> Timings {
        let timings: Arc<Mutex<Timings>> = Arc::default();
        let end = Instant::now() + length;
        let mut tasks = tokio::task::JoinSet::new();
        for action in actions {
            timings.lock().unwrap().insert(*action, Samples::default());
            let log = Log { action: *action, timings: Arc::clone(&timings), end };
            tasks.spawn(self.clone().repeat(*action, log));
        }
        while let Some(ended) = tasks.join_next().await {
            ended.unwrap();
        }
        std::mem::take(&mut *timings.lock().unwrap())
    }

    async fn repeat(self, action: Action, log: Log) {
        match action {
            Action::Send => log.series(|| self.send()).await,
            Action::Login => log.series(|| self.login()).await,
            Action::Callback => log.series(|| self.report_status()).await,
            Action::Ready => log.series(|| self.ready()).await,
            Action::Mail => log.series(|| self.mail()).await,
            Action::Webhook => log.series(|| self.webhook()).await,
            Action::Activation => log.series(|| self.activate()).await,
            Action::LiveEvent => self.live_events(log).await,
            Action::WebChat => self.web_chat(log).await,
        }
    }

    async fn send(&self) -> Result<(), Failed> {
        let payload = self.client.order_ready(&[&recipient()]);
        let request = self.http.post(format!("{}{CHANNEL}", self.base)).header("Authorization", &self.client.key);
        expect(202, request.json(&payload)).await
    }

    async fn login(&self) -> Result<(), Failed> {
        let email = format!("{}@example.com", self.client.client_ref);
        let body = json!({ "email": email, "password": PASSWORD, "clientRef": self.client.client_ref });
        expect(200, self.http.post(format!("{}{LOGIN}", self.base)).json(&body)).await
    }

    async fn report_status(&self) -> Result<(), Failed> {
        let id = format!("wamid.{}", unique());
        self.callback(&self.client.callback(status(&id, "sent", None))).await
    }

    async fn callback(&self, body: &Value) -> Result<(), Failed> {
        use hmac::Mac;
        let body = body.to_string();
        let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(self.app_secret.as_bytes()).unwrap();
        mac.update(body.as_bytes());
        let signature = format!("sha256={}", hex::encode(mac.finalize().into_bytes()));
        let request = self.http.post(format!("{}{CALLBACK}", self.base)).header("X-Hub-Signature-256", signature);
        expect(200, request.header("Content-Type", "application/json").body(body)).await
    }

    async fn ready(&self) -> Result<(), Failed> {
        expect(200, self.probe.get(format!("{}/readyz", self.base))).await
    }

    async fn mail(&self) -> Result<(), Failed> {
        let mut connection = self.source.connect(self.mail).await.map_err(|error| format!("{}", error.kind()))?;
        let mut greeting = [0; 4];
        connection.read_exact(&mut greeting).await.map_err(|error| format!("greeting: {}", error.kind()))?;
        if greeting.starts_with(b"220") {
            // The listener may close first.
            let _ = connection.write_all(b"QUIT\r\n").await;
            return Ok(());
        }
        Err(String::from_utf8_lossy(&greeting).trim().to_owned())
    }

    async fn webhook(&self) -> Result<(), Failed> {
        let ct_id = format!("webhook-{}", unique());
        let mut payload = self.client.order_ready(&[&recipient()]);
        payload["messages"][0]["recipients"][0]["ctId"] = json!(ct_id);
        let arrival = self.receiver.expect(&ct_id);
        let request = self.http.post(format!("{}{CHANNEL}", self.base)).header("Authorization", &self.client.key);
        expect(202, request.json(&payload)).await?;
        arrival.await.map_err(|_| "no webhook".to_owned())
    }

    async fn activate(&self) -> Result<(), Failed> {
        let body = json!({ "mode": "live", "config": { "shop": unique() } });
        let url = format!("{}/plugin-service/api/v1/plugins/shop/activate", self.base);
        expect(200, self.http.post(url).header("Authorization", &self.client.key).json(&body)).await
    }

    async fn live_events(&self, log: Log) {
        let headers = [("authorization", self.client.key.as_str())];
        let open = async || Socket::open(self.source, self.address, EVENTS, &headers).await;
        let socket = tokio::sync::Mutex::new(open().await.ok());
        let ask = || async {
            let mut socket = socket.lock().await;
            if socket.is_none() {
                *socket = Some(open().await?);
            }
            let text = format!("event {}", unique());
            let written = inbound_text(&format!("wamid.{text}"), Some("27830000001"), None, &text);
            let told = async {
                self.callback(&self.client.callback(written)).await?;
                let events = socket.as_mut().ok_or("no socket")?;
                events.hear(|event| event["type"] == "message.received" && event["message"]["text"] == *text).await
            };
            let told = told.await;
            if told.is_err() {
                *socket = None;
            }
            told.map(drop)
        };
        log.series(ask).await;
    }

    async fn web_chat(&self, log: Log) {
        let arrivals = futures::future::join_all((0..VISITORS).map(|_| self.arrive())).await;
        let widgets: Vec<_> = arrivals.into_iter().map(|arrived| tokio::sync::Mutex::new(arrived.ok())).collect();
        let turn = std::sync::atomic::AtomicUsize::new(0);
        let ask = || async {
            let turn = turn.fetch_add(1, std::sync::atomic::Ordering::Relaxed) % VISITORS;
            let mut widget = widgets[turn].lock().await;
            if widget.is_none() {
                *widget = Some(self.arrive().await?);
            }
            let key = unique();
            let written = async {
                let widget = widget.as_mut().ok_or("no widget")?;
                widget.say(&json!({ "type": "text", "key": key, "text": "is this in stock?" })).await?;
                widget
                    .hear(|frame| matches!(frame["type"].as_str(), Some("taken" | "refused")) && frame["key"] == *key)
                    .await
            };
            match written.await {
                Ok(frame) if frame["type"] == "taken" => Ok(()),
                Ok(frame) => Err(format!("refused with {}", frame["status"])),
                Err(error) => {
                    *widget = None;
                    Err(error)
                }
            }
        };
        log.series(ask).await;
    }

    /// A new visitor whose widget is ready.
    async fn arrive(&self) -> Result<Socket, Failed> {
        let token = visit(&self.http, &self.base, &self.site).await?;
        let mut widget = Socket::widget(self.source, self.address, &self.site, &token).await?;
        widget.hear(|frame| frame["type"] == "ready").await?;
        Ok(widget)
    }
}

/// Where the attempts of one action are noted.
struct Log {
    action: Action,
    timings: Arc<Mutex<Timings>>,
    end: Instant,
}

impl Log {
    async fn series<F: Future<Output = Result<(), Failed>>>(self, attempt: impl Fn() -> F) {
        while Instant::now() < self.end {
            let began = Instant::now();
            let outcome = timeout(PATIENCE, attempt()).await.unwrap_or_else(|_| Err("no end in time".to_owned()));
            let took = began.elapsed();
            self.timings.lock().unwrap().entry(self.action).or_default().add(took, outcome);
            tokio::time::sleep_until(began + self.action.period().max(took)).await;
        }
    }
}

async fn expect(wanted: u16, request: reqwest::RequestBuilder) -> Result<(), Failed> {
    let reply = request.send().await.map_err(|error| {
        let kind = if error.is_timeout() {
            "no answer in time"
        } else if error.is_connect() {
            "no connection"
        } else {
            "broken off"
        };
        kind.to_owned()
    })?;
    let status = reply.status().as_u16();
    reply.bytes().await.map_err(|_| "answer broken off".to_owned())?;
    if status == wanted { Ok(()) } else { Err(status.to_string()) }
}

/// A recipient that gets no other message: the provider takes few messages to one recipient in a time.
fn recipient() -> String {
    static LAST: AtomicU32 = AtomicU32::new(0);
    format!("2782{:07}", LAST.fetch_add(1, Ordering::Relaxed))
}

/// A name that nothing else has.
pub fn unique() -> String {
    Uuid::from_u128(rand::random()).to_string()
}
