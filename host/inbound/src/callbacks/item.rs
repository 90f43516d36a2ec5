use chrono::{DateTime, Utc};
use domain::{
    ids::CallbackId,
    inbound::{CallbackBody, CallbackTarget, InboundMessage},
};

pub(super) struct Item {
    pub(super) id: CallbackId,
    pub(super) received_at: DateTime<Utc>,
    pub(super) attempts: i16,
    pub(super) target: CallbackTarget,
    pub(super) body: CallbackBody,
}

impl Item {
    pub(super) fn is_like(&self, next: &Self) -> bool {
        use CallbackBody::{Message, Status};
        matches!((&self.body, &next.body), (Status(_), Status(_)) | (Message(_), Message(_)))
    }

    pub(super) fn message(&self) -> Option<&InboundMessage> {
        self.body.message()
    }
}
