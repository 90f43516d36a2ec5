//! `patchbay serve` and `patchbay work`.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::Context as _;
use api::{
    AdmissionGate, AdmissionSettings, ApiSettings, ClockControl, ClockFailed, EarlyAnswers, GracePeriods, MetricsPage,
    OverTls, Readiness, SharedState, WebChat, WebChatLimits,
};
use base::{Context, lanes::LaneKey};
use channels::smpp::{SmppEvents, SmppGateway};
use chrono::{DateTime, Utc};
use domain::status_report::ProcessRole;
use inbound::callbacks::Intake;
use operators::status::StatusReader;
use outbound::{accept::Acceptor, dispatch::DispatchHooks};
use rustls::ServerConfig;
use settings::Settings;
use simulator::{CallbackLine, Simulator, SimulatorConfig};
use sms::{Gateways, SmsHook, SmscEvents};
use tenancy::{accounts::Authenticator, request_log::RequestLog};
use tokio::{net::TcpListener, sync::mpsc};
use tokio_util::sync::CancellationToken;
use workers::{Runner, RunnerSettings};

use crate::{
    boot::{self, ProcessParts},
    clock::SystemClock,
    demo, email,
    end_signals::EndSignals,
    erasure_ledger,
    listeners::{self, ConnectionLimits, ConnectionPlaces, ConnectionTimeouts, ListenerState},
    media,
    metrics::{self, ProcessMetrics},
    postgres::Database,
    process_base::Base,
    service_manager,
    simulated_providers::SimulatorAccess,
    status::{self, ReportSource},
    tls::{self, ListenerTls},
    trace_export::TraceExport,
};

/// Interval at which a node checks if another has moved the testing clock.
const CLOCK_POLL: Duration = Duration::from_millis(200);
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Time for running work after the program was told to stop, which must end within 30 s (CONTRACT 3).
const WORK_ENDS_WITHIN: Duration = Duration::from_secs(20);

pub async fn serve(config: Settings) -> anyhow::Result<()> {
    // Faults in the TLS settings are found before anything starts.
    let tls = tls::configured(&config)?;
    let mut ending = EndSignals::new(tls.as_ref().map(|tls| Arc::clone(&tls.files)))?;
    // A taken port is reported before the first start makes a database. The sockets are bound again when all is ready:
    // until then a caller is refused at once, and does not wait.
    drop(Sockets::bind(&config)?);
    media::check_named_folder(&config).await?;
    let database = Database::start(&config).await?;
    let result = run_server(&config, &database, tls, &mut ending).await;
    database.stop().await;
    result
}

pub async fn work(config: Settings) -> anyhow::Result<()> {
    let mut ending = EndSignals::new(None)?;
    media::check_named_folder(&config).await?;
    let database = Database::connect_for_admin(&config).await?;
    let result = run_workers(&config, &database, &mut ending).await;
    database.stop().await;
    result
}

async fn run_server(
    config: &Settings,
    database: &Database,
    tls: Option<ListenerTls>,
    ending: &mut EndSignals,
) -> anyhow::Result<()> {
    let Some(base) = ending.until_signal(Base::open(config, database.url())).await else { return Ok(()) };
    let base = base?;
    base.warn_of_disabled_safeguards().await?;
    if database.is_embedded() {
        // Only we use the data directory, so earlier holders of leases were killed.
        storage::work::lanes::end_all(&mut *base.db.acquire().await?).await?;
    }
    let sockets = Sockets::bind(config)?;
    let address = sockets.http.local_addr()?;
    let public_url = config.public_url(address);
    let simulator = start_simulator(config, address).await?;
    let simulated = simulator.as_ref().map(|(_, simulated)| simulated);
    let clock = Arc::clone(&base.clock);
    let ProcessParts { context: ctx, wakes, smpp } = boot::context(config, base, public_url.clone(), simulated).await?;
    let recorded = metrics::install()?;
    let traces = TraceExport::start(config, ctx.node)?;
    let binds = config.server.workers.then(|| smpp.clone());
    let process = Process::start(config, &ctx, &clock, smpp, config.server.workers.then_some(wakes));
    let certificate = tls.as_ref().map(|tls| Arc::clone(&tls.files));
    let tls = tls.map(|ListenerTls { config, files }| {
        tokio::spawn(files.follow(process.stop.child_token()));
        config
    });
    let readiness = Arc::new(Readiness::default());
    tokio::spawn(metrics::keep_up(recorded.clone(), process.stop.child_token()));
    let binds_of_reports = binds.clone();
    let metrics: Arc<dyn MetricsPage> = ProcessMetrics::new(recorded, &ctx, binds, certificate, config.data_dir());
    tokio::spawn(base::rights::follow(ctx.db.clone(), ctx.rights.clone(), process.stop.child_token()));
    // Callers wait for these, so their database timeouts are shorter.
    let requests = Arc::new(ctx.for_requests());
    let live = events::live_events::Hub::start(Arc::clone(&requests), process.stop.child_token());
    let admission = AdmissionGate::new(admission(config));
    tokio::spawn(Arc::clone(&admission).watch(process.stop.child_token()));
    let request_log = RequestLog::new(requests.db.clone());
    tokio::spawn(Arc::clone(&request_log).run(process.stop.child_token()));
    let parts = RouterParts {
        metrics: metrics.clone(),
        live: Arc::clone(&live),
        admission,
        request_log: Arc::clone(&request_log),
        readiness: Arc::clone(&readiness),
    };
    let router = router(config, &requests, &clock, parts)?;
    let scheme = if config.server.tls_cert.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{address}");
    let answers = EarlyAnswers::new(Arc::clone(&requests));
    let reception = reception(config, answers.clone());
    let stop = || process.stop.child_token();
    let mut servers = vec![tokio::spawn(listen(tls.clone(), sockets.http, router.clone(), reception.clone(), stop()))];
    if let Some(listener) = sockets.batch {
        tracing::info!("listening on https://{} (batch SMS gateway)", listener.local_addr()?);
        servers.push(tokio::spawn(listen(tls.clone(), listener, router, reception.clone(), stop())));
    }
    if let Some(listener) = sockets.email {
        servers.push(email::listen(config, &requests, listener, tls, stop())?);
    }
    if let Some(listener) = sockets.metrics {
        tracing::info!("metrics are at http://{}/metrics", listener.local_addr()?);
        let router = api::metrics_router(metrics);
        servers.push(tokio::spawn(metrics::listener::serve(listener, router, reception.timeouts, answers, stop())));
    }
    tracing::info!("listening on {url}");
    let role = if config.server.workers { ProcessRole::Serve } else { ProcessRole::ServeOnly };
    let reports = ReportSource::new(&ctx, binds_of_reports, role, Some(address), config.data_dir()).keep(stop());
    let reports = tokio::spawn(reports);
    database.announce(vec![url.clone()])?;
    let prepared = match simulated {
        Some(simulated) => ending.until_signal(demo::prepare(&ctx, simulated, &url)).await.transpose()?,
        None => Some(()),
    };
    if prepared.is_some() {
        service_manager::ready(process.stop.child_token());
        ending.wait(database, &mut servers).await?;
    }
    service_manager::stopping();
    tracing::info!("stopping: requests in flight are finished, leases are released");
    readiness.stop();
    process.stop.cancel();
    let answered = async {
        for server in servers {
            server.await??;
        }
        live.finish().await;
        request_log.finish().await;
        anyhow::Ok(())
    };
    // In parallel, because each may need most of the time.
    let (answered, ()) = tokio::join!(answered, process.finish());
    answered?;
    if let Some((simulator, _)) = simulator {
        simulator.stop().await;
    }
    finish(traces).await;
    reports.await?;
    ctx.db.close_for_exit().await;
    Ok(())
}

async fn run_workers(config: &Settings, database: &Database, ending: &mut EndSignals) -> anyhow::Result<()> {
    let Some(base) = ending.until_signal(Base::open(config, database.url())).await else { return Ok(()) };
    let base = base?;
    base.warn_of_disabled_safeguards().await?;
    let clock = Arc::clone(&base.clock);
    let simulated = config.simulator_on().then(|| SimulatorAccess {
        http: config.simulator.listen,
        smsc: boot::smsc_address(config.simulator.listen),
        app_secret: String::new(),
        messenger_app_secret: String::new(),
    });
    // Before the first work, so that a failed start has done nothing.
    let listener = bind_if_set("server.work_listen", config.server.work_listen)?;
    let public_url = config.public_url(config.server.listen);
    let ProcessParts { context: ctx, wakes, smpp } =
        boot::context(config, base, public_url, simulated.as_ref()).await?;
    let recorded = metrics::install()?;
    let traces = TraceExport::start(config, ctx.node)?;
    let binds = Some(smpp.clone());
    let process = Process::start(config, &ctx, &clock, smpp, Some(wakes));
    tokio::spawn(metrics::keep_up(recorded.clone(), process.stop.child_token()));
    let metrics = ProcessMetrics::new(recorded, &ctx, binds.clone(), None, config.data_dir());
    let readiness = Arc::new(Readiness::default());
    let mut servers = Vec::new();
    let address = listener.as_ref().and_then(|listener| listener.local_addr().ok());
    if let Some(listener) = listener {
        tracing::info!("listening on http://{} (probes and metrics)", listener.local_addr()?);
        let requests = Arc::new(ctx.for_requests());
        let router = api::work_router(metrics, Arc::clone(&requests), Arc::clone(&readiness));
        let (answers, stop) = (EarlyAnswers::new(requests), process.stop.child_token());
        servers.push(tokio::spawn(metrics::listener::serve(listener, router, timeouts(config), answers, stop)));
    }
    let reports = ReportSource::new(&ctx, binds, ProcessRole::Work, address, config.data_dir());
    let reports = reports.keep(process.stop.child_token());
    let reports = tokio::spawn(reports);
    tracing::info!("working");
    service_manager::ready(process.stop.child_token());
    ending.wait(database, &mut servers).await?;
    service_manager::stopping();
    readiness.stop();
    process.stop.cancel();
    process.finish().await;
    finish(traces).await;
    reports.await?;
    ctx.db.close_for_exit().await;
    Ok(())
}

async fn finish(traces: Option<TraceExport>) {
    if let Some(traces) = traces {
        traces.finish().await;
    }
}

/// The sockets. All are bound before background work begins, so that a failed start has sent nothing.
struct Sockets {
    http: TcpListener,
    batch: Option<TcpListener>,
    email: Option<TcpListener>,
    metrics: Option<TcpListener>,
}

impl Sockets {
    fn bind(config: &Settings) -> anyhow::Result<Self> {
        let server = &config.server;
        Ok(Self {
            http: bind("server.listen", server.listen)?,
            batch: bind_if_set("server.batch_tls_listen", server.batch_tls_listen)?,
            email: bind_if_set("email.listen", config.email.listen)?,
            metrics: bind_if_set("server.metrics_listen", server.metrics_listen)?,
        })
    }
}

fn bind_if_set(setting: &str, address: Option<SocketAddr>) -> anyhow::Result<Option<TcpListener>> {
    match address {
        Some(address) => bind(setting, address).map(Some),
        None => Ok(None),
    }
}

fn bind(setting: &str, address: SocketAddr) -> anyhow::Result<TcpListener> {
    listeners::bind(address).with_context(|| format!("cannot listen on {address}, which {setting} names"))
}

struct Process {
    stop: CancellationToken,
    runner: Option<Runner>,
    /// Its binds end with it.
    smpp: SmppGateway,
}

impl Process {
    fn start(
        config: &Settings,
        ctx: &Arc<Context>,
        clock: &Arc<SystemClock>,
        smpp: SmppGateway,
        wakes: Option<mpsc::Receiver<LaneKey>>,
    ) -> Self {
        let stop = CancellationToken::new();
        if wakes.is_some() {
            let events: Arc<dyn SmppEvents> = SmscEvents::new(Arc::clone(ctx));
            smpp.connect(&events);
        }
        if config.testing.clock {
            tracing::warn!(
                "testing.clock is on: every caller can move the business clock of this service; turn it off in production"
            );
            tokio::spawn(follow_clock(Arc::clone(ctx), Arc::clone(clock), stop.child_token()));
        }
        tokio::spawn(base::key_rotation::follow(ctx.db.clone(), ctx.sealer.clone(), stop.child_token()));
        erasure_ledger::start(config, ctx, stop.child_token());
        tokio::spawn(plugins::follow(Arc::clone(ctx), stop.child_token()));
        tokio::spawn(plugins::calls::suspensions::follow(Arc::clone(ctx), stop.child_token()));
        let runner =
            wakes.map(|wakes| Runner::start(Arc::clone(ctx), dispatch_hooks(), wakes, RunnerSettings::default()));
        Self { stop, runner, smpp }
    }

    async fn finish(self) {
        if let Some(runner) = self.runner {
            runner.stop(WORK_ENDS_WITHIN).await;
        }
        self.smpp.shutdown().await;
    }
}

/// The rules of channels that the dispatcher does not know.
fn dispatch_hooks() -> DispatchHooks {
    DispatchHooks::default().with(Arc::new(SmsHook::default()))
}

/// Follows the offset in the table, so that the business clocks of all nodes move together.
async fn follow_clock(ctx: Arc<Context>, clock: Arc<SystemClock>, stop: CancellationToken) {
    let mut poll = tokio::time::interval(CLOCK_POLL);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = poll.tick() => {}
        }
        let Ok(mut db) = ctx.db.acquire().await else { continue };
        if let Ok(offset) = storage::tenancy::settings::testing_clock_offset(&mut db).await
            && offset > clock.offset()
        {
            clock.set_offset(offset);
        }
    }
}

async fn start_simulator(
    config: &Settings,
    server: SocketAddr,
) -> anyhow::Result<Option<(Simulator, SimulatorAccess)>> {
    if !config.simulator_on() {
        return Ok(None);
    }
    let configured = config.whatsapp_cloud.app_secret.expose();
    let app_secret = if configured.is_empty() { base::secrets::generate_master_key()? } else { configured.to_owned() };
    let configured = config.messenger.app_secret.expose();
    let messenger_app_secret = if configured.is_empty() { app_secret.clone() } else { configured.to_owned() };
    let listen = config.simulator.listen;
    let scheme = if config.server.tls_cert.is_some() { "https" } else { "http" };
    let simulator = Simulator::start(SimulatorConfig {
        listen,
        smsc_listen: boot::smsc_address(listen),
        callback_url: format!("{scheme}://{server}/providers/whatsapp-cloud/webhook"),
        app_secret: app_secret.clone(),
        verify_token: config.whatsapp_cloud.verify_token.expose().to_owned(),
        messenger: CallbackLine {
            url: format!("{scheme}://{server}/providers/messenger/webhook"),
            app_secret: messenger_app_secret.clone(),
            verify_token: config.messenger.verify_token.expose().to_owned(),
        },
        first_retry: SimulatorConfig::FIRST_RETRY,
    })
    .await
    .context("cannot start the simulator (simulator.enabled = false turns it off)")?;
    if config.testing.clock {
        simulator.set_testing_clock(format!("{scheme}://{server}/testing/clock/advance"));
    }
    let (http, smsc) = (simulator.http_addr(), simulator.smsc_addr());
    let simulated = SimulatorAccess { http, smsc, app_secret, messenger_app_secret };
    tracing::info!("the simulated outside world is at http://{}", simulated.http);
    Ok(Some((simulator, simulated)))
}

/// The parts of the process that its routes use.
struct RouterParts {
    metrics: Arc<dyn MetricsPage>,
    live: Arc<events::live_events::Hub>,
    admission: Arc<AdmissionGate>,
    request_log: Arc<RequestLog>,
    readiness: Arc<Readiness>,
}

fn router(
    config: &Settings,
    ctx: &Arc<Context>,
    clock: &Arc<SystemClock>,
    RouterParts { metrics, live, admission, request_log, readiness }: RouterParts,
) -> anyhow::Result<axum::Router> {
    let testing_clock: Option<Arc<dyn ClockControl>> = config
        .testing
        .clock
        .then(|| Arc::new(SharedClock { ctx: Arc::clone(ctx), clock: Arc::clone(clock) }) as Arc<dyn ClockControl>);
    let settings = ApiSettings {
        max_body_bytes: usize::try_from(config.limits.max_body_bytes).unwrap_or(usize::MAX),
        body_timeout: BODY_TIMEOUT,
        batch_namespace: config.sms.batch_namespace.clone(),
        require_https: config.server.require_https,
        trusted_proxies: config.server.trusted_proxies.clone(),
        testing_clock,
        simulator_allows_unsigned: false,
        metrics_elsewhere: config.server.metrics_listen.is_some(),
        lite_host: config.server.lite_host.clone(),
        sms_host: config.server.sms_host.clone(),
        batch_host: config.server.batch_host.clone(),
    };
    Ok(api::router(SharedState {
        acceptor: Acceptor::new(Arc::clone(ctx)),
        sms: Gateways::new(Arc::clone(ctx)),
        callbacks: Intake::new(Arc::clone(ctx)),
        uploads: Arc::default(),
        web_chat: WebChat::start(ctx, web_chat_limits(config)),
        live,
        authenticator: Authenticator::new(ctx.db.clone(), Arc::clone(&ctx.clock), config.limits.session_times()),
        context: Arc::clone(ctx),
        settings: Arc::new(settings),
        admission,
        request_log,
        metrics,
        readiness,
        status: Arc::new(StatusReader::new(ctx.db.clone(), Arc::clone(&ctx.clock), status::BUILD)),
    }))
}

fn web_chat_limits(config: &Settings) -> WebChatLimits {
    let limits = &config.limits;
    WebChatLimits {
        posts_per_minute: limits.web_chat_posts_per_minute,
        calls_per_minute_per_address: limits.web_chat_calls_per_minute_per_address,
        frames_per_minute: limits.web_chat_frames_per_minute,
        frames_per_minute_per_address: limits.web_chat_frames_per_minute_per_address,
        sockets_per_visitor: limits.web_chat_sockets_per_visitor,
        sockets_per_address: limits.web_chat_sockets_per_address,
        unread_bytes_per_visitor: usize::try_from(limits.web_chat_unread_bytes_per_visitor).unwrap_or(usize::MAX),
        unread_bytes_per_address: usize::try_from(limits.web_chat_unread_bytes_per_address).unwrap_or(usize::MAX),
        write_timeout: limits.web_chat_write_timeout,
        // The other half is for other work.
        database_connections: usize::try_from(limits.database_connections / 2).unwrap_or(1),
    }
}

fn admission(config: &Settings) -> AdmissionSettings {
    let limits = &config.limits;
    AdmissionSettings {
        requests_per_second: limits.requests_per_second_per_client,
        recipients_per_second: limits.recipients_per_second_per_client,
        requests: limits.requests_in_flight,
        requests_per_client: limits.requests_in_flight_per_client,
        requests_per_source: limits.requests_in_flight_per_source,
        bytes: limits.bytes_in_flight,
        bytes_per_client: limits.bytes_in_flight_per_client,
        bytes_per_source: limits.bytes_in_flight_per_source,
        turns_per_client: usize::try_from(limits.database_connections / 4).unwrap_or(1).max(2),
        write_timeout: limits.write_timeout,
        graces: GracePeriods::default(),
    }
}

/// The business clock of all nodes. The table has the offset, and this node follows at once.
struct SharedClock {
    ctx: Arc<Context>,
    clock: Arc<SystemClock>,
}

#[async_trait::async_trait]
impl ClockControl for SharedClock {
    async fn advance(&self, seconds: i64) -> Result<DateTime<Utc>, ClockFailed> {
        let moved = async {
            let mut db = self.ctx.db.acquire().await?;
            storage::tenancy::settings::advance_testing_clock(&mut db, seconds).await
        };
        let offset = moved.await.map_err(|error| ClockFailed(Box::new(error)))?;
        self.clock.set_offset(offset);
        Ok(self.ctx.now())
    }
}

async fn listen(
    tls: Option<Arc<ServerConfig>>,
    listener: TcpListener,
    router: axum::Router,
    reception: ListenerState,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let router = if tls.is_some() { router.layer(axum::Extension(OverTls)) } else { router };
    listeners::serve(listener, tls, router, reception, stop).await;
    Ok(())
}

/// The number of open files is raised to the maximum of the system, since each connection is one.
fn reception(config: &Settings, answers: EarlyAnswers) -> ListenerState {
    let limits = &config.limits;
    let connections = listeners::connections_for(listeners::raise(), limits.connections);
    if connections < limits.connections {
        tracing::warn!("{connections} connections at most: this process may open no more files (ulimit -n)");
    }
    ListenerState {
        places: ConnectionPlaces::new(ConnectionLimits {
            connections,
            per_address: limits.connections_per_address,
            proxies: config.server.trusted_proxies.clone(),
        }),
        timeouts: timeouts(config),
        answers,
    }
}

fn timeouts(config: &Settings) -> ConnectionTimeouts {
    let limits = &config.limits;
    ConnectionTimeouts { head: limits.request_head_timeout, idle: limits.idle_timeout, write: limits.write_timeout }
}
