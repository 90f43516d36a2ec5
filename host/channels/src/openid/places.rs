//! Places of logins that call the provider. Any stranger can end a login with a made-up code, so few logins call the
//! provider at the same time, and only some of them are of one source.

use std::{collections::HashMap, net::IpAddr, time::Duration};

use domain::source::source_of;
use parking_lot::Mutex;
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};

use super::OpenidFault;

/// Logins that call the provider at the same time in this process.
const PLACES: usize = 16;
/// Logins of one source that call the provider or wait for a place.
const PER_SOURCE: usize = 4;
/// Longest wait for a place.
const WAIT: Duration = Duration::from_secs(10);

pub(super) struct ProviderPlaces {
    all: Semaphore,
    /// Logins that call or wait, without the sources that have none.
    by_source: Mutex<HashMap<Option<IpAddr>, usize>>,
}

/// A place. It is free again when this is dropped.
pub(super) struct ProviderPlace<'p> {
    _share: SourceShare<'p>,
    _permit: SemaphorePermit<'p>,
}

struct SourceShare<'p> {
    places: &'p ProviderPlaces,
    source: Option<IpAddr>,
}

impl ProviderPlaces {
    pub(super) fn new() -> Self {
        Self { all: Semaphore::new(PLACES), by_source: Mutex::default() }
    }

    /// Waits for a place. Fails at once if the source has its share already.
    pub(super) async fn enter(&self, address: Option<IpAddr>) -> Result<ProviderPlace<'_>, OpenidFault> {
        let share = self.count(address.map(source_of)).ok_or(OpenidFault::Crowded)?;
        match timeout(WAIT, self.all.acquire()).await {
            Ok(Ok(permit)) => Ok(ProviderPlace { _share: share, _permit: permit }),
            Ok(Err(_)) | Err(_) => Err(OpenidFault::Crowded),
        }
    }

    fn count(&self, source: Option<IpAddr>) -> Option<SourceShare<'_>> {
        let mut by_source = self.by_source.lock();
        let count = by_source.entry(source).or_default();
        if *count >= PER_SOURCE {
            return None;
        }
        *count += 1;
        Some(SourceShare { places: self, source })
    }
}

impl Drop for SourceShare<'_> {
    fn drop(&mut self) {
        let mut by_source = self.places.by_source.lock();
        if let Some(count) = by_source.get_mut(&self.source) {
            *count -= 1;
            if *count == 0 {
                by_source.remove(&self.source);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, poll};

    use super::*;

    fn address(subnet: usize) -> Option<IpAddr> {
        Some(IpAddr::from([192, 0, u8::try_from(subnet).unwrap(), 1]))
    }

    #[tokio::test]
    async fn one_source_has_a_share_of_the_places() {
        let places = ProviderPlaces::new();
        let mut held = Vec::new();
        for _ in 0..PER_SOURCE {
            held.push(places.enter(address(1)).await.unwrap());
        }
        assert_eq!(places.enter(address(1)).await.err(), Some(OpenidFault::Crowded));
        assert!(places.enter(address(2)).await.is_ok());
        assert!(places.enter(None).await.is_ok());
        held.pop();
        assert!(places.enter(address(1)).await.is_ok());
        drop(held);
        assert!(places.by_source.lock().is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_login_waits_for_a_place_for_ten_seconds() {
        let places = ProviderPlaces::new();
        let mut held = Vec::new();
        for at in 0..PLACES {
            held.push(places.enter(address(at)).await.unwrap());
        }
        assert_eq!(places.enter(address(PLACES)).await.err(), Some(OpenidFault::Crowded));
        let mut waiting = Box::pin(places.enter(address(PLACES)));
        assert!(poll!(&mut waiting).is_pending());
        held.pop();
        assert!(waiting.now_or_never().is_some_and(|place| place.is_ok()));
    }
}
