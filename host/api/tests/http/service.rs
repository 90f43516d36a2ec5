//! The API on a database of its own, with one client, one business number and an API key per role.

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use api::{
    AdmissionGate, AdmissionSettings, ApiSettings, ClockControl, ClockFailed, GracePeriods, Readiness, SharedState,
    WebChat, WebChatLimits,
};
use async_trait::async_trait;
use axum::{
    Router,
    body::{Body, to_bytes},
    extract::ConnectInfo,
    http::{HeaderMap, Request, StatusCode, header},
};
use base::{
    Context,
    audit::{Actor, Administration},
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::ClientId;
use inbound::callbacks::Intake;
use metrics_exporter_prometheus::PrometheusBuilder;
use operators::status::{ProgramBuild, StatusReader};
use outbound::accept::Acceptor;
use props::{HandClock, Surroundings};
use serde_json::Value;
use settings::Settings;
use sms::SmsAccounting;
use storage::Db;
use tenancy::{
    accounts::{Authenticator, NewClient, NewUser, Role, create_client, create_user},
    inboxes::{CloudAccount, NewNumber, NumberConnection, WhatsAppNumber, add_number},
    request_log::RequestLog,
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;
use utoipa_axum::router::OpenApiRouter;

/// Signs callbacks.
pub const APP_SECRET: &str = "app-secret";
/// Body limit of the tests.
pub const MAX_BODY: usize = 20_000;
/// Password of every user.
pub const PASSWORD: &str = "correct horse";

/// The build that reports name.
const BUILD: ProgramBuild = ProgramBuild { version: "0.0.0", commit: "of a test" };

/// The clock of the service, for the route that moves it.
struct Hands(Arc<HandClock>);

#[async_trait]
impl ClockControl for Hands {
    async fn advance(&self, seconds: i64) -> Result<DateTime<Utc>, ClockFailed> {
        // A panic in a handler, for the test of panics.
        assert!(seconds != 13, "unlucky");
        Ok(self.0.advance(TimeDelta::seconds(seconds)))
    }
}

pub struct Service {
    pub router: Router,
    pub context: Arc<Context>,
    pub readiness: Arc<Readiness>,
    pub request_log: Arc<RequestLog>,
    pub client: ClientId,
    pub number: WhatsAppNumber,
    /// Key of the ADMIN.
    pub key: String,
    /// The queries to the database, if a test listens to them.
    pub wire: Option<scratch::Wire>,
}

/// The options of a test.
pub struct Options {
    pub app_secret: &'static str,
    pub require_https: bool,
    pub trusted_proxies: &'static [&'static str],
    pub simulator_allows_unsigned: bool,
    pub built_ins: bool,
    pub testing_clock: bool,
    pub metrics_elsewhere: bool,
    pub admission: AdmissionSettings,
    pub body_timeout: Duration,
    pub over_a_wire: bool,
    pub web_chat: WebChatLimits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            app_secret: APP_SECRET,
            require_https: false,
            trusted_proxies: &[],
            simulator_allows_unsigned: false,
            built_ins: false,
            testing_clock: true,
            metrics_elsewhere: false,
            admission: AdmissionSettings {
                requests_per_second: 1_000,
                recipients_per_second: 1_000,
                requests: 100,
                requests_per_client: 100,
                requests_per_source: 50,
                bytes: 20_000_000,
                bytes_per_client: 20_000_000,
                bytes_per_source: 10_000_000,
                turns_per_client: 5,
                write_timeout: Duration::from_secs(30),
                graces: GracePeriods::default(),
            },
            body_timeout: Duration::from_millis(300),
            over_a_wire: false,
            web_chat: WebChatLimits::default(),
        }
    }
}

impl Service {
    pub async fn start() -> Self {
        Self::with(Options::default()).await
    }

    pub async fn with(options: Options) -> Self {
        let scratch = scratch::database().await;
        if !options.over_a_wire {
            return Self::on(scratch.pool(10).await, options).await;
        }
        let wire = scratch.wire().await;
        let db = storage::connect(&wire.url, 10).await.unwrap();
        Self::over(Some(wire), db, options).await
    }

    /// The API on this database.
    pub async fn on(db: Db, options: Options) -> Self {
        Self::over(None, db, options).await
    }

    async fn over(wire: Option<scratch::Wire>, db: Db, options: Options) -> Self {
        let clock = Arc::new(HandClock::at(1_760_000_000));
        let context = Arc::new(context(db, Arc::clone(&clock), &options).await.for_requests());
        let admin = Administration::from(context.as_ref());
        let created = create_client(&admin, acme()).await.unwrap();
        let inbox = add_number(&admin, number(), Actor::Operator).await.unwrap();
        let number = WhatsAppNumber::of(&inbox).unwrap();
        tokio::spawn(base::rights::follow(context.db.clone(), context.rights.clone(), CancellationToken::new()));
        let shared = shared_state(&context, clock, &options);
        let (readiness, request_log) = (Arc::clone(&shared.readiness), Arc::clone(&shared.request_log));
        let router = api::router(shared);
        let key = created.api_key.expose().to_owned();
        Self { router, context, readiness, request_log, client: created.client, number, key, wire }
    }

    /// A key of a user with this role.
    pub async fn key_of(&self, role: Role) -> String {
        let user = NewUser {
            email: format!("{role}@acme.example"),
            password: PASSWORD.to_owned(),
            name: role.to_string(),
            role,
            team: None,
        };
        let admin = Administration::from(self.context.as_ref());
        create_user(&admin, "acme", user, Actor::Operator).await.unwrap().api_key.expose().to_owned()
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Call::get(path).key(&self.key)).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Call::post(path, body.to_string()).key(&self.key)).await
    }

    pub async fn send(&self, call: Call) -> Answer {
        let response = self.router.clone().oneshot(call.0).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        Answer { status: parts.status, headers: parts.headers, bytes: bytes.to_vec() }
    }
}

/// All routes with their descriptions.
pub async fn routes(options: Options) -> OpenApiRouter {
    let clock = Arc::new(HandClock::at(1_760_000_000));
    let db = scratch::database().await.pool(2).await;
    let context = Arc::new(context(db, Arc::clone(&clock), &options).await.for_requests());
    api::routes(shared_state(&context, clock, &options))
}

fn shared_state(context: &Arc<Context>, clock: Arc<HandClock>, options: &Options) -> SharedState {
    let settings = ApiSettings {
        max_body_bytes: MAX_BODY,
        sms_host: String::new(),
        batch_host: String::new(),
        batch_namespace: "urn:patchbay:batch-sms".to_owned(),
        body_timeout: options.body_timeout,
        require_https: options.require_https,
        trusted_proxies: options.trusted_proxies.iter().map(|network| network.parse().unwrap()).collect(),
        testing_clock: options.testing_clock.then(|| Arc::new(Hands(clock)) as Arc<dyn ClockControl>),
        simulator_allows_unsigned: options.simulator_allows_unsigned,
        metrics_elsewhere: options.metrics_elsewhere,
        lite_host: "lite.example".to_owned(),
    };
    SharedState {
        context: Arc::clone(context),
        uploads: Arc::default(),
        live: events::live_events::Hub::start(Arc::clone(context), CancellationToken::new()),
        acceptor: Acceptor::new(Arc::clone(context)),
        sms: sms::Gateways::new(Arc::clone(context)),
        callbacks: Intake::new(Arc::clone(context)),
        web_chat: WebChat::start(context, options.web_chat),
        authenticator: Authenticator::new(
            context.db.clone(),
            Arc::clone(&context.clock),
            context.settings.limits.session_times(),
        ),
        settings: Arc::new(settings),
        admission: AdmissionGate::new(options.admission.clone()),
        request_log: RequestLog::new(context.db.clone()),
        metrics: Arc::new(PrometheusBuilder::new().build_recorder().handle()),
        readiness: Arc::default(),
        status: Arc::new(StatusReader::new(context.db.clone(), Arc::clone(&context.clock), BUILD)),
    }
}

/// A request.
pub struct Call(pub Request<Body>);

impl Call {
    pub fn get(path: &str) -> Self {
        Self(Request::get(path).body(Body::empty()).unwrap())
    }

    /// With a JSON content type.
    pub fn post(path: &str, body: impl Into<Body>) -> Self {
        Self(Request::post(path).header(header::CONTENT_TYPE, "application/json").body(body.into()).unwrap())
    }

    pub fn key(self, key: &str) -> Self {
        self.header("authorization", key)
    }

    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.0.headers_mut().append(name, value.parse().unwrap());
        self
    }

    pub fn without(mut self, name: &'static str) -> Self {
        self.0.headers_mut().remove(name);
        self
    }

    pub fn from(mut self, peer: &str) -> Self {
        let peer: SocketAddr = format!("{peer}:50000").parse().unwrap();
        self.0.extensions_mut().insert(ConnectInfo(peer));
        self
    }
}

/// The answer.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Status and stable text of an error, once its body is complete.
    pub fn error(&self) -> (u16, String) {
        let body = self.json();
        for field in ["timestamp", "status", "error", "message", "path", "requestId", "details"] {
            assert!(body.get(field).is_some(), "no {field} in {body}");
        }
        assert_eq!(body["requestId"], self.headers["x-request-id"].to_str().unwrap());
        assert_eq!(body["status"], self.status.as_u16());
        assert_eq!(self.headers["content-type"], "application/json");
        (self.status.as_u16(), body["error"].as_str().unwrap().to_owned())
    }

    /// The `field` of the first of the `details` of a 400.
    pub fn field(&self) -> String {
        assert_eq!(self.error(), (400, "Bad request".to_owned()));
        self.json()["details"][0]["field"].as_str().unwrap().to_owned()
    }
}

fn acme() -> NewClient {
    NewClient {
        client_ref: "acme".to_owned(),
        name: "Acme".to_owned(),
        email: "ada@acme.example".to_owned(),
        password: PASSWORD.to_owned(),
        parent: None,
        allow_private_targets: false,
    }
}

fn number() -> NewNumber {
    NewNumber {
        client_ref: "acme".to_owned(),
        msisdn: "+27820001001".to_owned(),
        provider: NumberConnection::Cloud,
        cloud: Some(CloudAccount {
            phone_number_id: "106540352242922".to_owned(),
            waba_id: "102290129340398".to_owned(),
            access_token: "EAAG-token".to_owned(),
            app_secret: Some("own-secret".to_owned()),
        }),
        rate_per_second: None,
    }
}

async fn context(db: Db, clock: Arc<HandClock>, options: &Options) -> Context {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("api");
    let mut surroundings = Surroundings { settings: settings(options.app_secret), ..Surroundings::new(folder) };
    surroundings.plugins.built_ins = options.built_ins;
    surroundings.readers = vec![Arc::new(SmsAccounting)];
    surroundings.build(db, clock).await
}

fn settings(app_secret: &str) -> Settings {
    let mut settings = Settings::default();
    settings.server.public_url = Some("http://127.0.0.1:8080".parse().unwrap());
    settings.whatsapp_cloud.app_secret = app_secret.into();
    settings.whatsapp_cloud.verify_token = "verify-me".into();
    settings.limits.max_recipients = 10;
    settings
}
