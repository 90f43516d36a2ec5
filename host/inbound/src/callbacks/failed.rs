//! Callback items that are not taken: counted by kind; unreadable ones are kept for inspection.

use base::{Context, Result};
use domain::{
    ids::{CallbackId, ClientId},
    inbound::{CallbackBody, CallbackTarget, UnreadableItem, kept},
    inbox::InboxKind,
    page::{Page, PageRequest},
};
use sha2::{Digest, Sha256};
pub use storage::inbound::failed_callbacks::FailedCallback;
use storage::{
    PgConnection, PgPool,
    inbound::{
        callbacks::NewCallback,
        failed_callbacks::{self, NewFailedCallback},
    },
};

/// Counts and logs an item that cannot be read, or has no effect. Its content is not logged, because it may name a
/// customer.
pub(super) fn count(body: &CallbackBody) {
    match body {
        CallbackBody::Unreadable(item) => {
            let (channel, kind) = (item.provider.as_str(), item.kind.clone());
            tracing::warn!(
                channel,
                kind,
                reason = item.reason,
                bytes = item.bytes,
                "an item of a callback cannot be taken"
            );
            metrics::counter!("patchbay_callback_items_unreadable_total", "channel" => channel, "kind" => kind)
                .increment(1);
        }
        CallbackBody::Ignored(item) => {
            let (channel, kind) = (item.provider.as_str(), item.kind.clone());
            tracing::debug!(channel, kind, name = item.name, "an item of a callback has no effect here");
            metrics::counter!("patchbay_callback_items_ignored_total", "channel" => channel, "kind" => kind)
                .increment(1);
        }
        CallbackBody::Message(_)
        | CallbackBody::Status(_)
        | CallbackBody::Account { .. }
        | CallbackBody::Watermark(_)
        | CallbackBody::Echo(_)
        | CallbackBody::Change(_)
        | CallbackBody::Referral(_) => {}
    }
}

/// The provider of a target.
fn provider_of(target: &CallbackTarget) -> InboxKind {
    match target {
        CallbackTarget::Page(_) => InboxKind::Messenger,
        // Only the device of an inbox of ours reports about it.
        CallbackTarget::Inbox(_) => InboxKind::WhatsappLite,
        CallbackTarget::PhoneNumberId(_) | CallbackTarget::Waba(_) | CallbackTarget::Nobody => InboxKind::WhatsappCloud,
    }
}

/// Counts a status of a message that is not ours.
pub(super) fn count_unknown_message(target: &CallbackTarget) {
    let (channel, kind) = (provider_of(target).as_str(), "unknown message");
    metrics::counter!("patchbay_callback_items_ignored_total", "channel" => channel, "kind" => kind).increment(1);
}

/// Keeps the unreadable items, and returns the others.
pub(super) async fn keep<'a>(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    items: &[&'a NewCallback],
) -> Result<Vec<&'a NewCallback>> {
    let mut others = Vec::with_capacity(items.len());
    let mut failed = Vec::new();
    for callback in items.iter().copied() {
        match &callback.item.body {
            CallbackBody::Unreadable(item) => {
                failed.push(NewFailedCallback { id: callback.id, dedupe_hash: callback.dedupe_hash, item });
            }
            _ => others.push(callback),
        }
    }
    if !failed.is_empty() {
        failed_callbacks::insert(db, client, &failed, ctx.now()).await?;
    }
    Ok(others)
}

/// Keeps an item that was read and could not be taken after all attempts.
pub(super) async fn keep_given_up(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    (id, target, body): (CallbackId, &CallbackTarget, &CallbackBody),
) -> Result<()> {
    let (kind, content) = match body {
        CallbackBody::Message(message) if !message.raw.is_null() => ("message", message.raw.to_string()),
        CallbackBody::Account { value, .. } => ("change", value.to_string()),
        other => ("item", serde_json::to_string(other).unwrap_or_default()),
    };
    let item = UnreadableItem {
        provider: provider_of(target),
        kind: kind.to_owned(),
        reason: "the service could not take it; the log of its operator says why".to_owned(),
        bytes: u64::try_from(content.len()).unwrap_or(u64::MAX),
        content: kept(content),
    };
    count(&CallbackBody::Unreadable(item.clone()));
    let dedupe_hash = Sha256::digest(id.0.as_bytes()).into();
    // With the time when it is given up, so that it is among the newest.
    let new = NewFailedCallback { id: ctx.mint(), dedupe_hash, item: &item };
    failed_callbacks::insert(db, client, &[new], ctx.now()).await?;
    Ok(())
}

/// Returns the kept items of a client, newest first.
///
/// # Errors
/// The database.
pub async fn list(db: &PgPool, client: ClientId, page: PageRequest) -> Result<Page<FailedCallback>> {
    let mut db = db.acquire().await?;
    let (items, total) = failed_callbacks::page(&mut db, client, page.limit(), page.offset()).await?;
    Ok(Page { items, total: u64::try_from(total).unwrap_or(0) })
}
