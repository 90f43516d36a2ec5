//! A connection that counts the received bytes of its TLS handshake, which the library keeps until the message is
//! complete.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use super::activity::Activity;

pub(super) struct HandshakeStream {
    io: TcpStream,
    /// `None` after the handshake.
    activity: Option<Arc<Activity>>,
}

impl HandshakeStream {
    pub fn new(io: TcpStream, activity: Arc<Activity>) -> Self {
        Self { io, activity: Some(activity) }
    }

    /// Ends the count after the handshake.
    pub fn end_count(&mut self) {
        if let Some(activity) = self.activity.take() {
            activity.forget_head();
        }
    }
}

impl AsyncRead for HandshakeStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let polled = Pin::new(&mut self.io).poll_read(cx, into);
        if let Some(activity) = &self.activity {
            activity.add_unfinished(into.filled().len().saturating_sub(before));
        }
        polled
    }
}

impl AsyncWrite for HandshakeStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
}
