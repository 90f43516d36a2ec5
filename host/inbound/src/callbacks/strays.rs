//! Callbacks for a number, page or business account that no client has: they are kept for some days, and taken in when a
//! client adds it (`stray_adoption`). Their signature was valid under the app secret of the operator, because a secret of
//! a client signs only for numbers that the client has (ADR 0079).

use std::collections::{BTreeMap, BTreeSet};

use base::{Context, Result};
use domain::{
    ids::CallbackId,
    inbound::{CallbackBody, CallbackItem, CallbackTarget, KEPT_BYTES_MAX},
};
use outbound::delivery;
use sha2::{Digest, Sha256};
use storage::inbound::stray_callbacks::{self, NewStrayCallback};

/// Counts items for no client, names their sources in the log, and keeps them. If the database refuses them for another
/// reason than an outage, they are dropped, so that the provider does not repeat the callback for ever.
pub(super) async fn keep(ctx: &Context, strays: Vec<CallbackItem>) -> Result<()> {
    let strays: Vec<(&'static str, CallbackItem)> =
        strays.into_iter().filter_map(|item| Some((source(&item.target)?.0, item))).collect();
    if strays.is_empty() {
        return Ok(());
    }
    let mut given = BTreeMap::<&'static str, u64>::new();
    for (kind, _) in &strays {
        *given.entry(*kind).or_default() += 1;
    }
    let targets: BTreeSet<&CallbackTarget> = strays.iter().map(|(_, item)| &item.target).collect();
    for (source, target_id) in targets.into_iter().filter_map(source) {
        tracing::warn!(
            source,
            target_id,
            "a callback is for an unknown number, account or page; it is kept for some days"
        );
    }
    for (kind, items) in given {
        metrics::counter!("patchbay_callback_items_stray_total", "source" => kind).increment(items);
    }
    let kept: Vec<NewStrayCallback> =
        strays.into_iter().map(|(_, item)| item).filter(is_kept).map(|item| new_stray(ctx, item)).collect();
    if kept.is_empty() {
        return Ok(());
    }
    let stored = stray_callbacks::insert(&mut *ctx.db.acquire().await?, &kept, ctx.now()).await;
    match stored.map_err(base::Error::from) {
        Err(error) if error.is_outage() => Err(error),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "callbacks for no client could not be kept");
            Ok(())
        }
        Ok(_) => Ok(()),
    }
}

/// The kind of a source in metrics and logs, and the provider's id. `None`: the item names none.
fn source(target: &CallbackTarget) -> Option<(&'static str, &str)> {
    match target {
        CallbackTarget::PhoneNumberId(id) => Some(("number", id.as_str())),
        CallbackTarget::Waba(id) => Some(("account", id.as_str())),
        CallbackTarget::Page(id) => Some(("page", id.as_str())),
        CallbackTarget::Inbox(_) | CallbackTarget::Unknown => None,
    }
}

fn new_stray(ctx: &Context, item: CallbackItem) -> NewStrayCallback {
    NewStrayCallback { id: ctx.mint::<CallbackId>(), dedupe_hash: hash_of(&item), item }
}

pub(super) fn hash_of(item: &CallbackItem) -> [u8; 32] {
    Sha256::digest(item.dedupe_key.as_bytes()).into()
}

/// True if the item can have an effect for a client that adds its source later. Reports about messages of another program
/// have none.
fn is_kept(item: &CallbackItem) -> bool {
    let has_effect = match &item.body {
        CallbackBody::Status(status) => {
            status.opaque.as_deref().is_some_and(|text| delivery::client_of(text).is_some())
        }
        CallbackBody::Watermark(_) | CallbackBody::Ignored(_) => false,
        CallbackBody::Message(_)
        | CallbackBody::Echo(_)
        | CallbackBody::Change(_)
        | CallbackBody::Referral(_)
        | CallbackBody::Account { .. }
        | CallbackBody::Unreadable(_) => true,
    };
    has_effect && serde_json::to_vec(item).is_ok_and(|bytes| bytes.len() <= KEPT_BYTES_MAX)
}
