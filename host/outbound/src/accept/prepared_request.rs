use bytes::Bytes;
use domain::{body::FieldFault, ids::InboxId};
use storage::outbound::{messages::NewMessage, parts::NewPart};

use super::call::AcceptError;

pub(super) struct PreparedRequest {
    pub(super) parts: Vec<NewPart>,
    pub(super) messages: Vec<NewMessage>,
    /// Recipients that the tier of a number counts from now on.
    pub(super) counted: Vec<(InboxId, String)>,
    pub(super) source: Option<String>,
    pub(super) response: Bytes,
}

impl PreparedRequest {
    /// True if a recipient was accepted. If all were rejected (SPEC 4.1), the idempotency key stays free.
    pub(super) fn is_accepted(&self) -> bool {
        !self.messages.is_empty()
    }
}

pub(super) fn fault(fault: FieldFault) -> AcceptError {
    AcceptError::Faults(fault.into())
}
