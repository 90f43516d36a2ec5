//! The legs of one read of the queue, by their result.

use channels::carrier::Carrier;
use chrono::{DateTime, Utc};
use domain::{ids::MessageId, inbound::ProviderFailure};
use storage::outbound::work::{DueLeg, EarlierMessages};

#[derive(Debug, Default)]
pub struct PickedLegs {
    pub go: Vec<DueLeg>,
    pub(super) later: Vec<(MessageId, i16, DateTime<Utc>)>,
    pub(super) waiting: Vec<(MessageId, i16, EarlierMessages)>,
    pub failed: Vec<(DueLeg, ProviderFailure)>,
}

impl PickedLegs {
    /// Fails legs that must not go out. A leg in doubt may have arrived, so it is not reported as unsent.
    pub fn fail_where(
        &mut self,
        carrier: &dyn Carrier,
        failure: &ProviderFailure,
        must_not: impl FnMut(&DueLeg) -> bool,
    ) {
        let (out, go) = std::mem::take(&mut self.go).into_iter().partition(must_not);
        self.go = go;
        self.failed.extend(Vec::into_iter(out).map(|leg: DueLeg| {
            let failure = if leg.unanswered { carrier.no_answer() } else { failure.clone() };
            (leg, failure)
        }));
    }
}
