//! The listeners: HTTPS from PEM files, clear refusals, limits on connections and times, and a shutdown that finishes
//! requests in flight.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics has failed, which is what it is for"
)]

mod support;

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use api::{EarlyAnswers, HeadFault};
use app::{
    listeners::{
        self, Activity, ConnectionLimits, ConnectionPlaces, ConnectionTimeouts, ListenerState, OpenConnection,
    },
    tls,
};
use axum::{Extension, Router, extract::ConnectInfo, routing::get};
use chrono::DateTime;
use domain::{clock::IdSource, ids::RequestId};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use support::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex},
    net::TcpListener,
    sync::Notify,
    task::{JoinHandle, spawn_blocking},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("tests/fixtures").join(name)
}

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

const TIMEOUTS: ConnectionTimeouts =
    ConnectionTimeouts { head: Duration::from_secs(15), idle: Duration::from_secs(75), write: Duration::from_secs(30) };

fn reception(connections: usize) -> ListenerState {
    let limits = ConnectionLimits { connections, per_address: connections, proxies: Vec::new() };
    ListenerState { places: ConnectionPlaces::new(limits), timeouts: TIMEOUTS, answers: answers() }
}

fn answers() -> EarlyAnswers {
    let ids = IdSource::new([7; 32]);
    let now = DateTime::from_timestamp(1_760_000_000, 0).unwrap();
    EarlyAnswers::with(move || (RequestId::from(ids.mint(now)), now))
}

fn router() -> Router {
    Router::new().route("/", get(async |ConnectInfo(peer): ConnectInfo<SocketAddr>| format!("hello {}", peer.ip())))
}

/// One request by a client that trusts only the certificate of the fixtures.
fn get_over_tls(address: SocketAddr) -> String {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(fixture("localhost.pem")).unwrap()).unwrap();
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let client = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(client, TcpStream::connect(address).unwrap());
    stream.write_all(REQUEST).unwrap();
    let mut answer = Vec::new();
    // If the peer closes without a close message, the answer is still valid.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn https_is_served_from_pem_files_until_shutdown() {
    tls::install_crypto();
    let config = tls::load(&fixture("localhost.pem"), &fixture("localhost.key")).unwrap().config;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let serving = tokio::spawn(listeners::serve(listener, Some(config), router(), reception(10), shutdown.clone()));

    let answer = spawn_blocking(move || get_over_tls(address)).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("hello 127.0.0.1"), "{answer}");
    shutdown.cancel();
    tokio::time::timeout(Duration::from_secs(5), serving).await.unwrap().unwrap();
    assert!(TcpStream::connect(address).is_err());
}

#[tokio::test]
async fn plain_http_on_an_https_port_gets_an_error_that_says_so() {
    tls::install_crypto();
    let config = tls::load(&fixture("localhost.pem"), &fixture("localhost.key")).unwrap().config;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = listeners::serve(listener, Some(config), router(), reception(10), CancellationToken::new());
    tokio::spawn(serving);

    let answer = spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(REQUEST).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });
    let answer = answer.await.unwrap();
    let (head, said) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 400") && said.contains("https://"), "{answer}");
    is_error(&answer, 400);

    let answer = spawn_blocking(move || get_over_tls(address)).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// Checks a complete error answer, with the error body and its request id.
fn is_error(answer: &str, status: u16) {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{answer}");
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    let id = body["requestId"].as_str().unwrap();
    assert!(head.contains(&format!("x-request-id: {id}\r\n")), "{answer}");
    assert_eq!(body["status"], status);
    for field in ["timestamp", "error", "message", "path", "details"] {
        assert!(!body[field].is_null(), "{field} is missing: {answer}");
    }
}

/// The whole answer of the server to these bytes, until it ends the connection.
async fn answer_to(address: SocketAddr, bytes: Vec<u8>) -> String {
    spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // The server may refuse before it has read all.
        let _ = stream.write_all(&bytes);
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8(answer).unwrap()
    })
    .await
    .unwrap()
}

#[tokio::test]
async fn a_request_that_the_http_layer_refuses_gets_the_error_body_and_a_request_id() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(listeners::serve(listener, None, router(), reception(100), CancellationToken::new()));
    let with = |lines: &str| format!("POST / HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n").into_bytes();
    let many: String = (0..101).map(|number| format!("x-{number}: 1\r\n")).collect();
    for (bytes, status) in [
        (b"nonsense\r\n\r\n".to_vec(), 400),
        (b"G\x00T / HTTP/1.1\r\n\r\n".to_vec(), 400),
        (b"GET / HTTP/9.9\r\n\r\n".to_vec(), 400),
        (with("bad header\r\n"), 400),
        (with("content-length: x\r\n"), 400),
        (with("content-length: 1\r\ncontent-length: 2\r\n"), 400),
        (with("transfer-encoding: gzip\r\n"), 400),
        (with(&many), 431),
        (with(&format!("x: {}\r\n", "a".repeat(200_000))), 431),
        (format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(65_535)).into_bytes(), 431),
    ] {
        let shown = String::from_utf8_lossy(&bytes).chars().take(60).collect::<String>();
        let answer = answer_to(address, bytes).await;
        assert!(!answer.is_empty(), "{shown:?} was not answered");
        is_error(&answer, status);
    }
}

#[tokio::test]
async fn a_bad_request_behind_a_good_one_is_refused_and_the_good_one_answered() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(listeners::serve(listener, None, router(), reception(100), CancellationToken::new()));
    let answer = answer_to(address, [KEEP_ALIVE, b"nonsense\r\n\r\n"].concat()).await;
    let (first, second) = answer.split_once("hello 127.0.0.1").unwrap_or_else(|| panic!("{answer}"));
    assert!(first.starts_with("HTTP/1.1 200"), "{answer}");
    is_error(second, 400);
}

#[tokio::test]
async fn a_fault_of_a_readable_head_is_passed_to_the_router() {
    let said = async |wrong: Option<Extension<HeadFault>>| match wrong {
        Some(Extension(wrong)) => format!("{} {}", wrong.header, wrong.said),
        None => "fine".to_owned(),
    };
    let router = Router::new().route("/", get(said));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(listeners::serve(listener, None, router, reception(100), CancellationToken::new()));
    for (head, end) in [
        ("GET / HTTP/1.1\r\n", "Host is missing: HTTP/1.1 requests name the host that they are for"),
        ("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n", "Host is there more than once"),
        ("GET / HTTP/1.1\r\nHost: a b\r\n", "Host is no host name or address, with or without a port"),
        ("GET / HTTP/1.1\r\nHost: a/b\r\n", "Host is no host name or address, with or without a port"),
        (
            "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n",
            "Transfer-Encoding cannot be combined with Content-Length: a body is framed in one way",
        ),
        ("GET / HTTP/1.1\r\nHost: [::1]:8080\r\n", "fine"),
        ("GET / HTTP/1.1\r\nHost: a_b.example\r\n", "fine"),
        ("GET / HTTP/1.1\r\nHost:\r\n", "fine"),
        ("GET / HTTP/1.0\r\n", "fine"),
    ] {
        let answer = answer_to(address, format!("{head}Connection: close\r\n\r\n").into_bytes()).await;
        assert!(answer.ends_with(end), "{head:?}: {answer}");
    }
}

#[tokio::test]
async fn a_shutdown_finishes_the_request_in_flight() {
    let (arrived, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let slow = {
        let (arrived, go_on) = (arrived.clone(), go_on.clone());
        Router::new().route(
            "/",
            get(async move || {
                arrived.notify_one();
                go_on.notified().await;
                "finished"
            }),
        )
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let serving = tokio::spawn(listeners::serve(listener, None, slow, reception(10), shutdown.clone()));
    let client = spawn_blocking(move || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(REQUEST).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    });

    arrived.notified().await;
    shutdown.cancel();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(!serving.is_finished());
    go_on.notify_one();
    assert!(client.await.unwrap().ends_with("finished"));
    tokio::time::timeout(Duration::from_secs(5), serving).await.unwrap().unwrap();
}

#[test]
fn unusable_pem_files_are_refused_with_the_setting_and_the_file() {
    tls::install_crypto();
    let dir = TempDir::new();
    let junk = dir.path().join("junk.pem");
    fs::write(&junk, "not a certificate").unwrap();
    let refusal = |cert: &Path, key: &Path| tls::load(cert, key).err().unwrap().to_string();

    let message = refusal(Path::new("/nonexistent/cert.pem"), &fixture("localhost.key"));
    assert_eq!(message, "cannot read /nonexistent/cert.pem (server.tls_cert)");
    let message = refusal(&junk, &fixture("localhost.key"));
    assert!(message.contains("junk.pem (server.tls_cert) holds no certificate in PEM form"), "{message}");
    let message = refusal(&fixture("localhost.pem"), &junk);
    assert!(message.contains("junk.pem (server.tls_key) holds no private key in PEM form"), "{message}");
    let message = refusal(&fixture("localhost.pem"), &fixture("other.key"));
    assert!(message.contains("cannot be used"), "{message}");
}

#[tokio::test]
async fn idle_connections_do_not_block_others() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(listeners::serve(listener, None, router(), reception(4), CancellationToken::new()));
    let answers = spawn_blocking(move || {
        let held: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(address).unwrap()).collect();
        let answer = |_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            stream.write_all(REQUEST).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        };
        let answers: Vec<String> = (0..5).map(answer).collect();
        drop(held);
        answers
    });
    for answer in answers.await.unwrap() {
        assert!(answer.ends_with("hello 127.0.0.1"), "{answer}");
    }
}

/// The client end of a connection to these routes, on virtual time, with a small buffer.
fn connect(router: Router) -> DuplexStream {
    let (ours, theirs) = duplex(1_000);
    let peer = SocketAddr::from(([192, 0, 2, 1], 50_000));
    let (activity, answers) = (Activity::new(), answers());
    let open = OpenConnection { io: theirs, place: (), peer, activity, timeouts: TIMEOUTS, answers };
    tokio::spawn(listeners::serve_connection(open, router, CancellationToken::new()));
    ours
}

/// Waits until the server ends the connection. Returns the seconds and the received text.
async fn ended_after(mut stream: DuplexStream) -> (f64, String) {
    let begin = Instant::now();
    let mut said = Vec::new();
    // A connection that is cut has ended too.
    let _ = stream.read_to_end(&mut said).await;
    (begin.elapsed().as_secs_f64(), String::from_utf8(said).unwrap())
}

/// Connections are checked at intervals, up to a quarter of the shortest limit late, and then get half a second.
fn is_about(seconds: f64, expected: f64) {
    assert!((expected..expected + 5.0).contains(&seconds), "after {seconds} s, expected {expected}");
}

const KEEP_ALIVE: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

#[tokio::test(start_paused = true)]
async fn a_silent_connection_is_closed() {
    is_about(ended_after(connect(router())).await.0, 15.0);
}

#[tokio::test(start_paused = true)]
async fn a_head_that_comes_byte_by_byte_ends_the_connection() {
    let (mut read, mut write) = tokio::io::split(connect(router()));
    let begin = Instant::now();
    tokio::spawn(async move {
        for byte in KEEP_ALIVE {
            tokio::time::sleep(Duration::from_secs(2)).await;
            if write.write_all(&[*byte]).await.is_err() {
                return;
            }
        }
    });
    let mut said = Vec::new();
    let _ = read.read_to_end(&mut said).await;
    // The first byte came after two seconds. Until then the connection was silent.
    is_about(begin.elapsed().as_secs_f64(), 17.0);
    assert!(said.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_connection_may_rest_between_requests_for_a_while() {
    let mut stream = connect(router());
    for _ in 0..3 {
        stream.write_all(KEEP_ALIVE).await.unwrap();
        let mut answer = [0; 500];
        let length = stream.read(&mut answer).await.unwrap();
        assert!(answer.starts_with(b"HTTP/1.1 200") && length < 500);
        tokio::time::sleep(Duration::from_secs(70)).await;
    }
    let (seconds, said) = ended_after(stream).await;
    is_about(seconds, 5.0);
    assert_eq!(said, "");
}

#[tokio::test(start_paused = true)]
async fn a_request_in_flight_may_take_its_time() {
    let slow = get(async || {
        tokio::time::sleep(Duration::from_secs(300)).await;
        "finished"
    });
    let mut stream = connect(Router::new().route("/", slow));
    stream.write_all(KEEP_ALIVE).await.unwrap();
    let (seconds, said) = ended_after(stream).await;
    is_about(seconds, 375.0);
    assert!(said.ends_with("finished"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_does_not_read_its_answer_is_not_waited_for() {
    let large = get(async || "x".repeat(1_000_000));
    let mut stream = connect(Router::new().route("/", large));
    stream.write_all(KEEP_ALIVE).await.unwrap();
    tokio::time::sleep(Duration::from_secs(29)).await;
    let mut piece = [0; 500];
    stream.read_exact(&mut piece).await.unwrap();
    // It took something, so its time starts again.
    tokio::time::sleep(Duration::from_secs(29)).await;
    stream.read_exact(&mut piece).await.unwrap();
    tokio::time::sleep(Duration::from_secs(36)).await;
    let (_, said) = ended_after(stream).await;
    assert!(said.len() <= 1_000, "{} bytes", said.len());
}

/// An HTTP/2 connection to these routes, on virtual time, and the task that drives it until it ends.
async fn connect_http2(router: Router) -> (h2::client::SendRequest<bytes::Bytes>, h2::PingPong, JoinHandle<Instant>) {
    let (requests, mut connection) = h2::client::handshake(connect(router)).await.unwrap();
    let pings = connection.ping_pong().unwrap();
    let driving = tokio::spawn(async move {
        let _ = connection.await;
        Instant::now()
    });
    (requests, pings, driving)
}

async fn ping(mut pings: h2::PingPong) {
    while pings.ping(h2::Ping::opaque()).await.is_ok() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn pings_give_a_connection_no_more_time_before_its_first_request_or_after_its_last_one() {
    let begin = Instant::now();
    let (_requests, pings, ended) = connect_http2(router()).await;
    tokio::spawn(ping(pings));
    is_about((ended.await.unwrap() - begin).as_secs_f64(), 15.0);

    let begin = Instant::now();
    let (mut requests, pings, ended) = connect_http2(router()).await;
    let request = hyper::Request::get("http://localhost/").body(()).unwrap();
    let (answer, _) = requests.send_request(request, true).unwrap();
    let answer = answer.await.unwrap();
    assert_eq!(answer.status(), 200);
    drop(answer);
    tokio::spawn(ping(pings));
    is_about((ended.await.unwrap() - begin).as_secs_f64(), 75.0);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_floods_the_server_with_pings_is_ended_and_others_go_on() {
    let (mut requests, _pings, _driving) = connect_http2(router()).await;
    let mut flood = connect(router());
    let begin = Instant::now();
    flood.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.unwrap();
    let pings = b"\0\0\x08\x06\0\0\0\0\0pingping".repeat(100);
    let (mut reading, mut writing) = tokio::io::split(flood);
    let answers = tokio::spawn(async move {
        let mut bytes = [0; 4096];
        while reading.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
    });
    while writing.write_all(&pings).await.is_ok() {}
    answers.await.unwrap();
    // The clock is paused, so this time does not depend on the machine.
    assert!(begin.elapsed() < Duration::from_secs(15), "it ends at once, not with its idle time");
    let request = hyper::Request::get("http://localhost/").body(()).unwrap();
    let (answer, _) = requests.send_request(request, true).unwrap();
    assert_eq!(answer.await.unwrap().status(), 200);
}

#[tokio::test(start_paused = true)]
async fn an_http2_connection_has_few_streams() {
    let (_requests, mut connection) = h2::client::handshake(connect(router())).await.unwrap();
    let settings = async {
        loop {
            let _ = tokio::time::timeout(Duration::from_millis(10), &mut connection).await;
            if connection.max_concurrent_send_streams() < 1_000 {
                return connection.max_concurrent_send_streams();
            }
        }
    };
    assert_eq!(settings.await, 32);
}

/// The library's default of 1,024 dropped the first packet of callers in a flood of connections.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn as_many_connections_as_the_system_allows_wait_to_be_accepted() {
    const MORE_THAN_USUAL: usize = 1_500;
    listeners::raise();
    let allowed: usize = fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap().trim().parse().unwrap();
    let listener = listeners::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.local_addr().unwrap();
    let connect = move |_| TcpStream::connect_timeout(&address, Duration::from_secs(10));
    let waiting = (0..allowed.min(MORE_THAN_USUAL)).map(connect).collect::<Result<Vec<_>, _>>().unwrap();
    for _ in &waiting {
        listener.accept().await.unwrap();
    }
}
