//! Measures how many recorded calls are replayed in a second, by one task and by one task per processor. Prints one
//! JSON line. Every replay must be identical.
//!
//! `cargo run --release -p plugin-host --example replay_rate [REPLAYS]`

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use chrono::DateTime;
use domain::ids::ClientId;
use plugin_host::{
    CallLimits, CallSeed, HostConfig, HttpLimits, NoKeyValues, PluginCall, PluginHost, PluginRef, Recording, World,
    WorldQuestion,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

const NAME: &str = "default-chatbot";

fn main() -> Result<(), Box<dyn Error>> {
    let replays: usize = std::env::args().nth(1).map_or(Ok(20_000), |text| text.parse())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(measure(replays))
}

async fn measure(replays: usize) -> Result<(), Box<dyn Error>> {
    let cache = std::env::temp_dir().join(format!("patchbay-replay-rate-{}", std::process::id()));
    let limits = CallLimits { calls_per_client: 64, ..CallLimits::default() };
    let host = PluginHost::start(HostConfig { limits, ..HostConfig::new(&cache) }).await?;
    let recording = Arc::new(record(&host).await?);
    let kept = serde_json::to_string(recording.as_ref())?;
    replay(&host, &kept, replays / 10).await?;
    let began = Instant::now();
    replay(&host, &kept, replays).await?;
    let alone = rate(replays, began);
    let tasks = std::thread::available_parallelism()?.get();
    let began = Instant::now();
    let mut set = JoinSet::new();
    for _ in 0..tasks {
        let (host, kept) = (Arc::clone(&host), kept.clone());
        set.spawn(async move { replay(&host, &kept, replays / tasks).await.map_err(|fault| fault.to_string()) });
    }
    while let Some(done) = set.join_next().await {
        done??;
    }
    let together = rate(replays / tasks * tasks, began);
    std::fs::remove_dir_all(cache)?;
    let figures = json!({
        "replays": replays, "per_second_one_task": alone, "tasks": tasks, "per_second_all_tasks": together,
        "recording_bytes": kept.len(),
    });
    println!("{figures}");
    Ok(())
}

async fn replay(host: &PluginHost, kept: &str, times: usize) -> Result<(), Box<dyn Error>> {
    let (client, plugin) = (ClientId(uuid::Uuid::nil()), PluginRef::shipped(NAME));
    for _ in 0..times {
        let recording: Recording = serde_json::from_str(kept)?;
        let replay = host.replay(client, &plugin, &recording).await?;
        if let Some(difference) = replay.first_difference {
            return Err(difference.into());
        }
    }
    Ok(())
}

async fn record(host: &PluginHost) -> Result<Recording, Box<dyn Error>> {
    let plugin = PluginRef::shipped(NAME);
    let call = PluginCall {
        client: ClientId(uuid::Uuid::nil()),
        plugin: &plugin,
        now: DateTime::from_timestamp(1_760_428_800, 0).unwrap_or_default(),
        seed: CallSeed::from_number(1),
        config: "{}",
        turn: "turn",
        allowed_hosts: &[],
        http_limits: HttpLimits::default(),
        record: true,
    };
    let Ok(WorldQuestion::Chatbot { event, session }) =
        WorldQuestion::from_json(World::Chatbot, &Value::Null, &Value::Null)
    else {
        return Err("the sample is no question to a chatbot".into());
    };
    let outcome = host.chatbot(call, &event, &session, Arc::new(NoKeyValues)).await?;
    Ok(*outcome.trace.recording.ok_or("no recording")?)
}

fn rate(replays: usize, began: Instant) -> u64 {
    (replays as f64 / began.elapsed().as_secs_f64()) as u64
}
