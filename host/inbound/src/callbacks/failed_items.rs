//! Failed items of callbacks. All are counted by kind, and unreadable ones are stored for inspection.

use base::{
    Context, Result,
    audit::{Actor, Administration, AuditObject, audit},
};
use domain::{
    ids::{CallbackId, ClientId},
    inbound::{CallbackBody, CallbackTarget, UnreadableItem, UnreadableKind, kept},
    inbox::InboxKind,
    page::{Page, PageRequest},
};
use sha2::{Digest, Sha256};
pub use storage::inbound::failed_callbacks::FailedCallback;
use storage::{
    Db, PgConnection,
    inbound::{
        callbacks::NewCallback,
        failed_callbacks::{self, NewFailedCallback},
    },
    inboxes,
};

/// Counts and logs an item that is unreadable or has no effect. The log has no content of it, since that may identify a
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
                "an item of a callback cannot be processed; it is listed for the operator"
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

fn provider_of(target: &CallbackTarget) -> InboxKind {
    match target {
        CallbackTarget::Page(_) => InboxKind::Messenger,
        // Only the device of a Lite number sends items for one of our inboxes.
        CallbackTarget::Inbox(_) => InboxKind::WhatsappLite,
        CallbackTarget::PhoneNumberId(_) | CallbackTarget::Waba(_) | CallbackTarget::Unknown => {
            InboxKind::WhatsappCloud
        }
    }
}

pub(super) fn count_unknown_message(target: &CallbackTarget) {
    let (channel, kind) = (provider_of(target).as_str(), "unknown message");
    metrics::counter!("patchbay_callback_items_ignored_total", "channel" => channel, "kind" => kind).increment(1);
}

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

/// An item that was readable but failed at each attempt.
pub(super) struct GivenUpItem<'a> {
    pub(super) id: CallbackId,
    pub(super) target: &'a CallbackTarget,
    pub(super) body: &'a CallbackBody,
}

/// Stores an item that was given up.
pub(super) async fn keep_given_up(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    GivenUpItem { id, target, body }: GivenUpItem<'_>,
) -> Result<()> {
    let provider = match target {
        CallbackTarget::Inbox(inbox) => inboxes::by_id(db, client, *inbox).await?.map(|inbox| inbox.kind()),
        _ => None,
    };
    let provider = provider.unwrap_or_else(|| provider_of(target));
    let (kind, content) = match body {
        CallbackBody::Message(message) if !message.raw.is_null() => (UnreadableKind::Message, message.raw.to_string()),
        CallbackBody::Account { value, .. } => (UnreadableKind::Change, value.to_string()),
        other => (UnreadableKind::Item, serde_json::to_string(other).unwrap_or_default()),
    };
    let item = UnreadableItem {
        provider,
        kind: kind.as_str().to_owned(),
        reason: "the service could not take it; the log of its operator says why".to_owned(),
        bytes: u64::try_from(content.len()).unwrap_or(u64::MAX),
        content: kept(content),
    };
    count(&CallbackBody::Unreadable(item.clone()));
    let dedupe_hash = Sha256::digest(id.0.as_bytes()).into();
    // The id has the time of giving up, so the item is listed among the newest.
    let new = NewFailedCallback { id: ctx.mint(), dedupe_hash, item: &item };
    failed_callbacks::insert(db, client, &[new], ctx.now()).await?;
    Ok(())
}

pub async fn list(db: &Db, client: ClientId, page: PageRequest) -> Result<Page<FailedCallback>> {
    let mut db = db.acquire().await?;
    let (items, total) = failed_callbacks::page(&mut db, client, page).await?;
    Ok(Page::of(items, total))
}

/// Makes items that were given up due again, after their cause was repaired. `only`: the item with this id in the list.
/// Returns their number. Items that could not be read are not among them, because only their first bytes are kept.
pub async fn take_again(
    admin: &Administration<'_>,
    client: ClientId,
    only: Option<CallbackId>,
    actor: Actor,
) -> Result<usize> {
    let mut tx = admin.db.begin().await?;
    let items = failed_callbacks::take_again(&mut tx, client, only, admin.now()).await?.len();
    if items > 0 {
        let object = only.map_or_else(|| client.to_string(), |id| id.to_string());
        audit(admin, &mut tx, client, actor, "retry", AuditObject::new("callback", &object)).await?;
    }
    tx.commit().await?;
    Ok(items)
}
