//! What one client, or some of those who have no key, have in flight, and how fast they go.

use std::{
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use domain::ids::ClientId;

use super::{AdmissionSettings, Load, bucket::Bucket, refused, strangers::Door};
use crate::error::{ApiError, ErrorKind};

/// Whose share it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    /// A client's.
    Client(ClientId),
    /// That of all who come to a door without a key.
    Door(Door),
    /// That of those among them who come from one source.
    Source(Door, IpAddr),
}

/// How much may be in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    pub requests: u64,
    pub bytes: u64,
}

/// A part of what the process takes on.
#[derive(Debug)]
pub(super) struct Share {
    pub owner: Owner,
    pub most: Room,
    requests: Load,
    pub bytes: Load,
    rates: Mutex<Rates>,
}

#[derive(Debug)]
struct Rates {
    requests: Bucket,
    recipients: Bucket,
}

impl Share {
    pub fn new(settings: &AdmissionSettings, owner: Owner, now: Instant) -> Self {
        let rates = Rates {
            requests: Bucket::full(settings.requests_per_second.into(), now),
            recipients: Bucket::full(settings.recipients_per_second.into(), now),
        };
        let most = owner.room(settings);
        Self { owner, most, requests: Load::default(), bytes: Load::default(), rates: Mutex::new(rates) }
    }

    /// The refusal when it has no place left: 429 where the caller alone has them, else 503.
    pub fn full_of_requests(&self) -> ApiError {
        let what = format!("{} requests", self.most.requests);
        match self.owner {
            Owner::Client(_) => refused("requests_in_flight_per_client", too_much("your client", &what)),
            Owner::Door(_) => refused("requests_in_flight_without_key", ApiError::overloaded()),
            Owner::Source(..) => refused("requests_in_flight_per_source", too_much("your address", &what)),
        }
    }

    /// The same when it has no room for the bytes of a body.
    pub fn full_of_bytes(&self) -> ApiError {
        let what = format!("bodies of {} bytes", self.most.bytes);
        match self.owner {
            Owner::Client(_) => refused("bytes_in_flight_per_client", too_much("your client", &what)),
            Owner::Door(_) => refused("bytes_in_flight_without_key", ApiError::overloaded()),
            Owner::Source(..) => refused("bytes_in_flight_per_source", too_much("your address", &what)),
        }
    }

    /// A place for one more request; `false` when there is none.
    pub fn enter(&self) -> bool {
        self.requests.try_add(1, self.most.requests)
    }

    /// A request is over.
    pub fn leave(&self) {
        self.requests.remove(1);
    }

    fn rates<T>(&self, change: impl FnOnce(&mut Rates) -> T) -> T {
        change(&mut self.rates.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// One more request, or how long to wait for it.
    pub fn next_request(&self, settings: &AdmissionSettings, now: Instant) -> Result<(), Duration> {
        self.rates(|rates| rates.requests.take(settings.requests_per_second.into(), now))
    }

    /// Whether recipients may be sent to, or how long to wait until then.
    pub fn next_recipients(&self, settings: &AdmissionSettings, now: Instant) -> Result<(), Duration> {
        self.rates(|rates| rates.recipients.ready(settings.recipients_per_second.into(), now))
    }

    /// Recipients that a send turned out to have.
    pub fn charge_recipients(&self, settings: &AdmissionSettings, recipients: u32, now: Instant) {
        self.rates(|rates| rates.recipients.charge(settings.recipients_per_second.into(), recipients.into(), now));
    }

    /// Whether nothing is lost by forgetting it.
    pub fn is_idle(&self, settings: &AdmissionSettings, now: Instant) -> bool {
        self.rates(|rates| {
            rates.requests.is_full(settings.requests_per_second.into(), now)
                && rates.recipients.is_full(settings.recipients_per_second.into(), now)
        })
    }
}

fn too_much(whose: &str, what: &str) -> ApiError {
    let said = format!("{whose} may have {what} in flight: wait for answers before you send more");
    ApiError::new(ErrorKind::TooManyRequests, said).retry_after(Duration::from_secs(1))
}
