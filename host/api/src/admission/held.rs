//! What one request holds of what the process takes on, from its head to the last byte of its answer.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use axum::http::Extensions;
use domain::ids::ClientId;

use super::{
    Admission, refused,
    share::{Owner, Share},
    strangers::Stranger,
};
use crate::error::{ApiError, ErrorKind};

/// A request's place and bytes. They are given back when the last clone is gone: whatever works for the request when its
/// caller may have hung up keeps one. A probe holds nothing.
#[derive(Clone, Default)]
pub(crate) struct Held(Option<Arc<Place>>);

struct Place {
    admission: Arc<Admission>,
    stranger: Stranger,
    /// What it counts to, once that is known.
    counted: OnceLock<Counted>,
    /// Bytes that are counted.
    bytes: AtomicU64,
    /// Bytes of them that count in shares.
    of_share: AtomicU64,
}

/// What a request counts to: a client's share, or that of a door and of whoever comes to it from the same source.
struct Counted {
    share: Arc<Share>,
    /// `None`: a client's, or it comes from somebody who may speak for many.
    source: Option<Arc<Share>>,
}

impl Counted {
    fn shares(&self) -> impl Iterator<Item = &Arc<Share>> {
        std::iter::once(&self.share).chain(&self.source)
    }
}

impl Held {
    pub(super) fn new(admission: Arc<Admission>, stranger: Stranger) -> Self {
        let (counted, bytes, of_share) = (OnceLock::new(), AtomicU64::new(0), AtomicU64::new(0));
        Self(Some(Arc::new(Place { admission, stranger, counted, bytes, of_share })))
    }

    /// What the request with these extensions holds.
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get::<Self>().cloned().unwrap_or_default()
    }

    /// From now on it counts to this client's share. 429 when the client has enough in flight, or comes too fast.
    pub fn belongs_to(&self, client: ClientId) -> Result<(), ApiError> {
        let Some(place) = &self.0 else { return Ok(()) };
        let settings = &place.admission.settings;
        let share = place.admission.share(Owner::Client(client));
        share.next_request(settings, Instant::now()).map_err(|wait| {
            let most = settings.requests_per_second;
            let said = format!("your client may make {most} requests a second: wait as Retry-After says");
            refused("requests_per_second_per_client", ApiError::new(ErrorKind::TooManyRequests, said).retry_after(wait))
        })?;
        if share.enter() {
            place.count_to(Counted { share, source: None });
            return Ok(());
        }
        Err(share.full_of_requests())
    }

    /// Whether it is known whose request it is.
    pub fn is_known(&self) -> bool {
        self.share().is_some()
    }

    /// Counts bytes of a body before they are there. 503 when the process, or the door, holds as much as it may, 429 when it is
    /// the client or the source that does, and 413 when there is never room for so many.
    ///
    /// A body that is larger than the share of its client counts there as most of the share, so that it is taken when the client
    /// has little else in flight, and leaves room for its other requests meanwhile.
    pub fn take(&self, bytes: u64) -> Result<(), ApiError> {
        let Some(place) = &self.0 else { return Ok(()) };
        place.count_somewhere()?;
        let all = &place.admission;
        let body = place.bytes.load(Ordering::Relaxed).saturating_add(bytes);
        if body > all.settings.bytes {
            return Err(refused("bytes_in_flight", never(body, "limits.bytes_in_flight", all.settings.bytes)));
        }
        let before = place.of_share.load(Ordering::Relaxed);
        let after = place.counts_in_share(body)?;
        if !all.bytes.try_add(bytes, all.settings.bytes) {
            return Err(refused("bytes_in_flight", ApiError::overloaded()));
        }
        let mut grown: Vec<&Arc<Share>> = Vec::new();
        for share in place.shares() {
            if !share.bytes.try_change(before, after, share.most.bytes) {
                all.bytes.remove(bytes);
                grown.into_iter().for_each(|share| share.bytes.change(after, before));
                return Err(share.full_of_bytes());
            }
            grown.push(share);
        }
        place.bytes.store(body, Ordering::Relaxed);
        place.of_share.store(after, Ordering::Relaxed);
        Ok(())
    }

    /// 429 while the client has sent to more recipients than it may.
    pub fn recipients_left(&self) -> Result<(), ApiError> {
        let Some((place, share)) = self.share() else { return Ok(()) };
        let settings = &place.admission.settings;
        share.next_recipients(settings, Instant::now()).map_err(|wait| {
            let most = settings.recipients_per_second;
            let said = format!("your client may send to {most} recipients a second: wait as Retry-After says");
            let error = ApiError::new(ErrorKind::TooManyRequests, said).retry_after(wait);
            refused("recipients_per_second_per_client", error)
        })
    }

    /// Counts the recipients of a send that was accepted.
    pub fn charge_recipients(&self, recipients: u32) {
        if let Some((place, share)) = self.share() {
            share.charge_recipients(&place.admission.settings, recipients, Instant::now());
        }
    }

    /// The body of the request is done with; these many bytes of the answer are there instead.
    pub(super) fn exchange_for(&self, bytes: u64) {
        let Some(place) = &self.0 else { return };
        let before = place.bytes.swap(bytes, Ordering::Relaxed);
        place.admission.bytes.change(before, bytes);
        let before = place.of_share.swap(bytes, Ordering::Relaxed);
        place.shares().for_each(|share| share.bytes.change(before, bytes));
    }

    fn share(&self) -> Option<(&Place, &Share)> {
        let place = self.0.as_deref()?;
        let counted = place.counted.get().filter(|counted| matches!(counted.share.owner, Owner::Client(_)))?;
        Some((place, &counted.share))
    }
}

impl Place {
    /// Counts to the shares of strangers unless it is known whose it is. An error when these have no place left.
    fn count_somewhere(&self) -> Result<(), ApiError> {
        if self.counted.get().is_some() {
            return Ok(());
        }
        let Stranger { door, source } = self.stranger;
        let share = self.admission.share(Owner::Door(door));
        if !share.enter() {
            return Err(share.full_of_requests());
        }
        let source = source.map(|source| self.admission.share(Owner::Source(door, source)));
        if let Some(full) = source.as_ref().filter(|source| !source.enter()) {
            share.leave();
            return Err(full.full_of_requests());
        }
        self.count_to(Counted { share, source });
        Ok(())
    }

    /// Counts to shares that it has a place of.
    fn count_to(&self, counted: Counted) {
        if let Err(counted) = self.counted.set(counted) {
            // It counts to others already, which happens when a handler asks twice who is calling.
            counted.shares().for_each(|share| share.leave());
        }
    }

    fn shares(&self) -> impl Iterator<Item = &Arc<Share>> {
        self.counted.get().into_iter().flat_map(Counted::shares)
    }

    /// What a body of so many bytes counts in shares. 413 for one that is never taken there.
    fn counts_in_share(&self, body: u64) -> Result<u64, ApiError> {
        let Some(share) = self.shares().min_by_key(|share| share.most.bytes) else { return Ok(body) };
        let most = share.most.bytes;
        match share.owner {
            _ if body <= most => Ok(body),
            Owner::Client(_) => Ok(most / 4 * 3),
            Owner::Door(_) | Owner::Source(..) => {
                Err(refused("bytes_in_flight_without_key", never(body, "limits.bytes_in_flight_per_client", most)))
            }
        }
    }
}

/// The refusal of a body that there is no room for, however little else is in flight.
fn never(body: u64, limit: &str, most: u64) -> ApiError {
    let said = format!("a body of {body} bytes is never taken here: {limit} leaves {most} bytes for one");
    ApiError::new(ErrorKind::PayloadTooLarge, said)
}

impl Drop for Place {
    fn drop(&mut self) {
        self.admission.bytes.remove(self.bytes.load(Ordering::Relaxed));
        let of_share = self.of_share.load(Ordering::Relaxed);
        self.shares().for_each(|share| share.bytes.remove(of_share));
        self.admission.requests.remove(1);
        self.shares().for_each(|share| share.leave());
    }
}
