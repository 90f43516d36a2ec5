//! One call of a client for the operator's addresses: its time, and its answer while it is read.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper_util::client::legacy::ResponseFuture;
use reqwest::{Body, Response};
use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout_at};

use super::{excess::Pieces, post_error::PostError};

#[derive(Debug, Clone, Copy)]
pub(super) enum CallTimeout {
    /// For the whole call, with the body of its answer.
    Total(Duration),
    Silence(Duration),
}

impl CallTimeout {
    pub(super) fn with_limit(self, limit: Option<Duration>) -> Self {
        limit.map_or(self, Self::Total)
    }

    fn length(self) -> Duration {
        match self {
            Self::Total(length) | Self::Silence(length) => length,
        }
    }
}

pub(super) async fn wait_for_answer(call: ResponseFuture, patience: CallTimeout) -> Result<Response, PostError> {
    let end = Instant::now() + patience.length();
    let answer = timeout_at(end, call).await.map_err(|_| PostError::Timeout)?;
    let answer = answer.map_err(|error| PostError::from_transport(&error))?;
    let end = match patience {
        CallTimeout::Total(_) => Some(Box::pin(sleep_until(end))),
        CallTimeout::Silence(_) => None,
    };
    Ok(Response::from(answer.map(|inner| Body::wrap(AnswerBody { inner, patience, end, pieces: Pieces::default() }))))
}

pub(crate) async fn body_within(mut answer: Response, limit: usize) -> Result<Bytes, PostError> {
    let mut body = BytesMut::new();
    while let Some(piece) = answer.chunk().await.map_err(PostError::from_client)? {
        if body.len() + piece.len() > limit {
            return Err(PostError::BodyTooLarge { limit });
        }
        body.extend_from_slice(&piece);
    }
    Ok(body.freeze())
}

struct AnswerBody {
    inner: Incoming,
    patience: CallTimeout,
    /// The end of its time. The time of silence begins when the next piece is awaited, because a reader may be slow.
    end: Option<Pin<Box<Sleep>>>,
    pieces: Pieces,
}

impl hyper::body::Body for AnswerBody {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let length = self.patience.length();
        let Poll::Ready(next) = Pin::new(&mut self.inner).poll_frame(cx) else {
            let end = self.end.get_or_insert_with(|| Box::pin(sleep(length)));
            ready!(end.as_mut().poll(cx));
            return Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::TimedOut).into())));
        };
        let Some(frame) = next.transpose()? else { return Poll::Ready(None) };
        self.pieces.take(frame.data_ref().map_or(0, Bytes::len))?;
        if matches!(self.patience, CallTimeout::Silence(_)) {
            self.end = None;
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
