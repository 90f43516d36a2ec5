//! The listeners for HTTP and HTTPS. They limit the number of connections and their times, and finish requests in
//! flight before they end.

mod activity;
mod connection;
mod connection_places;
mod control_frames;
mod descriptors;
mod framing;
mod handshake_stream;
mod refusals;
mod streams;
mod tracked_body;
mod watched_stream;

use std::{
    io::{self, ErrorKind},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use api::{EarlyAnswers, EarlyFault};
use axum::Router;
use channels::http::PacedTask;
use rustls::ServerConfig;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpSocket, TcpStream},
    time::{sleep, timeout},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use activity::{Activity, ConnectionTimeouts};
pub use connection::{OpenConnection, serve as serve_connection};
pub use connection_places::{ConnectionLimits, ConnectionPlace, ConnectionPlaces};
pub use descriptors::{connections_for, raise};
use handshake_stream::HandshakeStream;

/// Time for requests in flight after a shutdown began. The whole shutdown has 30 s (CONTRACT 5).
pub const DRAIN: Duration = Duration::from_secs(15);
/// Bytes to read and discard of a plain request on a TLS port.
const UNREAD_AT_MOST: u64 = 64 * 1024;
/// Processor time of the acceptance of a connection.
const ACCEPTANCE: Duration = Duration::from_micros(100);
/// Pause after the process ran out of descriptors.
const NO_DESCRIPTORS: Duration = Duration::from_millis(100);

/// Connections that the system holds until they are accepted. The system takes at most `net.core.somaxconn`. If they are
/// more, it drops the newcomer's SYN, and its next attempt comes 1 s later (RFC 6298, 2.1).
const BACKLOG: u32 = 65_535;

/// Listens on an address.
pub fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A port of connections that ended lately is free for a new process.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// State shared by the listeners of a process.
#[derive(Clone)]
pub struct ListenerState {
    pub places: ConnectionPlaces,
    pub timeouts: ConnectionTimeouts,
    /// Error answers to requests that are refused before routing.
    pub answers: EarlyAnswers,
}

/// Serves HTTP, or HTTPS if there is a TLS configuration, until `shutdown`. Then it accepts no more connections and
/// finishes the requests in flight within [`DRAIN`]. Handlers find the peer's address as `ConnectInfo<SocketAddr>`.
pub async fn serve(
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    router: Router,
    reception: ListenerState,
    shutdown: CancellationToken,
) {
    let tls = tls.map(TlsAcceptor::from);
    let connections = TaskTracker::new();
    loop {
        let (stream, peer) = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = accept(&listener, &reception.places) => accepted,
        };
        let activity = Activity::new();
        match reception.places.enter(peer.ip(), &activity) {
            Ok(place) => {
                if let Some(pace) = activity.pace() {
                    pace.note(ACCEPTANCE);
                }
                let ListenerState { timeouts, answers, .. } = reception.clone();
                let arrived = Arrived { stream, peer, place, activity, timeouts, answers };
                let serving = arrived.serve(tls.clone(), router.clone(), shutdown.clone());
                let places = reception.places.clone();
                connections.spawn(async move {
                    serving.await;
                    observe(&places);
                });
            }
            Err(limit) => {
                metrics::counter!("patchbay_http_connections_refused_total", "limit" => limit).increment(1);
            }
        }
        observe(&reception.places);
    }
    // From here on the system refuses new connections.
    drop(listener);
    connections.close();
    if timeout(DRAIN, connections.wait()).await.is_err() {
        tracing::warn!("requests that were still in flight after {} s were aborted", DRAIN.as_secs());
    }
}

fn observe(places: &ConnectionPlaces) {
    let open = u32::try_from(places.count()).unwrap_or(u32::MAX);
    metrics::gauge!("patchbay_http_connections").set(f64::from(open));
}

/// The next connection. An error of one connection does not end the listener.
async fn accept(listener: &TcpListener, places: &ConnectionPlaces) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(accepted) => return accepted,
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "a connection could not be accepted");
                places.make_room();
                sleep(NO_DESCRIPTORS).await;
            }
        }
    }
}

fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset)
}

struct Arrived {
    stream: TcpStream,
    peer: SocketAddr,
    place: ConnectionPlace,
    activity: Arc<Activity>,
    timeouts: ConnectionTimeouts,
    answers: EarlyAnswers,
}

impl Arrived {
    async fn serve(self, tls: Option<TlsAcceptor>, router: Router, stop: CancellationToken) {
        let Self { stream, peer, place, activity, timeouts, answers } = self;
        // Answers are written in one piece, so waiting for more gains nothing. This fails if the peer has gone.
        let _ = stream.set_nodelay(true);
        let Some(tls) = tls else {
            let open = OpenConnection { io: stream, place, peer, activity, timeouts, answers };
            return serve_connection(open, router, stop).await;
        };
        let evicted = activity.evicted.clone();
        let stream = tokio::select! {
            () = evicted.cancelled() => return,
            () = stop.cancelled() => return,
            handshake = timeout(
                timeouts.head,
                PacedTask::new(shake_hands(&tls, stream, &answers, &activity), activity.pace())
            ) => handshake,
        };
        match stream {
            Ok(Ok(stream)) => {
                let open = OpenConnection { io: stream, place, peer, activity, timeouts, answers };
                serve_connection(open, router, stop).await;
            }
            Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
            Err(_) => tracing::debug!("a TLS handshake took too long"),
        }
    }
}

/// The TLS handshake. A plain HTTP request gets a plain error answer.
async fn shake_hands(
    tls: &TlsAcceptor,
    mut stream: TcpStream,
    answers: &EarlyAnswers,
    activity: &Arc<Activity>,
) -> io::Result<TlsStream<HandshakeStream>> {
    let mut first = [0];
    // A handshake begins with record type 22 (RFC 8446, 5.1), a request with a letter.
    if stream.peek(&mut first).await? == 1 && first.iter().all(u8::is_ascii_alphabetic) {
        stream.write_all(&answers.answer(EarlyFault::PlainHttp)).await?;
        stream.shutdown().await?;
        // If the connection closed with unread input, it would be reset and the answer lost.
        tokio::io::copy(&mut stream.take(UNREAD_AT_MOST), &mut tokio::io::sink()).await?;
        return Err(io::Error::other("it speaks HTTP without TLS"));
    }
    let mut stream = tls.accept(HandshakeStream::new(stream, Arc::clone(activity))).await?;
    stream.get_mut().0.end_count();
    Ok(stream)
}
