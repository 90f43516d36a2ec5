//! Request bodies: their type, their size, and the time they take.

use std::time::Duration;

use axum::{
    body::{Body, HttpBody},
    extract::{FromRequest, Request},
    http::{HeaderMap, header},
};
use base::aside::{self, Whose};
use bytes::{Bytes, BytesMut};
use domain::body::Spelling;
use futures::{FutureExt, StreamExt, future::BoxFuture};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

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
        let JsonBytes(bytes) = JsonBytes::from_request(request, state).await?;
        let parsed = aside::work(bytes.len(), Whose::Known, move || domain::body::parse(&bytes)).await?;
        parsed.map(Self).map_err(ApiError::faults)
    }
}

/// The same, of a body whose fields are to be spelled right.
pub(crate) struct SpelledJson<T>(pub T);

impl<T: DeserializeOwned + Spelling + Send + 'static> FromRequest<ApiState> for SpelledJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &ApiState) -> Result<Self, ApiError> {
        let JsonBytes(bytes) = JsonBytes::from_request(request, state).await?;
        let parsed = aside::work(bytes.len(), Whose::Known, move || domain::body::parse_spelled(&bytes)).await?;
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
    let mut room = Room::new(held, length);
    if let Err(refused) = room.begin() {
        discard(body, REFUSED_BYTES, REFUSED_TIMEOUT).await;
        return Err(refused);
    }
    match timeout(time, collect(body, room, limit)).await {
        Ok(Ok(bytes)) if bytes.starts_with(GZIP) => Err(compressed("gzip")),
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(Unread::NoRoom(refused, rest))) => {
            discard(rest, REFUSED_BYTES, REFUSED_TIMEOUT).await;
            Err(refused)
        }
        Ok(Err(Unread::TooLarge)) => Err(too_large()),
        Ok(Err(Unread::Broken)) => Err(ApiError::fault("body", "ended before it was complete")),
        Err(_) => {
            let said = format!("the body did not arrive within {} s", time.as_secs());
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
    NoRoom(ApiError, Body),
}

/// The room that a body takes. Of a known caller's, what was declared is counted at once. Anybody may declare a lot and send
/// nothing, so of anybody else's what has come is counted, and a piece of what is to come.
struct Room {
    held: Held,
    declared: Option<u64>,
    counted: u64,
}

/// What is counted ahead of a stranger's body.
const PIECE: u64 = 64 * 1024;

impl Room {
    fn new(held: Held, declared: Option<u64>) -> Self {
        Self { held, declared, counted: 0 }
    }

    /// Counts what is counted before anything has come.
    fn begin(&mut self) -> Result<(), ApiError> {
        let declared = self.declared.unwrap_or_default();
        self.count_to(if self.held.is_known() { declared } else { declared.min(PIECE) })
    }

    /// So many bytes are there with the next chunk.
    fn come(&mut self, bytes: u64) -> Result<(), ApiError> {
        if bytes <= self.counted {
            return Ok(());
        }
        let ahead = self.declared.map_or(bytes, |declared| declared.min(bytes.saturating_add(PIECE)));
        self.count_to(ahead.max(bytes))
    }

    fn count_to(&mut self, bytes: u64) -> Result<(), ApiError> {
        self.held.take(bytes.saturating_sub(self.counted))?;
        self.counted = bytes;
        Ok(())
    }

    /// A buffer that need not grow: growing, it would hold up to twice as much. What is not written to takes no memory.
    fn buffer(&self) -> BytesMut {
        BytesMut::with_capacity(self.declared.and_then(|length| usize::try_from(length).ok()).unwrap_or_default())
    }
}

async fn collect(body: Body, mut room: Room, limit: usize) -> Result<Bytes, Unread> {
    let mut chunks = body.into_data_stream();
    let mut whole = room.buffer();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Unread::Broken)?;
        let there = whole.len() + chunk.len();
        if there > limit {
            discard(Body::from_stream(chunks), limit.saturating_mul(DISCARD_FACTOR), DISCARD_TIMEOUT).await;
            return Err(Unread::TooLarge);
        }
        if let Err(refused) = room.come(u64::try_from(there).unwrap_or(u64::MAX)) {
            return Err(Unread::NoRoom(refused, Body::from_stream(chunks)));
        }
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
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
