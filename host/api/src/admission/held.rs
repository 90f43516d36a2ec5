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

use super::{Admission, refused, share::Share};
use crate::error::{ApiError, ErrorKind};

/// A request's place and bytes. They are given back when the last clone is gone: whatever works for the request when its
/// caller may have hung up keeps one. A probe holds nothing.
#[derive(Clone, Default)]
pub(crate) struct Held(Option<Arc<Place>>);

struct Place {
    admission: Arc<Admission>,
    /// Whose share it counts to, once that is known.
    share: OnceLock<Arc<Share>>,
    /// Bytes that are counted.
    bytes: AtomicU64,
}

impl Held {
    pub(super) fn new(admission: Arc<Admission>) -> Self {
        Self(Some(Arc::new(Place { admission, share: OnceLock::new(), bytes: AtomicU64::new(0) })))
    }

    /// What the request with these extensions holds.
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get::<Self>().cloned().unwrap_or_default()
    }

    /// From now on it counts to this client's share. 429 when the client has enough in flight, or comes too fast.
    pub fn belongs_to(&self, client: ClientId) -> Result<(), ApiError> {
        let Some(place) = &self.0 else { return Ok(()) };
        let settings = &place.admission.settings;
        let share = place.admission.share(Some(client));
        share.next_request(settings, Instant::now()).map_err(|wait| {
            let most = settings.requests_per_second;
            let said = format!("your client may make {most} requests a second: wait as Retry-After says");
            refused("requests_per_second_per_client", ApiError::new(ErrorKind::TooManyRequests, said).retry_after(wait))
        })?;
        if place.move_to(share) {
            return Ok(());
        }
        let most = settings.requests_per_client;
        Err(refused("requests_in_flight_per_client", too_much(format!("{most} requests"))))
    }

    /// Counts bytes of a body before they are there. 503 when the process holds as much as it may, 429 when it is the
    /// client that does.
    pub fn take(&self, bytes: u64) -> Result<(), ApiError> {
        let Some(place) = &self.0 else { return Ok(()) };
        let settings = &place.admission.settings;
        let nobodys = place.share.get().is_none();
        if nobodys && !place.move_to(place.admission.share(None)) {
            return Err(refused("requests_in_flight_without_key", ApiError::overloaded()));
        }
        if !place.admission.bytes.try_add(bytes, settings.bytes) {
            return Err(refused("bytes_in_flight", ApiError::overloaded()));
        }
        let fits = place.share.get().is_none_or(|share| share.bytes.try_add(bytes, settings.bytes_per_client));
        if !fits {
            place.admission.bytes.remove(bytes);
            let most = settings.bytes_per_client;
            let error = if nobodys { ApiError::overloaded() } else { too_much(format!("bodies of {most} bytes")) };
            return Err(refused("bytes_in_flight_per_client", error));
        }
        place.bytes.fetch_add(bytes, Ordering::Relaxed);
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
        for load in place.loads() {
            load.add(bytes);
            load.remove(before);
        }
    }

    fn share(&self) -> Option<(&Place, &Share)> {
        let place = self.0.as_deref()?;
        Some((place, place.share.get()?))
    }
}

fn too_much(what: String) -> ApiError {
    let said = format!("your client may have {what} in flight: wait for answers before you send more");
    ApiError::new(ErrorKind::TooManyRequests, said).retry_after(std::time::Duration::from_secs(1))
}

impl Place {
    /// Counts to a share; `false` when that has no place left.
    fn move_to(&self, share: Arc<Share>) -> bool {
        if !share.requests.try_add(1, self.admission.settings.requests_per_client) {
            return false;
        }
        match self.share.set(share) {
            Ok(()) => true,
            Err(share) => {
                // It counts to one already, which happens when a handler asks twice who is calling.
                share.requests.remove(1);
                true
            }
        }
    }

    fn loads(&self) -> impl Iterator<Item = &super::Load> {
        [Some(&self.admission.bytes), self.share.get().map(|share| &share.bytes)].into_iter().flatten()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let bytes = self.bytes.load(Ordering::Relaxed);
        self.loads().for_each(|load| load.remove(bytes));
        self.admission.requests.remove(1);
        if let Some(share) = self.share.get() {
            share.requests.remove(1);
        }
    }
}
