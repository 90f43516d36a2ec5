//! Notes why the messages of a lane wait, for `patchbay status`.

use std::time::{Duration, Instant};

use base::{
    Context,
    lanes::Lease,
    sending_figures::{SenderWait, SendingFigures, WaitKind},
};
use channels::carrier::CarrierPause;
use chrono::TimeDelta;
use domain::ids::{ClientId, InboxId};

/// Interval at which the same reason is noted again.
const AGAIN: Duration = Duration::from_secs(1);

pub(super) struct WaitNotes<'a> {
    ctx: &'a Context,
    sender: (ClientId, InboxId),
    last: Option<(WaitKind, Instant)>,
    /// A reason may be noted, also by an earlier round.
    may_wait: bool,
}

impl<'a> WaitNotes<'a> {
    pub(super) fn new(ctx: &'a Context, lease: &Lease) -> Self {
        Self { ctx, sender: (lease.client, InboxId(lease.lane)), last: None, may_wait: true }
    }

    fn figures(&self) -> &SendingFigures {
        &self.ctx.sending
    }

    /// All permitted calls are in flight.
    pub(super) fn window(&mut self, window: usize) {
        self.passing(WaitKind::Window, || format!("window: {window} calls are in flight"));
    }

    pub(super) fn no_place(&mut self) {
        self.passing(WaitKind::Rate, || "rate: the inbox or its provider takes no more at the moment".to_owned());
    }

    pub(super) fn closed(&mut self, pause: &CarrierPause) {
        let now = self.ctx.now();
        let until = TimeDelta::from_std(pause.look_again).ok().map(|length| now + length);
        let wait = SenderWait { kind: WaitKind::Closed, reason: pause.reason.clone(), seen_at: now, until };
        self.figures().waits(self.sender, wait);
        (self.last, self.may_wait) = (None, true);
    }

    fn passing(&mut self, kind: WaitKind, reason: impl FnOnce() -> String) {
        if self.last.is_some_and(|(last, at)| last == kind && at.elapsed() < AGAIN) {
            return;
        }
        let wait = SenderWait { kind, reason: reason(), seen_at: self.ctx.now(), until: None };
        self.figures().waits(self.sender, wait);
        (self.last, self.may_wait) = (Some((kind, Instant::now())), true);
    }

    /// Messages go out, or none is due.
    pub(super) fn continues(&mut self) {
        if self.may_wait {
            self.figures().continues(self.sender);
        }
        (self.last, self.may_wait) = (None, false);
    }
}
