//! The one clock and the one source of ids, both passed in, so that tests run on virtual time.

use chrono::{DateTime, Utc};
use parking_lot::Mutex;
use rand::{RngCore, SeedableRng, rngs::StdRng};
use uuid::Uuid;

pub trait Clock: Send + Sync {
    fn now(&self) -> DateTime<Utc>;

    /// The business time of a moment that a provider reported: the moment itself, unless the business clock was moved.
    fn at(&self, real: DateTime<Utc>) -> DateTime<Utc> {
        real
    }
}

/// Mints UUIDv7 ids that grow within one process, even within a millisecond: their order is the order of events.
pub struct IdSource {
    state: Mutex<IdState>,
}

struct IdState {
    millis: u64,
    counter: u16,
    randomness: StdRng,
}

/// Ids of one millisecond before the clock part is moved forward by one.
const COUNTER_LIMIT: u16 = 0x0fff;

impl IdSource {
    /// `seed` makes the random part reproducible; programs pass operating-system randomness.
    pub fn new(seed: [u8; 32]) -> Self {
        let randomness = StdRng::from_seed(seed);
        Self { state: Mutex::new(IdState { millis: 0, counter: 0, randomness }) }
    }

    pub fn mint(&self, now: DateTime<Utc>) -> Uuid {
        let mut state = self.state.lock();
        let millis = u64::try_from(now.timestamp_millis()).unwrap_or(0);
        if millis > state.millis {
            state.millis = millis;
            state.counter = 0;
        } else if state.counter == COUNTER_LIMIT {
            state.millis += 1;
            state.counter = 0;
        } else {
            state.counter += 1;
        }
        let clock_part = u128::from(state.millis) << 80;
        let version = 0x7_u128 << 76;
        let counter = u128::from(state.counter) << 64;
        let random = u128::from(state.randomness.next_u64() >> 2);
        let variant = 0b10_u128 << 62;
        Uuid::from_u128(clock_part | version | counter | variant | random)
    }

    /// 64 random bits: jitter, sampling. Never keys or secrets.
    pub fn random(&self) -> u64 {
        let mut state = self.state.lock();
        state.randomness.next_u64()
    }
}

/// The last millisecond that an id can tell, in the year 10889.
const LAST_MILLIS: u64 = (1 << 48) - 1;

/// The smallest UUIDv7 of a moment, or of the nearest moment that an id can tell: the bound of a time range.
pub fn first_id_at(moment: DateTime<Utc>) -> Uuid {
    let millis = u64::try_from(moment.timestamp_millis()).unwrap_or(0).min(LAST_MILLIS);
    Uuid::from_u128(u128::from(millis) << 80)
}

pub fn minted_at(id: Uuid) -> DateTime<Utc> {
    let millis = i64::try_from(id.as_u128() >> 80).unwrap_or(0);
    DateTime::from_timestamp_millis(millis).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(millis: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(millis).unwrap()
    }

    #[test]
    fn ids_of_one_millisecond_keep_growing() {
        let ids = IdSource::new([7; 32]);
        let minted: Vec<Uuid> = (0..10_000).map(|_| ids.mint(moment(1_760_000_000_000))).collect();
        assert!(minted.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn ids_never_go_back_when_the_clock_does() {
        let ids = IdSource::new([7; 32]);
        let later = ids.mint(moment(1_760_000_000_500));
        assert!(ids.mint(moment(1_760_000_000_100)) > later);
    }

    #[test]
    fn an_id_tells_the_millisecond_that_it_was_minted_in() {
        let id = IdSource::new([7; 32]).mint(moment(1_760_000_000_123));
        assert_eq!(minted_at(id), moment(1_760_000_000_123));
    }

    #[test]
    fn ids_are_version_7_of_the_rfc_variant() {
        let id = IdSource::new([1; 32]).mint(moment(1_760_000_000_000));
        assert_eq!(id.get_version_num(), 7);
        assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
    }

    #[test]
    fn the_first_id_of_a_moment_sorts_before_any_id_of_it() {
        let id = IdSource::new([1; 32]).mint(moment(1_760_000_000_000));
        assert!(first_id_at(moment(1_760_000_000_000)) < id);
        assert!(first_id_at(moment(1_760_000_000_001)) > id);
    }

    #[test]
    fn a_moment_beyond_the_last_id_comes_after_every_other() {
        let last = moment((1 << 48) - 1);
        assert!(first_id_at(last) > first_id_at(moment((1 << 48) - 2)));
        assert_eq!(first_id_at(moment(1 << 48)), first_id_at(last));
        assert_eq!(first_id_at(moment(-1)), Uuid::nil());
    }
}
