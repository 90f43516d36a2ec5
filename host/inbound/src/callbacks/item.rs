use chrono::{DateTime, Utc};
use domain::{
    ids::CallbackId,
    inbound::{CallbackBody, CallbackTarget, InboundMessage},
};

pub(super) struct Item {
    pub(super) id: CallbackId,
    pub(super) received_at: DateTime<Utc>,
    pub(super) attempts: i16,
    /// True if it waited for another attempt or behind another item.
    pub(super) was_put_off: bool,
    pub(super) target: CallbackTarget,
    pub(super) body: CallbackBody,
}

impl Item {
    pub(super) fn is_like(&self, next: &Self) -> bool {
        use CallbackBody::{Message, Status};
        matches!((&self.body, &next.body), (Status(_), Status(_)) | (Message(_), Message(_)))
    }

    /// True if it is likely to fail or to come too early again. Then a transaction that it shares would be rolled back
    /// for all.
    pub(super) fn is_taken_alone(&self) -> bool {
        // Each message that was put off counts: a tap or a plain text can be a choice and name no message.
        self.attempts > 0 || (self.was_put_off && self.message().is_some())
    }

    pub(super) fn message(&self) -> Option<&InboundMessage> {
        self.body.message()
    }
}
