//! Builds the `Context` of the use cases from the configuration.

use std::{net::SocketAddr, path::Path, sync::Arc};

use anyhow::{Context as _, anyhow, bail};
use base::{
    Context, ContextBuilder,
    lanes::{LaneKey, Wakeups},
};
use channels::{
    carrier::Carriers,
    http::{GuardedClient, GuardedSettings},
    messenger::{MessengerApi, MessengerCarrier, MessengerLimits},
    openid::OpenidProvider,
    smpp::{SmppCarrier, SmppGateway, SmppUrl},
    telegram::{TelegramApi, TelegramCarrier, TelegramLimits, TelegramProvider},
    web::WebCarrier,
    whatsapp_cloud::{CloudApi, CloudCarrier, CloudLimits, CloudSettings},
    whatsapp_lite::{LiteCarrier, LiteDevices},
};
use domain::{clock::Clock, ids::MediaId};
use plugin_host::{CallLimits, Compiler, HostConfig, PluginHost};
use plugins::{DatabaseComponents, SealedSecrets, calls::http::GuardedOutgoing};
use settings::{BaseUrl, DatabaseSettings, Secret, Security, Settings};
use sms::{SandboxAnswers, SmsAccounting};
use tokio::sync::mpsc;

use crate::{clock::SystemClock, email, lite, media, process_base::Base, simulated_providers::SimulatorAccess};

pub struct ProcessParts {
    pub context: Arc<Context>,
    /// Wake-ups from use cases to the runner.
    pub wakes: mpsc::Receiver<LaneKey>,
    pub smpp: SmppGateway,
}

pub async fn context(
    config: &Settings,
    base: Base,
    public_url: String,
    simulated: Option<&SimulatorAccess>,
) -> anyhow::Result<ProcessParts> {
    let (wake, wakes) = Wakeups::channel();
    let media_folder = config.media_folder();
    media::make_folders(config).await?;
    let graph_url = simulated.map(SimulatorAccess::graph_url);
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
    let media_kept = media::location(config, MediaId(base.ids.mint(base.clock.now())))?;
    let smpp = SmppGateway::new(smpp_urls(config, simulated)?, config.smpp_settings());
    let messenger = MessengerApi::new(CloudSettings {
        graph_url: config.messenger_graph_url(graph_url.as_deref()),
        api_version: config.whatsapp_cloud.api_version.clone(),
        timeout: config.limits.cloud_timeout,
    })?;
    let lite = lite::devices(config, simulated, &public_url, &base, &http)?;
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
        media_kept,
        relay: email::relay(config)?,
        openid: config.openid_settings().map(OpenidProvider::new).transpose()?,
        readers: vec![Arc::new(SmsAccounting), Arc::new(SandboxAnswers)],
        settings: in_force(config, &public_url, simulated)?,
    };
    Ok(ProcessParts { context: Arc::new(parts.build(wake)), wakes, smpp })
}

fn carriers(
    config: &Settings,
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
    config: &Settings,
    carriers: Carriers,
    simulator: Option<&str>,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<Carriers> {
    let api = TelegramApi::new(config.telegram_settings(simulator))?;
    let (rate_per_second, in_flight) = (config.telegram.rate_per_bot, config.telegram.in_flight_per_bot);
    let carrier = TelegramCarrier::new(api.clone(), TelegramLimits { rate_per_second, in_flight });
    Ok(carriers.with(carrier).with_account_provider(TelegramProvider::new(api, clock)))
}

/// The settings with the values that are decided at the start, without the URL of the database and the keys.
fn in_force(config: &Settings, public_url: &str, simulated: Option<&SimulatorAccess>) -> anyhow::Result<Settings> {
    let mut settings =
        Settings { database: DatabaseSettings::default(), security: Security::default(), ..config.clone() };
    let public_url = public_url.parse::<BaseUrl>();
    settings.server.public_url =
        Some(public_url.map_err(|expected| anyhow!("server.public_url: expected {expected}"))?);
    if let Some(simulated) = simulated {
        let secrets = [
            (&mut settings.whatsapp_cloud.app_secret, &simulated.app_secret),
            (&mut settings.messenger.app_secret, &simulated.messenger_app_secret),
        ];
        for (own, of_simulator) in secrets {
            if own.is_empty() {
                *own = Secret::from(of_simulator.as_str());
            }
        }
    }
    Ok(settings)
}

fn host_config(config: &Settings) -> HostConfig {
    HostConfig {
        plugins_dir: config.plugins.dir.clone(),
        limits: plugin_limits(config),
        compiler: compiler(),
        ..HostConfig::new(config.data_dir().join("compiled"))
    }
}

fn plugin_limits(config: &Settings) -> CallLimits {
    let limits = &config.limits;
    let bytes = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    CallLimits {
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

pub fn smpp_urls(config: &Settings, simulated: Option<&SimulatorAccess>) -> anyhow::Result<Vec<SmppUrl>> {
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// The limits of one call, by type.
    fn of_call(limits: &CallLimits) -> ([Duration; 3], [usize; 14], [u32; 2]) {
        let times = [limits.wall_clock, limits.cpu, limits.http_timeout];
        let sizes = [
            limits.memory_bytes,
            limits.table_elements,
            limits.transfer_bytes,
            limits.log_bytes,
            limits.output_bytes,
            limits.handles,
            limits.actions,
            limits.body_bytes,
            limits.value_bytes,
            limits.written_keys,
            limits.http_request_bytes,
            limits.http_response_bytes,
            limits.http_headers,
            limits.http_header_bytes,
        ];
        (times, sizes, [limits.host_calls, limits.http_requests])
    }

    /// The tools of authors take the defaults of the plugin host, and `wit/` shows those.
    #[test]
    fn a_server_without_settings_limits_a_call_as_the_tools_of_authors_do() {
        assert_eq!(of_call(&plugin_limits(&Settings::default())), of_call(&CallLimits::default()));
    }
}
