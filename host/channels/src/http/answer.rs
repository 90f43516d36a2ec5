use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::{
    Response,
    body::{Body, Incoming},
    header::{CONTENT_ENCODING, HeaderMap},
};

use super::{
    excess::Pieces,
    post_error::{PostError, chain},
};

/// Bytes of a webhook's answer that are kept.
const WEBHOOK_KEPT: usize = 1024;
/// Longest time for the body of a webhook's answer. Its status has decided already.
const WEBHOOK_BODY_TIME: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostAnswer {
    pub status: u16,
    /// `Retry-After`, if present and sensible.
    pub retry_after: Option<Duration>,
    /// The beginning of the body, at most 1 KiB, for people.
    pub body_start: String,
    pub duration: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchedFile {
    pub status: u16,
    pub content_type: Option<String>,
    pub body: Bytes,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileDescription {
    pub content_type: Option<String>,
    pub disposition: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardedAnswer {
    pub status: u16,
    /// Headers whose values are text.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

/// A body that is longer than `limit` bytes, breaks off or stalls counts as one that ends.
pub(super) async fn body_start(response: Response<Incoming>, limit: usize) -> String {
    let (head, mut body) = response.into_parts();
    let mut read = BytesMut::new();
    let reading = async {
        while read.len() < limit {
            match body.frame().await {
                Some(Ok(frame)) => {
                    let chunk = frame.into_data().unwrap_or_default();
                    read.extend_from_slice(chunk.get(..limit - read.len()).unwrap_or(&chunk));
                }
                None | Some(Err(_)) => break,
            }
        }
    };
    // After a time-out the bytes so far are used.
    let _ = tokio::time::timeout(WEBHOOK_BODY_TIME, reading).await;
    match coding(&head.headers, &read) {
        Some(coding) => format!("(compressed with {coding}, although Accept-Encoding was identity: not shown)"),
        None => text_of(&read),
    }
}

fn text_of(read: &[u8]) -> String {
    let kept = read.get(..WEBHOOK_KEPT).unwrap_or(read);
    let mut text = String::from_utf8_lossy(kept).replace('\0', "\u{fffd}");
    let mut end = WEBHOOK_KEPT.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

/// The compression of a body by its header or its first bytes; `None` if it is not compressed.
fn coding(headers: &HeaderMap, body: &[u8]) -> Option<String> {
    if body.is_empty() {
        return None;
    }
    let said = headers
        .get(CONTENT_ENCODING)
        .and_then(|value| value.to_str().ok())
        .map(|value| value.trim().to_ascii_lowercase());
    let known = |said: &String| {
        matches!(said.as_str(), "gzip" | "x-gzip" | "deflate" | "br" | "zstd" | "compress" | "x-compress")
    };
    match (said.filter(known), body) {
        // Some receivers declare it and send plain text all the same.
        (Some(said), body) if std::str::from_utf8(body).is_err() || body.contains(&0) => Some(said),
        (_, [0x1f, 0x8b, ..]) => Some("gzip".to_owned()),
        (_, [0x28, 0xb5, 0x2f, 0xfd, ..]) => Some("zstd".to_owned()),
        _ => None,
    }
}

pub(super) async fn whole_body(body: Incoming, limit: usize) -> Result<Bytes, PostError> {
    let announced = body.size_hint().exact().unwrap_or(0);
    if announced > limit as u64 {
        return Err(PostError::BodyTooLarge { limit });
    }
    let (mut body, mut whole, mut pieces) = (body, BytesMut::new(), Pieces::default());
    while let Some(frame) = body.frame().await {
        let chunk = frame.map_err(|error| PostError::Other(chain(&error)))?.into_data().unwrap_or_default();
        if whole.len() + chunk.len() > limit {
            return Err(PostError::BodyTooLarge { limit });
        }
        pieces.take(chunk.len())?;
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}
