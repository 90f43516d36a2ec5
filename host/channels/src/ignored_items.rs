//! Callback items that are not taken: unreadable ones and those without an effect here. They are counted and kept.

use domain::{
    inbound::{CallbackBody, CallbackItem, CallbackTarget, IgnoredItem, UnreadableItem, UnreadableKind, kept},
    inbox::InboxKind,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

const NAME_CHARS: usize = 32;

/// An unreadable item. `reason` names fields and no values.
pub(crate) fn unreadable(provider: InboxKind, kind: UnreadableKind, reason: &str, item: &Value) -> UnreadableItem {
    let content = item.to_string();
    let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
    UnreadableItem {
        provider,
        kind: kind.as_str().to_owned(),
        reason: reason.to_owned(),
        content: kept(content),
        bytes,
    }
}

/// The same as an item of a callback. A repetition of the same bytes has the same key.
pub(crate) fn unreadable_item(
    target: CallbackTarget,
    provider: InboxKind,
    kind: UnreadableKind,
    reason: &str,
    item: &Value,
) -> CallbackItem {
    let fact = format!("{}:{}:{item}", provider.as_str(), kind.as_str());
    CallbackItem {
        dedupe_key: format!("unreadable:{}", hex::encode(Sha256::digest(fact.as_bytes()))),
        target,
        body: CallbackBody::Unreadable(unreadable(provider, kind, reason, item)),
    }
}

/// An item without an effect here. `kind` is of a small set, `name` is the provider's word.
pub(crate) fn ignored(provider: InboxKind, kind: &str, name: &str) -> IgnoredItem {
    IgnoredItem { provider, kind: kind.to_owned(), name: name.chars().take(NAME_CHARS).collect() }
}

pub(crate) fn ignored_item(target: CallbackTarget, provider: InboxKind, kind: &str, name: &str) -> CallbackItem {
    let item = ignored(provider, kind, name);
    let dedupe_key = format!("ignored:{kind}:{}", item.name);
    CallbackItem { dedupe_key, target, body: CallbackBody::Ignored(item) }
}
