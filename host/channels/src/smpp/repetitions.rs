//! Recognises SMS of subscribers that an SMSC delivers again because our answer was lost or late. Two equal SMS that were
//! typed are both kept: a delivery is a repetition only if the answer to the earlier one is in doubt.

use std::{
    collections::{HashMap, VecDeque},
    hash::{BuildHasher, RandomState},
    time::{Duration, Instant},
};

use super::session::AnswerTrace;

/// Time for which an SMSC may deliver an SMS again.
const KEEP: Duration = Duration::from_secs(300);
/// Most remembered deliveries. Beyond it the oldest is forgotten.
const MOST: usize = 10_000;
/// Time after which an SMSC may no longer wait for an answer.
const LATE: Duration = Duration::from_secs(5);

/// Deliveries that were accepted.
#[derive(Default)]
pub(super) struct AcceptedDeliveries {
    hasher: RandomState,
    /// By the digest of their octets.
    known: HashMap<u64, Vec<Accepted>>,
    order: VecDeque<(Instant, u64)>,
}

struct Accepted {
    at: Instant,
    answer: AnswerTrace,
}

impl AcceptedDeliveries {
    /// Two deliveries that differ in any octet, such as a time of the SMSC or the reference of a long SMS, are two.
    pub(super) fn digest(&self, body: &[u8]) -> u64 {
        self.hasher.hash_one(body)
    }

    /// Remembers a delivery that is answered now.
    pub(super) fn note(&mut self, digest: u64, answer: AnswerTrace, now: Instant) {
        self.known.entry(digest).or_default().push(Accepted { at: now, answer });
        self.order.push_back((now, digest));
        self.forget_old(now);
    }

    /// True if the delivery is the repetition of one that was accepted, which is forgotten then.
    pub(super) fn take_repeated(&mut self, digest: u64, answer: &AnswerTrace, now: Instant) -> bool {
        self.forget_old(now);
        let Some(known) = self.known.get_mut(&digest) else { return false };
        let Some(repeated) = known.iter().position(|earlier| is_in_doubt(&earlier.answer, answer)) else {
            return false;
        };
        known.remove(repeated);
        if known.is_empty() {
            self.known.remove(&digest);
        }
        true
    }

    fn forget_old(&mut self, now: Instant) {
        while let Some((at, digest)) = self.order.front().copied() {
            if self.order.len() <= MOST && now.saturating_duration_since(at) < KEEP {
                return;
            }
            self.order.pop_front();
            if let Some(known) = self.known.get_mut(&digest) {
                known.retain(|accepted| accepted.at > at);
                if known.is_empty() {
                    self.known.remove(&digest);
                }
            }
        }
    }
}

/// True if the SMSC may lack the answer to the earlier delivery, and sends the later one in its place.
fn is_in_doubt(earlier: &AnswerTrace, later: &AnswerTrace) -> bool {
    let is_of_one_session = earlier.is_of_session_of(later);
    // An SMSC that numbers all its PDUs alike, or sends one at a time, waits for each answer.
    if earlier.written_at().is_none_or(|written| later.arrived < written) {
        let is_the_same = is_of_one_session && earlier.sequence == later.sequence;
        if is_the_same || later.arrived.saturating_duration_since(earlier.arrived) >= LATE {
            return true;
        }
    }
    !is_of_one_session && earlier.is_lost()
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;
    use crate::smpp::session::SessionLife;

    const SECOND: Duration = Duration::from_secs(1);

    /// A session, and its end.
    fn session(now: Instant) -> (SessionLife, CancellationToken) {
        let ended = CancellationToken::new();
        (SessionLife::new(ended.clone(), now), ended)
    }

    /// A delivery that was accepted at once.
    fn accept(accepted: &mut AcceptedDeliveries, session: &SessionLife, sequence: u32, now: Instant) -> AnswerTrace {
        let answer = session.trace(sequence, now);
        accepted.note(7, answer.clone(), now);
        answer
    }

    #[test]
    fn equal_deliveries_over_sessions_that_last_are_two() {
        let (mut accepted, now) = (AcceptedDeliveries::default(), Instant::now());
        let ((one, _), (two, _)) = (session(now), session(now));
        accept(&mut accepted, &one, 1, now).note_written(now);
        for later in [now + SECOND, now + LATE, now + KEEP - SECOND] {
            assert!(!accepted.take_repeated(7, &one.trace(2, later), later));
            assert!(!accepted.take_repeated(7, &two.trace(2, later), later));
            assert!(!accepted.take_repeated(7, &one.trace(1, later), later), "all numbers are alike");
        }
    }

    #[test]
    fn an_answer_that_was_lost_with_its_session_is_repeated_once() {
        let now = Instant::now();
        for written in [None, Some(now)] {
            let mut accepted = AcceptedDeliveries::default();
            let ((old, ended), (new, _)) = (session(now), session(now));
            let answer = accept(&mut accepted, &old, 1, now);
            if let Some(written) = written {
                answer.note_written(written);
            }
            old.note_heard(now + Duration::from_millis(1_999));
            ended.cancel();
            let later = now + 60 * SECOND;
            assert!(!accepted.take_repeated(8, &new.trace(1, later), later), "other octets");
            assert!(accepted.take_repeated(7, &new.trace(1, later), later), "{written:?}");
            assert!(!accepted.take_repeated(7, &new.trace(2, later), later), "it is typed again");
        }
    }

    #[test]
    fn an_smsc_that_was_heard_after_the_answer_or_answered_a_later_request_has_it() {
        let now = Instant::now();
        let later = now + 3 * SECOND;
        for (heard, request, is_repeated) in
            [(2 * SECOND, None, false), (SECOND, Some(now), false), (SECOND, None, true)]
        {
            let mut accepted = AcceptedDeliveries::default();
            let ((old, ended), (new, _)) = (session(now), session(now));
            accept(&mut accepted, &old, 1, now).note_written(now);
            old.note_heard(now + heard);
            if let Some(written) = request {
                old.note_read(written);
            }
            ended.cancel();
            assert_eq!(accepted.take_repeated(7, &new.trace(1, later), later), is_repeated);
        }
        let mut accepted = AcceptedDeliveries::default();
        let ((old, ended), (new, _)) = (session(now), session(now));
        accept(&mut accepted, &old, 1, now).note_written(now + SECOND);
        old.note_read(now);
        ended.cancel();
        assert!(accepted.take_repeated(7, &new.trace(1, later), later), "the request was written before the answer");
    }

    #[test]
    fn the_same_pdu_before_its_answer_is_a_repetition_and_another_one_is_not() {
        let (mut accepted, now) = (AcceptedDeliveries::default(), Instant::now());
        let (one, _) = session(now);
        accept(&mut accepted, &one, 1, now).note_written(now + 2 * SECOND);
        let later = now + 3 * SECOND;
        assert!(!accepted.take_repeated(7, &one.trace(2, now + SECOND), later));
        assert!(accepted.take_repeated(7, &one.trace(1, now + SECOND), later));
    }

    #[test]
    fn a_delivery_that_comes_while_the_answer_is_overdue_is_a_repetition_over_any_session() {
        let now = Instant::now();
        let answered = now + 2 * LATE;
        for over_another in [false, true] {
            let mut accepted = AcceptedDeliveries::default();
            let ((one, _), (two, _)) = (session(now), session(now));
            let next = if over_another { &two } else { &one };
            accept(&mut accepted, &one, 1, now).note_written(answered);
            let typed = now + LATE - Duration::from_millis(1);
            assert!(!accepted.take_repeated(7, &next.trace(2, typed), answered), "the answer was still awaited");
            assert!(!accepted.take_repeated(7, &next.trace(2, answered), answered), "it was sent after the answer");
            assert!(accepted.take_repeated(7, &next.trace(2, now + LATE), answered));
        }
    }

    #[test]
    fn deliveries_are_forgotten_by_time_and_number() {
        let (mut accepted, now) = (AcceptedDeliveries::default(), Instant::now());
        let ((old, ended), (new, _)) = (session(now), session(now));
        ended.cancel();
        accept(&mut accepted, &old, 1, now);
        assert!(!accepted.take_repeated(7, &new.trace(1, now + KEEP), now + KEEP));
        accept(&mut accepted, &old, 1, now);
        for digest in (100..).take(MOST) {
            accepted.note(digest, old.trace(1, now), now);
        }
        assert!(!accepted.take_repeated(7, &new.trace(1, now), now));
        assert!(accepted.take_repeated(100, &new.trace(1, now), now));
        assert_eq!((accepted.order.len(), accepted.known.len()), (MOST, MOST - 1));
    }
}
