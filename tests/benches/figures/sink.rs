//! A receiver of webhooks in a process of its own: this program under another role.

use std::{
    process::Child,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    routing::{get, post},
};

use crate::role;

/// The argument that makes this program a sink.
pub const ROLE: &str = "--be-a-sink";

#[derive(Default)]
struct Tally {
    count: u64,
    first: Option<Instant>,
    last: Option<Instant>,
    bytes: usize,
}

type Shared = Arc<Mutex<Tally>>;

/// Serves until standard input ends, which it does with the process that started it.
pub async fn serve() {
    let shared = Shared::default();
    let router = Router::new()
        .route("/{path}", post(take))
        .route("/tally", get(tally))
        .route("/reset", get(reset))
        .with_state(shared);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    std::thread::spawn(|| {
        drop(std::io::stdin().read_line(&mut String::new()));
        std::process::exit(0);
    });
    axum::serve(listener, router).await.unwrap();
}

async fn take(State(shared): State<Shared>, body: Bytes) {
    let now = Instant::now();
    let mut tally = shared.lock().unwrap();
    tally.count += 1;
    tally.bytes += body.len();
    tally.first.get_or_insert(now);
    tally.last = Some(now);
}

async fn tally(State(shared): State<Shared>) -> String {
    let tally = shared.lock().unwrap();
    let span = tally.first.zip(tally.last).map_or(Duration::ZERO, |(first, last)| last - first);
    let ago = tally.last.map_or(Duration::ZERO, |last| last.elapsed());
    format!("{} {} {} {}", tally.count, span.as_micros(), tally.bytes, ago.as_micros())
}

async fn reset(State(shared): State<Shared>) {
    *shared.lock().unwrap() = Tally::default();
}

/// The sink as seen from outside.
pub struct Sink {
    child: Child,
    /// Its base URL.
    pub url: String,
    http: reqwest::Client,
}

/// The received deliveries.
pub struct Arrived {
    pub count: u64,
    /// From the first to the last.
    pub span: Duration,
    /// Of all bodies.
    pub bytes: u64,
    /// When the last one came.
    pub last: Instant,
}

impl Sink {
    /// Starts one.
    pub fn start() -> Self {
        let (child, url) = role::start([ROLE]);
        Self { child, url, http: reqwest::Client::new() }
    }

    /// The deliveries since the last reset.
    pub async fn arrived(&self) -> Arrived {
        let text = self.get("tally").await;
        let now = Instant::now();
        let numbers: Vec<u64> = text.split(' ').map(|number| number.parse().unwrap()).collect();
        let (span, ago) = (Duration::from_micros(numbers[1]), Duration::from_micros(numbers[3]));
        Arrived { count: numbers[0], span, bytes: numbers[2], last: now.checked_sub(ago).unwrap() }
    }

    /// Id of the process.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until so many have arrived.
    pub async fn wait_for(&self, count: u64) -> Arrived {
        for _ in 0..3000 {
            let arrived = self.arrived().await;
            if arrived.count >= count {
                return arrived;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("only {} of {count} webhooks arrived", self.arrived().await.count);
    }

    /// Forgets the deliveries.
    pub async fn reset(&self) {
        self.get("reset").await;
    }

    async fn get(&self, path: &str) -> String {
        self.http.get(format!("{}/{path}", self.url)).send().await.unwrap().text().await.unwrap()
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        drop(self.child.wait());
    }
}
