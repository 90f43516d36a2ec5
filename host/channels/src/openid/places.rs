//! Places of logins that call the provider. Any stranger can end a login with a made-up code, so few logins call the
//! provider at the same time, and only some of them are of one source or of one network.

use std::{net::IpAddr, time::Duration};

use domain::{
    source::CountedSource,
    source_places::{SourcePlace, SourcePlaces},
};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::timeout,
};

use super::OpenidFault;

/// Logins that call the provider at the same time in this process.
const PLACES: usize = 16;
/// Logins of one source that call the provider or wait for a place.
const PER_SOURCE: usize = 4;
/// The same for one /48 network of IPv6.
const PER_NETWORK: usize = PLACES / 2;
/// Longest wait for a place.
const WAIT: Duration = Duration::from_secs(10);

pub(super) struct ProviderPlaces {
    all: Semaphore,
    /// Logins that call or wait.
    shares: SourcePlaces,
}

/// A place. It is free again when this is dropped.
pub(super) struct ProviderPlace<'p> {
    _share: SourcePlace,
    _permit: SemaphorePermit<'p>,
}

impl ProviderPlaces {
    pub(super) fn new() -> Self {
        Self { all: Semaphore::new(PLACES), shares: SourcePlaces::new(PER_SOURCE).within_networks(PER_NETWORK) }
    }

    /// Waits for a place. Fails at once if the source, or its network, has its share already.
    pub(super) async fn enter(&self, address: Option<IpAddr>) -> Result<ProviderPlace<'_>, OpenidFault> {
        let share = self.shares.take(CountedSource::of_caller(address)).ok_or(OpenidFault::Crowded)?;
        match timeout(WAIT, self.all.acquire()).await {
            Ok(Ok(permit)) => Ok(ProviderPlace { _share: share, _permit: permit }),
            Ok(Err(_)) | Err(_) => Err(OpenidFault::Crowded),
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
        assert_eq!(places.shares.held_by(CountedSource::of_caller(address(1))), 0);
    }

    #[tokio::test]
    async fn the_sources_of_one_ipv6_network_have_half_of_the_places() {
        let places = ProviderPlaces::new();
        let source = |network: usize, subnet: usize| format!("2001:db8:{network}:{subnet}::1").parse().ok();
        let mut held = Vec::new();
        for subnet in 0..PER_NETWORK {
            held.push(places.enter(source(1, subnet)).await.unwrap());
        }
        assert_eq!(places.enter(source(1, PER_NETWORK)).await.err(), Some(OpenidFault::Crowded));
        assert!(places.enter(source(2, 0)).await.is_ok());
        held.pop();
        assert!(places.enter(source(1, PER_NETWORK)).await.is_ok());
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
