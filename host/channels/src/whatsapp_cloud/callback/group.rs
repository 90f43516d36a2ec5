//! Messages of groups, which Patchbay does not take.

use domain::{
    inbound::{CallbackBody, UnreadableKind},
    inbox::InboxKind,
};
use serde_json::Value;

use super::fields::text;
use crate::ignored_items::unreadable;

/// A message of a group, which is stored for inspection and is in no chat.
pub(super) fn of_group(message: &Value) -> CallbackBody {
    let reason = "messages of groups are not supported";
    CallbackBody::Unreadable(unreadable(InboxKind::WhatsappCloud, UnreadableKind::GroupMessage, reason, message))
}

pub(super) fn is_of_group(message: &Value) -> bool {
    text(message, "group_id").is_some() || text(message, "recipient_type") == Some("group")
}
