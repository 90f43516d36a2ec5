//! The bind of a message: the one that a router named; otherwise the longest prefix of its number, then the least load.

use std::{sync::Arc, time::Instant};

use domain::sms_route::{OpenBind, binds_for, least_loaded};
use tokio::time::timeout;

use super::{
    SmppGateway,
    gateway::FOR_A_PLACE,
    slot::Slot,
    window::{DoubtRoom, Reservation},
};
use crate::carrier::POLL_INTERVAL;

impl SmppGateway {
    pub(super) fn names(&self) -> Vec<String> {
        self.inner.binds.iter().map(|bind| bind.name().to_owned()).collect()
    }

    pub(super) fn needs_certain_bind(&self, wanted: Option<&str>) -> bool {
        let binds = &self.inner.binds;
        binds.len() > 1 && (wanted.is_some() || binds.iter().any(|bind| !bind.prefixes().is_empty()))
    }

    /// A place on the bind of a message, its own if possible. `None` if there was none in time; the message was then not sent.
    pub(super) async fn take_place(
        &self,
        slot: Slot,
        in_doubt: &DoubtRoom,
        wanted: Option<&str>,
        destination: &str,
    ) -> Option<Slot> {
        if !self.needs_certain_bind(wanted) || self.usable_binds(wanted, destination).contains(&slot.bind_place()) {
            return Some(slot);
        }
        // Given up before another one is awaited: two messages that waited for each other's would wait for ever.
        drop(slot);
        in_doubt.gives_room();
        let until = Instant::now() + FOR_A_PLACE;
        loop {
            // Before the check, so that no change between the two is missed.
            let freed = self.inner.window.bind_freed();
            if let Some(slot) = self.take_one(in_doubt, &self.usable_binds(wanted, destination)) {
                return Some(slot);
            }
            if Instant::now() >= until {
                return None;
            }
            // Both cases need a new check.
            let _ = timeout(POLL_INTERVAL, freed).await;
        }
    }

    /// A bind that a router named is ignored if it does not exist or is not connected.
    fn usable_binds(&self, wanted: Option<&str>, destination: &str) -> Vec<usize> {
        let binds = &self.inner.binds;
        let named = binds.iter().position(|bind| wanted == Some(bind.name()) && bind.is_up());
        if let Some(bind) = named {
            return vec![bind];
        }
        let up: Vec<usize> = (0..).zip(binds).filter(|(_, bind)| bind.is_up()).map(|(place, _)| place).collect();
        let open = self.loads(&up);
        binds_for(&open, destination).into_iter().filter_map(|place| up.get(place).copied()).collect()
    }

    fn take_one(&self, in_doubt: &DoubtRoom, ways: &[usize]) -> Option<Slot> {
        let among: Vec<usize> = (0..ways.len()).collect();
        let place = *ways.get(least_loaded(&self.loads(ways), &among)?)?;
        let bind = self.inner.binds.get(place)?;
        let now = Instant::now();
        let mut admitted = None;
        let mut reserve = |_| match bind.reserve(now) {
            Ok(Some(admission)) => {
                admitted = Some(admission);
                Reservation::Yes
            }
            Ok(None) => Reservation::NotYet,
            Err(_) => Reservation::Closed,
        };
        let held = self.inner.window.take_of(in_doubt, place, &mut reserve)?;
        Some(Slot::new(Arc::clone(bind), held, now, admitted?))
    }

    fn loads(&self, binds: &[usize]) -> Vec<OpenBind<'_>> {
        let used = self.inner.window.used_places();
        let open = binds.iter().filter_map(|place| {
            let bind = self.inner.binds.get(*place)?;
            Some(OpenBind {
                prefixes: bind.prefixes(),
                used: used.get(*place).copied().unwrap_or_default(),
                window: bind.window_size(),
            })
        });
        open.collect()
    }
}
