use std::sync::{Arc, atomic::AtomicU64};

use base::{Context, Error, Result};
use parking_lot::Mutex;
use storage::live_events::streams;
use tokio::sync::Semaphore;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    connection::{LiveConnection, Start},
    hub::{CATCHING_UP, ConnectionRefused, Hub, LOOKING, OPENING, PAGES_BEFORE_HELLO, follow_rights},
    poll,
    tickets::Holder,
};

impl Hub {
    pub fn start(ctx: Arc<Context>, stop: CancellationToken) -> Arc<Self> {
        let hub = Arc::new(Self {
            ctx,
            rooms: Mutex::default(),
            entered: AtomicU64::default(),
            stop,
            catching_up: Semaphore::new(CATCHING_UP),
            opening: Semaphore::new(OPENING),
            wanting: Mutex::default(),
            looking: Semaphore::new(LOOKING),
            kept: TaskTracker::new(),
        });
        tokio::spawn(poll::run(Arc::clone(&hub)));
        tokio::spawn(follow_rights(Arc::clone(&hub), hub.ctx.rights.changes()));
        hub
    }

    /// Opens a connection for the events after `after`, or from now on. It ends when the right of `holder` does.
    pub async fn open(
        self: &Arc<Self>,
        holder: &Holder,
        after: Option<i64>,
    ) -> Result<LiveConnection, ConnectionRefused> {
        if self.stop.is_cancelled() {
            return Err(ConnectionRefused::Failed(Error::Stopped));
        }
        let client = holder.client;
        let Some(eyes) = self.user_view(holder).await? else { return Err(ConnectionRefused::NotAllowed) };
        self.want(client).await?;
        let _turn = self.opening.acquire().await.map_err(|_| Error::Stopped)?;
        // Events from a time without connections have no numbers yet, and are not for a new reader.
        let news = streams::find_new(&mut *self.ctx.db.acquire().await?, &[client]).await?;
        if news.iter().any(|news| news.unnumbered) {
            poll::number(&self.ctx, client, PAGES_BEFORE_HELLO).await?;
        }
        let standing = streams::standing(&mut *self.ctx.db.acquire().await?, client).await?;
        let (last, start) = match (standing, after) {
            (None, _) => (0, Start::Missed(0)),
            (Some(standing), Some(after)) if standing.has_all_after(after) => (standing.last, Start::After(after)),
            (Some(standing), Some(_)) => (standing.last, Start::Missed(standing.last)),
            (Some(standing), None) => (standing.last, Start::After(standing.last)),
        };
        let seat = self.enter(holder, last)?;
        Ok(LiveConnection::new(seat, holder.clone(), eyes, start))
    }
}
