//! What one client has in flight, and how fast it goes.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::{AdmissionSettings, Load, bucket::Bucket};

/// One client's part of what the process takes on.
#[derive(Debug)]
pub(super) struct Share {
    pub requests: Load,
    pub bytes: Load,
    rates: Mutex<Rates>,
}

#[derive(Debug)]
struct Rates {
    requests: Bucket,
    recipients: Bucket,
}

impl Share {
    pub fn new(settings: &AdmissionSettings, now: Instant) -> Self {
        let rates = Rates {
            requests: Bucket::full(settings.requests_per_second.into(), now),
            recipients: Bucket::full(settings.recipients_per_second.into(), now),
        };
        Self { requests: Load::default(), bytes: Load::default(), rates: Mutex::new(rates) }
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
