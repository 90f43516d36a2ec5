use std::panic::resume_unwind;

use tracing::{Instrument, Span};

use crate::{Error, Result, traces};

/// Runs work to its end in a task of its own, with the span of the caller. If the caller hangs up, the work continues.
/// [`Error::Stopped`] if the process stops before.
pub async fn to_the_end<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Result<T> {
    let work = traces::within(traces::current(), work);
    match tokio::spawn(work.instrument(Span::current())).await {
        Ok(done) => Ok(done),
        Err(panicked) if panicked.is_panic() => resume_unwind(panicked.into_panic()),
        Err(_) => Err(Error::Stopped),
    }
}
