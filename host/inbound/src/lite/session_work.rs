//! The work of the node that holds a session: connects the device and reads its events, disconnects it, or ends its
//! pairing.

use base::Result;
use channels::whatsapp_lite::{DeviceFailure, DeviceNews};
use chrono::TimeDelta;
use domain::lite::{SessionNews, WantedSession};
use storage::inboxes::lite::{LiteSession, NextCheck};

use super::{Held, RETRY_DELAY, device_events::DeviceEffect};

const POLL_INTERVAL: std::time::Duration = std::time::Duration::from_secs(1);
/// Failures in a row after which the connection counts as lost.
const MOST_SILENCE: u32 = 5;

impl Held<'_> {
    /// Connects, and reads events until the client wants another state or the connection ends.
    pub(super) async fn keep(&self, mut session: LiteSession) -> Result<()> {
        let now = self.ctx.now();
        if let Some(until) = session.banned_until.filter(|until| *until > now) {
            return self.tell(&mut session, DeviceEffect::default(), NextCheck::At(until)).await;
        }
        let mut told = DeviceEffect::default();
        if !session.state.is_up() {
            told.news(&mut session, SessionNews::Initializing);
        }
        self.tell(&mut session, told, NextCheck::Held).await?;
        match self.device.start(&self.ctx.node.to_string(), session.paired).await {
            Ok(()) => self.listen(session).await,
            Err(DeviceFailure::Banned(seconds)) => {
                let until = self.ctx.now() + TimeDelta::seconds(i64::from(seconds));
                session.banned_until = Some(until);
                self.record_loss(session, SessionNews::Banned, NextCheck::At(until)).await
            }
            Err(failure) => {
                tracing::warn!(client.id = %self.number.client, inbox.id = %self.number.inbox, reason = %failure,
                    "a Lite device could not be started; it is tried again");
                self.record_loss(session, SessionNews::Dropped, NextCheck::At(self.ctx.now() + RETRY_DELAY)).await
            }
        }
    }

    async fn record_loss(&self, mut session: LiteSession, news: SessionNews, next: NextCheck) -> Result<()> {
        let mut told = DeviceEffect::default();
        told.news(&mut session, news);
        self.tell(&mut session, told, next).await
    }

    /// Reads the events of the device. They are confirmed after they are on disk, so the device repeats them if this
    /// process dies.
    async fn listen(&self, mut session: LiteSession) -> Result<()> {
        let (mut seen, mut silent) = (0, 0);
        while !self.lease.is_over() {
            let news = tokio::select! {
                news = self.device.events(seen) => Some(news),
                () = self.lease.nudge.notified() => None,
                () = self.lease.stop.cancelled() => None,
            };
            match news {
                Some(Ok(DeviceNews { last, events })) => {
                    (seen, silent) = (last, 0);
                    if !events.is_empty() && self.take(&mut session, events).await? {
                        return Ok(());
                    }
                }
                Some(Err(failure)) => {
                    silent += 1;
                    tracing::warn!(client.id = %self.number.client, inbox.id = %self.number.inbox, reason = %failure,
                        "a Lite device could not be polled; it is polled again");
                    if silent == MOST_SILENCE {
                        let next = NextCheck::At(self.ctx.now() + RETRY_DELAY);
                        return self.record_loss(session, SessionNews::Dropped, next).await;
                    }
                    self.lease.pause(POLL_INTERVAL).await;
                }
                None => {}
            }
            // Commands of the client may arrive at any node.
            match self.read().await? {
                Some(now) if now.wanted == WantedSession::Connected => {}
                Some(now) if now.wanted == WantedSession::Disconnected => return self.disconnect(now).await,
                Some(now) => return self.log_out(now).await,
                None => return Ok(()),
            }
        }
        Ok(())
    }

    async fn take(&self, session: &mut LiteSession, events: Vec<channels::whatsapp_lite::DeviceEvent>) -> Result<bool> {
        let mut told = DeviceEffect::default();
        for event in events {
            told.event(self.ctx, &self.number, session, event);
        }
        let ended = told.ended_by;
        let next = match ended {
            None => NextCheck::Held,
            Some(SessionNews::Banned) => NextCheck::At(session.banned_until.unwrap_or_else(|| self.ctx.now())),
            Some(news) if news.needs_person() => NextCheck::WhenAsked,
            Some(_) => NextCheck::At(self.ctx.now() + RETRY_DELAY),
        };
        self.tell(session, told, next).await?;
        if ended.is_some_and(SessionNews::needs_person) {
            // The events are stored. The next connection starts with its own.
            tracing::info!(client.id = %self.number.client, inbox.id = %self.number.inbox,
                "the session of a Lite number ended; its client must connect it again");
        }
        Ok(ended.is_some())
    }

    pub(super) async fn disconnect(&self, mut session: LiteSession) -> Result<()> {
        if let Err(failure) = self.device.disconnect().await {
            return self.retry_later(session, &failure).await;
        }
        let mut told = DeviceEffect::default();
        told.news(&mut session, SessionNews::DisconnectedByUs);
        self.tell(&mut session, told, NextCheck::WhenAsked).await
    }

    pub(super) async fn log_out(&self, mut session: LiteSession) -> Result<()> {
        let mut told = DeviceEffect::default();
        told.news(&mut session, SessionNews::LoggingOut);
        self.tell(&mut session, told, NextCheck::Held).await?;
        if let Err(failure) = self.device.logout(&self.ctx.node.to_string()).await {
            return self.retry_later(session, &failure).await;
        }
        let mut told = DeviceEffect::default();
        told.news(&mut session, SessionNews::LoggedOutByUs);
        self.tell(&mut session, told, NextCheck::WhenAsked).await
    }

    async fn retry_later(&self, mut session: LiteSession, failure: &DeviceFailure) -> Result<()> {
        tracing::warn!(client.id = %self.number.client, inbox.id = %self.number.inbox, reason = %failure,
            "a Lite device did not execute a command of its client; the command is repeated");
        self.tell(&mut session, DeviceEffect::default(), NextCheck::At(self.ctx.now() + RETRY_DELAY)).await
    }
}
