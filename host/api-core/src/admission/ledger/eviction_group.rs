//! The requests among which one is ended for a new one.

use std::time::Duration;

use crate::admission::{
    account::{Account, Owner},
    load::Load,
    refusal::Refusal,
    settings::Graces,
};

/// A group of requests with a common limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Crowd {
    /// The requests of one source.
    Source(Owner),
    /// All requests without a known client.
    Strangers,
    /// All requests.
    All,
}

impl Crowd {
    pub(super) fn grace(self, graces: Graces) -> Duration {
        match self {
            Self::Source(_) => graces.own_source,
            Self::Strangers | Self::All => graces.others,
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

/// The quantity without room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Short {
    Requests,
    Bytes,
}

impl Short {
    pub(super) fn of(self, load: Load) -> u64 {
        match self {
            Self::Requests => load.requests,
            Self::Bytes => load.bytes,
        }
    }
}

/// Returns the quantity without room if `more` is added. No request begins while answers hold more bytes than the
/// limit.
pub(super) fn short(held: Load, more: Load, most: Load) -> Option<Short> {
    if more.requests > 0 && held.requests + more.requests > most.requests {
        Some(Short::Requests)
    } else if held.bytes + more.bytes.max(1) > most.bytes {
        Some(Short::Bytes)
    } else {
        None
    }
}

pub(super) fn account_is_full(owner: Owner, account: &Account, short: Short) -> Refusal {
    match short {
        Short::Requests => Refusal::requests_of(owner, account.most.requests),
        Short::Bytes => Refusal::bytes_of(owner, account.most.bytes),
    }
}
