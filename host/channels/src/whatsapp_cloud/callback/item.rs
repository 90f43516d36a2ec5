//! Ids and limits of callback items, and items that cannot be read.

use domain::{
    inbound::{CallbackItem, CallbackTarget, UnreadableKind},
    inbox::InboxKind,
};
use serde_json::Value;

use super::{fields::owned, names::ID_MAX_BYTES};
use crate::ignored_items::unreadable_item;

pub(super) const OBJECT: &str = "whatsapp_business_account";

/// Most facts in one callback: ten times Meta's batch size.
pub const ITEMS_MAX: usize = 10_000;

/// An id of Meta's. It is stored with every fact, so it must be short.
pub(super) fn id(value: &Value, name: &str) -> Option<String> {
    owned(value, name).filter(|id| id.len() <= ID_MAX_BYTES)
}

pub(super) fn cannot_read(target: CallbackTarget, kind: UnreadableKind, reason: &str, item: &Value) -> CallbackItem {
    unreadable_item(target, InboxKind::WhatsappCloud, kind, reason, item)
}
