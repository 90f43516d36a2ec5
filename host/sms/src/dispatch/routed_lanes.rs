//! Lanes of SMS that had routers at the last read of this process.

use std::collections::HashSet;

use base::lanes::Lease;
use domain::ids::ClientId;
use parking_lot::Mutex;
use uuid::Uuid;

/// Lanes of SMS that had routers at the last read of this process. It is only a hint. For a lane in it the routers are
/// read before each mark. For other lanes, the statement that holds the lane looks for routers. So a mark without
/// routers makes no query for them, and an activation counts from the next mark on, on every node (ADR 0011).
#[derive(Debug, Default)]
pub(super) struct RoutedLanes(Mutex<HashSet<(ClientId, Uuid)>>);

impl RoutedLanes {
    pub(super) fn note(&self, lease: &Lease, is_routed: bool) {
        let mut routed = self.0.lock();
        let lane = (lease.client, lease.lane);
        if is_routed {
            routed.insert(lane)
        } else {
            routed.remove(&lane)
        };
    }

    pub(super) fn contains(&self, lease: &Lease) -> bool {
        self.0.lock().contains(&(lease.client, lease.lane))
    }
}
