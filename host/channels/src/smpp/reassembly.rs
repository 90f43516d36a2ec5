//! Joins the parts of a long message in memory. The acknowledgement of a part is held back for a while; after the hold
//! time a crash can lose it.

use std::{
    collections::{BTreeMap, HashMap},
    time::{Duration, Instant},
};

use super::{
    deliver_sm::{MobilePart, PartPosition},
    text::OctetCoding,
};

/// Most incomplete messages. Beyond it the oldest is passed on as it is.
const MOST_OPEN: usize = 2_000;
/// Most octets of incomplete messages, with the same consequence.
const MOST_OCTETS: usize = 4 * 1024 * 1024;
/// Most unanswered deliveries of one incomplete message, because an SMSC may repeat a part without limit.
const MOST_ANSWERS: usize = 512;
/// Most unanswered deliveries of all incomplete messages. Beyond it, those held for the longest time are answered.
const MOST_ANSWERS_OF_ALL: usize = 8_192;

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    from: String,
    to: String,
    reference: u16,
    total: u8,
    /// 0: parts with the reference belong to it. Otherwise another message has the reference now.
    displaced: u32,
}

#[derive(Debug)]
struct Open<A> {
    parts: BTreeMap<u8, MobilePart>,
    answers: Vec<A>,
    /// True if a part was acknowledged: the SMSC will not repeat it.
    released: bool,
    release_at: Instant,
    hand_over_at: Instant,
}

impl<A> Open<A> {
    fn octets(&self) -> usize {
        self.parts.values().map(|part| part.octets.len()).sum()
    }
}

#[derive(Debug)]
struct Unstored<A> {
    key: Key,
    open: Open<A>,
}

#[derive(Debug)]
pub(super) struct JoinedSms<A> {
    pub from: String,
    pub to: String,
    pub text: String,
    pub parts: u8,
    pub complete: bool,
    /// Sent after the message is stored.
    pub answers: Vec<A>,
    /// Used if the message cannot be stored.
    kept: Option<Box<Unstored<A>>>,
}

#[derive(Debug)]
pub(super) enum ReassemblyAction<A> {
    /// Acknowledge these; their message stays incomplete.
    Release(Vec<A>),
    HandOver(JoinedSms<A>),
}

#[derive(Debug)]
pub(super) struct Reassembly<A> {
    hold: Duration,
    expiry: Duration,
    /// Pause before a message that could not be stored is tried again.
    retry: Duration,
    open: HashMap<Key, Open<A>>,
    octets: usize,
    answers: usize,
}

impl<A> Reassembly<A> {
    pub(super) fn new(hold: Duration, expiry: Duration, retry: Duration) -> Self {
        Self { hold, expiry, retry, open: HashMap::new(), octets: 0, answers: 0 }
    }

    /// Returns the message if it needs no joining or is complete now; the incomplete message that had the reference before;
    /// or the oldest incomplete one if there are too many.
    pub(super) fn add(&mut self, part: MobilePart, answer: A, now: Instant) -> Option<JoinedSms<A>> {
        let Some(PartPosition { reference, total, number }) = part.place else {
            return Some(single(part, answer));
        };
        let key = Key { from: part.from.clone(), to: part.to.clone(), reference, total, displaced: 0 };
        let previous = if self.has_another(&key, &part, number) { self.take(&key) } else { None };
        let open = self.open.entry(key.clone()).or_insert_with(|| Open {
            parts: BTreeMap::new(),
            answers: Vec::new(),
            released: false,
            release_at: now + self.hold,
            hand_over_at: now + self.expiry,
        });
        if open.answers.is_empty() {
            open.release_at = now + self.hold;
        }
        self.octets += part.octets.len();
        let replaced = open.parts.insert(number, part);
        self.octets -= replaced.map_or(0, |part| part.octets.len());
        open.answers.push(answer);
        self.answers += 1;
        if open.answers.len() >= MOST_ANSWERS {
            open.release_at = now;
        }
        if open.parts.len() == usize::from(total) {
            return self.take(&key);
        }
        if previous.is_some() {
            return previous;
        }
        if self.answers > MOST_ANSWERS_OF_ALL {
            let held = self.open.values_mut().filter(|open| !open.answers.is_empty());
            if let Some(longest) = held.min_by_key(|open| open.release_at) {
                longest.release_at = now;
            }
        }
        if self.open.len() > MOST_OPEN || self.octets > MOST_OCTETS {
            let oldest = self.open.iter().min_by_key(|(_, open)| open.hand_over_at).map(|(key, _)| key.clone());
            return oldest.and_then(|key| self.take(&key));
        }
        None
    }

    /// True if another text is in the place of this part: the phone uses the reference again, for the next message.
    fn has_another(&self, key: &Key, part: &MobilePart, number: u8) -> bool {
        self.open.get(key).and_then(|open| open.parts.get(&number)).is_some_and(|stored| stored != part)
    }

    pub(super) fn next_due(&self) -> Option<Instant> {
        self.open
            .values()
            .map(
                |open| if open.answers.is_empty() { open.hand_over_at } else { open.release_at.min(open.hand_over_at) },
            )
            .min()
    }

    /// Returns one action that is due at `now`. Call it until there is none.
    pub(super) fn due(&mut self, now: Instant) -> Option<ReassemblyAction<A>> {
        let expired = self.open.iter().find(|(_, open)| open.hand_over_at <= now).map(|(key, _)| key.clone());
        if let Some(joined) = expired.and_then(|key| self.take(&key)) {
            return Some(ReassemblyAction::HandOver(joined));
        }
        let held = self.open.values_mut().find(|open| open.release_at <= now && !open.answers.is_empty())?;
        held.released = true;
        let answers = std::mem::take(&mut held.answers);
        self.answers -= answers.len();
        Some(ReassemblyAction::Release(answers))
    }

    /// The answers of parts that were not acknowledged are returned: the SMSC repeats them. Others are kept and become due again.
    pub(super) fn not_stored(&mut self, joined: JoinedSms<A>, now: Instant) -> Vec<A> {
        if let Some(kept) = joined.kept
            && kept.open.released
        {
            let Unstored { mut key, mut open } = *kept;
            while self.open.contains_key(&key) {
                key.displaced += 1;
            }
            open.hand_over_at = now + self.retry;
            self.octets += open.octets();
            self.open.insert(key, open);
        }
        joined.answers
    }

    /// Returns all messages with acknowledged parts at the end of the bind, because the SMSC will not repeat them.
    pub(super) fn drain_released(&mut self) -> Vec<JoinedSms<A>> {
        let keys: Vec<Key> = self.open.iter().filter(|(_, open)| open.released).map(|(key, _)| key.clone()).collect();
        keys.iter().filter_map(|key| self.take(key)).collect()
    }

    fn take(&mut self, key: &Key) -> Option<JoinedSms<A>> {
        let mut open = self.open.remove(key)?;
        self.octets = self.octets.saturating_sub(open.octets());
        let answers = std::mem::take(&mut open.answers);
        self.answers -= answers.len();
        Some(JoinedSms {
            from: key.from.clone(),
            to: key.to.clone(),
            text: text_of(&open.parts),
            parts: u8::try_from(open.parts.len()).unwrap_or(u8::MAX),
            complete: open.parts.len() == usize::from(key.total),
            answers,
            kept: Some(Box::new(Unstored { key: key.clone(), open })),
        })
    }
}

fn single<A>(part: MobilePart, answer: A) -> JoinedSms<A> {
    JoinedSms {
        text: part.coding.decode(&part.octets),
        from: part.from,
        to: part.to,
        parts: 1,
        complete: true,
        answers: vec![answer],
        kept: None,
    }
}

/// Parts of one coding are joined before decoding, because a character may lie across the border.
fn text_of(parts: &BTreeMap<u8, MobilePart>) -> String {
    let mut text = String::new();
    let mut run: Option<(OctetCoding, Vec<u8>)> = None;
    for part in parts.values() {
        match &mut run {
            Some((coding, octets)) if *coding == part.coding => octets.extend_from_slice(&part.octets),
            _ => {
                if let Some((coding, octets)) = run.replace((part.coding, part.octets.clone())) {
                    text.push_str(&coding.decode(&octets));
                }
            }
        }
    }
    if let Some((coding, octets)) = run {
        text.push_str(&coding.decode(&octets));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smpp::text::{DefaultAlphabet, Shifts};

    const HOLD: Duration = Duration::from_secs(10);
    const EXPIRY: Duration = Duration::from_secs(300);
    const RETRY: Duration = Duration::from_secs(5);

    fn part(reference: u16, total: u8, number: u8, text: &str) -> MobilePart {
        MobilePart {
            from: "27820000001".into(),
            to: "27110000000".into(),
            coding: OctetCoding::of(0, DefaultAlphabet::Gsm, Shifts::default()),
            octets: text.as_bytes().to_vec(),
            place: Some(PartPosition { reference, total, number }),
        }
    }

    #[test]
    fn parts_in_any_order_and_repeated_become_one_message() {
        let mut parts = Reassembly::new(HOLD, EXPIRY, RETRY);
        let now = Instant::now();
        assert!(parts.add(part(7, 3, 3, "three"), 'c', now).is_none());
        assert!(parts.add(part(7, 3, 1, "one "), 'a', now).is_none());
        assert!(parts.add(part(7, 3, 1, "one "), 'A', now).is_none());
        let joined = parts.add(part(7, 3, 2, "two "), 'b', now).unwrap();
        assert_eq!((joined.text.as_str(), joined.parts, joined.complete), ("one two three", 3, true));
        assert_eq!(joined.answers, ['c', 'a', 'A', 'b'], "every delivery is answered");
        assert!(parts.next_due().is_none());
    }

    #[test]
    fn another_text_in_the_place_of_a_part_begins_the_next_message() {
        let mut parts = Reassembly::new(HOLD, EXPIRY, RETRY);
        let now = Instant::now();
        assert!(parts.add(part(7, 3, 1, "old "), 1, now).is_none());
        assert!(parts.add(part(7, 3, 2, "text "), 2, now).is_none());
        let old = parts.add(part(7, 3, 1, "new "), 3, now).unwrap();
        assert_eq!((old.text.as_str(), old.parts, old.complete), ("old text ", 2, false));
        assert_eq!(old.answers, [1, 2]);
        assert!(parts.add(part(7, 3, 3, "three"), 4, now).is_none());
        let new = parts.add(part(7, 3, 2, "two "), 5, now).unwrap();
        assert_eq!((new.text.as_str(), new.complete), ("new two three", true));
        assert_eq!(new.answers, [3, 4, 5]);
        assert_eq!((parts.octets, parts.answers), (0, 0));
    }

    #[test]
    fn a_message_that_could_not_be_stored_leaves_its_reference_to_the_next_one() {
        let mut parts = Reassembly::new(HOLD, EXPIRY, RETRY);
        let now = Instant::now();
        parts.add(part(7, 2, 1, "old"), 1, now);
        assert!(matches!(parts.due(now + HOLD), Some(ReassemblyAction::Release(answers)) if answers == [1]));
        let old = parts.add(part(7, 2, 1, "new "), 2, now + HOLD).unwrap();
        assert!(parts.not_stored(old, now + HOLD).is_empty());
        let new = parts.add(part(7, 2, 2, "text"), 3, now + HOLD).unwrap();
        assert_eq!((new.text.as_str(), new.answers.as_slice()), ("new text", [2, 3].as_slice()));
        let again = parts.due(now + HOLD + RETRY).unwrap();
        assert!(matches!(again, ReassemblyAction::HandOver(joined) if joined.text == "old" && !joined.complete));
    }

    #[test]
    fn messages_with_the_same_reference_from_different_senders_stay_apart() {
        let mut parts = Reassembly::new(HOLD, EXPIRY, RETRY);
        let now = Instant::now();
        let mut other = part(7, 2, 2, "x");
        other.from = "27820000002".into();
        assert!(parts.add(part(7, 2, 1, "a"), 1, now).is_none());
        assert!(parts.add(other, 2, now).is_none());
    }

    #[test]
    fn a_held_part_is_acknowledged_in_time_for_an_smsc_that_sends_one_at_a_time() {
        let mut parts = Reassembly::new(HOLD, EXPIRY, RETRY);
        let now = Instant::now();
        assert!(parts.add(part(1, 2, 1, "a"), 1, now).is_none());
        assert!(parts.due(now + HOLD - Duration::from_millis(1)).is_none());
        assert!(matches!(parts.due(now + HOLD), Some(ReassemblyAction::Release(answers)) if answers == [1]));
        let joined = parts.add(part(1, 2, 2, "b"), 2, now + HOLD).unwrap();
        assert_eq!((joined.text.as_str(), joined.answers.as_slice()), ("ab", [2].as_slice()));
        assert!(parts.not_stored(joined, now + HOLD).contains(&2));
        let again = parts.due(now + HOLD + RETRY).unwrap();
        assert!(matches!(again, ReassemblyAction::HandOver(joined) if joined.text == "ab" && joined.complete));
    }

    #[test]
    fn an_incomplete_message_is_handed_over_as_it_is() {
        let mut parts = Reassembly::new(HOLD, EXPIRY, RETRY);
        let now = Instant::now();
        assert!(parts.add(part(1, 3, 1, "a"), 1, now).is_none());
        assert!(parts.add(part(1, 3, 3, "c"), 3, now).is_none());
        assert!(matches!(parts.due(now + HOLD), Some(ReassemblyAction::Release(_))));
        assert_eq!(parts.next_due(), Some(now + EXPIRY));
        let Some(ReassemblyAction::HandOver(joined)) = parts.due(now + EXPIRY) else { panic!("nothing was due") };
        assert_eq!((joined.text.as_str(), joined.parts, joined.complete), ("ac", 2, false));
    }

    #[test]
    fn unacknowledged_parts_are_left_to_the_smsc() {
        let mut parts = Reassembly::new(HOLD, EXPIRY, RETRY);
        let now = Instant::now();
        parts.add(part(1, 2, 1, "a"), 1, now);
        let joined = parts.add(part(1, 2, 2, "b"), 2, now).unwrap();
        assert_eq!(parts.not_stored(joined, now), [1, 2]);
        assert!(parts.next_due().is_none() && parts.drain_released().is_empty());
    }

    #[test]
    fn a_character_split_between_two_reads_survives() {
        let mut parts = Reassembly::new(HOLD, EXPIRY, RETRY);
        let now = Instant::now();
        let mut first = part(1, 2, 1, "");
        first.octets = vec![0x41, 0x1b];
        let mut second = part(1, 2, 2, "");
        second.octets = vec![0x65, 0x42];
        parts.add(first, 1, now);
        assert_eq!(parts.add(second, 2, now).unwrap().text, "A€B");
    }

    #[test]
    fn the_oldest_message_is_dropped_when_the_parts_are_too_large() {
        let mut parts = Reassembly::new(HOLD, EXPIRY, RETRY);
        let now = Instant::now();
        let large = "x".repeat(64 * 1024);
        let most = MOST_OCTETS / large.len();
        for reference in (0..).take(most) {
            assert!(parts.add(part(reference, 2, 1, &large), reference, now + EXPIRY / 2).is_none());
            assert!(parts.add(part(reference, 2, 1, &large), reference, now).is_none(), "a repeated part counts once");
        }
        assert!(parts.add(part(60_000, 2, 1, "x"), 60_000, now + EXPIRY).is_some());
        assert!(parts.add(part(60_001, 2, 1, "y"), 60_001, now + EXPIRY).is_none(), "there is room again");
    }

    #[test]
    fn a_part_that_is_repeated_without_end_is_answered() {
        let mut parts = Reassembly::new(HOLD, EXPIRY, RETRY);
        let now = Instant::now();
        for repetition in 1..MOST_ANSWERS {
            parts.add(part(1, 2, 1, "x"), repetition, now);
        }
        assert!(parts.due(now).is_none());
        parts.add(part(1, 2, 1, "x"), 0, now);
        assert!(matches!(parts.due(now), Some(ReassemblyAction::Release(answers)) if answers.len() == MOST_ANSWERS));
    }

    #[test]
    fn beyond_the_limit_of_unanswered_parts_the_longest_held_ones_are_answered() {
        let mut parts = Reassembly::new(HOLD, EXPIRY, RETRY);
        let now = Instant::now();
        let later = now + HOLD / 2;
        parts.add(part(0, 2, 1, "x"), 0, now);
        for number in 1..MOST_ANSWERS_OF_ALL {
            let reference = u16::try_from(number / 100 + 1).unwrap();
            assert!(parts.add(part(reference, 200, u8::try_from(number % 100).unwrap(), "x"), number, later).is_none());
        }
        assert!(parts.due(later).is_none());
        parts.add(part(1_000, 2, 1, "x"), 1_000_000, later);
        assert!(matches!(parts.due(later), Some(ReassemblyAction::Release(answers)) if answers == [0]));
        assert!(parts.due(later).is_none(), "one answer makes room for one");
        let joined = parts.add(part(1_000, 2, 2, "x"), 0, later).unwrap();
        assert_eq!((joined.answers.len(), parts.answers), (2, MOST_ANSWERS_OF_ALL - 1));
    }

    #[test]
    fn the_oldest_message_is_dropped_when_too_many_are_open() {
        let mut parts = Reassembly::new(HOLD, EXPIRY, RETRY);
        let start = Instant::now();
        for reference in 0..2_000u16 {
            assert!(
                parts
                    .add(part(reference, 2, 1, "x"), reference, start + Duration::from_millis(u64::from(reference)))
                    .is_none()
            );
        }
        let pushed_out = parts.add(part(60_000, 2, 1, "x"), 60_000, start + Duration::from_secs(5)).unwrap();
        assert_eq!((pushed_out.answers.as_slice(), pushed_out.complete), ([0].as_slice(), false));
    }
}
