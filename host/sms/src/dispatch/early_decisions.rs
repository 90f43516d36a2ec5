//! Remembers decisions of routers about SMS that are not marked yet. A router call takes about as long as a mark, and a
//! busy lane marks a few legs at a time. So the lane asks about more legs than it marks next, and keeps the other
//! answers for a moment (ADR 0036).

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use domain::sms_route::SmsRoute;
use outbound::dispatch::LegKey;
use parking_lot::Mutex;
use plugin_host::MOST_SMS_AT_ONCE;

use crate::routing::Deciders;

/// How long an answer is valid. The facts that a router sees, such as the state of binds, change.
const HOLDS: TimeDelta = TimeDelta::seconds(1);

#[derive(Debug, Clone)]
pub(super) struct ForeseenDecision {
    pub(super) route: SmsRoute,
}

/// The decisions of a lane about the legs behind those that it marks.
#[derive(Debug, Default)]
pub(super) struct Answers {
    of: Option<Deciders>,
    foreseen: HashMap<LegKey, ForeseenDecision>,
    /// How many legs the last question was about, if all its answers were used in time.
    reach: usize,
    /// True if the queue had other legs than the ones that were asked about.
    is_surprised: bool,
}

impl Answers {
    /// Keeps the answers that these routers gave recently enough.
    fn still_true(mut self, of: Deciders, now: DateTime<Utc>) -> Self {
        let before = self.foreseen.len();
        let holds = self.of.as_ref() == Some(&of);
        self.foreseen.retain(|_, foreseen| holds && foreseen.route.at + HOLDS > now);
        if self.foreseen.len() < before {
            // The lane is too slow to use answers in time, so it asks only about the legs that it marks.
            self.reach = 0;
        }
        Self { of: Some(of), ..self }
    }

    /// Returns how many legs to ask about before `limit` are marked, or `None` if enough answers are known.
    pub(super) fn asks_about(&mut self, limit: usize) -> Option<usize> {
        if self.foreseen.len() >= limit && !self.is_surprised {
            return None;
        }
        self.is_surprised = false;
        let reach = self.reach.max(limit);
        self.reach = (reach * 2).min(MOST_SMS_AT_ONCE);
        Some(reach)
    }

    pub(super) fn knows(&self, leg: LegKey) -> bool {
        self.foreseen.contains_key(&leg)
    }

    pub(super) fn add(&mut self, leg: LegKey, foreseen: ForeseenDecision) {
        self.foreseen.insert(leg, foreseen);
    }

    /// Takes the answer about a leg. If there is none, the next question starts from the present queue.
    pub(super) fn take(&mut self, leg: LegKey) -> Option<ForeseenDecision> {
        let found = self.foreseen.remove(&leg);
        self.is_surprised |= found.is_none();
        found
    }

    pub(super) fn lacks_answer(&self) -> bool {
        self.is_surprised
    }
}

/// Keeps the answers of a lane between two marks.
#[derive(Debug, Default)]
pub(super) struct EarlyDecisions(Mutex<Answers>);

impl EarlyDecisions {
    /// Takes out the valid answers of these routers. If the mark fails, they are lost and the routers are asked again.
    pub(super) fn take(&self, of: Deciders, now: DateTime<Utc>) -> Answers {
        let answers = std::mem::take(&mut *self.0.lock());
        answers.still_true(of, now)
    }

    pub(super) fn keep(&self, answers: Answers) {
        *self.0.lock() = answers;
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::MessageId;
    use uuid::Uuid;

    use super::*;

    const START: DateTime<Utc> = DateTime::UNIX_EPOCH;

    fn key(leg: usize) -> LegKey {
        (MessageId(Uuid::from_u128(leg as u128)), 0)
    }

    fn by(operators: u64) -> Deciders {
        Deciders { operators: Some(operators), ..Deciders::default() }
    }

    /// Asks as a lane does, about the legs from `first` on. Returns how many it asked about.
    fn ask(ahead: &EarlyDecisions, of: Deciders, first: usize, limit: usize, now: DateTime<Utc>) -> usize {
        let mut answers = ahead.take(of, now);
        let asked = answers.asks_about(limit).unwrap_or_default();
        for leg in first..first + asked {
            let route = SmsRoute { at: now, ..SmsRoute::default() };
            answers.add(key(leg), ForeseenDecision { route });
        }
        ahead.keep(answers);
        asked
    }

    /// Marks legs. Returns how many of them had an answer.
    fn mark(ahead: &EarlyDecisions, of: Deciders, legs: std::ops::Range<usize>, now: DateTime<Utc>) -> usize {
        let mut answers = ahead.take(of, now);
        let known = legs.filter(|leg| answers.take(key(*leg)).is_some()).count();
        ahead.keep(answers);
        known
    }

    #[test]
    fn a_busy_lane_asks_about_growing_lists_and_a_slow_one_about_its_marked_legs() {
        let ahead = EarlyDecisions::default();
        let (mut marked, mut now, mut questions) = (0, START, Vec::new());
        while questions.len() < 8 {
            questions.extend(Some(ask(&ahead, by(1), marked, 20, now)).filter(|asked| *asked > 0));
            assert_eq!(mark(&ahead, by(1), marked..marked + 20, now), 20);
            marked += 20;
            now += TimeDelta::milliseconds(5);
        }
        assert_eq!((questions.first(), questions.last()), (Some(&20), Some(&MOST_SMS_AT_ONCE)), "{questions:?}");
        now += HOLDS;
        assert_eq!(ask(&ahead, by(1), marked, 20, now), 20);
    }

    #[test]
    fn decisions_of_other_routers_do_not_apply() {
        let ahead = EarlyDecisions::default();
        assert_eq!(ask(&ahead, by(1), 0, 10, START), 10);
        assert_eq!(mark(&ahead, by(2), 0..10, START), 0);
    }

    #[test]
    fn an_answer_holds_for_a_second() {
        for (later, known) in [(HOLDS - TimeDelta::milliseconds(1), 10), (HOLDS, 0)] {
            let ahead = EarlyDecisions::default();
            ask(&ahead, by(1), 0, 10, START);
            assert_eq!(mark(&ahead, by(1), 0..10, START + later), known);
        }
    }

    #[test]
    fn a_leg_without_a_decision_is_asked_about_next() {
        let ahead = EarlyDecisions::default();
        assert_eq!(ask(&ahead, by(1), 0, 10, START), 10);
        assert_eq!(ask(&ahead, by(1), 0, 10, START), 0, "enough is known");
        assert_eq!(mark(&ahead, by(1), 10..11, START), 0);
        assert!(ask(&ahead, by(1), 10, 10, START) > 0);
    }
}
