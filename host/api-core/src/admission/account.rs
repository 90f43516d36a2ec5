//! The account of one owner: the load of its requests, its rates, and its turns at the database.

use std::{net::IpAddr, sync::Arc};

use domain::ids::ClientId;
use tokio::{sync::Semaphore, time::Instant};

use super::{bucket::Bucket, load::RequestLoad, settings::AdmissionSettings};

/// The client or source that a request counts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Owner {
    /// The client of the request's key.
    Client(ClientId),
    /// The address of the request, or its IPv6 network of 64 bits, until its client is known.
    Source(IpAddr),
}

impl Owner {
    /// True if the client is not known.
    pub fn is_source(self) -> bool {
        matches!(self, Self::Source(_))
    }
}

#[derive(Debug)]
pub(super) struct AdmissionAccount {
    /// The load of its requests in flight.
    pub held: RequestLoad,
    /// The limit of that load.
    pub most: RequestLoad,
    /// Requests per second.
    pub requests: Bucket,
    /// Recipients of sends per second.
    pub recipients: Bucket,
    /// Requests that may use the database at the same time.
    pub turns: Arc<Semaphore>,
}

impl AdmissionAccount {
    pub fn new(settings: &AdmissionSettings, owner: Owner, now: Instant) -> Self {
        let most = match owner {
            Owner::Client(_) => {
                RequestLoad { requests: settings.requests_per_client, bytes: settings.bytes_per_client }
            }
            Owner::Source(_) => {
                RequestLoad { requests: settings.requests_per_source, bytes: settings.bytes_per_source }
            }
        };
        Self {
            held: RequestLoad::default(),
            most,
            requests: Bucket::full(settings.requests_per_second.into(), now),
            recipients: Bucket::full(settings.recipients_per_second.into(), now),
            turns: Arc::new(Semaphore::new(settings.turns_per_client.max(1))),
        }
    }

    /// True if it can be removed, because a new account would have the same state.
    pub fn is_idle(&mut self, settings: &AdmissionSettings, now: Instant) -> bool {
        self.held == RequestLoad::default()
            && Arc::strong_count(&self.turns) == 1
            && self.requests.is_full(settings.requests_per_second.into(), now)
            && self.recipients.is_full(settings.recipients_per_second.into(), now)
    }
}
