use channels::carrier::Doubt;
use domain::carriage::{Acceptance, SendFailure};
use storage::outbound::work::DueLeg;

pub(super) struct LegOutcome {
    pub(super) leg: DueLeg,
    pub(super) result: std::result::Result<Acceptance, SendFailure>,
    /// Kept until the outcome is stored.
    pub(super) doubt: Option<Doubt>,
}
