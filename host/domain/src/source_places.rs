//! Places that sources hold at the same time, such as connections and logins (ADR 0076). Each source has a share of them.
//! Each /48 network of IPv6 can have one, too, because its owner has many sources.
//!
//! The total is up to the owner of the places, because each has another rule for a full total: to wait, to refuse, or to
//! end the place of another source.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::Hash,
    sync::Arc,
};

use parking_lot::Mutex;

use crate::source::{CountedSource, SourceNetwork};

/// The places of one kind. Clones count together.
#[derive(Debug, Clone)]
pub struct SourcePlaces {
    per_source: usize,
    per_network: usize,
    held: Arc<Mutex<HeldPlaces>>,
}

/// Only sources and networks with places have an entry, so there are no more entries than places.
#[derive(Debug, Default)]
struct HeldPlaces {
    by_source: HashMap<CountedSource, usize>,
    by_network: HashMap<SourceNetwork, usize>,
}

/// A place of a source. It is free again when this is dropped.
#[derive(Debug)]
pub struct SourcePlace {
    held: Arc<Mutex<HeldPlaces>>,
    source: CountedSource,
}

impl SourcePlaces {
    /// A source holds at most `per_source` places at the same time.
    pub fn new(per_source: usize) -> Self {
        Self { per_source, per_network: usize::MAX, held: Arc::default() }
    }

    /// Limits the places of each network, too. A network has no fewer than a source. Use it where a network could take
    /// all places.
    #[must_use]
    pub fn within_networks(self, per_network: usize) -> Self {
        Self { per_network: per_network.max(self.per_source), ..self }
    }

    /// `None` if the source, or its network, has its share already.
    pub fn take(&self, source: CountedSource) -> Option<SourcePlace> {
        let mut held = self.held.lock();
        let network = source.network();
        let of_network = network.and_then(|network| held.by_network.get(&network)).copied().unwrap_or(0);
        if held.of(source) >= self.per_source || of_network >= self.per_network {
            return None;
        }
        *held.by_source.entry(source).or_default() += 1;
        if let Some(network) = network {
            *held.by_network.entry(network).or_default() += 1;
        }
        Some(SourcePlace { held: Arc::clone(&self.held), source })
    }

    pub fn held_by(&self, source: CountedSource) -> usize {
        self.held.lock().of(source)
    }
}

impl HeldPlaces {
    fn of(&self, source: CountedSource) -> usize {
        self.by_source.get(&source).copied().unwrap_or(0)
    }
}

impl SourcePlace {
    pub fn source(&self) -> CountedSource {
        self.source
    }
}

impl Drop for SourcePlace {
    fn drop(&mut self) {
        let mut held = self.held.lock();
        give_back(&mut held.by_source, self.source);
        if let Some(network) = self.source.network() {
            give_back(&mut held.by_network, network);
        }
    }
}

fn give_back<K: Hash + Eq>(counts: &mut HashMap<K, usize>, key: K) {
    if let Entry::Occupied(mut count) = counts.entry(key) {
        *count.get_mut() -= 1;
        if *count.get() == 0 {
            count.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> CountedSource {
        CountedSource::of(text.parse().unwrap())
    }

    #[test]
    fn a_source_has_a_share_and_others_have_their_own() {
        let places = SourcePlaces::new(2);
        let here = source("192.0.2.1");
        let held = [places.take(here).unwrap(), places.take(here).unwrap()];
        assert!(places.take(here).is_none());
        assert!(places.take(source("192.0.2.2")).is_some());
        assert_eq!((places.held_by(here), held[0].source()), (2, here));
    }

    #[test]
    fn a_place_that_is_dropped_is_free_and_leaves_no_entry() {
        let places = SourcePlaces::new(1).within_networks(1);
        let place = places.take(source("2001:db8::1")).unwrap();
        assert!(places.clone().take(source("2001:db8::2")).is_none(), "a clone counts the same places");
        drop(place);
        assert_eq!(places.held_by(source("2001:db8::1")), 0);
        {
            let held = places.held.lock();
            assert!(held.by_source.is_empty() && held.by_network.is_empty());
        }
        assert!(places.take(source("2001:db8::2")).is_some());
    }

    #[test]
    fn the_sources_of_one_network_have_a_common_share() {
        let places = SourcePlaces::new(2).within_networks(3);
        let mut held: Vec<_> = ["2001:db8:1:1::1", "2001:db8:1:1::2", "2001:db8:1:2::1"]
            .map(|text| places.take(source(text)).unwrap())
            .into();
        assert!(places.take(source("2001:db8:1:3::1")).is_none(), "a source without places of a network with three");
        assert!(places.take(source("2001:db8:2:1::1")).is_some(), "another network");
        held.pop();
        assert!(places.take(source("2001:db8:1:1::3")).is_none(), "the share of its source");
        assert!(places.take(source("2001:db8:1:3::1")).is_some());
    }

    #[test]
    fn addresses_of_ipv4_have_no_common_share() {
        let places = SourcePlaces::new(1).within_networks(1);
        let _held = ["192.0.2.1", "192.0.2.2", "::ffff:192.0.2.3"].map(|text| places.take(source(text)).unwrap());
        assert!(places.take(source("::ffff:192.0.2.2")).is_none());
    }

    #[test]
    fn a_network_has_no_fewer_places_than_a_source() {
        let places = SourcePlaces::new(2).within_networks(1);
        let _held = [(); 2].map(|()| places.take(source("2001:db8::1")).unwrap());
        assert!(places.take(source("2001:db8:0:1::1")).is_none());
    }

    #[test]
    fn networks_have_no_limit_if_none_is_given() {
        let places = SourcePlaces::new(1);
        let held: Vec<_> = (0..100).map(|at| places.take(source(&format!("2001:db8:0:{at}::1"))).unwrap()).collect();
        assert_eq!(held.len(), 100);
    }
}
