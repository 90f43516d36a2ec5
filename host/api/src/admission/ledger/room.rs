//! Room for more: who is refused, and whose request is ended, if something is short.

use std::time::Duration;

use tokio::time::Instant;

use super::{Ledger, Number};
use crate::admission::{
    account::{Account, Load, Owner},
    entry::{GRACE, GRACE_OF_CROWDS},
    refusal::Refusal,
};

/// The party whose limit is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Crowd {
    /// One source.
    Source(Owner),
    /// All who have shown no key.
    Strangers,
    /// Everyone.
    All,
}

impl Crowd {
    fn grace(self) -> Duration {
        match self {
            Self::Source(_) => GRACE,
            Self::Strangers | Self::All => GRACE_OF_CROWDS,
        }
    }

    pub fn has(self, owner: Owner) -> bool {
        match self {
            Self::Source(source) => source == owner,
            Self::Strangers => owner.is_source(),
            Self::All => true,
        }
    }
}

impl Ledger {
    /// Whether there is room for more of this owner's.
    ///
    /// A full account refuses its owner; a source may take the place of its own slowest request. If those without a key, or all
    /// together, hold what they may, the slowest request of the largest account among them is ended.
    pub(super) fn make_room(
        &mut self,
        owner: Owner,
        number: Number,
        more: Load,
        more_of_share: Load,
        now: Instant,
    ) -> Result<(), Refusal> {
        let account = self.account(owner, now);
        if let Some(short) = short(account.held, more_of_share, account.most) {
            let full = account_is_full(owner, account, short);
            if !owner.is_source() || !self.end_the_slowest(Crowd::Source(owner), number, more_of_share, now) {
                return Err(full);
            }
        }
        if owner.is_source() && !self.end_the_slowest(Crowd::Strangers, number, more, now) {
            return Err(Refusal::Strangers);
        }
        if !self.end_the_slowest(Crowd::All, number, more, now) {
            return Err(Refusal::Process);
        }
        Ok(())
    }

    /// Ends slow requests of the largest accounts of a crowd until there is room for `more`. `false`: none is left that could be
    /// ended.
    pub(super) fn end_the_slowest(&mut self, crowd: Crowd, except: Number, more: Load, now: Instant) -> bool {
        loop {
            let (held, most) = match crowd {
                Crowd::Source(owner) => {
                    let account = self.account(owner, now);
                    (account.held, account.most)
                }
                Crowd::Strangers => (self.strangers, self.settings.of_strangers()),
                Crowd::All => (self.all, Load { requests: self.settings.requests, bytes: self.settings.bytes }),
            };
            let Some(short) = short(held, more, most) else { return true };
            let Some(slowest) = self.slowest(crowd, except, short, now) else { return false };
            metrics::counter!("patchbay_http_requests_ended_total", "reason" => "slowest").increment(1);
            self.end(slowest);
        }
    }

    fn slowest(&self, crowd: Crowd, except: Number, short: Short, now: Instant) -> Option<Number> {
        let size = |owner: Owner| short.of(self.accounts.get(&owner).map(|account| account.held).unwrap_or_default());
        let waiting = self
            .entries
            .iter()
            .filter(|(number, entry)| crowd.has(entry.owner) && **number != except && short.of(entry.load) > 0);
        let paced =
            waiting.filter_map(|(number, entry)| Some((entry.pace(crowd.grace(), now)?, size(entry.owner), *number)));
        let slowest = paced.min_by(|(pace, size, _), (other_pace, other_size, _)| {
            let slower = pace.partial_cmp(other_pace).unwrap_or(std::cmp::Ordering::Equal);
            other_size.cmp(size).then(slower)
        });
        slowest.map(|(_, _, number)| number)
    }
}

/// The amount that is short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Short {
    Requests,
    Bytes,
}

impl Short {
    fn of(self, load: Load) -> u64 {
        match self {
            Self::Requests => load.requests,
            Self::Bytes => load.bytes,
        }
    }
}

/// What is short if `more` comes. Nothing begins while answers hold more bytes than there is room for.
pub(super) fn short(held: Load, more: Load, most: Load) -> Option<Short> {
    if more.requests > 0 && held.requests + more.requests > most.requests {
        Some(Short::Requests)
    } else if held.bytes + more.bytes.max(1) > most.bytes {
        Some(Short::Bytes)
    } else {
        None
    }
}

/// The refusal of an owner whose account is full.
pub(super) fn account_is_full(owner: Owner, account: &Account, short: Short) -> Refusal {
    match short {
        Short::Requests => Refusal::requests_of(owner, account.most.requests),
        Short::Bytes => Refusal::bytes_of(owner, account.most.bytes),
    }
}
