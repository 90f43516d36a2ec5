use std::{sync::Arc, time::Instant};

use sqlx::{
    Acquire,
    postgres::{PgListener, PgNotification},
};

use super::{wait_end::WaitEnd, watch::DatabaseWatch};
use crate::{Result, read_only_session};

/// Hears the notifications of a channel on a session of its own. Fails as soon as the database is silent.
pub(crate) struct Listener {
    listener: PgListener,
    begun: Instant,
    watch: Arc<DatabaseWatch>,
}

impl Listener {
    pub(super) async fn begin(own: &sqlx::PgPool, channel: &str, watch: &Arc<DatabaseWatch>) -> Result<Self> {
        let begun = Instant::now();
        let listening = async {
            let mut listener = PgListener::connect_with(own).await?;
            listener.listen(channel).await?;
            Ok(listener)
        };
        Ok(Self { listener: watch.limit(listening).await?, begun, watch: Arc::clone(watch) })
    }

    /// The next notification; `None` after the session was lost and there is another one. May be dropped while it waits.
    pub(crate) async fn next(&mut self) -> Result<Option<PgNotification>> {
        if self.watch.is_outdated(self.begun) {
            return Err(sqlx::Error::from(WaitEnd::Outdated).into());
        }
        Ok(self.watch.unless_silent(self.listener.try_recv()).await?)
    }

    /// Whether its server takes changes; fails when it says nothing.
    pub(crate) async fn takes_changes(&mut self) -> Result<bool> {
        let looking = async { read_only_session::shows_it((&mut self.listener).acquire().await?).await };
        Ok(self.watch.limit(looking).await?)
    }
}
