//! Serves one connection.

use std::{convert::Infallible, net::SocketAddr, pin::pin, sync::Arc, time::Duration};

use api::{EarlyAnswers, HeadFault, PeerLink, UseGuard};
use axum::{
    Router,
    body::Body,
    extract::{ConnectInfo, Request},
    http::{Version, header::HOST, uri::Authority},
};
use http_body_util::BodyExt;
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
const SHORTEST_LOOK: Duration = Duration::from_millis(10);
/// Time for a graceful end before a connection is cut.
const GOODBYE: Duration = Duration::from_millis(500);

/// A proxy in front of us may read a body with two lengths differently.
const FRAMED_TWICE: HeadFault =
    HeadFault { header: "Transfer-Encoding", said: "cannot stand beside Content-Length: a body is framed in one way" };

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

fn protocols() -> auto::Builder<Streams> {
    let mut http = auto::Builder::new(Streams);
    http.http1().max_buf_size(BUFFER_BYTES);
    http.http2()
        .max_concurrent_streams(STREAMS)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(STREAM_BUFFER)
        .max_header_list_size(HEAD_BYTES);
    http
}

/// Cuts off the answer to a request by resetting its stream. If there is no stream or it is already written, the
/// connection ends.
fn link(connection: Arc<Activity>) -> PeerLink {
    let stream = Stream::current();
    PeerLink::new(move || {
        if !stream.as_ref().is_some_and(|stream| stream.reset()) {
            connection.evicted.cancel();
        }
    })
}

/// Serves a connection until it ends, a time limit passes, or `stop` asks it to end after the requests in flight.
/// Handlers find the peer's address as `ConnectInfo<SocketAddr>`.
pub async fn serve<IO, P>(
    io: IO,
    place: P,
    peer: SocketAddr,
    router: Router,
    (activity, patience): (Arc<Activity>, ConnectionTimeouts),
    answers: EarlyAnswers,
    stop: CancellationToken,
) where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    P: Unpin + Send + 'static,
{
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
            request.extensions_mut().insert(link(activity));
            let response = router.oneshot(request.map(Body::new)).await?;
            // The request is in flight until the last part of its answer was given to the library.
            let keep = move |frame| {
                let _ = &in_flight;
                frame
            };
            Ok::<_, Infallible>(response.map(|body| Body::new(body.map_frame(keep))))
        }
    });
    let http = protocols();
    let io = TokioIo::new(WatchedStream::new(io, Arc::clone(&activity), answers, place));
    let mut connection = pin!(http.serve_connection_with_upgrades(io, TowerToHyperService::new(service)).into_owned());
    let look_again = (patience.head.min(patience.idle).min(patience.write) / 4).max(SHORTEST_LOOK);
    let (mut stopping, mut cut_at) = (false, None);
    loop {
        let next_look = cut_at.unwrap_or_else(|| Instant::now() + look_again);
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection ended in the middle");
                }
                return;
            }
            () = activity.evicted.cancelled() => return,
            () = stop.cancelled(), if !stopping => {
                stopping = true;
                connection.as_mut().graceful_shutdown();
            }
            () = sleep_until(next_look) => {
                let out_of_time = activity.deadline(patience).is_some_and(|deadline| deadline <= Instant::now());
                match (out_of_time, cut_at) {
                    (true, Some(_)) => return,
                    (true, None) => {
                        cut_at = Some(Instant::now() + GOODBYE);
                        connection.as_mut().graceful_shutdown();
                    }
                    // A request has just arrived. It is the last one to be answered.
                    (false, _) => cut_at = None,
                }
            }
        }
    }
}
