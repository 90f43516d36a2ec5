//! HTTP/2 streams. Each runs in its own task, which can be ended without its connection.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use channels::http::{Pace, PacedTask};
use hyper::rt::Executor;
use tokio_util::sync::CancellationToken;

tokio::task_local! {
    static STREAM: Arc<Stream>;
}

/// One stream, while the library works on it.
#[derive(Debug, Default)]
pub struct Stream {
    cut: CancellationToken,
    over: AtomicBool,
}

impl Stream {
    /// The stream of the request that this task serves. `None` for HTTP/1.
    pub fn current() -> Option<Arc<Self>> {
        STREAM.try_with(Arc::clone).ok()
    }

    /// Resets it. `false` if the library has written the whole answer, which then waits only for the peer's window.
    pub fn reset(&self) -> bool {
        self.cut.cancel();
        !self.over.load(Ordering::Acquire)
    }
}

/// Runs the streams of one connection, within the processor time of its address.
#[derive(Debug, Clone)]
pub struct Streams(pub Option<Arc<Pace>>);

impl<F> Executor<F> for Streams
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    fn execute(&self, serving: F) {
        let stream = Arc::new(Stream::default());
        let task = {
            let stream = Arc::clone(&stream);
            async move {
                // If it is cut, the library's half of the stream is dropped, which resets the stream.
                let _ = stream.cut.run_until_cancelled(serving).await;
                stream.over.store(true, Ordering::Release);
            }
        };
        tokio::spawn(PacedTask::new(STREAM.scope(stream, task), self.0.clone()));
    }
}
