//! Works off the callbacks of one lane. Neighbouring statuses share a transaction, and [`messages`] takes neighbouring
//! messages. An item that fails is postponed with the later ones of its customer, so that it does not block the number.

use std::time::Duration;

use base::{Context, Result, lanes::Lease};
use domain::{
    ids::InboxId,
    inbound::{CallbackBody, CallbackItem},
};
use storage::inbound::callbacks::{self, ProviderCallback};

use super::{
    group::{give_up, take_group},
    item::Item,
    lite_ids,
    message_runs::take_all,
    waiting_senders::WaitingSenders,
};

const PAGE: i64 = 100;
/// Pause after a small page, so that the next items share a transaction. Customers wait for it too, and most statuses
/// never come here (ADR 0020).
const GATHER: Duration = Duration::from_millis(5);
/// A page of at least this size is followed by the next without a pause.
const FULL_ENOUGH: usize = 50;

/// Works off a lane of the callback queue, page after page, until a page is small. [`Lease::give_back`] checks for the
/// rest.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    while !lease.is_over() {
        let page = {
            let mut db = ctx.db.acquire().await?;
            callbacks::due(&mut db, lease.client, lease.lane, ctx.now(), PAGE).await?
        };
        if page.is_empty() {
            return Ok(());
        }
        let gather = page.len() < FULL_ENOUGH;
        let others_wait = page.iter().any(|callback| callback.others_wait);
        let items = read(ctx, lease, page).await?;
        let waiting = match others_wait {
            true => WaitingSenders::of_page(ctx, lease, &items).await?,
            false => WaitingSenders::default(),
        };
        for group in items.chunk_by(|one, next| one.is_like(next)) {
            if lease.is_over() {
                return Ok(());
            }
            match group {
                [Item { body: CallbackBody::Message(_), .. }, ..] => take_all(ctx, lease, &waiting, group).await?,
                group => take_group(ctx, lease, &waiting, &group.iter().collect::<Vec<_>>()).await?,
            }
        }
        if gather {
            lease.pause(GATHER).await;
            break;
        }
    }
    Ok(())
}

/// Parses a page. Unreadable items are given up at once.
async fn read(ctx: &Context, lease: &Lease, page: Vec<ProviderCallback>) -> Result<Vec<Item>> {
    let mut items = Vec::with_capacity(page.len());
    for callback in page {
        let ProviderCallback { id, received_at, attempts, was_put_off, item, .. } = callback;
        match item {
            Ok(CallbackItem { target, body, .. }) => {
                items.push(Item { id, received_at, attempts, was_put_off, target, body });
            }
            Err(unreadable) => give_up(ctx, lease, id, &unreadable.to_string(), None).await?,
        }
    }
    lite_ids::name_as_stored(ctx, lease.client, InboxId(lease.lane), &mut items).await?;
    Ok(items)
}
