//! Measures the memory of many loaded plugins: as many different components as clients that each upload their own.
//! Prints one JSON line: resident memory before, with all of them loaded, and after one call of each.
//!
//! `cargo run --release -p plugin-host --example many_plugins COUNT FILE`

use std::error::Error;
use std::sync::Arc;

use chrono::DateTime;
use domain::ids::ClientId;
use plugin_host::json::WorldQuestion;
use plugin_host::{
    CallLimits, CallSeed, HostConfig, HttpLimits, NoKeyValues, PluginCall, PluginHost, PluginRef, World,
};
use serde_json::json;
use uuid::Uuid;

type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let count: u64 = arguments.next().ok_or("say how many plugins")?.parse()?;
    let component = std::fs::read(arguments.next().ok_or("name a component")?)?;
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(measure(count, &component))
}

async fn measure(count: u64, component: &[u8]) -> Fallible<()> {
    let cache = std::env::temp_dir().join(format!("patchbay-many-plugins-{}", std::process::id()));
    let limits = CallLimits { loaded_plugins: usize::try_from(count)?, ..CallLimits::default() };
    let host = PluginHost::start(HostConfig { built_ins: false, limits, ..HostConfig::new(&cache) }).await?;
    let before = resident_mib()?;
    let mut plugins = Vec::new();
    for number in 0..count {
        let client = ClientId(Uuid::from_u128(u128::from(number)));
        let examined = host.examine(client, "bot", distinct(component, number)).await;
        let examined = examined.map_err(|refusal| format!("plugin {number}: {refusal:?}"))?;
        plugins.push((client, PluginRef::uploaded("bot", 1, examined.sha256)));
    }
    let loaded = resident_mib()?;
    let hello = WorldQuestion::from_json(World::Chatbot, &json!({ "type": "message", "text": "Hello" }), &json!({}));
    let hello = hello.map_err(|faults| format!("{faults:?}"))?;
    for (client, plugin) in &plugins {
        host.dry_run(call(*client, plugin), &hello, Arc::new(NoKeyValues)).await?;
    }
    let called = resident_mib()?;
    println!("{}", json!({ "plugins": count, "before_mib": before, "loaded_mib": loaded, "called_mib": called }));
    std::fs::remove_dir_all(cache)?;
    Ok(())
}

/// The component with a custom section at its end, so that every cache treats it as a different one.
fn distinct(component: &[u8], number: u64) -> Vec<u8> {
    let mut bytes = component.to_vec();
    bytes.extend([0, 11, 2, b'n', b'o']);
    bytes.extend(number.to_le_bytes());
    bytes
}

fn call(client: ClientId, plugin: &PluginRef) -> PluginCall<'_> {
    let now = DateTime::from_timestamp(1_760_428_800, 0).unwrap_or_default();
    PluginCall {
        client,
        plugin,
        now,
        seed: CallSeed::from_number(1),
        config: "{}",
        turn: "event-1",
        allowed_hosts: &[],
        http_limits: HttpLimits::default(),
        record: false,
    }
}

fn resident_mib() -> Fallible<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS in /proc/self/status")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? / 1024)
}
