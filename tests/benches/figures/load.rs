//! A lean HTTP client: one keep-alive connection, one request at a time, nothing that would cost more than the server.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

const PATH: &str = "/whatsapp-api-service/v2/channels/whatsapp";

/// A connection.
pub struct Connection {
    stream: TcpStream,
    head: String,
    buffer: Vec<u8>,
}

impl Connection {
    /// To `address`, with an API key.
    pub async fn open(address: SocketAddr, key: &str) -> Self {
        let mut connection = Self::open_at(address, PATH).await;
        connection.head.push_str(&format!("Authorization: {key}\r\n"));
        connection
    }

    /// To `address`, for posts to `path`.
    pub async fn open_at(address: SocketAddr, path: &str) -> Self {
        let stream = TcpStream::connect(address).await.expect("the program listens");
        stream.set_nodelay(true).unwrap();
        let head = format!("POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n");
        Self { stream, head, buffer: Vec::with_capacity(64 * 1024) }
    }

    /// Posts a body and answers the status code once the whole response is here.
    pub async fn post(&mut self, body: &str) -> u16 {
        self.post_with("", body).await
    }

    /// The same with more headers, each ended by `\\r\\n`.
    pub async fn post_with(&mut self, headers: &str, body: &str) -> u16 {
        let request = format!("{}{headers}Content-Length: {}\r\n\r\n{body}", self.head, body.len());
        self.exchange(&request).await
    }

    /// Gets a path with its query.
    pub async fn get(&mut self, path: &str) -> u16 {
        self.exchange(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n")).await
    }

    async fn exchange(&mut self, request: &str) -> u16 {
        self.stream.write_all(request.as_bytes()).await.expect("the program takes requests");
        self.buffer.clear();
        loop {
            let count = self.stream.read_buf(&mut self.buffer).await.expect("the program answers");
            assert!(count > 0, "the program closed a connection");
            let Some(end) = self.buffer.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let head = std::str::from_utf8(&self.buffer[..end]).unwrap();
            let status = head[9..12].parse().unwrap();
            let length = content_length(head).expect("a response has a length");
            let mut left = (end + 4 + length).saturating_sub(self.buffer.len());
            while left > 0 {
                let count = self.stream.read_buf(&mut self.buffer).await.expect("the program answers");
                assert!(count > 0, "the program closed a connection");
                left = left.saturating_sub(count);
            }
            return status;
        }
    }
}

/// The length of the body that a head announces.
pub fn content_length(head: &str) -> Option<usize> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let (_, length) = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length"))?;
    length.parse().ok()
}

/// The result of a round of load.
pub struct Round {
    /// Requests per second.
    pub rate: f64,
    /// Half of them took at most this.
    pub p50: Duration,
    /// 99 of a hundred took at most this.
    pub p99: Duration,
}

/// Keeps `connections` busy for `warm_up` and then for `length`, and reports on the latter. `body` makes the body of the
/// n-th request over all connections.
pub async fn run(
    address: SocketAddr,
    key: &str,
    connections: usize,
    warm_up: Duration,
    length: Duration,
    body: impl Fn(usize) -> String + Send + Sync + 'static,
) -> Round {
    let (measuring, over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let body = Arc::new(body);
    let mut tasks = JoinSet::new();
    for index in 0..connections {
        let mut connection = Connection::open(address, key).await;
        let (measuring, over, body) = (Arc::clone(&measuring), Arc::clone(&over), Arc::clone(&body));
        tasks.spawn(async move {
            let mut latencies = Vec::new();
            let mut request = index;
            while !over.load(Ordering::Relaxed) {
                let (body, began) = (body(request), Instant::now());
                let status = connection.post(&body).await;
                assert_eq!(status, 202, "a send was not accepted");
                if measuring.load(Ordering::Relaxed) && !over.load(Ordering::Relaxed) {
                    latencies.push(began.elapsed());
                }
                request += connections;
            }
            latencies
        });
    }
    tokio::time::sleep(warm_up).await;
    let began = Instant::now();
    measuring.store(true, Ordering::Relaxed);
    tokio::time::sleep(length).await;
    over.store(true, Ordering::Relaxed);
    let took = began.elapsed();
    let mut latencies: Vec<Duration> = tasks.join_all().await.into_iter().flatten().collect();
    latencies.sort_unstable();
    let at = |hundredths: usize| latencies[(latencies.len() - 1) * hundredths / 100];
    #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
    let rate = latencies.len() as f64 / took.as_secs_f64();
    Round { rate, p50: at(50), p99: at(99) }
}
