//! A listener whose connections are all taken: which of them ends for a newcomer.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use api::EarlyAnswers;
use app::listeners::{
    self, Activity, ConnectionLimits, ConnectionPlaces, ConnectionTimeouts, ListenerState, OpenConnection,
};
use axum::{Router, extract::ConnectInfo, http::StatusCode, routing::get};
use chrono::DateTime;
use domain::{clock::IdSource, ids::RequestId};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, duplex},
    net::TcpListener,
    task::spawn_blocking,
};
use tokio_util::sync::CancellationToken;

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

#[tokio::test]
async fn connections_that_do_not_read_their_answers_do_not_block_others() {
    let large = Router::new().route("/", get(async || "x".repeat(64 << 20)));
    let router = router().nest("/large", large);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(listeners::serve(listener, None, router, reception(4), CancellationToken::new()));
    let answers = spawn_blocking(move || {
        let unread = |_| {
            let mut stream = TcpStream::connect(address).unwrap();
            stream.write_all(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
            stream
        };
        let held: Vec<TcpStream> = (0..4).map(unread).collect();
        // A connection is slow after a tenth of a second without progress.
        std::thread::sleep(Duration::from_secs(1));
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

#[tokio::test(start_paused = true)]
async fn a_websocket_that_is_ended_for_another_connection_ends_at_once() {
    let upgrade = get(async |mut request: axum::extract::Request| {
        let upgraded = hyper::upgrade::on(&mut request);
        tokio::spawn(async move {
            let mut io = hyper_util::rt::TokioIo::new(upgraded.await.unwrap());
            let _ = io.read(&mut [0; 10]).await;
        });
        let head = [("connection", "upgrade"), ("upgrade", "websocket")];
        (StatusCode::SWITCHING_PROTOCOLS, head)
    });
    let places = reception(1).places;
    let peer = SocketAddr::from(([192, 0, 2, 1], 50_000));
    let (mut ours, theirs) = duplex(1_000);
    let activity = Activity::new();
    let place = places.enter(peer.ip(), &activity).unwrap();
    let router = Router::new().route("/", upgrade);
    let open = OpenConnection { io: theirs, place, peer, activity, timeouts: TIMEOUTS, answers: answers() };
    tokio::spawn(listeners::serve_connection(open, router, CancellationToken::new()));
    ours.write_all(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n").await.unwrap();
    let length = ours.read(&mut [0; 500]).await.unwrap();
    assert!(length > 0);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let next = Activity::new();
    let _place = places.enter(SocketAddr::from(([192, 0, 2, 2], 1)).ip(), &next).unwrap();
    let begin = tokio::time::Instant::now();
    assert!(!matches!(ours.read(&mut [0; 500]).await, Ok(1..)));
    assert_eq!(begin.elapsed(), Duration::ZERO);
}
