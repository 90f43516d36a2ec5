//! What a hostile client does to its neighbour. The neighbour makes a small call every 2 ms from a thread of its own, and
//! times each from the request to the answer, so that waiting for a thread of the runtime counts. The hostile client has
//! twice as many calls under way as it may, without end. Quiet stretches and stretches with each deed alternate in one
//! run; figures are medians over the rounds. Prints one JSON line for each deed, the quiet floor first.
//!
//! With `shipped` as the last argument the components are those of the operator, whose calls all run where their callers
//! are: what uploaded ones would do without the threads apart.
//!
//! `cargo run --release -p patchbay-plugin-host --example neighbours HOSTILE_BOT.wasm [SECONDS] [ROUNDS] [shipped]`

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chrono::DateTime;
use domain::ids::ClientId;
use plugin_host::chatbot::{
    Channel, Content, Customer, Event, EventKind, IncomingMessage, LocalTime, Session, Weekday,
};
use plugin_host::{Call, HostConfig, Limits, NoKeyValues, PluginHost, PluginRef, Question};
use tokio::sync::{mpsc, oneshot};

type Fallible<T> = Result<T, Box<dyn Error>>;

/// Time between calls of the neighbour.
const PACE: Duration = Duration::from_millis(2);
/// Deeds of the hostile client, by what they are in words. The last one does all of them in turn.
const DEEDS: [(&str, &[&str]); 7] = [
    ("spins", &["spin"]),
    ("allocates", &["allocate 80", "allocate 200"]),
    ("recurses", &["recurse 100000000"]),
    ("floods logs", &["log 1000000", "print 1000000", "host-calls 100000"]),
    ("returns garbage", &["actions 50000", "reply 2000000", "nul", "close-and-hand-over"]),
    ("crashes", &["panic", "exit 3", "wild-write"]),
    ("all of it", &["spin", "allocate 80", "recurse 100000000", "log 1000000", "actions 50000", "panic"]),
];

fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("name the file of the hostile bot")?;
    let hostile = std::fs::read(&file)?;
    let seconds: u64 = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let rounds: usize = arguments.next().map_or(Ok(3), |text| text.parse())?;
    let shipped = arguments.next().is_some_and(|word| word == "shipped");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let cache = std::env::temp_dir().join(format!("patchbay-neighbours-{}", std::process::id()));
    // As the program sets them.
    let limits = Limits {
        wall_clock: Duration::from_secs(2),
        calls_per_client: 8,
        host_calls: 256,
        calls: 64,
        ..Limits::default()
    };
    let plugins_dir = if shipped { std::path::Path::new(&file).parent().map(Into::into) } else { None };
    let config = HostConfig { limits, plugins_dir, built_ins: false, ..HostConfig::new(&cache) };
    let (host, plugin) = runtime.block_on(async {
        let host = PluginHost::start(config).await?;
        if shipped {
            let name = std::path::Path::new(&file).file_stem().unwrap_or_default().to_string_lossy();
            return Ok((host, PluginRef::shipped(name)));
        }
        let examined = host.examine(client(1), "bot", hostile).await.map_err(|refusal| format!("{refusal:?}"))?;
        Ok::<_, Box<dyn Error>>((host, PluginRef::uploaded("bot", 1, examined.sha256)))
    })?;
    let street = Street { runtime, host, plugin, stretch: Duration::from_secs(seconds) };
    street.measure(rounds);
    std::fs::remove_dir_all(cache)?;
    Ok(())
}

struct Street {
    runtime: tokio::runtime::Runtime,
    host: Arc<PluginHost>,
    plugin: PluginRef,
    stretch: Duration,
}

/// One stretch: what the neighbour saw, in microseconds, and how many calls the hostile client made.
struct Seen {
    p50: f64,
    p99: f64,
    hostile_calls: u64,
}

impl Street {
    fn measure(&self, rounds: usize) {
        let mut seen: BTreeMap<usize, Vec<(Seen, f64)>> = BTreeMap::new();
        self.walk(&[]);
        for _ in 0..rounds {
            for (place, (_, deeds)) in DEEDS.iter().enumerate() {
                // The machine changes over minutes: each deed has a quiet stretch right before it.
                let quiet = self.walk(&[]);
                let beside = self.walk(deeds);
                seen.entry(place).or_default().push((beside, quiet.p99));
                let floor = Seen { hostile_calls: 0, ..quiet };
                seen.entry(usize::MAX).or_default().push((floor, f64::NAN));
            }
        }
        let names =
            std::iter::once((usize::MAX, "quiet")).chain(DEEDS.iter().enumerate().map(|(at, deed)| (at, deed.0)));
        for (place, name) in names {
            let all = seen.get(&place).map(Vec::as_slice).unwrap_or_default();
            let ratio = median(all.iter().map(|(seen, quiet)| seen.p99 / quiet));
            println!(
                "{}",
                serde_json::json!({
                    "hostile": name,
                    "neighbour_p50_us": round(median(all.iter().map(|(seen, _)| seen.p50))),
                    "neighbour_p99_us": round(median(all.iter().map(|(seen, _)| seen.p99))),
                    "p99_to_quiet": if ratio.is_nan() { None } else { Some(round(ratio)) },
                    "hostile_calls": all.iter().map(|(seen, _)| seen.hostile_calls).sum::<u64>(),
                })
            );
        }
    }

    /// The neighbour's calls over one stretch, beside the deeds.
    fn walk(&self, deeds: &'static [&'static str]) -> Seen {
        let stop = Arc::new(AtomicBool::new(false));
        let made = Arc::new(AtomicU64::new(0));
        let hostile: Vec<_> = (0..if deeds.is_empty() { 0 } else { 16 })
            .map(|at| self.runtime.spawn(misbehave(self.caller(1), deeds, at, Arc::clone(&stop), Arc::clone(&made))))
            .collect();
        let mut times = self.neighbour();
        stop.store(true, Ordering::Relaxed);
        self.runtime.block_on(async {
            for task in hostile {
                drop(task.await);
            }
        });
        times.sort_unstable();
        let at = |percent: usize| {
            let place = (times.len() * percent / 100).min(times.len().saturating_sub(1));
            times.get(place).map_or(f64::NAN, |time| time.as_secs_f64() * 1e6)
        };
        Seen { p50: at(50), p99: at(99), hostile_calls: made.load(Ordering::Relaxed) }
    }

    fn caller(&self, id: u128) -> Caller {
        Caller { host: Arc::clone(&self.host), client: client(id), plugin: self.plugin.clone() }
    }

    /// Requests come from outside of the runtime, as they do over the network.
    fn neighbour(&self) -> Vec<Duration> {
        let (requests, mut arriving) = mpsc::channel::<oneshot::Sender<()>>(16);
        let caller = self.caller(2);
        self.runtime.spawn(async move {
            while let Some(answer) = arriving.recv().await {
                caller.call("hello").await;
                let _ = answer.send(());
            }
        });
        let (begun, mut times, mut due) = (Instant::now(), Vec::new(), Instant::now());
        while begun.elapsed() < self.stretch {
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let sent = Instant::now();
            let (answer, answered) = oneshot::channel();
            if requests.blocking_send(answer).is_ok() && answered.blocking_recv().is_ok() {
                times.push(sent.elapsed());
            }
            due = sent + PACE;
        }
        times
    }
}

async fn misbehave(
    caller: Caller,
    deeds: &'static [&'static str],
    first: usize,
    stop: Arc<AtomicBool>,
    made: Arc<AtomicU64>,
) {
    for deed in deeds.iter().cycle().skip(first) {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        caller.call(deed).await;
        made.fetch_add(1, Ordering::Relaxed);
    }
}

struct Caller {
    host: Arc<PluginHost>,
    client: ClientId,
    plugin: PluginRef,
}

impl Caller {
    /// Failures do not suspend the plugin here: a hostile client would be held off by that.
    async fn call(&self, text: &str) {
        let (event, session) = says(text);
        let call = Call {
            client: self.client,
            plugin: &self.plugin,
            now: DateTime::UNIX_EPOCH,
            seed: 7,
            config: "{}",
            turn: "turn",
            allowed_hosts: &[],
            record: false,
        };
        let question = Question::Chatbot { event: Box::new(event), session: Box::new(session) };
        if self.host.dry_run(call, &question, Arc::new(NoKeyValues)).await.is_err() {
            tokio::task::yield_now().await;
        }
    }
}

fn client(id: u128) -> ClientId {
    ClientId(uuid::Uuid::from_u128(id))
}

fn says(text: &str) -> (Event, Session) {
    let message = IncomingMessage { id: "m-1".into(), content: Content::Text(text.into()), quoted: None };
    let event =
        Event { id: "e-1".into(), sequence: 1, timestamp_ms: 0, kind: EventKind::Message(message), metadata: vec![] };
    let session = Session {
        participant_id: "p-1".into(),
        client_ref: "demo".into(),
        business_number: "27110000000".into(),
        customer: Customer { phone: Some("27820000001".into()), bsuid: None, username: None, name: Some("Zo".into()) },
        channel: Channel::Whatsapp,
        state: String::new(),
        now_ms: 0,
        local_time: LocalTime { utc_offset_minutes: 120, weekday: Weekday::Monday, hour: 9, minute: 0 },
        reopened: false,
        previous_template: None,
        metadata: vec![],
    };
    (event, session)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.filter(|value| !value.is_nan()).collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
