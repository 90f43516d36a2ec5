//! All binds together: submits go round, status and shutdown.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures::future::select_all;
use tokio::time::timeout;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    SmppEvents, SmppSettings,
    bind::{Bind, BindStatus},
    submit::{SmsPart, SubmitFailure, Submitted},
    url::SmppUrl,
};

/// How long a shutdown may take.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// The way to the SMSCs. Cloning is cheap. Binds end with [`SmppGateway::shutdown`], or when the last clone is dropped.
#[derive(Clone)]
pub struct SmppGateway {
    inner: Arc<Inner>,
}

struct Inner {
    binds: Vec<Arc<Bind>>,
    next: AtomicUsize,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl SmppGateway {
    /// Starts one task per URL and returns at once; [`SmppGateway::wait_bound`] waits for the first session.
    pub fn start(urls: Vec<SmppUrl>, events: Arc<dyn SmppEvents>) -> SmppGateway {
        Self::start_with(urls, events, SmppSettings::default())
    }

    /// Like [`SmppGateway::start`], with other times.
    pub fn start_with(urls: Vec<SmppUrl>, events: Arc<dyn SmppEvents>, settings: SmppSettings) -> SmppGateway {
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let binds: Vec<Arc<Bind>> = urls.into_iter().map(|url| Arc::new(Bind::new(url, settings.clone()))).collect();
        for bind in &binds {
            tasks.spawn(Arc::clone(bind).run(Arc::clone(&events), tasks.clone(), stop.clone()));
        }
        Self { inner: Arc::new(Inner { binds, next: AtomicUsize::new(0), tasks, stop }) }
    }

    /// Submits one part over the next bind that is up and not paused, and waits for the SMSC's answer.
    pub async fn submit(&self, part: SmsPart) -> Result<Submitted, SubmitFailure> {
        let binds = &self.inner.binds;
        let first = self.inner.next.fetch_add(1, Ordering::Relaxed);
        let mut shortest: Option<Duration> = None;
        for offset in 0..binds.len() {
            let Some(bind) = binds.get((first.wrapping_add(offset)) % binds.len()) else {
                continue;
            };
            match bind.ready(Instant::now()) {
                Ok(()) => return bind.submit(&part).await,
                Err(SubmitFailure::Throttled { after }) => {
                    shortest = Some(shortest.map_or(after, |least| least.min(after)));
                }
                Err(_) => {}
            }
        }
        Err(shortest.map_or(SubmitFailure::NotConnected, |after| SubmitFailure::Throttled { after }))
    }

    /// Every bind and where it stands.
    pub fn status(&self) -> Vec<BindStatus> {
        self.inner.binds.iter().map(|bind| bind.status()).collect()
    }

    /// Whether a bind came up within `limit`.
    pub async fn wait_bound(&self, limit: Duration) -> bool {
        let waiting: Vec<_> = self.inner.binds.iter().map(|bind| Box::pin(bind.bound())).collect();
        !waiting.is_empty() && timeout(limit, select_all(waiting)).await.is_ok()
    }

    /// Unbinds everything and waits for what is being stored, at most five seconds.
    pub async fn shutdown(&self) {
        self.inner.stop.cancel();
        self.inner.tasks.close();
        if timeout(SHUTDOWN, self.inner.tasks.wait()).await.is_err() {
            tracing::warn!("not every SMSC session ended in time");
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
