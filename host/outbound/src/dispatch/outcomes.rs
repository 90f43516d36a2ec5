//! What calls led to and is not on disk yet: gathered, written in groups, and kept until it is written.
//!
//! A group that the database refuses is taken apart: its outcomes are suspects from then on, each written alone. Nothing new
//! is marked until one outcome is written, so that a database that refuses everything costs the calls in flight and no
//! more (ADR 0004); a suspect that stays behind while others are written is alone at fault and holds up only its recipient.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use super::settle::{Ended, Outcome};
use crate::sms_parts::LegPart;

/// Outcomes written in one transaction at most, unless a window is larger.
const AT_ONCE: usize = 64;
/// The same for the largest window.
const MOST_AT_ONCE: usize = 256;
/// As many are worth a transaction at once, where more calls are made meanwhile.
const ENOUGH: usize = AT_ONCE / 2;
/// Between two transactions of a kind, unless there is enough for the next: what comes one by one meanwhile is taken together.
/// Where nothing else is under way, nothing waits for it.
const GATHERING: Duration = Duration::from_millis(8);
/// The same where the provider has nothing to do meanwhile.
const GATHERING_IN_ONE_WINDOW: Duration = Duration::from_millis(3);
/// Pause after the first refusal; it doubles with each one that follows.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause, and the one before an outcome that is alone at fault is tried again.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// An outcome that was in a group that the database refused.
struct Suspect {
    outcome: Outcome,
    /// Others were written since it was refused.
    alone_at_fault: bool,
    from: Instant,
}

/// Outcomes that are being written.
pub(super) struct Writing {
    pub(super) ended: Ended,
    /// One suspect; `true` when others were written since it was refused.
    suspect: Option<bool>,
}

/// The outcomes of one lane, on their way to the disk.
pub(super) struct Outcomes {
    fresh: Ended,
    suspects: VecDeque<Suspect>,
    /// So many are written in one transaction at most.
    at_once: usize,
    /// So many are worth a transaction at once.
    enough: usize,
    /// Between two transactions for fewer.
    gathering: Duration,
    writing: bool,
    /// Refusals since something was written last.
    refusals: u32,
    /// From when a small group is worth a transaction, or a refused one another try.
    from: Instant,
}

impl Outcomes {
    /// Where no more than `one_window` of calls is made before an outcome is on disk, half a window in each of two transactions
    /// would have the provider wait as long as a whole one in each: most of it is worth one.
    pub(super) fn new(one_window: Option<usize>) -> Self {
        let at_once = one_window.map_or(AT_ONCE, |window| window.clamp(AT_ONCE, MOST_AT_ONCE));
        let enough = one_window.map_or(ENOUGH, |window| (window - window / 4).clamp(1, at_once / 2));
        let gathering = gathering(one_window.is_some());
        let (fresh, suspects) = (Ended::default(), VecDeque::new());
        Self { fresh, suspects, at_once, enough, gathering, writing: false, refusals: 0, from: Instant::now() }
    }

    /// A call has ended.
    pub(super) fn add(&mut self, outcome: Outcome) {
        self.fresh.outcomes.push(outcome);
    }

    /// The provider has taken a part. It waits for nothing: what is not on disk when the process is killed is sent again.
    pub(super) fn add_part(&mut self, part: LegPart) {
        self.fresh.parts.push(part);
    }

    /// Whether everything is on disk.
    pub(super) fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.suspects.is_empty() && !self.writing
    }

    /// Whether calls may be made whose outcomes will have to be written too.
    pub(super) fn can_be_written(&self) -> bool {
        self.refusals == 0
    }

    /// When there is something to write that waits for its time; `None` when there is not.
    pub(super) fn next_at(&self) -> Option<Instant> {
        let suspect = self.suspects.iter().map(|suspect| suspect.from).min();
        let fresh = (!self.fresh.is_empty()).then_some(self.from);
        if self.writing { None } else { suspect.into_iter().chain(fresh).min() }
    }

    /// What is to be written now, if anything is. `calm`: nothing else is under way, so there is nothing to gather.
    /// `hurried`: there is no later.
    pub(super) fn take(&mut self, now: Instant, calm: bool, hurried: bool) -> Option<Writing> {
        if self.writing {
            return None;
        }
        let taken = self.take_suspect(now, hurried).or_else(|| self.take_fresh(now, calm, hurried));
        self.writing = taken.is_some();
        taken
    }

    fn take_suspect(&mut self, now: Instant, hurried: bool) -> Option<Writing> {
        let at = self.suspects.iter().position(|suspect| hurried || suspect.from <= now)?;
        let Suspect { outcome, alone_at_fault, .. } = self.suspects.remove(at)?;
        let ended = Ended { outcomes: vec![outcome], parts: std::mem::take(&mut self.fresh.parts) };
        Some(Writing { ended, suspect: Some(alone_at_fault) })
    }

    fn take_fresh(&mut self, now: Instant, calm: bool, hurried: bool) -> Option<Writing> {
        let gathers = self.refusals == 0 && (calm || self.fresh.outcomes.len() >= self.enough);
        if self.fresh.is_empty() || !(hurried || gathers || self.from <= now) {
            return None;
        }
        Some(Writing { ended: self.fresh.take(self.at_once), suspect: None })
    }

    /// What was taken is on disk. What stays behind holds up only its recipient: room that lanes share it has no more.
    pub(super) fn written(&mut self, now: Instant) {
        (self.writing, self.refusals, self.from) = (false, 0, now + self.gathering);
        for suspect in &mut self.suspects {
            suspect.alone_at_fault = true;
            suspect.outcome.doubt = None;
        }
    }

    /// The database refused what was taken.
    pub(super) fn refused(&mut self, Writing { ended, suspect }: Writing, now: Instant) {
        let outcast = suspect == Some(true);
        self.writing = false;
        if !outcast {
            self.refusals = self.refusals.saturating_add(1);
        }
        let pause = if outcast { LONGEST_PAUSE } else { pause_after(self.refusals) };
        // The others must not wait as long as a suspect does.
        if suspect.is_none() {
            self.from = now + pause;
        }
        self.fresh.parts.splice(0..0, ended.parts);
        let suspect = |outcome| Suspect { outcome, alone_at_fault: outcast, from: now + pause };
        self.suspects.extend(ended.outcomes.into_iter().map(suspect));
    }
}

/// How long marks and outcomes gather. `one_window`: no more than a window of calls is made before an outcome is on disk.
pub(super) fn gathering(one_window: bool) -> Duration {
    if one_window { GATHERING_IN_ONE_WINDOW } else { GATHERING }
}

fn pause_after(refusals: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(refusals.saturating_sub(1))).min(LONGEST_PAUSE)
}
