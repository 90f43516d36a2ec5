//! The 8-bit references that join the parts of a long message (3GPP TS 23.040, 9.2.3.24.1). A phone joins by sender and
//! reference, so two long messages to one recipient need two of them.

use std::{
    collections::{HashMap, VecDeque},
    hash::{BuildHasher, RandomState},
    time::{Duration, Instant},
};

use domain::ids::MessageId;
use parking_lot::Mutex;

/// Time for which a phone may still wait for parts, and a part may be repeated.
const KEEP: Duration = Duration::from_secs(3_600);
/// Most remembered messages. Beyond it the oldest is forgotten.
const MOST: usize = 65_536;
/// Number of references.
const REFERENCES: usize = 256;

/// The references in use. The first choice comes from the message id, so a process that has just started chooses the same.
#[derive(Default)]
pub(super) struct PartReferences {
    recent: Mutex<Recent>,
}

#[derive(Default)]
struct Recent {
    hasher: RandomState,
    /// By the hash of source and destination, the oldest first. If two pairs have one hash, they only share references.
    pairs: HashMap<u64, Vec<Used>>,
    order: VecDeque<(Instant, u64)>,
}

#[derive(Clone, Copy)]
struct Used {
    message: MessageId,
    reference: u8,
    at: Instant,
}

impl PartReferences {
    /// Returns the reference of a message: the same for each of its parts, and for their repetitions.
    pub(super) fn choose(&self, (source, destination): (&str, &str), message: MessageId, now: Instant) -> u8 {
        let mut recent = self.recent.lock();
        recent.forget_old(now);
        let pair = recent.hasher.hash_one((source, destination));
        let known = recent.pairs.entry(pair).or_default();
        if let Some(used) = known.iter().find(|used| used.message == message) {
            return used.reference;
        }
        let wanted = message.0.as_bytes().last().copied().unwrap_or_default();
        let reference = if known.len() < REFERENCES {
            let is_free = |reference: &u8| known.iter().all(|used| used.reference != *reference);
            (0..=u8::MAX).map(|step| wanted.wrapping_add(step)).find(is_free).unwrap_or(wanted)
        } else {
            // All are in use: the phone has waited for the longest time for the parts of the oldest.
            known.remove(0).reference
        };
        known.push(Used { message, reference, at: now });
        recent.order.push_back((now, pair));
        reference
    }
}

impl Recent {
    fn forget_old(&mut self, now: Instant) {
        while let Some((at, pair)) = self.order.front().copied() {
            if self.order.len() < MOST && now.saturating_duration_since(at) < KEEP {
                return;
            }
            self.order.pop_front();
            if let Some(known) = self.pairs.get_mut(&pair) {
                known.retain(|used| used.at > at);
                if known.is_empty() {
                    self.pairs.remove(&pair);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const PAIR: (&str, &str) = ("SHOP", "27820000001");

    fn message(number: u128) -> MessageId {
        MessageId(Uuid::from_u128(number))
    }

    #[test]
    fn the_reference_of_a_message_comes_from_its_id_and_stays() {
        let (references, now) = (PartReferences::default(), Instant::now());
        assert_eq!(references.choose(PAIR, message(0x010a), now), 0x0a);
        assert_eq!(references.choose(PAIR, message(0x020a), now), 0x0b);
        for _ in 0..2 {
            assert_eq!(references.choose(PAIR, message(0x020a), now), 0x0b, "a repetition has the same");
        }
        assert_eq!(references.choose(PAIR, message(0x03ff), now), 0xff);
        assert_eq!(references.choose(PAIR, message(0x04ff), now), 0, "after the last comes the first");
    }

    #[test]
    fn messages_to_other_recipients_or_from_other_sources_may_have_the_same_reference() {
        let (references, now) = (PartReferences::default(), Instant::now());
        for pair in [PAIR, ("SHOP", "27820000002"), ("BANK", "27820000001")] {
            assert_eq!(references.choose(pair, message(7), now), 7);
        }
    }

    #[test]
    fn two_hundred_and_fifty_six_messages_to_one_recipient_differ_and_the_next_takes_the_oldest_reference() {
        let (references, now) = (PartReferences::default(), Instant::now());
        let mut chosen: Vec<u8> = (1..=256).map(|number| references.choose(PAIR, message(number << 8), now)).collect();
        chosen.sort_unstable();
        assert_eq!(chosen, (0..=255).collect::<Vec<u8>>());
        assert_eq!(references.choose(PAIR, message(0x0010_0077), now), 0);
        assert_eq!(references.choose(PAIR, message(0x0020_0077), now), 1);
    }

    #[test]
    fn old_messages_are_forgotten_by_time_and_number() {
        let (references, now) = (PartReferences::default(), Instant::now());
        references.choose(PAIR, message(0x0107), now);
        assert_eq!(references.choose(PAIR, message(0x0207), now + KEEP - Duration::from_secs(1)), 8);
        assert_eq!(references.choose(PAIR, message(0x0307), now + KEEP), 7);
        let later = now + KEEP;
        for number in 0..MOST {
            references.choose(("SHOP", number.to_string().as_str()), message(7), later);
        }
        let recent = references.recent.lock();
        assert_eq!((recent.order.len(), recent.pairs.len()), (MOST, MOST));
    }
}
