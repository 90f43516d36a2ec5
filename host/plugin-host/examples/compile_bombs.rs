//! Measures the effect on a server of small components that are expensive to compile (RECIPES 6): the time until they
//! are refused and the error text, the growth of the server's own memory, and the duration of another client's calls.
//! Prints one JSON line per component; the first line is the baseline without any.
//!
//! `cargo run --release -p plugin-host --example compile_bombs`

#[path = "../tests/plugin_host/bombs.rs"]
mod bombs;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::DateTime;
use domain::ids::ClientId;
use plugin_host::sms_fallback::{RequestedFallback, Undeliverable};
use plugin_host::{CallSeed, Compiler, HostConfig, HttpLimits, NoKeyValues, PluginCall, PluginHost, PluginRef, Zone};
use serde_json::json;

const COMPILE: &str = "compile-plugin";
const FLOOR: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, command, order] = arguments.as_slice()
        && command == COMPILE
    {
        return plugin_host::compile_child(order);
    }
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("{fault}");
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn measure() -> Result<(), Box<dyn Error>> {
    let cache = std::env::temp_dir().join(format!("patchbay-compile-bombs-{}", std::process::id()));
    let compiler = Compiler::Child { program: std::env::current_exe()?, arguments: vec![COMPILE.to_owned()] };
    let host = PluginHost::start(HostConfig { compiler, ..HostConfig::new(&cache) }).await?;
    let floor = neighbour(&host, || tokio::time::sleep(FLOOR)).await?;
    println!("{}", json!({ "component": "none", "neighbour": floor.shown() }));
    let components = [
        ("900 000 tiny functions", bombs::many_functions(900_000)),
        ("one function, 40 000 live locals", bombs::many_locals(40_000)),
    ];
    for (name, component) in components {
        let (bytes, before, began) = (component.len(), resident()?, Instant::now());
        let examined = tokio::spawn({
            let host = Arc::clone(&host);
            async move { host.examine(ClientId(uuid::Uuid::nil()), "bomb", component).await }
        });
        let abort = examined.abort_handle();
        let seen = neighbour(&host, || async {
            while !abort.is_finished() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        })
        .await?;
        let took = began.elapsed();
        let said = examined.await?.err().map(|refusal| refusal.to_string());
        println!(
            "{}",
            json!({
                "component": name,
                "bytes": bytes,
                "seconds": (took.as_secs_f64() * 10.0).round() / 10.0,
                "refused": said,
                "server_grew_mib": seen.peak.saturating_sub(before) >> 20,
                "neighbour": seen.shown(),
            })
        );
    }
    std::fs::remove_dir_all(cache)?;
    Ok(())
}

struct Seen {
    took: Vec<Duration>,
    peak: u64,
}

impl Seen {
    fn shown(&self) -> serde_json::Value {
        let micros = |percent: usize| {
            let at = self.took.len().saturating_sub(1) * percent / 100;
            self.took.get(at).map_or(0, Duration::as_micros)
        };
        json!({ "calls": self.took.len(), "p50_us": micros(50), "p99_us": micros(99) })
    }
}

async fn neighbour<F: Future>(host: &PluginHost, compilation: impl FnOnce() -> F) -> Result<Seen, Box<dyn Error>> {
    let (plugin, undeliverable) = (PluginRef::shipped("sms-fallback"), undeliverable());
    let mut seen = Seen { took: vec![], peak: resident()? };
    let mut compilation = std::pin::pin!(compilation());
    loop {
        let began = Instant::now();
        host.decide_fallback(call(&plugin), &undeliverable, Arc::new(NoKeyValues)).await?;
        seen.took.push(began.elapsed());
        seen.peak = seen.peak.max(resident()?);
        tokio::select! {
            _ = &mut compilation => break,
            () = tokio::time::sleep(Duration::from_millis(2)) => {}
        }
    }
    seen.took.sort_unstable();
    Ok(seen)
}

fn resident() -> Result<u64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.split_whitespace().next());
    Ok(kibibytes.ok_or("no VmRSS")?.parse::<u64>()? << 10)
}

fn call(plugin: &PluginRef) -> PluginCall<'_> {
    let (client, now) = (ClientId(uuid::Uuid::from_u128(1)), DateTime::from_timestamp(1_760_428_800, 0));
    let now = now.unwrap_or_default();
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

fn undeliverable() -> Undeliverable {
    Undeliverable {
        message_id: "m".into(),
        client_ref: "c".into(),
        local_time: Zone::UTC.local_time(DateTime::UNIX_EPOCH),
        recipient: "27820000001".into(),
        sender: "27110000000".into(),
        error_code: "131026".into(),
        error_text: "Message undeliverable".into(),
        requested: RequestedFallback { send_fallback: true, text: None, unicode: false },
        auto_text: Some("Your parcel is here".into()),
        seen_on_whatsapp: false,
        age_seconds: 5,
        template_name: None,
        metadata: vec![],
    }
}
