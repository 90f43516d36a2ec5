use super::SendEndpoint;
use crate::body::{Faults, FieldFault};

/// Collects faults with their full paths.
pub(super) struct Check {
    pub(super) endpoint: SendEndpoint,
    pub(super) prefix: &'static str,
    pub(super) faults: Faults,
}

impl Check {
    pub(super) fn prefix(&self) -> &'static str {
        self.prefix
    }

    pub(super) fn fault(&mut self, field: &str, message: impl Into<String>) {
        self.faults.push(FieldFault::new(format!("{}{field}", self.prefix), message));
    }
}
