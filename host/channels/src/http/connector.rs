//! Connections of all clients: names are checked, time is bounded, use is recorded, and the heads of answers are counted.

use std::{
    error::Error,
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use hyper::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::connect::{Connected, Connection, HttpConnector},
    rt::TokioIo,
};
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::timeout,
};
use tower::Service;

use super::{
    excess::{Excess, HeadScan},
    resolver::PolicyResolver,
};

type BoxError = Box<dyn Error + Send + Sync>;

type OverTls = HttpsConnector<HttpConnector<PolicyResolver>>;

#[derive(Clone)]
pub(super) struct Connector {
    inner: OverTls,
    time: Duration,
}

impl Connector {
    /// `time`: for name, TCP and TLS together.
    pub(super) fn new(resolver: PolicyResolver, time: Duration) -> Result<Self, rustls::Error> {
        let mut tcp = HttpConnector::new_with_resolver(resolver);
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(time));
        let tls = HttpsConnectorBuilder::new()
            .with_provider_and_webpki_roots(rustls::crypto::ring::default_provider())?
            .https_or_http()
            .enable_http1()
            .wrap_connector(tcp);
        Ok(Self { inner: tls, time })
    }
}

impl Service<Uri> for Connector {
    type Response = TokioIo<MeteredStream<TokioIo<<OverTls as Service<Uri>>::Response>>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, to: Uri) -> Self::Future {
        let (connecting, time) = (self.inner.call(to), self.time);
        Box::pin(async move {
            let late = |_| io::Error::new(io::ErrorKind::TimedOut, "the connection took too long");
            let stream = timeout(time, connecting).await.map_err(late)??;
            Ok(TokioIo::new(MeteredStream {
                io: TokioIo::new(stream),
                usage: Usage::default(),
                head: HeadScan::default(),
            }))
        })
    }
}

/// An answer that costs too much ends its connection. The cause is found again by type.
fn broken_by(excess: Excess) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, excess)
}

#[derive(Debug, Clone, Default)]
pub(super) struct Usage(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    requests: AtomicU32,
    /// True if a part of the answer to the last request has come.
    answered: AtomicBool,
}

impl Usage {
    /// True if the connection served an earlier request and nothing of this answer came: the peer may have closed it before.
    pub(super) fn was_kept_in_vain(&self) -> bool {
        self.0.requests.load(Ordering::Relaxed) > 1 && !self.0.answered.load(Ordering::Relaxed)
    }

    fn wrote(&self) {
        let first = self.0.requests.load(Ordering::Relaxed) == 0;
        if self.0.answered.swap(false, Ordering::Relaxed) || first {
            self.0.requests.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn read(&self) {
        self.0.answered.store(true, Ordering::Relaxed);
    }
}

/// A connection that records its [`Usage`], and breaks if the head of an answer costs too much.
pub(super) struct MeteredStream<IO> {
    io: IO,
    usage: Usage,
    /// The part of the answer to the last request that has come.
    head: HeadScan,
}

impl<IO> MeteredStream<IO> {
    fn wrote(&mut self, result: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if matches!(result, Poll::Ready(Ok(1..))) {
            self.usage.wrote();
            // The next answer. Informational answers come while a request is written, and do not begin a new one.
            if self.head.is_past() {
                self.head = HeadScan::default();
            }
        }
        result
    }
}

impl<IO: Connection> Connection for MeteredStream<IO> {
    fn connected(&self) -> Connected {
        self.io.connected().extra(self.usage.clone())
    }
}

impl<IO: AsyncRead + Unpin> AsyncRead for MeteredStream<IO> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let result = Pin::new(&mut self.io).poll_read(cx, into);
        let came = into.filled().get(before..).unwrap_or_default();
        if !came.is_empty() {
            self.usage.read();
        }
        match self.head.read(came) {
            Ok(()) => result,
            Err(excess) => Poll::Ready(Err(broken_by(excess))),
        }
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for MeteredStream<IO> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.io).poll_write(cx, bytes);
        self.wrote(result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.io).poll_write_vectored(cx, slices);
        self.wrote(result)
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
