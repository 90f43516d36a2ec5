//! The outcome of a provider call.

use channels::carrier::Doubt;
use domain::carriage::{SendFailure, Taken};
use storage::outbound::work::DueLeg;

pub(super) struct Outcome {
    pub(super) leg: DueLeg,
    pub(super) result: std::result::Result<Taken, SendFailure>,
    /// Kept until the outcome is stored.
    pub(super) doubt: Option<Doubt>,
}
