//! The requests among which one is ended for a new one.

use std::time::Duration;

use crate::admission::{
    account::{AdmissionAccount, Owner},
    load::RequestLoad,
    refusal::AdmissionRefusal,
    settings::GracePeriods,
};

/// A group of requests with a common limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EvictionGroup {
    /// The requests of one source.
    Source(Owner),
    /// All requests without a known client, except those of providers.
    Strangers,
    /// All requests to the routes of providers.
    Callbacks,
    /// All requests.
    All,
}

impl EvictionGroup {
    /// The group of requests without a key to which those of this owner belong.
    pub fn without_key(owner: Owner) -> Option<Self> {
        match owner {
            Owner::Client(_) => None,
            Owner::Source(_) => Some(Self::Strangers),
            Owner::CallbackSource(_) => Some(Self::Callbacks),
        }
    }

    pub(super) fn grace(self, graces: GracePeriods) -> Duration {
        match self {
            Self::Source(_) => graces.own_source,
            Self::Strangers | Self::Callbacks | Self::All => graces.others,
        }
    }

    pub fn has(self, owner: Owner) -> bool {
        match self {
            Self::Source(source) => source == owner,
            Self::Strangers | Self::Callbacks => Self::without_key(owner) == Some(self),
            Self::All => true,
        }
    }
}

/// The quantity without room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShortQuantity {
    Requests,
    Bytes,
    /// Answers to requests without a place.
    Answers,
}

impl ShortQuantity {
    pub(super) fn of(self, load: RequestLoad) -> u64 {
        match self {
            Self::Requests => load.requests,
            Self::Bytes => load.bytes,
            Self::Answers => load.answers,
        }
    }
}

/// Returns the quantity without room if `more` is added. No request begins while answers hold more bytes than the
/// limit.
pub(super) fn short(held: RequestLoad, more: RequestLoad, most: RequestLoad) -> Option<ShortQuantity> {
    if more.answers > 0 {
        (held.answers + more.answers > most.answers).then_some(ShortQuantity::Answers)
    } else if more.requests > 0 && held.requests + more.requests > most.requests {
        Some(ShortQuantity::Requests)
    } else if held.bytes + more.bytes.max(1) > most.bytes {
        Some(ShortQuantity::Bytes)
    } else {
        None
    }
}

pub(super) fn account_is_full(owner: Owner, account: &AdmissionAccount, short: ShortQuantity) -> AdmissionRefusal {
    match short {
        ShortQuantity::Requests | ShortQuantity::Answers => {
            AdmissionRefusal::requests_of(owner, account.limit.requests)
        }
        ShortQuantity::Bytes => AdmissionRefusal::bytes_of(owner, account.limit.bytes),
    }
}
