//! Outcomes of calls that are not stored yet. They are gathered, stored in groups, and kept until they are stored.
//!
//! If the database refuses a group, its outcomes become suspects, and each is stored alone. No new leg is marked until
//! one outcome is stored. So a database that refuses everything costs only the calls in flight (ADR 0004). A suspect
//! that is refused while others are stored holds up only its recipient.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use super::{hook::LegPart, outcome::LegOutcome, settle::SettledLegs};

const AT_ONCE: usize = 64;
const MOST_AT_ONCE: usize = 256;
const ENOUGH: usize = AT_ONCE / 2;
/// Time between two transactions of a kind, so that outcomes are stored together. If nothing is in progress, none
/// waits.
const GATHERING: Duration = Duration::from_millis(8);
/// The same if the provider is idle in that time.
const GATHERING_IN_ONE_WINDOW: Duration = Duration::from_millis(3);
/// Pause after the first refusal. It doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause, and the pause before an outcome that is alone at fault is tried again.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

struct Suspect {
    outcome: LegOutcome,
    /// True if others were stored after it was refused.
    alone_at_fault: bool,
    from: Instant,
}

pub(super) struct OutcomeWrite {
    pub(super) ended: SettledLegs,
    /// `Some` for a single suspect; `true` if others were stored after it was refused.
    suspect: Option<bool>,
}

pub(super) struct Outcomes {
    fresh: SettledLegs,
    suspects: VecDeque<Suspect>,
    at_once: usize,
    enough: usize,
    gathering: Duration,
    writing: bool,
    refusals: u32,
    /// After this time a small group is stored, or a refused one is tried again.
    from: Instant,
}

impl Outcomes {
    /// If at most `one_window` calls are made before an outcome is stored, two transactions with half a window each
    /// would make the provider wait twice as long. So a group needs most of a window.
    pub(super) fn new(one_window: Option<usize>) -> Self {
        let at_once = one_window.map_or(AT_ONCE, |window| window.clamp(AT_ONCE, MOST_AT_ONCE));
        let enough = one_window.map_or(ENOUGH, |window| (window - window / 4).clamp(1, at_once / 2));
        let gathering = gathering(one_window.is_some());
        let (fresh, suspects) = (SettledLegs::default(), VecDeque::new());
        Self { fresh, suspects, at_once, enough, gathering, writing: false, refusals: 0, from: Instant::now() }
    }

    pub(super) fn add(&mut self, outcome: LegOutcome) {
        self.fresh.outcomes.push(outcome);
    }

    /// Adds a part that the provider took. It is stored at once, because it is sent again if the process is killed
    /// before.
    pub(super) fn add_part(&mut self, part: LegPart) {
        self.fresh.parts.push(part);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fresh.is_empty() && self.suspects.is_empty() && !self.writing
    }

    pub(super) fn can_be_written(&self) -> bool {
        self.refusals == 0
    }

    pub(super) fn next_at(&self) -> Option<Instant> {
        let suspect = self.suspects.iter().map(|suspect| suspect.from).min();
        let fresh = (!self.fresh.is_empty()).then_some(self.from);
        if self.writing { None } else { suspect.into_iter().chain(fresh).min() }
    }

    /// The outcomes to store now. `calm`: nothing else is in progress. `hurried`: the process stops.
    pub(super) fn take(&mut self, now: Instant, calm: bool, hurried: bool) -> Option<OutcomeWrite> {
        if self.writing {
            return None;
        }
        let taken = self.take_suspect(now, hurried).or_else(|| self.take_fresh(now, calm, hurried));
        self.writing = taken.is_some();
        taken
    }

    fn take_suspect(&mut self, now: Instant, hurried: bool) -> Option<OutcomeWrite> {
        let at = self.suspects.iter().position(|suspect| hurried || suspect.from <= now)?;
        let Suspect { outcome, alone_at_fault, .. } = self.suspects.remove(at)?;
        let ended = SettledLegs { outcomes: vec![outcome], parts: std::mem::take(&mut self.fresh.parts) };
        Some(OutcomeWrite { ended, suspect: Some(alone_at_fault) })
    }

    fn take_fresh(&mut self, now: Instant, calm: bool, hurried: bool) -> Option<OutcomeWrite> {
        let gathers = self.refusals == 0 && (calm || self.fresh.outcomes.len() >= self.enough);
        if self.fresh.is_empty() || !(hurried || gathers || self.from <= now) {
            return None;
        }
        Some(OutcomeWrite { ended: self.fresh.take(self.at_once), suspect: None })
    }

    /// Records that the outcomes are stored. Those that stay behind hold up only their recipient.
    pub(super) fn note_stored(&mut self, now: Instant) {
        (self.writing, self.refusals, self.from) = (false, 0, now + self.gathering);
        for suspect in &mut self.suspects {
            suspect.alone_at_fault = true;
            suspect.outcome.doubt = None;
        }
    }

    pub(super) fn note_refused(&mut self, OutcomeWrite { ended, suspect }: OutcomeWrite, now: Instant) {
        let outcast = suspect == Some(true);
        self.writing = false;
        if !outcast {
            self.refusals = self.refusals.saturating_add(1);
        }
        let pause = if outcast { LONGEST_PAUSE } else { pause_after(self.refusals) };
        // Other outcomes must not wait as long as a suspect.
        if suspect.is_none() {
            self.from = now + pause;
        }
        self.fresh.parts.splice(0..0, ended.parts);
        let suspect = |outcome| Suspect { outcome, alone_at_fault: outcast, from: now + pause };
        self.suspects.extend(ended.outcomes.into_iter().map(suspect));
    }
}

/// How long outcomes gather. `one_window`: at most one window of calls is made before an outcome is stored.
pub(super) fn gathering(one_window: bool) -> Duration {
    if one_window { GATHERING_IN_ONE_WINDOW } else { GATHERING }
}

fn pause_after(refusals: u32) -> Duration {
    FIRST_PAUSE.saturating_mul(2_u32.saturating_pow(refusals.saturating_sub(1))).min(LONGEST_PAUSE)
}
