//! The calls of this process to providers, and the reasons for which its inboxes wait, for `patchbay status`.

use std::{collections::BTreeMap, sync::Arc};

use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::{ClientId, InboxId};
use parking_lot::{Mutex, MutexGuard};

/// Time for which a reason without an end is shown after it was seen.
const SHOWN_FOR: TimeDelta = TimeDelta::seconds(15);

type Sender = (ClientId, InboxId);

/// The kind of reason for which an inbox with messages sends none now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitKind {
    /// As many calls are in flight as the carrier permits.
    Window,
    /// The rate of the inbox, or a pause that its provider asked for.
    Rate,
    /// The carrier takes nothing, for example without a bind.
    Closed,
    /// The last call failed, and is repeated.
    CallFailed,
    /// The last message could not be handed to the provider, and is tried again. The reason is for the operator: it may name
    /// files and addresses of the installation.
    NotSent,
}

impl WaitKind {
    pub const ALL: [Self; 5] = [Self::Window, Self::Rate, Self::Closed, Self::CallFailed, Self::NotSent];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Window => "WINDOW",
            Self::Rate => "RATE",
            Self::Closed => "CLOSED",
            Self::CallFailed => "CALL_FAILED",
            Self::NotSent => "NOT_SENT",
        }
    }

    /// True if a success of a later message ends it.
    fn is_failure(self) -> bool {
        matches!(self, Self::CallFailed | Self::NotSent)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SenderWait {
    pub kind: WaitKind,
    /// Without addresses of customers.
    pub reason: String,
    pub seen_at: DateTime<Utc>,
    /// The time of the next attempt, if it is known.
    pub until: Option<DateTime<Utc>>,
}

/// The outcome of a call, in names of closed sets.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallKind {
    pub provider: &'static str,
    pub outcome: &'static str,
    pub code: String,
}

/// A copy of the figures.
#[derive(Debug, Clone, Default)]
pub struct SendingSnapshot {
    /// Since the start of the process.
    pub calls: BTreeMap<CallKind, u64>,
    pub last_success: BTreeMap<&'static str, DateTime<Utc>>,
    pub waits: Vec<(ClientId, InboxId, SenderWait)>,
}

#[derive(Clone, Default)]
pub struct SendingFigures(Arc<Mutex<Figures>>);

#[derive(Default)]
struct Figures {
    calls: BTreeMap<CallKind, u64>,
    last_success: BTreeMap<&'static str, DateTime<Utc>>,
    waits: BTreeMap<Sender, SenderWait>,
}

impl SendingFigures {
    fn lock(&self) -> MutexGuard<'_, Figures> {
        self.0.lock()
    }

    pub fn count(&self, call: CallKind) {
        *self.lock().calls.entry(call).or_default() += 1;
    }

    /// Its provider took a message of the inbox.
    pub fn succeeded(&self, sender: Sender, provider: &'static str, at: DateTime<Utc>) {
        let mut figures = self.lock();
        figures.last_success.insert(provider, at);
        if figures.waits.get(&sender).is_some_and(|wait| wait.kind.is_failure()) {
            figures.waits.remove(&sender);
        }
    }

    pub fn waits(&self, sender: Sender, wait: SenderWait) {
        self.lock().waits.insert(sender, wait);
    }

    /// Messages of the inbox go out again, or it has none.
    pub fn continues(&self, sender: Sender) {
        let mut figures = self.lock();
        if figures.waits.get(&sender).is_some_and(|wait| !wait.kind.is_failure()) {
            figures.waits.remove(&sender);
        }
    }

    /// Copies the figures, and forgets reasons that are over.
    pub fn snapshot(&self, now: DateTime<Utc>) -> SendingSnapshot {
        let mut figures = self.lock();
        figures.waits.retain(|_, wait| wait.until.unwrap_or(wait.seen_at) + SHOWN_FOR > now);
        let Figures { calls, last_success, waits } = &*figures;
        SendingSnapshot {
            calls: calls.clone(),
            last_success: last_success.clone(),
            waits: waits.iter().map(|((client, inbox), wait)| (*client, *inbox, wait.clone())).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const SENDER: Sender = (ClientId(Uuid::nil()), InboxId(Uuid::nil()));

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    fn wait(kind: WaitKind, seen: i64, until: Option<i64>) -> SenderWait {
        SenderWait { kind, reason: "x".to_owned(), seen_at: at(seen), until: until.map(at) }
    }

    #[test]
    fn a_reason_ends_with_the_next_call_and_a_failed_call_with_the_next_success() {
        let figures = SendingFigures::default();
        figures.waits(SENDER, wait(WaitKind::Rate, 0, None));
        figures.continues(SENDER);
        assert!(figures.snapshot(at(0)).waits.is_empty());

        for failure in [WaitKind::CallFailed, WaitKind::NotSent] {
            figures.waits(SENDER, wait(failure, 0, Some(60)));
            figures.continues(SENDER);
            assert_eq!(figures.snapshot(at(60)).waits.len(), 1);
            figures.succeeded(SENDER, "whatsapp_cloud", at(61));
            let shown = figures.snapshot(at(61));
            assert!(shown.waits.is_empty());
            assert_eq!(shown.last_success["whatsapp_cloud"], at(61));
        }
    }

    #[test]
    fn a_reason_that_is_over_is_forgotten() {
        let figures = SendingFigures::default();
        figures.waits(SENDER, wait(WaitKind::Closed, 0, Some(60)));
        assert_eq!(figures.snapshot(at(74)).waits.len(), 1);
        assert!(figures.snapshot(at(75)).waits.is_empty());
    }
}
