//! Builds the `Context` of the use cases from the configuration.

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use anyhow::{Context as _, bail};
use base::{
    Context, ContextBuilder, EmailSettings, KeyValueQuota, LiveSettings, MediaKept, PluginSettings, Retention,
    Settings,
    lanes::{Wake, Wakeups},
};
use channels::{
    carrier::Carriers,
    email::SmtpRelay,
    http::{GuardedClient, GuardedSettings},
    messenger::{MessengerApi, MessengerCarrier, MessengerLimits},
    smpp::{SmppCarrier, SmppGateway, SmppUrl},
    telegram::{TelegramApi, TelegramCarrier, TelegramLimits, TelegramProvider},
    web::WebCarrier,
    whatsapp_cloud::{CloudApi, CloudCarrier, CloudLimits, CloudSettings},
    whatsapp_lite::{LiteCarrier, LiteDevices},
};
use domain::{clock::Clock, ids::MediaId, sms_products::StopWords};
use plugin_host::{Compiler, HostConfig, Limits, PluginHost};
use plugins::{DatabaseComponents, SealedSecrets, calls::http::GuardedOutgoing};
use tokio::sync::mpsc;

use crate::{
    clock::SystemClock, config::Config, email, lite, media, opened_base::Base, simulated_providers::Simulated,
};

const MEDIA_URL_LIFETIME: Duration = Duration::from_secs(7 * 24 * 3600);

/// The minimum of plugin versions to keep.
const FEWEST_VERSIONS: u32 = 100;

/// The parts of a process.
pub struct Parts {
    pub context: Arc<Context>,
    /// Wake-ups from use cases to the runner.
    pub wakes: mpsc::Receiver<Wake>,
    /// The SMSCs, not connected yet.
    pub smpp: SmppGateway,
}

/// Builds the context of the use cases and the receiver of their wake-ups.
pub async fn context(
    config: &Config,
    base: Base,
    public_url: String,
    simulated: Option<&Simulated>,
) -> anyhow::Result<Parts> {
    let (wake, wakes) = Wakeups::channel();
    let media_folder = config.media_folder();
    media::make_folders(config).await?;
    let graph_url = simulated.map(Simulated::graph_url);
    let cloud = CloudApi::new(CloudSettings {
        graph_url: config.whatsapp_graph_url(graph_url.as_deref()),
        api_version: config.whatsapp_cloud.api_version.clone(),
        timeout: config.limits.cloud_timeout,
    })?;
    let http = GuardedClient::new(GuardedSettings {
        connect_timeout: config.limits.webhook_connect_timeout,
        total_timeout: config.limits.webhook_timeout,
        webhook_read_bytes: usize::try_from(config.limits.webhook_max_response_bytes).unwrap_or(usize::MAX),
        ..GuardedSettings::default()
    })?;
    let outgoing = GuardedOutgoing::new(http.clone(), base.db.clone(), config.webhooks.allow_private_targets);
    let components = DatabaseComponents::new(base.db.clone());
    let host = HostConfig {
        http: Some(Arc::new(outgoing)),
        components: Some(Arc::new(components)),
        secrets: Some(Arc::new(SealedSecrets::new(base.sealer.clone()))),
        ..host_config(config)
    };
    let plugins = PluginHost::start(host).await.context("cannot start the plugin host")?;
    let media_kept = media::kept(config, MediaId(base.ids.mint(base.clock.now())))?;
    let smpp = SmppGateway::new(smpp_urls(config, simulated)?, config.smpp_settings());
    let messenger = MessengerApi::new(CloudSettings {
        graph_url: config.messenger_graph_url(graph_url.as_deref()),
        api_version: config.whatsapp_cloud.api_version.clone(),
        timeout: config.limits.cloud_timeout,
    })?;
    let lite = lite::devices(config, simulated, &public_url, (&base, &http))?;
    let parts = ContextBuilder {
        carriers: with_telegram(
            config,
            carriers(config, &cloud, &messenger, &smpp, lite, &base.clock),
            graph_url.as_deref(),
            Arc::<SystemClock>::clone(&base.clock),
        )?,
        db: base.db,
        clock: base.clock,
        ids: base.ids,
        sealer: base.sealer,
        plugins,
        cloud,
        http,
        media_folder,
        settings: settings(config, public_url, simulated, (media_kept, email::relay(config)?)),
    };
    Ok(Parts { context: Arc::new(parts.build(wake)), wakes, smpp })
}

fn carriers(
    config: &Config,
    cloud: &CloudApi,
    messenger: &MessengerApi,
    smpp: &SmppGateway,
    lite: Option<Arc<dyn LiteDevices>>,
    clock: &Arc<SystemClock>,
) -> Carriers {
    let limits = &config.limits;
    let cloud_limits =
        CloudLimits { rate_per_second: limits.cloud_rate_per_number, in_flight: limits.cloud_in_flight_per_number };
    let messenger_limits = MessengerLimits {
        rate_per_second: limits.messenger_rate_per_page,
        in_flight: limits.messenger_in_flight_per_page,
    };
    let clock: Arc<dyn Clock> = Arc::<SystemClock>::clone(clock);
    let carriers = Carriers::default()
        .with(CloudCarrier::new(cloud.clone(), cloud_limits))
        .with(SmppCarrier::new(smpp.clone()))
        .with(MessengerCarrier::new(messenger.clone(), Arc::clone(&clock), messenger_limits))
        .with_messenger(messenger.clone());
    let web = WebCarrier::new(carriers.doorbell().clone());
    let carriers = carriers.with(web);
    match lite {
        Some(devices) => carriers.with(LiteCarrier::new(Arc::clone(&devices), clock)).with_devices(devices),
        None => carriers,
    }
}

fn with_telegram(
    config: &Config,
    carriers: Carriers,
    simulator: Option<&str>,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<Carriers> {
    let api = TelegramApi::new(config.telegram_settings(simulator))?;
    let (rate_per_second, in_flight) = (config.telegram.rate_per_bot, config.telegram.in_flight_per_bot);
    let carrier = TelegramCarrier::new(api.clone(), TelegramLimits { rate_per_second, in_flight });
    Ok(carriers.with(carrier).with_account_provider(TelegramProvider::new(api, clock)))
}

fn settings(
    config: &Config,
    public_url: String,
    simulated: Option<&Simulated>,
    (media_kept, relay): (MediaKept, Option<SmtpRelay>),
) -> Settings {
    let own_secret = config.whatsapp_cloud.app_secret.expose();
    let app_secret = match simulated {
        Some(simulated) if own_secret.is_empty() => simulated.app_secret.clone(),
        _ => own_secret.to_owned(),
    };
    let own_secret = config.messenger.app_secret.expose();
    let messenger_app_secret = match simulated {
        Some(simulated) if own_secret.is_empty() => simulated.messenger_app_secret.clone(),
        _ => own_secret.to_owned(),
    };
    let limits = &config.limits;
    Settings {
        public_url: public_url.trim_end_matches('/').to_owned(),
        app_secret,
        verify_token: config.whatsapp_cloud.verify_token.expose().to_owned(),
        messenger_app_secret,
        messenger_verify_token: config.messenger.verify_token.expose().to_owned(),
        max_recipients: limits.max_recipients,
        unknown_after: limits.unknown_after,
        sms_expires_after: limits.sms_expires_after,
        lite_expires_after: limits.lite_expires_after,
        fallback_max_age: limits.fallback_max_age,
        conversation_lifetime: limits.conversation_lifetime,
        missed_after: limits.missed_after,
        agent_chats: limits.agent_chats,
        media_max_bytes: limits.inbound_media_max_bytes,
        media_url_lifetime: MEDIA_URL_LIFETIME,
        media_kept,
        sms_default_source: config.sms.default_source.clone(),
        // Invalid words were refused with the configuration.
        stop_words: StopWords::with(&config.sms.stop_words).unwrap_or_default(),
        email: EmailSettings { relay },
        webhook_retry_schedule: config.webhooks.retry_schedule.clone(),
        webhook_in_flight: limits.webhook_concurrency_per_endpoint,
        allow_private_targets: config.webhooks.allow_private_targets,
        plugins: PluginSettings {
            upload_bytes: usize::try_from(limits.plugin_bytes).unwrap_or(usize::MAX),
            bytes_per_client: limits.plugin_storage_bytes_per_client,
            names_per_client: limits.plugins_per_client,
            versions_kept: limits.plugin_versions_kept.max(FEWEST_VERSIONS),
            recording_bytes: limits.plugin_recording_bytes,
        },
        key_values: KeyValueQuota {
            bytes_per_client: limits.kv_bytes_per_client,
            keys_per_participant: limits.kv_keys_per_participant,
        },
        live: LiveSettings {
            resume_for: limits.live_resume,
            connections_per_client: limits.live_connections_per_client,
            ticket_lifetime: limits.live_ticket,
            events_held: limits.live_events_held,
            unread_bytes_per_client: usize::try_from(limits.live_unread_bytes_per_client).unwrap_or(usize::MAX),
            write_timeout: limits.live_write_timeout,
            heartbeat: limits.live_heartbeat,
        },
        retention: Retention {
            messages_days: config.retention.message_days,
            receipts_days: config.retention.receipt_days,
            webhooks_days: config.retention.webhook_attempt_days,
            invocations_days: config.retention.invocation_days,
            recordings_days: config.retention.recording_days,
            callbacks_days: config.retention.callback_days,
            media_days: config.retention.message_days,
            live_events_days: config.retention.live_event_days,
            request_log_days: config.retention.request_log_days,
        },
    }
}

fn host_config(config: &Config) -> HostConfig {
    HostConfig {
        plugins_dir: config.plugins.dir.clone(),
        limits: plugin_limits(config),
        compiler: compiler(),
        ..HostConfig::new(config.data_dir().join("compiled"))
    }
}

fn plugin_limits(config: &Config) -> Limits {
    let limits = &config.limits;
    let bytes = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    Limits {
        memory_bytes: bytes(limits.plugin_memory_bytes),
        memory_bytes_of_all: bytes(limits.plugin_memory_bytes_of_all),
        table_elements: limits.plugin_table_elements,
        handles: limits.plugin_handles,
        component_bytes: bytes(limits.plugin_bytes),
        cpu: limits.plugin_cpu,
        wall_clock: limits.plugin_chatbot_timeout,
        epoch_tick: limits.plugin_epoch_tick,
        prompt_cpu: limits.plugin_prompt_cpu,
        transfer_bytes: bytes(limits.plugin_hostcall_fuel),
        host_calls: u32::try_from(limits.plugin_host_calls).unwrap_or(u32::MAX),
        log_bytes: bytes(limits.plugin_log_bytes),
        output_bytes: bytes(limits.plugin_output_bytes),
        actions: limits.plugin_actions,
        body_bytes: bytes(limits.plugin_body_bytes),
        value_bytes: bytes(limits.plugin_value_bytes),
        written_keys: limits.plugin_written_keys,
        http_requests: limits.plugin_http_requests,
        http_request_bytes: bytes(limits.plugin_http_request_bytes),
        http_response_bytes: bytes(limits.plugin_http_response_bytes),
        http_headers: limits.plugin_http_headers,
        http_header_bytes: bytes(limits.plugin_http_header_bytes),
        http_timeout: limits.plugin_http_timeout,
        calls_per_second: limits.plugin_calls_per_second,
        calls_per_client: limits.plugin_concurrency_per_client,
        waiting_per_client: limits.plugin_waiting_per_client,
        queue_wait: limits.plugin_queue_wait,
        calls: usize::try_from(limits.plugin_pool_size).unwrap_or(usize::MAX),
        shadows_per_client: limits.plugin_shadows_per_client,
        loaded_plugins: limits.loaded_plugins,
        failures_in_a_row: limits.plugin_failures_in_a_row,
        failures_percent: limits.plugin_failures_percent,
        suspended_for: limits.plugin_suspended_for,
        compile_cpu: limits.plugin_compile_cpu,
        compile_memory_bytes: bytes(limits.plugin_compile_memory_bytes),
        compile_wall_clock: limits.plugin_compile_timeout,
        compile_places: limits.plugin_compile_places,
        compile_queue: limits.plugin_compile_queue,
        compile_budget: limits.plugin_compile_budget,
        compile_budget_period: limits.plugin_compile_budget_period,
    }
}

/// Uploaded components are compiled by a child process of this same program. `/proc/self/exe` names it even after the
/// file was replaced by a newer version, whose code would not fit.
pub fn compiler() -> Compiler {
    let running = Path::new("/proc/self/exe");
    let program = if running.exists() { running.to_owned() } else { std::env::current_exe().unwrap_or_default() };
    Compiler::Child { program, arguments: vec!["compile-plugin".to_owned()] }
}

/// The SMSC binds: as configured, or the simulated one.
pub fn smpp_urls(config: &Config, simulated: Option<&Simulated>) -> anyhow::Result<Vec<SmppUrl>> {
    let configured = config.smpp.url.iter().map(|url| url.expose().to_owned());
    let mut urls: Vec<String> = configured.collect();
    if let (true, Some(simulated)) = (urls.is_empty(), simulated) {
        urls.push(format!("smpp://patchbay:secret@{}?name=simulator", simulated.smsc));
    }
    let mut parsed = Vec::with_capacity(urls.len());
    for url in urls {
        match SmppUrl::parse(&url) {
            Ok(url) => parsed.push(url),
            Err(error) => bail!("smpp.url: {error}"),
        }
    }
    Ok(parsed)
}

/// The SMSC address of a simulator at `listen`: the next port, or any if the system picks.
pub fn smsc_address(listen: SocketAddr) -> SocketAddr {
    let port = if listen.port() == 0 { 0 } else { listen.port().saturating_add(1) };
    SocketAddr::new(listen.ip(), port)
}
