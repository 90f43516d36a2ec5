//! Request bodies: their type, their size, and the time they take.

use std::time::Duration;

use axum::{
    body::{Body, HttpBody},
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use base::aside::{self, Whose};
use bytes::Bytes;
use domain::body::Spelling;
use futures::{FutureExt, StreamExt, future::BoxFuture};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout, timeout_at};

use crate::{
    admission::Held,
    error::{ApiError, ErrorKind},
    state::ApiState,
};

/// Of a body that is too large, this many times the limit is read and thrown away, so that a caller who writes before it
/// reads gets the answer and not a broken connection.
const DISCARD_FACTOR: usize = 4;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(10);
/// At least this much is thrown away, of a body that there is no room for at most: that must not take long.
const REFUSED_BYTES: usize = 16 * 1024 * 1024;
const REFUSED_TIMEOUT: Duration = Duration::from_secs(1);

/// The bytes of a JSON body: `application/json` (else 415) and within the size limit (else 413). Not parsed yet.
pub(crate) struct JsonBytes(pub Bytes);

impl FromRequest<ApiState> for JsonBytes {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ApiState) -> Result<Self, ApiError> {
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

/// What some editors and programs of Windows write in front of UTF-8; it is no part of the JSON (RFC 8259, 8.1).
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

fn without_mark(body: Bytes) -> Bytes {
    if body.starts_with(BYTE_ORDER_MARK) { body.slice(BYTE_ORDER_MARK.len()..) } else { body }
}

/// A JSON body as a `T`; a fault names its field.
pub(crate) struct JsonBody<T>(pub T);

impl<T: DeserializeOwned + Send + 'static> FromRequest<ApiState> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ApiState) -> Result<Self, ApiError> {
        let whose = Whose::from(Held::of(request.extensions()).client());
        let JsonBytes(bytes) = JsonBytes::from_request(request, state).await?;
        let parsed = aside::work(bytes.len(), whose, move || domain::body::parse(&bytes)).await?;
        parsed.map(Self).map_err(ApiError::faults)
    }
}

/// The same, of a body whose fields are to be spelled right.
pub(crate) struct SpelledJson<T>(pub T);

impl<T: DeserializeOwned + Spelling + Send + 'static> FromRequest<ApiState> for SpelledJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ApiState) -> Result<Self, ApiError> {
        let whose = Whose::from(Held::of(request.extensions()).client());
        let JsonBytes(bytes) = JsonBytes::from_request(request, state).await?;
        let parsed = aside::work(bytes.len(), whose, move || domain::body::parse_spelled(&bytes)).await?;
        parsed.map(Self).map_err(ApiError::faults)
    }
}

/// A JSON body of a few fields. Where no key is asked for, nobody needs more.
pub(crate) struct SmallJson<T>(pub T);

/// Bytes of such a body at most.
const SMALL_BYTES: usize = 16 * 1024;

impl<T: DeserializeOwned> FromRequest<ApiState> for SmallJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ApiState) -> Result<Self, ApiError> {
        let most = SMALL_BYTES.min(state.settings.max_body_bytes);
        let bytes = json_bytes(request, most, state.settings.body_timeout).await?;
        domain::body::parse(&bytes).map(Self).map_err(ApiError::faults)
    }
}

/// A JSON body that may be missing: no bytes count as `T::default()`.
pub(crate) struct OptionalJson<T>(pub T);

impl<T: DeserializeOwned + Default + Send + 'static> FromRequest<ApiState> for OptionalJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ApiState) -> Result<Self, ApiError> {
        if request.body().is_end_stream() {
            return Ok(Self(T::default()));
        }
        JsonBody::from_request(request, state).await.map(|JsonBody(body)| Self(body))
    }
}

/// Whether a body is said to be JSON. Parameters such as `charset=utf-8` are fine; more than one header is not.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return false };
    let essence = value.to_str().unwrap_or("").split(';').next().unwrap_or("").trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// The whole body, at most `limit` bytes, within `time`.
pub(crate) async fn read(request: Request, limit: usize, time: Duration) -> Result<Bytes, ApiError> {
    read_saying(request, limit, time, |_| format!("the body may have {limit} bytes at most: send it in parts")).await
}

/// How long the body is, as the caller says.
fn declared(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok())
}

/// Whether the caller says that the body has more than `limit` bytes.
pub(crate) fn declares_more(headers: &HeaderMap, limit: usize) -> bool {
    declared(headers).is_some_and(|length| u64::try_from(limit).is_ok_and(|limit| length > limit))
}

/// The whole body. `said` is what the caller of one that is too large is told; it gets the length that was declared.
pub(crate) async fn read_saying(
    request: Request,
    limit: usize,
    time: Duration,
    said: impl Fn(Option<u64>) -> String,
) -> Result<Bytes, ApiError> {
    let length = declared(request.headers());
    let held = Held::of(request.extensions());
    let too_large = || ApiError::new(ErrorKind::PayloadTooLarge, said(length));
    let declared_too_large = declares_more(request.headers(), limit);
    // A caller that waits to be told gets the answer instead of the invitation.
    if declared_too_large && request.headers().contains_key(header::EXPECT) {
        return Err(too_large());
    }
    let coding = coding(request.headers());
    let body = request.into_body();
    if let Some(coding) = coding {
        discard(body, REFUSED_BYTES, REFUSED_TIMEOUT).await;
        return Err(compressed(&coding));
    }
    if declared_too_large {
        discard(body, limit.saturating_mul(DISCARD_FACTOR).max(REFUSED_BYTES), DISCARD_TIMEOUT).await;
        return Err(too_large());
    }
    match collect(body, &held, Bounds { declared: length, limit, time }).await {
        Ok(bytes) if bytes.starts_with(GZIP) => Err(compressed("gzip")),
        Ok(bytes) => Ok(bytes),
        Err(Unread::NoRoom(refused, rest)) => {
            discard(rest, REFUSED_BYTES, REFUSED_TIMEOUT).await;
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
                format!("the body must arrive with {STRANGERS_PACE} bytes a second, as it comes without an API key");
            Err(ApiError::new(ErrorKind::RequestTimeout, said))
        }
    }
}

/// How every gzip stream begins (RFC 1952, 2.3.1): its marks and its only method. No body that is taken begins so.
const GZIP: &[u8] = &[0x1f, 0x8b, 8];

/// How a body is compressed, as its header says; `None` where it is not.
fn coding(headers: &HeaderMap) -> Option<String> {
    let values = headers.get_all(header::CONTENT_ENCODING).iter();
    let mut codings = values.flat_map(|value| value.to_str().unwrap_or("unreadable").split(',')).map(str::trim);
    let coding = codings.find(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity"))?;
    Some(coding.chars().take(32).collect())
}

fn compressed(coding: &str) -> ApiError {
    let said =
        format!("the body is compressed ({coding}), and only plain bodies are taken: send it without Content-Encoding");
    ApiError::new(ErrorKind::UnsupportedMediaType, said)
}

enum Unread {
    TooLarge,
    Broken,
    /// It took longer than any body may.
    Late,
    /// It came more slowly than a body without a key may.
    TooSlow,
    NoRoom(ApiError, Body),
}

/// How large a body may be, and how long it may take.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    /// Its length as the caller says.
    declared: Option<u64>,
    limit: usize,
    time: Duration,
}

/// Bytes in a second that a body without a key must have at least, once it has taken [`STRANGERS_START`].
const STRANGERS_PACE: u32 = 1024;
const STRANGERS_START: Duration = Duration::from_secs(5);
/// First buffer of a body whose length is not known, and the least by which a buffer grows.
const FIRST_BUFFER: usize = 4 * 1024;

impl Bounds {
    /// When the next bytes must be there, of a body of which `there` bytes are, and the fault if they are not.
    fn deadline(self, began: Instant, there: usize, is_known: bool) -> (Instant, Unread) {
        let last = began + self.time;
        if is_known {
            return (last, Unread::Late);
        }
        let earned = u32::try_from(there).unwrap_or(u32::MAX) / STRANGERS_PACE;
        let slow = began + STRANGERS_START + Duration::from_secs(earned.into());
        if slow < last { (slow, Unread::TooSlow) } else { (last, Unread::Late) }
    }

    /// How large the buffer becomes for `needed` bytes: twice as large as it is, but not larger than the body can be.
    fn grown(self, capacity: usize, needed: usize) -> usize {
        let most = self.declared.and_then(|length| usize::try_from(length).ok()).unwrap_or(self.limit);
        capacity.saturating_mul(2).max(FIRST_BUFFER).min(most.min(self.limit)).max(needed)
    }
}

/// Reads a body. Memory is taken, and counted, when bytes arrive: a caller may declare a lot and send nothing.
async fn collect(body: Body, held: &Held, bounds: Bounds) -> Result<Bytes, Unread> {
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
            discard(Body::from_stream(chunks), bounds.limit.saturating_mul(DISCARD_FACTOR), DISCARD_TIMEOUT).await;
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

/// Reads a little of the body of a request that there is no room for, so that its caller gets to read the answer.
pub(crate) async fn discard_some(request: Request) {
    if !request.headers().contains_key(header::EXPECT) {
        discard(request.into_body(), REFUSED_BYTES, REFUSED_TIMEOUT).await;
    }
}

async fn discard(body: Body, most: usize, time: Duration) {
    let read_away = async {
        let mut left = most;
        let mut chunks = body.into_data_stream();
        while let Some(Ok(chunk)) = chunks.next().await {
            match left.checked_sub(chunk.len()) {
                Some(rest) => left = rest,
                None => return,
            }
        }
    };
    // Whether the caller gave up or went on too long, the answer is the same.
    drop(timeout(time, read_away).await);
}

#[cfg(test)]
mod tests {
    use futures::stream;

    use super::*;

    const LIMIT: usize = 1024 * 1024;

    /// A body that brings `bytes` every second, read within 30 s.
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
    async fn a_body_without_a_key_must_come_with_a_pace() {
        let (refused, after) = read_at(100, 20).await;
        assert!(refused.unwrap_err().contains("1024 bytes a second"));
        assert_eq!(after, 5);
        let (taken, after) = read_at(1_024, 20).await;
        assert_eq!((taken, after), (Ok(20 * 1_024), 21));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_without_a_key_must_be_whole_in_time_as_well() {
        let (refused, after) = read_at(2_048, 60).await;
        assert!(refused.unwrap_err().contains("within 30 s"));
        assert_eq!(after, 30);
    }

    #[test]
    fn a_buffer_grows_with_what_has_come_and_not_with_what_is_declared() {
        let bounds = |declared| Bounds { declared, limit: LIMIT, time: Duration::from_secs(30) };
        assert_eq!(bounds(Some(1_000_000)).grown(0, 10), FIRST_BUFFER);
        assert_eq!(bounds(Some(10)).grown(0, 10), 10);
        assert_eq!(bounds(Some(1_000_000)).grown(600_000, 600_001), 1_000_000);
        assert_eq!(bounds(None).grown(600_000, 600_001), LIMIT);
        assert_eq!(bounds(None).grown(FIRST_BUFFER, 50_000), 50_000);
    }
}
