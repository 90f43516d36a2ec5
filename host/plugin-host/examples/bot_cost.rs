//! Measures the cost of an event for a chatbot: a fresh instance for each call, through the host, in turns with bare
//! wasmtime. Prints one JSON line for each file: median and 99th percentile in microseconds, the phases of a call in
//! bare wasmtime and a second call in the same instance, peak memory of a call, and resident memory of the loaded program.
//!
//! `cargo run --release -p plugin-host --example bot_cost CALLS NAME=FILE...`

use std::error::Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::DateTime;
use domain::ids::ClientId;
use plugin_bindings::{Every, exports::patchbay::plugin::bot};
use plugin_host::chatbot::{
    Channel, Content, Customer, Event, EventKind, IncomingMessage, LocalTime, Session, Weekday,
};
use plugin_host::{CallLimits, CallSeed, HostConfig, HttpLimits, NoKeyValues, PluginCall, PluginHost, PluginRef};
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, InstancePre};

mod bare_engine;

use bare_engine::{State, percentile};

const WARM_UP: usize = 50;
const NOW_MS: u64 = 1_760_428_800_000;

type Fallible<T> = Result<T, Box<dyn Error>>;

fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let calls: usize = arguments.next().ok_or("say how many calls")?.parse()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(measure(calls, arguments.collect()))
}

async fn measure(calls: usize, files: Vec<String>) -> Fallible<()> {
    let cache = std::env::temp_dir().join(format!("patchbay-bot-cost-{}", std::process::id()));
    // The example measures the cost of a call, so it lifts the limits on the number of calls.
    let unbounded = Duration::from_secs(3_600);
    let limits = CallLimits { calls_per_second: 1_000_000, prompt_cpu: unbounded, ..CallLimits::default() };
    let host = PluginHost::start(HostConfig { built_ins: false, limits, ..HostConfig::new(&cache) }).await?;
    for file in &files {
        let (name, path) = file.split_once('=').ok_or("name the files: NAME=FILE")?;
        println!("{}", one(&host, name, std::fs::read(path)?, calls).await?);
    }
    std::fs::remove_dir_all(cache)?;
    Ok(())
}

async fn one(host: &PluginHost, name: &str, bytes: Vec<u8>, calls: usize) -> Fallible<serde_json::Value> {
    let (size, before) = (bytes.len(), resident_kib()?);
    let client = ClientId(uuid::Uuid::nil());
    let examined = host.examine(client, name, bytes.clone()).await.map_err(|refusal| format!("{name}: {refusal:?}"))?;
    let plugin = PluginRef::uploaded(name, 1, examined.sha256);
    let loaded = resident_kib()?.saturating_sub(before);
    let bare = Bare::new(&bytes)?;
    let (event, session) = hello();
    let (mut through_host, mut peak) = (Vec::new(), 0);
    let (mut directly, mut again) = (PhaseTimes::default(), Vec::new());
    for round in 0..calls + WARM_UP {
        let began = Instant::now();
        let outcome = host.chatbot(call(client, &plugin), &event, &session, Arc::new(NoKeyValues)).await?;
        let took = began.elapsed();
        peak = outcome.trace.peak_memory_bytes;
        let phases = bare.time(&event, &session).await?;
        let second = bare.time_second(&event, &session).await;
        if round >= WARM_UP {
            through_host.push(took);
            directly.add(phases);
            again.extend(second);
        }
    }
    through_host.sort_unstable();
    Ok(serde_json::json!({
        "name": name,
        "calls": through_host.len(),
        "component_kib": size / 1024,
        "p50_us": percentile(&through_host, 50),
        "p99_us": percentile(&through_host, 99),
        "bare_p50_us": median(directly.all),
        "bare_instance_us": median(directly.instance),
        "bare_call_us": median(directly.call),
        "bare_second_call_us": (!again.is_empty()).then(|| median(again)),
        "bare_drop_us": median(directly.drop),
        "peak_memory_kib": peak / 1024,
        "loaded_kib": loaded,
    }))
}

/// The times of calls in bare wasmtime, and of their phases: making the instance, the call, dropping the instance.
#[derive(Default)]
struct PhaseTimes {
    all: Vec<Duration>,
    instance: Vec<Duration>,
    call: Vec<Duration>,
    drop: Vec<Duration>,
}

impl PhaseTimes {
    fn add(&mut self, [instance, call, drop]: [Duration; 3]) {
        self.all.push(instance + call + drop);
        self.instance.push(instance);
        self.call.push(call);
        self.drop.push(drop);
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    percentile(&times, 50)
}

fn resident_kib() -> Fallible<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS in /proc/self/status")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

struct Bare {
    engine: Engine,
    pre: InstancePre<State>,
    bot: bot::GuestIndices,
}

impl Bare {
    fn new(component: &[u8]) -> wasmtime::Result<Self> {
        let engine = bare_engine::engine()?;
        let component = Component::new(&engine, component)?;
        let mut linker = bare_engine::linker(&engine)?;
        Every::add_to_linker::<_, HasSelf<_>>(&mut linker, |state| state)?;
        let pre = linker.instantiate_pre(&component)?;
        let bot = bot::GuestIndices::new(&pre)?;
        Ok(Self { engine, pre, bot })
    }

    /// Makes an instance, calls it, and drops it.
    async fn time(&self, event: &Event, session: &Session) -> Fallible<[Duration; 3]> {
        let began = Instant::now();
        let mut store = bare_engine::store(&self.engine);
        let instance = self.pre.instantiate_async(&mut store).await?;
        let made = Instant::now();
        let bot = self.bot.load(&mut store, &instance)?;
        let answer = bot.call_handle(&mut store, event, session).await?;
        let called = Instant::now();
        drop(store);
        let phases = [made - began, called - made, called.elapsed()];
        answer.map(|_| phases).map_err(|error| error.message.into())
    }

    /// Makes an instance, calls it twice, and times the second call: a snapshot after a call can save no more than the
    /// difference. `None`: the component cannot be called twice, as no host of plugins does.
    async fn time_second(&self, event: &Event, session: &Session) -> Option<Duration> {
        let mut store = bare_engine::store(&self.engine);
        let instance = self.pre.instantiate_async(&mut store).await.ok()?;
        let bot = self.bot.load(&mut store, &instance).ok()?;
        bot.call_handle(&mut store, event, session).await.ok()?.ok()?;
        let began = Instant::now();
        bot.call_handle(&mut store, event, session).await.ok()?.ok()?;
        Some(began.elapsed())
    }
}

fn call(client: ClientId, plugin: &PluginRef) -> PluginCall<'_> {
    let now = DateTime::from_timestamp_millis(i64::try_from(NOW_MS).unwrap_or(0)).unwrap_or_default();
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

fn hello() -> (Event, Session) {
    let message = IncomingMessage {
        id: "0199df7e-8a00-7000-8000-000000000001".into(),
        content: Content::Text("Hello, is anybody there?".into()),
        quoted: None,
    };
    let event = Event {
        id: "0199df7e-8a00-7000-8000-000000000002".into(),
        sequence: 1,
        timestamp_ms: NOW_MS,
        kind: EventKind::Message(message),
        metadata: vec![],
    };
    let customer = Customer {
        phone: Some("27820000001".into()),
        user_id: Some("ZA.100".into()),
        username: None,
        name: Some("Thandi".into()),
    };
    let session = Session {
        participant_id: "0199df7e-8a00-7000-8000-000000000003".into(),
        client_ref: "demo".into(),
        business_number: "27110000000".into(),
        customer,
        channel: Channel::Whatsapp,
        state: String::new(),
        now_ms: NOW_MS,
        local_time: LocalTime { utc_offset_minutes: 120, weekday: Weekday::Tuesday, hour: 10, minute: 0 },
        reopened: false,
        previous_template: None,
        window_ends_ms: None,
        last_team: None,
        attributes: vec![],
        metadata: vec![],
    };
    (event, session)
}
