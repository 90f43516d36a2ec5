//! The body of a request or of an answer. It notifies its connection when the request waits for its peer.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use hyper::{
    HeaderMap,
    body::{Body, Frame, SizeHint},
    header::CONTENT_TYPE,
};

use super::activity::{ActiveRequest, PeerWait};

/// The media type of server-sent events, which clients open again by themselves.
const EVENTS: &[u8] = b"text/event-stream";

/// When a body waits for its peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// When no bytes are there.
    Empty,
    /// When bytes were handed out.
    Ready,
    Always,
}

/// Wraps a body, and keeps its request in flight.
pub struct TrackedBody<B> {
    body: B,
    in_flight: Arc<ActiveRequest>,
    waits_when: Waits,
    wait: Option<PeerWait>,
}

impl<B> TrackedBody<B> {
    /// The body of a request, which waits for its peer when no bytes are there.
    pub fn received(body: B, in_flight: Arc<ActiveRequest>) -> Self {
        Self { body, in_flight, waits_when: Waits::Empty, wait: None }
    }

    /// The body of an answer, which waits for its peer until the library asks for the next part. A stream of events
    /// only waits.
    pub fn sent(body: B, headers: &HeaderMap, in_flight: Arc<ActiveRequest>) -> Self {
        let wait = Some(in_flight.wait_for_peer());
        let is_stream = headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(EVENTS));
        Self { body, in_flight, waits_when: if is_stream { Waits::Always } else { Waits::Ready }, wait }
    }
}

impl<B: Body + Unpin> Body for TrackedBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        let waits = match self.waits_when {
            Waits::Empty => polled.is_pending(),
            Waits::Ready => polled.is_ready(),
            Waits::Always => true,
        };
        self.wait = waits.then(|| self.in_flight.wait_for_peer());
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
