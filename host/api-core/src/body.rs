//! Request bodies: their type, size and time.

use std::time::Duration;

use axum::{
    body::{Body, HttpBody},
    extract::{FromRef, FromRequest, Request},
    http::{HeaderMap, header},
};
use base::heavy_work::{self, BodyOwner};
use bytes::Bytes;
use futures::{FutureExt, StreamExt, future::BoxFuture};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::{
    admission::reservation::AdmittedRequest,
    error::{ApiError, ErrorKind},
    media_kind::is_json,
    request_facts::{BodyKind, RequestFacts},
    state::ApiState,
};

/// If a body is too large, up to this many times the limit is read and discarded. A caller that writes everything
/// before it reads then gets the answer, and not a broken connection.
const DISCARD_FACTOR: usize = 4;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of a body without room that are discarded.
const REFUSED_BYTES: usize = 16 * 1024 * 1024;
const REFUSED_TIMEOUT: Duration = Duration::from_secs(1);

/// The bytes of a JSON body, not parsed: the type must be `application/json` (otherwise 415) and the size within the
/// limit (otherwise 413).
pub struct JsonBytes(pub Bytes);

impl<S> FromRequest<S> for JsonBytes
where
    S: Send + Sync,
    ApiState: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let state = ApiState::from_ref(state);
        json_bytes(request, state.settings.max_body_bytes, state.settings.body_timeout).await.map(Self)
    }
}

/// Compiled once, not in each handler.
fn json_bytes(request: Request, limit: usize, time: Duration) -> BoxFuture<'static, Result<Bytes, ApiError>> {
    async move {
        if !is_json(request.headers()) {
            let said = "the body must be JSON, with the header Content-Type: application/json";
            return Err(ApiError::new(ErrorKind::UnsupportedMediaType, said));
        }
        Ok(without_mark(read(request, limit, time).await?))
    }
    .boxed()
}

/// The mark that some Windows programs write before UTF-8. It is not part of the JSON (RFC 8259, 8.1).
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

fn without_mark(body: Bytes) -> Bytes {
    if body.starts_with(BYTE_ORDER_MARK) { body.slice(BYTE_ORDER_MARK.len()..) } else { body }
}

/// A JSON body as a `T`. A fault names its field.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned + Send + 'static, S> FromRequest<S> for JsonBody<T>
where
    S: Send + Sync,
    ApiState: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let whose = BodyOwner::from(AdmittedRequest::of(request.extensions()).client());
        let JsonBytes(bytes) = JsonBytes::from_request(request, state).await?;
        let parsed = heavy_work::work(bytes.len(), whose, move || domain::body::parse(&bytes)).await?;
        parsed.map(Self).map_err(ApiError::faults)
    }
}

/// A small JSON body, for endpoints without a key.
pub struct SmallJson<T>(pub T);

/// Most bytes of such a body.
const SMALL_BYTES: usize = 16 * 1024;

impl<T: DeserializeOwned, S> FromRequest<S> for SmallJson<T>
where
    S: Send + Sync,
    ApiState: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let state = ApiState::from_ref(state);
        let most = SMALL_BYTES.min(state.settings.max_body_bytes);
        let bytes = json_bytes(request, most, state.settings.body_timeout).await?;
        domain::body::parse(&bytes).map(Self).map_err(ApiError::faults)
    }
}

/// An optional JSON body. An empty one is `T::default()`.
pub struct OptionalJson<T>(pub T);

impl<T: DeserializeOwned + Default + Send + 'static, S> FromRequest<S> for OptionalJson<T>
where
    S: Send + Sync,
    ApiState: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        if request.body().is_end_stream() {
            return Ok(Self(T::default()));
        }
        JsonBody::from_request(request, state).await.map(|JsonBody(body)| Self(body))
    }
}

/// Reads the whole body: at most `limit` bytes, within `time`.
pub async fn read(request: Request, limit: usize, time: Duration) -> Result<Bytes, ApiError> {
    read_saying(request, limit, time, |_| format!("the body may have {limit} bytes at most: send it in parts")).await
}

/// The declared length of the body.
fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

/// True if the declared length is more than `limit` bytes.
pub fn declares_more(headers: &HeaderMap, limit: usize) -> bool {
    declared_length(headers).is_some_and(|length| u64::try_from(limit).is_ok_and(|limit| length > limit))
}

/// Reads the whole body. `said` makes the error text for a body that is too large, from its declared length.
pub async fn read_saying(
    request: Request,
    limit: usize,
    time: Duration,
    said: impl Fn(Option<u64>) -> String,
) -> Result<Bytes, ApiError> {
    let length = declared_length(request.headers());
    let held = AdmittedRequest::of(request.extensions());
    let too_large = || ApiError::new(ErrorKind::PayloadTooLarge, said(length));
    let declared_too_large = declares_more(request.headers(), limit);
    // A caller that waits for `100 Continue` gets the answer instead.
    if declared_too_large && request.headers().contains_key(header::EXPECT) {
        return Err(too_large());
    }
    let coding = coding(request.headers());
    let facts = RequestFacts::of(request.extensions());
    let kind = BodyKind::of(request.headers());
    let body = request.into_body();
    if let Some(coding) = coding {
        discard(body, REFUSED_BYTES, REFUSED_TIMEOUT, &held).await;
        return Err(compressed_error(&coding));
    }
    if declared_too_large {
        discard(body, limit.saturating_mul(DISCARD_FACTOR).max(REFUSED_BYTES), DISCARD_TIMEOUT, &held).await;
        return Err(too_large());
    }
    match collect(body, &held, Bounds { declared: length, limit, time }).await {
        Ok(bytes) if bytes.starts_with(GZIP) => Err(compressed_error("gzip")),
        Ok(bytes) => {
            facts.had_body(kind, &bytes);
            Ok(bytes)
        }
        Err(Unread::NoRoom(refused, rest)) => {
            discard(rest, REFUSED_BYTES, REFUSED_TIMEOUT, &held).await;
            Err(refused)
        }
        Err(Unread::TooLarge) => Err(too_large()),
        Err(Unread::Broken) => Err(ApiError::fault("body", "ended before it was complete")),
        Err(Unread::Late) => {
            let said = format!("the body did not arrive within {} s", time.as_secs());
            Err(ApiError::new(ErrorKind::RequestTimeout, said))
        }
        Err(Unread::TooSlow) => {
            let said =
                format!("without an API key, at least {STRANGERS_PACE} bytes of the body must arrive per second");
            Err(ApiError::new(ErrorKind::RequestTimeout, said))
        }
    }
}

/// The first bytes of every gzip stream (RFC 1952, 2.3.1): its marks and its only method. No accepted body begins with
/// them.
const GZIP: &[u8] = &[0x1f, 0x8b, 8];

/// The compression of a body according to its header, or `None`.
fn coding(headers: &HeaderMap) -> Option<String> {
    let values = headers.get_all(header::CONTENT_ENCODING).iter();
    let mut codings = values.flat_map(|value| value.to_str().unwrap_or("unreadable").split(',')).map(str::trim);
    let coding = codings.find(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity"))?;
    Some(coding.chars().take(32).collect())
}

fn compressed_error(coding: &str) -> ApiError {
    let said =
        format!("the body is compressed ({coding}), and only plain bodies are taken: send it without Content-Encoding");
    ApiError::new(ErrorKind::UnsupportedMediaType, said)
}

enum Unread {
    TooLarge,
    Broken,
    /// The time for a body is over.
    Late,
    /// A body without a key came too slowly.
    TooSlow,
    NoRoom(ApiError, Body),
}

#[derive(Debug, Clone, Copy)]
struct Bounds {
    declared: Option<u64>,
    limit: usize,
    time: Duration,
}

/// Fewest bytes per second of a body without a key, after [`STRANGERS_START`].
const STRANGERS_PACE: u32 = 1024;
const STRANGERS_START: Duration = Duration::from_secs(5);
/// First buffer of a body of unknown length, and the least growth of a buffer.
const FIRST_BUFFER: usize = 4 * 1024;

impl Bounds {
    /// Returns when the next bytes must arrive if `there` bytes have arrived, and the fault if they do not.
    fn deadline(self, began: Instant, there: usize, is_known: bool) -> (Instant, Unread) {
        let last = began + self.time;
        if is_known {
            return (last, Unread::Late);
        }
        let earned = u32::try_from(there).unwrap_or(u32::MAX) / STRANGERS_PACE;
        let slow = began + STRANGERS_START + Duration::from_secs(earned.into());
        if slow < last { (slow, Unread::TooSlow) } else { (last, Unread::Late) }
    }

    /// Returns the new buffer size for `needed` bytes: twice the present one, but at most the largest size of the body.
    fn grown(self, capacity: usize, needed: usize) -> usize {
        let most = self.declared.and_then(|length| usize::try_from(length).ok()).unwrap_or(self.limit);
        capacity.saturating_mul(2).max(FIRST_BUFFER).min(most.min(self.limit)).max(needed)
    }
}

/// Reads a body. Memory is allocated and counted when bytes arrive, because a caller may declare much and send nothing.
async fn collect(body: Body, held: &AdmittedRequest, bounds: Bounds) -> Result<Bytes, Unread> {
    let (began, is_known, receiving) = (Instant::now(), held.is_known(), held.receive());
    let mut chunks = body.into_data_stream();
    let mut whole = Vec::new();
    loop {
        let (deadline, fault) = bounds.deadline(began, whole.len(), is_known);
        let chunk = tokio::select! {
            biased;
            refused = receiving.ended() => return Err(Unread::NoRoom(refused, Body::from_stream(chunks))),
            chunk = timeout_at(deadline, chunks.next()) => chunk.map_err(|_| fault)?,
        };
        let Some(chunk) = chunk else { return Ok(whole.into()) };
        let chunk = chunk.map_err(|_| Unread::Broken)?;
        let there = whole.len() + chunk.len();
        if there > bounds.limit {
            let most = bounds.limit.saturating_mul(DISCARD_FACTOR);
            discard(Body::from_stream(chunks), most, DISCARD_TIMEOUT, held).await;
            return Err(Unread::TooLarge);
        }
        receiving.came(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
        if there > whole.capacity() {
            let capacity = bounds.grown(whole.capacity(), there);
            if let Err(refused) = receiving.reserve(u64::try_from(capacity).unwrap_or(u64::MAX)) {
                return Err(Unread::NoRoom(refused, Body::from_stream(chunks)));
            }
            whole.reserve_exact(capacity - whole.len());
        }
        whole.extend_from_slice(&chunk);
    }
}

/// Reads some of the body of a refused request, so that its caller can read the answer.
pub async fn discard_some(request: Request) {
    if !request.headers().contains_key(header::EXPECT) {
        discard(request.into_body(), REFUSED_BYTES, REFUSED_TIMEOUT, &AdmittedRequest::default()).await;
    }
}

/// Reads up to `most` bytes of a body and drops them. The request waits for its peer in this time, so it loses its
/// place like others if there is no room for a new one. Even then its caller gets the answer only after
/// [`REFUSED_TIMEOUT`], or attackers would come again at once.
async fn discard(body: Body, most: usize, time: Duration, held: &AdmittedRequest) {
    let receiving = held.receive();
    let read_away = async {
        let mut left = most;
        let mut chunks = body.into_data_stream();
        while let Some(Ok(chunk)) = chunks.next().await {
            receiving.came(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
            match left.checked_sub(chunk.len()) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    };
    // The answer is the same if the caller gave up, sent too much or was ended.
    let ended = async {
        receiving.ended().await;
        sleep(REFUSED_TIMEOUT).await;
    };
    tokio::select! {
        () = ended => {}
        _ = timeout(time, read_away) => {}
    }
}

#[cfg(test)]
mod tests {
    use futures::stream;

    use super::*;

    const LIMIT: usize = 1024 * 1024;

    /// A body of `bytes` per second, read within 30 s.
    async fn read_at(bytes: usize, seconds: u64) -> (Result<usize, String>, u64) {
        let begin = Instant::now();
        let pieces = stream::unfold(0, move |second| async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            (second < seconds).then(|| (Ok::<_, std::io::Error>(Bytes::from(vec![b' '; bytes])), second + 1))
        });
        let request = Request::new(Body::from_stream(pieces));
        let read = read(request, LIMIT, Duration::from_secs(30)).await;
        let message = |error: ApiError| format!("{error:?}");
        (read.map(|body| body.len()).map_err(message), begin.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_without_a_key_must_arrive_at_a_minimum_pace() {
        let (refused, after) = read_at(100, 20).await;
        assert!(refused.unwrap_err().contains("at least 1024 bytes of the body must arrive per second"));
        assert_eq!(after, 5);
        let (taken, after) = read_at(1_024, 20).await;
        assert_eq!((taken, after), (Ok(20 * 1_024), 21));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_without_a_key_must_also_be_complete_in_time() {
        let (refused, after) = read_at(2_048, 60).await;
        assert!(refused.unwrap_err().contains("within 30 s"));
        assert_eq!(after, 30);
    }

    #[test]
    fn a_buffer_grows_with_the_received_bytes_and_not_with_the_declared_length() {
        let bounds = |declared| Bounds { declared, limit: LIMIT, time: Duration::from_secs(30) };
        assert_eq!(bounds(Some(1_000_000)).grown(0, 10), FIRST_BUFFER);
        assert_eq!(bounds(Some(10)).grown(0, 10), 10);
        assert_eq!(bounds(Some(1_000_000)).grown(600_000, 600_001), 1_000_000);
        assert_eq!(bounds(None).grown(600_000, 600_001), LIMIT);
        assert_eq!(bounds(None).grown(FIRST_BUFFER, 50_000), 50_000);
    }
}
