use std::time::Duration;

/// As many as an endpoint has calls in flight, so that a busy one needs no new connection for every call.
pub(super) const IDLE_PER_HOST: usize = 64;

/// How long an idle connection is kept: there are many hosts, and most are called rarely.
pub(super) const IDLE_FOR: Duration = Duration::from_secs(15);

pub(super) const USER_AGENT: &str = concat!("Patchbay/", env!("CARGO_PKG_VERSION"));
