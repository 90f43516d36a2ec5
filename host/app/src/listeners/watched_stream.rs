//! A connection that reports to its [`Activity`], and adds error bodies to refusals of the HTTP library.

use std::{
    io::IoSlice,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use api::EarlyAnswers;
use tokio::{
    io::{self, AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::{activity::Activity, control_frames::ControlFrames, framing::HeadWatch, refusals::refused_by};

/// Time for a refused caller to finish. If the connection closed with unread input, it would be reset and the answer
/// lost.
const LINGER: Duration = Duration::from_secs(1);
/// Bytes to read and discard during that time.
const UNREAD_AT_MOST: usize = 1024 * 1024;

/// Wraps `io`. Keeps `place` while it is open.
pub struct WatchedStream<IO, P> {
    io: IO,
    activity: Arc<Activity>,
    answers: EarlyAnswers,
    heads: HeadWatch,
    frames: ControlFrames,
    refusal: Option<Refusal>,
    /// The wait for the end of a WebSocket, which the library no longer serves.
    evicted: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    _place: P,
}

struct Refusal {
    rest: Vec<u8>,
    unread_left: usize,
    lingering: Option<Pin<Box<Sleep>>>,
}

impl<IO, P> WatchedStream<IO, P> {
    /// `answers` writes the refusals.
    pub fn new(io: IO, activity: Arc<Activity>, answers: EarlyAnswers, place: P) -> Self {
        Self {
            io,
            activity,
            answers,
            heads: HeadWatch::default(),
            frames: ControlFrames::default(),
            refusal: None,
            evicted: None,
            _place: place,
        }
    }
}

impl<IO: AsyncRead + Unpin, P: Unpin> AsyncRead for WatchedStream<IO, P> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.activity.is_upgraded() {
            let token = self.activity.evicted.clone();
            let evicted = self.evicted.get_or_insert_with(|| Box::pin(token.cancelled_owned()));
            if evicted.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
            }
        }
        let before = into.filled().len();
        let result = Pin::new(&mut self.io).poll_read(cx, into);
        if let Some(came) = into.filled().get(before..).filter(|came| !came.is_empty()) {
            let this = &mut *self;
            if this.activity.begun_and_ended().is_some_and(|begun| this.heads.came(came, begun)) {
                this.activity.note_framed_twice();
            }
            this.activity.was_read(came.len());
            if this.frames.came(came, Instant::now()) {
                metrics::counter!("patchbay_http_connections_ended_total", "reason" => "control_frames").increment(1);
                this.activity.evicted.cancel();
            }
            if let Some(bytes) = this.frames.unfinished() {
                this.activity.note_unfinished(bytes);
            }
        }
        result
    }
}

impl<IO: AsyncRead + AsyncWrite + Unpin, P: Unpin> WatchedStream<IO, P> {
    /// Takes a refusal of the library. `None` for other output.
    fn take_refusal(&mut self, written: &[u8]) -> Option<usize> {
        let fault = refused_by(written)?;
        let rest = self.answers.answer(fault);
        self.refusal = Some(Refusal { rest, unread_left: UNREAD_AT_MOST, lingering: None });
        Some(written.len())
    }

    fn poll_refusal(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(refusal) = self.refusal.as_mut().filter(|refusal| !refusal.rest.is_empty()) {
            let written = ready!(self.activity.wrote(Pin::new(&mut self.io).poll_write(cx, &refusal.rest)))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            refusal.rest.drain(..written);
        }
        Poll::Ready(Ok(()))
    }

    /// Reads the rest of a refused caller's input for a while.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(refusal) = &mut self.refusal else { return Poll::Ready(()) };
        let lingering = refusal.lingering.get_or_insert_with(|| Box::pin(sleep(LINGER)));
        if lingering.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        let mut bytes = [0; 4096];
        loop {
            let mut unread = ReadBuf::new(&mut bytes);
            match Pin::new(&mut self.io).poll_read(cx, &mut unread) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Ready(Ok(())) => {}
            }
            match refusal.unread_left.checked_sub(unread.filled().len().max(1)) {
                Some(left) if !unread.filled().is_empty() => refusal.unread_left = left,
                _ => return Poll::Ready(()),
            }
        }
    }
}

impl<IO: AsyncRead + AsyncWrite + Unpin, P: Unpin> AsyncWrite for WatchedStream<IO, P> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_refusal(cx))?;
        if let Some(length) = self.take_refusal(bytes) {
            return Poll::Ready(Ok(length));
        }
        let result = Pin::new(&mut self.io).poll_write(cx, bytes);
        self.activity.wrote(result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_refusal(cx))?;
        let mut full = slices.iter().filter(|slice| !slice.is_empty());
        if let (Some(only), None) = (full.next(), full.next())
            && let Some(length) = self.take_refusal(only)
        {
            return Poll::Ready(Ok(length));
        }
        let result = Pin::new(&mut self.io).poll_write_vectored(cx, slices);
        self.activity.wrote(result)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_refusal(cx))?;
        let result = Pin::new(&mut self.io).poll_flush(cx);
        self.activity.note_flush(&result);
        result
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_refusal(cx))?;
        let result = Pin::new(&mut self.io).poll_shutdown(cx);
        self.activity.note_flush(&result);
        ready!(result)?;
        self.poll_linger(cx).map(Ok)
    }
}
