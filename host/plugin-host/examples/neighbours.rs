//! Measures the effect of a hostile client on its neighbour. The neighbour makes a small call every 2 ms from its own
//! thread and measures the time from request to answer, including the wait for a thread of the runtime. The hostile
//! client always has twice as many calls under way as it may have. Short quiet stretches alternate with stretches of
//! each deed. The figures are medians over the stretches of one kind, so a moment of other load on the machine does not
//! count. Prints one JSON line for each deed, the quiet one first.
//!
//! Then come crowds: many clients at once whose plugins wait or fill memory, each with as many calls as a process
//! accepts chats of one client. Each crowd is compared with quiet stretches of its own. The memory of the process is
//! the maximum at the end of a stretch.
//!
//! The baseline of isolation is another process of idle priority that spins or touches as much memory, on as many
//! threads as the host gives such a client. The machine, not the host, causes the effect of that process on the
//! neighbour.
//!
//! `cargo run --release -p plugin-host --example neighbours HOSTILE_BOT.wasm [SECONDS] [ROUNDS]`

use std::collections::BTreeMap;
use std::error::Error;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chrono::DateTime;
use domain::ids::ClientId;
use plugin_host::chatbot::{
    Channel, Content, Customer, Event, EventKind, IncomingMessage, LocalTime, Session, Weekday,
};
use plugin_host::{
    CallLimits, CallSeed, HostConfig, HttpLimits, NoKeyValues, PluginCall, PluginHost, PluginRef, WorldQuestion,
};
use thread_priority::{NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Fallible<T> = Result<T, Box<dyn Error>>;

const PACE: Duration = Duration::from_millis(2);
/// Head start of the hostile client or process before the neighbour begins.
const SETTLING: Duration = Duration::from_millis(100);
/// Tells the child process its role.
const LOAD_PROCESS: &str = "load";
/// Bytes that the child process touches at once, as many as the hostile plugin.
const TOUCHED: usize = 80 << 20;

/// Calls of a crowd that are under way or waiting: as many chats as a process accepts at once.
const CROWD_CALLS: u128 = 1_200;
const CROWD_CALLS_OF_ONE: u128 = 32;
/// Time after which the host has classified a crowd and everything that it can fill is full.
const CROWD_SETTLING: Duration = Duration::from_secs(6);
/// Pause of a chat of a crowd after its call found no place.
const CROWD_PAUSE: Duration = Duration::from_secs(1);

/// Clients that misbehave together, and the deed of each of their calls.
const CROWDS: [(&str, u128, &str); 4] = [
    ("9 clients wait", 9, "sleep 4500"),
    ("60 clients wait", 60, "sleep 4500"),
    ("600 clients wait", 600, "sleep 4500"),
    ("6 clients fill 88 MB", 6, "allocate 88"),
];

#[derive(Clone, Copy)]
enum Load {
    Absent,
    Plugin(&'static [&'static str]),
    Process(&'static str),
    Crowd(u128, &'static str),
}

const STREET: [(&str, Load); 10] = [
    ("quiet", Load::Absent),
    ("floor: another process spins", Load::Process("spin")),
    ("floor: another process allocates", Load::Process("touch")),
    ("spins", Load::Plugin(&["spin"])),
    ("allocates", Load::Plugin(&["allocate 80", "allocate 200"])),
    ("recurses", Load::Plugin(&["recurse 100000000"])),
    ("floods logs", Load::Plugin(&["log 1000000", "print 1000000", "host-calls 100000"])),
    ("returns garbage", Load::Plugin(&["actions 50000", "reply 2000000", "nul", "close-and-hand-over"])),
    ("crashes", Load::Plugin(&["panic", "exit 3", "wild-write"])),
    ("all of it", Load::Plugin(&["spin", "allocate 80", "recurse 100000000", "log 1000000", "actions 50000", "panic"])),
];

fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("name the file of the hostile bot")?;
    if file == LOAD_PROCESS {
        return run_load(&arguments.next().unwrap_or_default());
    }
    let hostile = std::fs::read(&file)?;
    let seconds: u64 = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let rounds: usize = arguments.next().map_or(Ok(15), |text| text.parse())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let cache = std::env::temp_dir().join(format!("patchbay-neighbours-{}", std::process::id()));
    // The limits of the program.
    let limits = CallLimits {
        wall_clock: Duration::from_secs(5),
        calls_per_client: 8,
        host_calls: 256,
        calls: 384,
        ..CallLimits::default()
    };
    let config = HostConfig { limits, built_ins: false, ..HostConfig::new(&cache) };
    let (host, plugin) = runtime.block_on(async {
        let host = PluginHost::start(config).await?;
        let examined = host.examine(client(1), "bot", hostile).await.map_err(|refusal| format!("{refusal:?}"))?;
        Ok::<_, Box<dyn Error>>((host, PluginRef::uploaded("bot", 1, examined.sha256)))
    })?;
    let street = Street { runtime, host, plugin, stretch: Duration::from_secs(seconds) };
    street.measure(rounds)?;
    for (name, clients, deed) in CROWDS {
        street.measure_crowd(name, Load::Crowd(clients, deed), (rounds / 5).max(1))?;
    }
    std::fs::remove_dir_all(cache)?;
    Ok(())
}

struct Street {
    runtime: tokio::runtime::Runtime,
    host: Arc<PluginHost>,
    plugin: PluginRef,
    stretch: Duration,
}

/// Durations of the neighbour's calls in microseconds, number of calls of the hostile clients, and memory of all.
struct Seen {
    p50: f64,
    p99: f64,
    hostile_calls: u64,
    resident_mb: u64,
}

impl Street {
    fn measure(&self, rounds: usize) -> Fallible<()> {
        self.walk(Load::Absent)?;
        let mut seen: BTreeMap<usize, Vec<Seen>> = BTreeMap::new();
        for _ in 0..rounds {
            for (place, (_, load)) in STREET.iter().enumerate() {
                seen.entry(place).or_default().push(self.walk(*load)?);
            }
        }
        let mut quiet = f64::NAN;
        for ((name, _), stretches) in STREET.iter().zip(seen.into_values()) {
            let p99 = median(stretches.iter().map(|stretch| stretch.p99));
            if *name == "quiet" {
                quiet = p99;
            }
            println!(
                "{}",
                serde_json::json!({
                    "load": name,
                    "p50_us": median(stretches.iter().map(|stretch| stretch.p50)),
                    "p99_us": p99,
                    "p99_to_quiet": (p99 / quiet * 100.0).round() / 100.0,
                    "hostile_calls": stretches.iter().map(|stretch| stretch.hostile_calls).sum::<u64>(),
                })
            );
        }
        Ok(())
    }

    fn measure_crowd(&self, name: &str, load: Load, rounds: usize) -> Fallible<()> {
        let (mut quiet, mut crowded) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            quiet.push(self.walk(Load::Absent)?);
            crowded.push(self.walk(load)?);
        }
        let p99 = |stretches: &[Seen]| median(stretches.iter().map(|stretch| stretch.p99));
        let (alone, loaded) = (p99(&quiet), p99(&crowded));
        println!(
            "{}",
            serde_json::json!({
                "load": name,
                "quiet_p99_us": alone,
                "p50_us": median(crowded.iter().map(|stretch| stretch.p50)),
                "p99_us": loaded,
                "p99_to_quiet": (loaded / alone * 100.0).round() / 100.0,
                "hostile_calls": crowded.iter().map(|stretch| stretch.hostile_calls).sum::<u64>(),
                "resident_mb": crowded.iter().map(|stretch| stretch.resident_mb).max(),
            })
        );
        Ok(())
    }

    fn walk(&self, load: Load) -> Fallible<Seen> {
        let stop = Arc::new(AtomicBool::new(false));
        let made = Arc::new(AtomicU64::new(0));
        let process = if let Load::Process(deed) = load { Some(Process::start(deed)?) } else { None };
        let hostile: Vec<_> = match load {
            Load::Plugin(deeds) => (0..16)
                .map(|at| misbehave(self.caller(1), deeds, at, Arc::clone(&stop), Arc::clone(&made)))
                .map(|misbehaving| self.runtime.spawn(misbehaving))
                .collect(),
            Load::Crowd(clients, deed) => self.gather(clients, deed, &made),
            Load::Absent | Load::Process(_) => vec![],
        };
        std::thread::sleep(if matches!(load, Load::Crowd(..)) { CROWD_SETTLING } else { SETTLING });
        let mut times = self.neighbour();
        let resident_mb = resident_megabytes();
        stop.store(true, Ordering::Relaxed);
        drop(process);
        self.runtime.block_on(async {
            for task in hostile {
                task.abort();
                drop(task.await);
            }
        });
        times.sort_unstable();
        let micros = |percent: usize| {
            let place = times.len().saturating_sub(1) * percent / 100;
            times.get(place).map_or(f64::NAN, |time| (time.as_secs_f64() * 1e7).round() / 10.0)
        };
        Ok(Seen { p50: micros(50), p99: micros(99), hostile_calls: made.load(Ordering::Relaxed), resident_mb })
    }

    fn gather(&self, clients: u128, deed: &'static str, made: &Arc<AtomicU64>) -> Vec<JoinHandle<()>> {
        let of_one = (CROWD_CALLS / clients).clamp(1, CROWD_CALLS_OF_ONE);
        let callers = (0..clients).flat_map(|client| (0..of_one).map(move |_| self.caller(100 + client)));
        let chats = callers.map(|caller| {
            let made = Arc::clone(made);
            self.runtime.spawn(async move {
                loop {
                    if caller.called(deed).await {
                        made.fetch_add(1, Ordering::Relaxed);
                    } else {
                        tokio::time::sleep(CROWD_PAUSE).await;
                    }
                }
            })
        });
        chats.collect()
    }

    fn caller(&self, id: u128) -> Caller {
        Caller { host: Arc::clone(&self.host), client: client(id), plugin: self.plugin.clone() }
    }

    /// Requests come from a thread outside the runtime, as they do over the network.
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
    /// A failure does not suspend the plugin here, because a suspension would hold back the hostile client.
    async fn call(&self, text: &str) {
        if !self.called(text).await {
            tokio::task::yield_now().await;
        }
    }

    async fn called(&self, text: &str) -> bool {
        let (event, session) = says(text);
        let call = PluginCall {
            client: self.client,
            plugin: &self.plugin,
            now: DateTime::UNIX_EPOCH,
            seed: CallSeed::from_number(7),
            config: "{}",
            turn: "turn",
            allowed_hosts: &[],
            http_limits: HttpLimits::default(),
            record: false,
        };
        let question = WorldQuestion::Chatbot { event: Box::new(event), session: Box::new(session) };
        self.host.dry_run(call, &question, Arc::new(NoKeyValues)).await.is_ok()
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
        customer: Customer {
            phone: Some("27820000001".into()),
            user_id: None,
            username: None,
            name: Some("Zo".into()),
        },
        channel: Channel::Whatsapp,
        state: String::new(),
        now_ms: 0,
        local_time: LocalTime { utc_offset_minutes: 120, weekday: Weekday::Monday, hour: 9, minute: 0 },
        reopened: false,
        previous_template: None,
        window_ends_ms: None,
        last_team: None,
        attributes: vec![],
        metadata: vec![],
    };
    (event, session)
}

fn resident_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or_default() * 1_024 / 1_000_000
}

/// Expects an odd number of stretches.
fn median(stretches: impl Iterator<Item = f64>) -> f64 {
    let mut stretches: Vec<f64> = stretches.collect();
    stretches.sort_unstable_by(f64::total_cmp);
    stretches.get(stretches.len() / 2).copied().unwrap_or(f64::NAN)
}

struct Process(Child);

impl Process {
    fn start(deed: &str) -> Fallible<Self> {
        Ok(Self(Command::new(std::env::current_exe()?).args([LOAD_PROCESS, deed]).spawn()?))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn run_load(deed: &str) -> Fallible<()> {
    let threads = std::thread::available_parallelism()?.get().saturating_sub(1).max(1);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
                let this = thread_priority::thread_native_id();
                drop(thread_priority::set_thread_priority_and_policy(this, ThreadPriority::Min, idle));
                loop {
                    if deed == "touch" {
                        let mut memory = vec![0_u8; TOUCHED];
                        memory.iter_mut().step_by(4_096).for_each(|byte| *byte = 1);
                        std::hint::black_box(memory);
                    } else {
                        std::hint::spin_loop();
                    }
                }
            });
        }
    });
    Ok(())
}
