//! The usage and limits of one client or source: requests in flight, rates, concurrent database use.

use std::{net::IpAddr, sync::Arc, time::Duration};

use base::{Pace, share_of_strangers};
use domain::{ids::ClientId, source::CountedSource, token_bucket::TokenBucket};
use tokio::{sync::Semaphore, time::Instant};

use super::{load::RequestLoad, settings::AdmissionSettings};

/// Processor time that strangers at one address may use at once.
const AT_ONCE: Duration = Duration::from_secs(1);
/// In the long run they may use 1/`ONE_OF` of one processor.
const ONE_OF: u32 = 4;

/// The processor time of the connections and requests of one address. Work for known clients and providers is not
/// counted, because their requests are limited. All strangers together may use half of the processors.
pub fn pace_of_address() -> Pace {
    Pace::new(AT_ONCE, ONE_OF).within(share_of_strangers())
}

/// The client or source that a request counts toward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Owner {
    /// The client of the request's key.
    Client(ClientId),
    /// The source of the request, until its client is known.
    Source(CountedSource),
    /// A source that calls a provider route. These routes have a separate quota.
    CallbackSource(CountedSource),
}

impl Owner {
    pub fn from_source(address: Option<IpAddr>) -> Self {
        Self::Source(CountedSource::of_caller(address))
    }

    /// The source of a request to a route of a provider.
    pub fn of_callback(address: Option<IpAddr>) -> Self {
        Self::CallbackSource(CountedSource::of_caller(address))
    }

    /// True if the client is not known.
    pub fn is_source(self) -> bool {
        !matches!(self, Self::Client(_))
    }
}

#[derive(Debug)]
pub(super) struct AdmissionAccount {
    /// The load of its requests in flight.
    pub held: RequestLoad,
    /// The most load that is allowed at the same time.
    pub limit: RequestLoad,
    /// Requests per second.
    pub requests: TokenBucket,
    /// Recipients of sends per second.
    pub recipients: TokenBucket,
    /// Requests that may use the database at the same time.
    pub turns: Arc<Semaphore>,
    /// Processor time of a source behind a trusted proxy.
    pub pace: Arc<Pace>,
}

impl AdmissionAccount {
    pub fn new(settings: &AdmissionSettings, owner: Owner, now: Instant) -> Self {
        let (requests, bytes) = match owner {
            Owner::Client(_) => (settings.requests_per_client, settings.bytes_per_client),
            Owner::Source(_) | Owner::CallbackSource(_) => (settings.requests_per_source, settings.bytes_per_source),
        };
        let limit = RequestLoad { requests, bytes, answers: requests };
        Self {
            held: RequestLoad::default(),
            limit,
            requests: TokenBucket::full(settings.request_rate(), now.into_std()),
            recipients: TokenBucket::full(settings.recipient_rate(), now.into_std()),
            turns: Arc::new(Semaphore::new(settings.turns_per_client.max(1))),
            pace: Arc::new(pace_of_address()),
        }
    }

    /// True if it can be removed, because a new account would have the same state.
    pub fn is_idle(&mut self, settings: &AdmissionSettings, now: Instant) -> bool {
        self.held == RequestLoad::default()
            && Arc::strong_count(&self.turns) == 1
            && Arc::strong_count(&self.pace) == 1
            && self.pace.is_unused()
            && self.requests.is_full(settings.request_rate(), now.into_std())
            && self.recipients.is_full(settings.recipient_rate(), now.into_std())
    }
}
