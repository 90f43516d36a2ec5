//! Sessions of WhatsApp Lite numbers (SPEC 3.3, 6.3; ADR 0024): commands of clients ([`connect`] and others) and the
//! work of the node that holds a session ([`work`]).

mod callback;
mod commands;
mod device_events;
mod session_work;

pub use callback::{LiteCallbackRefused, is_signature, take_callback};
pub use commands::{CommandError, LiteSessionView, connect, disconnect, logout, processing, session, set_processing};

use base::{Context, Result, lanes::Lease};
use channels::whatsapp_lite::{LiteDevice, LiteNumber};
use chrono::TimeDelta;
use domain::{ids::InboxId, lite::WantedSession};
use std::sync::Arc;
use storage::inboxes::{
    InboxSettings,
    lite::{LiteSession, NextCheck, SessionWrite},
};

use device_events::DeviceEffect;

/// Pause before a session is tried again if this program has no devices.
const WITHOUT_DEVICES: TimeDelta = TimeDelta::seconds(60);
/// Pause before a device is tried again after a failure.
const RETRY_DELAY: TimeDelta = TimeDelta::seconds(5);

struct Held<'a> {
    ctx: &'a Context,
    lease: &'a Lease,
    number: LiteNumber,
    device: Arc<dyn LiteDevice>,
    /// The device lives in this process, and only this process sends through it.
    lives_here: bool,
}

/// Holds the session of a number while its client wants it: drives the device and stores its events.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    let inbox = InboxId(lease.lane);
    let (number, session) = {
        let mut db = ctx.db.acquire().await?;
        let number = storage::inboxes::by_id(&mut db, lease.client, inbox).await?;
        (number, storage::inboxes::lite::session(&mut db, lease.client, inbox).await?)
    };
    let (Some(InboxSettings::WhatsappLite(lite)), Some(session)) = (number.map(|inbox| inbox.settings), session) else {
        return Ok(());
    };
    // If a wake-up arrived during the last run, the lane is worked on once more.
    if !session.pending {
        return Ok(());
    }
    let Some(devices) = ctx.carriers.lite_devices() else {
        tracing::warn!(client.id = %lease.client, inbox.id = %inbox, "a session waits: this program has no Lite devices");
        return put_off(ctx, lease, &session, WITHOUT_DEVICES).await;
    };
    let number = LiteNumber { client: lease.client, inbox, msisdn: lite.msisdn };
    let device = devices.device(&number);
    let held = Held { ctx, lease, number, device, lives_here: devices.live_in_the_process() };
    let done = match session.wanted {
        WantedSession::Connected => held.keep(session).await,
        WantedSession::Disconnected => held.disconnect(session).await,
        WantedSession::LoggedOut => held.log_out(session).await,
    };
    held.device.let_go().await;
    done
}

async fn put_off(ctx: &Context, lease: &Lease, session: &LiteSession, pause: TimeDelta) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let next = NextCheck::At(ctx.now() + pause);
    let session = LiteSession { device_node: None, ..session.clone() };
    let write = SessionWrite { session: &session, next, opens: false };
    storage::inboxes::lite::save(&mut tx, lease.client, InboxId(lease.lane), write).await?;
    tx.commit().await?;
    Ok(())
}

impl Held<'_> {
    async fn read(&self) -> Result<Option<LiteSession>> {
        let mut db = self.ctx.db.acquire().await?;
        Ok(storage::inboxes::lite::session(&mut db, self.lease.client, self.number.inbox).await?)
    }

    async fn tell(&self, session: &mut LiteSession, told: DeviceEffect, next: NextCheck) -> Result<()> {
        session.device_node = (self.lives_here && next == NextCheck::Held).then_some(self.ctx.node);
        told.write(self.ctx, self.lease, &self.number, session, next).await
    }
}
