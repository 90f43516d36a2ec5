//! An answer counts in the ledger until it has been sent. It goes out in pieces: the next piece is sent when the peer
//! has taken the one before.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use axum::{
    body::{Body, Bytes, HttpBody},
    response::Response,
};
use http_body::{Frame, SizeHint};

use super::{entry::Phase, reservation::AdmittedRequest};
use crate::error::ApiError;

/// Bytes of a piece. A peer that takes none within `limits.write_timeout` is disconnected.
const PIECE: usize = 32 * 1024;

/// Marks an answer with bytes that all requests share, such as a built-in page. The bytes are not counted.
#[derive(Debug, Clone, Copy)]
pub struct SharedBytes;

/// Marks an answer without end, such as a stream of events.
#[derive(Debug, Clone, Copy)]
pub struct EndlessAnswer;

/// The place of an answer in the ledger. It travels with the response until its body is final.
#[derive(Clone)]
pub(super) struct AnswerPlace {
    held: AdmittedRequest,
    /// The count of an answer that is in memory as a whole.
    whole: Option<Arc<Counted>>,
}

impl AnswerPlace {
    /// An answer that is not counted. It only ends if its peer reads nothing of it.
    pub fn uncounted(held: AdmittedRequest) -> Self {
        Self { held, whole: None }
    }
}

/// Counts an answer. Returns 429 if the request may be repeated (`may_refuse`) and its owner has too many unread
/// answers.
pub(super) fn count(response: &mut Response, held: AdmittedRequest, may_refuse: bool) -> Result<AnswerPlace, ApiError> {
    held.end_turns();
    let shared = response.extensions_mut().remove::<SharedBytes>().is_some();
    if response.extensions_mut().remove::<EndlessAnswer>().is_some() {
        held.change(|ledger, number, now| ledger.give_place_back(number, now));
    }
    let length = response.body().size_hint().exact();
    let bytes = length.filter(|_| !shared).unwrap_or_default();
    held.hold_answer(bytes, may_refuse && response.status().is_success())?;
    // An answer of unknown length is made while it is sent, so each part counts when it is made.
    let whole = length.is_some().then(|| Arc::new(Counted { held: held.clone(), bytes }));
    Ok(AnswerPlace { held, whole })
}

/// Returns the response with a body that keeps its place until the peer has taken it. `over_http2`: its stream can be
/// reset.
pub(super) fn send(response: Response, AnswerPlace { held, whole }: AnswerPlace, over_http2: bool) -> Response {
    if response.body().is_end_stream() {
        return response;
    }
    // The wait for the peer begins here, because it may have no window for the first piece.
    held.change(|ledger, number, now| ledger.handed_out(number, 0, now));
    let rest = Bytes::new();
    response.map(|inner| {
        Body::new(CountedBody { inner, rest, counted: whole.clone(), whole, held, ends_alone: over_http2 })
    })
}

/// Counted bytes. They are released with their last piece.
struct Counted {
    held: AdmittedRequest,
    bytes: u64,
}

impl Drop for Counted {
    fn drop(&mut self) {
        let bytes = self.bytes;
        self.held.change(|ledger, number, now| ledger.release(number, bytes, now));
    }
}

struct Piece {
    bytes: Bytes,
    _counted: Option<Arc<Counted>>,
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

struct CountedBody {
    inner: Body,
    /// Bytes from `inner` that were not sent yet.
    rest: Bytes,
    /// The count of these bytes.
    counted: Option<Arc<Counted>>,
    /// The count of an answer that is in memory as a whole.
    whole: Option<Arc<Counted>>,
    held: AdmittedRequest,
    /// The last byte is a piece of its own. The HTTP/2 library asks for it when the window of the peer has room for it
    /// and for all bytes before it. So a stream that waits for its window is unfinished, and can be reset without its
    /// connection.
    ends_alone: bool,
}

impl CountedBody {
    /// Takes and counts bytes from `inner`.
    fn fill(&mut self, bytes: Bytes) {
        self.counted = Some(self.whole.clone().unwrap_or_else(|| {
            let length = length_of(&bytes);
            self.held.change(|ledger, number, now| ledger.hold_piece(number, length, now));
            Arc::new(Counted { held: self.held.clone(), bytes: length })
        }));
        self.rest = bytes;
    }

    fn next_piece(&mut self) -> Bytes {
        let last = usize::from(self.ends_alone && self.inner.is_end_stream());
        let without_last = self.rest.len().saturating_sub(last).max(1);
        let bytes = self.rest.split_to(without_last.min(PIECE).min(self.rest.len()));
        let length = length_of(&bytes);
        self.held.change(|ledger, number, now| ledger.handed_out(number, length, now));
        Bytes::from_owner(Piece { bytes, _counted: self.counted.clone() })
    }
}

fn length_of(bytes: &Bytes) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        while self.rest.is_empty() {
            let polled = Pin::new(&mut self.inner).poll_frame(cx);
            if polled.is_pending() {
                self.held.change(|ledger, number, _| ledger.set_phase(number, Phase::Ours));
            }
            let Some(frame) = ready!(polled).transpose()? else { return Poll::Ready(None) };
            match frame.into_data() {
                Ok(bytes) => self.fill(bytes),
                Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
            }
        }
        Poll::Ready(Some(Ok(Frame::data(self.next_piece()))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = length_of(&self.rest);
        let inner = self.inner.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + rest);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}
