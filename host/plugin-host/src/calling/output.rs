//! Keeps the first bytes that a guest writes to standard output and standard error, and drops the rest: a guest that
//! prints too much goes on, where a full pipe would make it panic.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamResult};

/// Bytes that a guest may write in one go.
const PERMIT: usize = 64 << 10;

/// One sink for both streams, so that lines stay in order.
#[derive(Clone)]
pub(crate) struct Output {
    kept: Arc<Mutex<Vec<u8>>>,
    most: usize,
}

impl Output {
    pub(crate) fn new(most: usize) -> Self {
        Self { kept: Arc::default(), most }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.lock()).into_owned()
    }

    /// Whether there is no room for more.
    pub(crate) fn is_full(&self) -> bool {
        self.lock().len() >= self.most
    }

    fn keep(&self, bytes: &[u8]) {
        let mut kept = self.lock();
        let room = self.most.saturating_sub(kept.len());
        kept.extend(bytes.iter().take(room));
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u8>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IsTerminal for Output {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Output {
    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }

    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        // Only WASI 0.2 is linked, and that takes `p2_stream`.
        Box::new(tokio::io::sink())
    }
}

impl OutputStream for Output {
    fn write(&mut self, bytes: Bytes) -> StreamResult<()> {
        self.keep(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> StreamResult<()> {
        Ok(())
    }

    fn check_write(&mut self) -> StreamResult<usize> {
        Ok(PERMIT)
    }
}

#[async_trait]
impl Pollable for Output {
    async fn ready(&mut self) {}
}
