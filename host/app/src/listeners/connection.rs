//! Serves one connection.

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use api::{EarlyAnswers, HeadFault, PeerLink, RequestSource, UseGuard};
use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
    http::{StatusCode, Version, header::HOST, uri::Authority},
    response::Response,
};
use channels::http::{Pace, PacedTask};
use hyper_util::{rt::TokioIo, server::conn::auto, service::TowerToHyperService};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::{Instant, sleep_until},
};
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use super::{
    activity::{Activity, ConnectionTimeouts},
    streams::{Stream, Streams},
    tracked_body::TrackedBody,
    watched_stream::WatchedStream,
};

/// Bound on buffered input apart from bodies, and so on the head of a request.
const BUFFER_BYTES: usize = 64 * 1024;
const HEAD_BYTES: u32 = 64 * 1024;
/// Parallel requests of one HTTP/2 connection.
const STREAMS: u32 = 32;
/// Bytes that an HTTP/2 peer may send before the handlers have read them: on one stream, and on all streams of a
/// connection.
const STREAM_WINDOW: u32 = 128 * 1024;
const CONNECTION_WINDOW: u32 = 256 * 1024;
/// Bytes of an answer that a stream buffers beyond the window of the peer.
const STREAM_BUFFER: usize = 32 * 1024;
/// Minimum time between two checks of a connection.
const MIN_CHECK_INTERVAL: Duration = Duration::from_millis(10);
/// Time for a graceful end before a connection is cut.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(500);

/// A proxy in front of us may read a body with two lengths differently.
const FRAMED_TWICE: HeadFault = HeadFault {
    header: "Transfer-Encoding",
    said: "cannot be combined with Content-Length: a body is framed in one way",
};

/// Checks a rule of HTTP/1.1 that the library does not check: exactly one valid `Host` (RFC 9112, 3.2).
fn wrong_head<B>(request: &Request<B>) -> Option<HeadFault> {
    let wrong = |said| Some(HeadFault { header: "Host", said });
    if request.version() != Version::HTTP_11 {
        return None;
    }
    let mut hosts = request.headers().get_all(HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) => wrong("is missing: HTTP/1.1 requests name the host that they are for"),
        (Some(_), Some(_)) => wrong("is there more than once"),
        (Some(host), None) if !host.is_empty() && Authority::try_from(host.as_bytes()).is_err() => {
            wrong("is no host name or address, with or without a port")
        }
        (Some(_), None) => None,
    }
}

fn protocols(pace: Option<Arc<Pace>>) -> auto::Builder<Streams> {
    let mut http = auto::Builder::new(Streams(pace));
    http.http1().max_buf_size(BUFFER_BYTES);
    http.http2()
        .max_concurrent_streams(STREAMS)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(STREAM_BUFFER)
        .max_header_list_size(HEAD_BYTES);
    http
}

/// Cuts off the answer to a request by resetting its stream. If there is no stream, the connection ends. If the whole
/// answer is written, the connection of a caller ends too. That of a proxy stays open for its other callers.
fn link(connection: Arc<Activity>) -> PeerLink {
    let (stream, pace, socket) = (Stream::current(), connection.pace(), Arc::clone(&connection));
    let speaks_for_many = pace.is_none();
    let link = PeerLink::new(move || match &stream {
        Some(stream) if stream.reset() || speaks_for_many => {}
        Some(_) | None => connection.evicted.cancel(),
    });
    link.with_pace(pace).with_received(move || {
        socket.forget_head();
    })
}

/// An accepted connection: a plain one, or one after its TLS handshake.
pub struct OpenConnection<IO, P> {
    pub io: IO,
    /// Held until the connection ends.
    pub place: P,
    pub peer: SocketAddr,
    pub activity: Arc<Activity>,
    pub timeouts: ConnectionTimeouts,
    pub answers: EarlyAnswers,
}

/// Serves a connection until it ends, a time limit passes, or `stop` asks it to end after the requests in flight.
/// Handlers find the peer's address as `ConnectInfo<SocketAddr>`.
pub async fn serve<IO, P>(open: OpenConnection<IO, P>, router: Router, stop: CancellationToken)
where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    P: Unpin + Send + 'static,
{
    let OpenConnection { io, place, peer, activity, timeouts, answers } = open;
    let of_requests = Arc::clone(&activity);
    let service = tower::service_fn(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let framed_twice = of_requests.take_framed_twice() && request.version() < Version::HTTP_2;
        if let Some(wrong) = framed_twice.then_some(FRAMED_TWICE).or_else(|| wrong_head(&request)) {
            request.extensions_mut().insert(wrong);
        }
        if request.version() == Version::HTTP_2 {
            of_requests.note_http2();
        }
        let (router, in_flight) = (router.clone(), Arc::new(of_requests.request()));
        // Sockets and streams that continue after the answer keep the connection from counting as idle.
        request.extensions_mut().insert(UseGuard::new(Arc::clone(&in_flight) as Arc<_>));
        let activity = Arc::clone(&of_requests);
        async move {
            request.extensions_mut().insert(link(Arc::clone(&activity)));
            let body = |body| Body::new(TrackedBody::received(body, Arc::clone(&in_flight)));
            let response = router.oneshot(request.map(body)).await?;
            if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                let source = response.extensions().get::<RequestSource>().and_then(|source| source.0);
                activity.note_upgraded(source.filter(|source| *source != peer.ip().to_canonical()));
            }
            // The request is in flight until the last part of its answer was given to the library.
            let (parts, body) = response.into_parts();
            let body = Body::new(TrackedBody::sent(body, &parts.headers, in_flight));
            Ok::<_, Infallible>(Response::from_parts(parts, body))
        }
    });
    let pace = activity.pace();
    let http = protocols(pace.clone());
    let io = TokioIo::new(WatchedStream::new(io, Arc::clone(&activity), answers, place));
    let serving = http.serve_connection_with_upgrades(io, TowerToHyperService::new(service)).into_owned();
    let mut connection = PacedTask::new(serving, pace);
    let look_again = (timeouts.head.min(timeouts.idle).min(timeouts.write) / 4).max(MIN_CHECK_INTERVAL);
    let (mut stopping, mut cut_at) = (false, None);
    loop {
        let next_look = cut_at.unwrap_or_else(|| Instant::now() + look_again);
        tokio::select! {
            ended = &mut connection => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended during a request");
                }
                return;
            }
            () = activity.evicted.cancelled() => return,
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                connection.inner().graceful_shutdown();
            }
            () = sleep_until(next_look) => {
                let out_of_time = activity.deadline(timeouts).is_some_and(|deadline| deadline <= Instant::now());
                match (out_of_time, cut_at) {
                    (true, Some(_)) => return,
                    (true, None) => {
                        cut_at = Some(Instant::now() + CLOSE_TIMEOUT);
                        connection.inner().graceful_shutdown();
                    }
                    // A request has just arrived. It is the last one to be answered.
                    (false, _) => cut_at = None,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use axum::{Extension, routing::get};
    use chrono::DateTime;
    use domain::{clock::IdSource, ids::RequestId, source::CountedSource};
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;
    use crate::listeners::{ConnectionLimits, ConnectionPlaces};

    const TIMEOUTS: ConnectionTimeouts = ConnectionTimeouts {
        head: Duration::from_secs(15),
        idle: Duration::from_secs(75),
        write: Duration::from_secs(30),
    };

    fn connect(places: &ConnectionPlaces, peer: IpAddr) -> (DuplexStream, Arc<Activity>) {
        connect_to(Router::new().route("/", get(async || "hello")), places, peer)
    }

    fn connect_to(router: Router, places: &ConnectionPlaces, peer: IpAddr) -> (DuplexStream, Arc<Activity>) {
        let (ours, theirs) = duplex(1_000);
        let activity = Activity::new();
        let place = places.enter(peer, &activity).unwrap();
        let answers = EarlyAnswers::with(|| {
            let now = DateTime::from_timestamp(1_760_000_000, 0).unwrap();
            (RequestId::from(IdSource::new([7; 32]).mint(now)), now)
        });
        let open = OpenConnection {
            io: theirs,
            place,
            peer: (peer, 50_000).into(),
            activity: Arc::clone(&activity),
            timeouts: TIMEOUTS,
            answers,
        };
        tokio::spawn(serve(open, router, CancellationToken::new()));
        (ours, activity)
    }

    #[tokio::test(start_paused = true)]
    async fn a_websocket_behind_a_proxy_counts_to_the_source_that_opened_it() {
        let source = IpAddr::from([203, 0, 113, 9]);
        let opened = (StatusCode::SWITCHING_PROTOCOLS, Extension(RequestSource(Some(source))));
        let router = Router::new().route("/", get(async move || opened));
        let places = ConnectionPlaces::new(ConnectionLimits { connections: 10, per_address: 10, proxies: Vec::new() });
        let (mut stream, activity) = connect_to(router, &places, IpAddr::from([10, 0, 0, 1]));
        let request = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
        stream.write_all(request).await.unwrap();
        assert!(stream.read(&mut [0; 500]).await.unwrap() > 0);
        assert_eq!(activity.forwarded_source(), Some(CountedSource::of(source)));
    }

    async fn answered_after(stream: &mut DuplexStream) -> u64 {
        let begin = Instant::now();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
        assert!(stream.read(&mut [0; 500]).await.unwrap() > 0);
        begin.elapsed().as_secs()
    }

    #[tokio::test(start_paused = true)]
    async fn all_connections_of_an_address_that_has_used_its_processor_time_pause() {
        let places = ConnectionPlaces::new(ConnectionLimits { connections: 10, per_address: 10, proxies: Vec::new() });
        let (mut first, activity) = connect(&places, IpAddr::from([192, 0, 2, 1]));
        let (mut second, _) = connect(&places, IpAddr::from([192, 0, 2, 1]));
        let (mut other, _) = connect(&places, IpAddr::from([192, 0, 2, 2]));
        assert_eq!(answered_after(&mut first).await, 0);
        // A second is free, and a quarter of a processor after it.
        activity.pace().unwrap().note(Duration::from_secs(3));
        assert_eq!(answered_after(&mut other).await, 0);
        assert_eq!(answered_after(&mut second).await, 8);
    }
}
