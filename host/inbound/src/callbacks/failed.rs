//! Items of callbacks that are not taken: counted by their kind, and those that cannot be read kept for inspection.

use base::{Context, Result};
use domain::{
    ids::ClientId,
    inbound::{CallbackBody, CallbackTarget},
    inbox::InboxKind,
    page::{Page, PageRequest},
};
pub use storage::inbound::failed_callbacks::FailedCallback;
use storage::{
    PgConnection, PgPool,
    inbound::{
        callbacks::NewCallback,
        failed_callbacks::{self, NewFailedCallback},
    },
};

/// Counts and logs an item that cannot be read, or has no effect here. Nothing of it is in the log: it may name a customer.
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

/// Counts a status of a message that is not ours.
pub(super) fn count_unknown_message(target: &CallbackTarget) {
    let provider = match target {
        CallbackTarget::Page(_) => InboxKind::Messenger,
        // Of an inbox of ours only its own device tells.
        CallbackTarget::Inbox(_) => InboxKind::WhatsappLite,
        CallbackTarget::PhoneNumberId(_) | CallbackTarget::Waba(_) | CallbackTarget::Nobody => InboxKind::WhatsappCloud,
    };
    let (channel, kind) = (provider.as_str(), "unknown message");
    metrics::counter!("patchbay_callback_items_ignored_total", "channel" => channel, "kind" => kind).increment(1);
}

/// Keeps the items that cannot be read, and answers the others.
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

/// What is kept of a client, the newest first.
///
/// # Errors
/// The database.
pub async fn list(db: &PgPool, client: ClientId, page: PageRequest) -> Result<Page<FailedCallback>> {
    let mut db = db.acquire().await?;
    let (items, total) = failed_callbacks::page(&mut db, client, page.limit(), page.offset()).await?;
    Ok(Page { items, total: u64::try_from(total).unwrap_or(0) })
}
