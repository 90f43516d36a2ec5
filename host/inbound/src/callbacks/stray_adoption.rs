//! Takes in callbacks that came before a client added their number, page or business account.

use base::{Context, Error, Result};
use domain::{
    ids::ClientId,
    inbound::{CallbackItem, CallbackTarget},
};
use storage::{
    Transaction,
    inbound::{callbacks::NewCallback, stray_callbacks},
};
use uuid::Uuid;

use super::{
    failed_items::{self, GivenUpItem},
    intake::{look, take_in},
    owners::Owners,
    strays::hash_of,
};

/// Items of one transaction.
const PAGE: i64 = 200;

/// The clients with a source, and the lanes of its items.
type SourceOwners = [(ClientId, Uuid)];

/// Takes in kept items whose source a client has now, and returns their number. Each is taken once, by one process.
pub async fn take_in_strays(ctx: &Context) -> Result<usize> {
    let sources = stray_callbacks::sources_with_an_owner(&mut *ctx.db.acquire().await?).await?;
    if sources.is_empty() {
        return Ok(0);
    }
    let owners = look(ctx, sources.iter()).await?;
    let mut taken = 0;
    for source in &sources {
        taken += take_in_source(ctx, &owners, source).await?;
    }
    Ok(taken)
}

async fn take_in_source(ctx: &Context, owners: &Owners, source: &CallbackTarget) -> Result<usize> {
    let owners = owners.of(source);
    let mut taken = 0;
    while !owners.is_empty() {
        let mut limit = PAGE;
        let page = loop {
            match take_in_page(ctx, &owners, source, limit).await {
                Ok(page) => break page,
                Err(error) if error.is_outage() => return Err(error),
                // One item at a time, so that one that cannot be taken delays no other.
                Err(_) if limit > 1 => limit = 1,
                Err(error) => break give_up_first(ctx, &owners, source, &error).await?,
            }
        };
        taken += page;
        if page == 0 {
            break;
        }
    }
    Ok(taken)
}

/// Takes in the first items of a source in one transaction. Returns their number.
async fn take_in_page(ctx: &Context, owners: &SourceOwners, source: &CallbackTarget, limit: i64) -> Result<usize> {
    let (mut tx, items) = first_items(ctx, source, limit).await?;
    let mut wakes = Vec::with_capacity(owners.len());
    let read: Vec<&CallbackItem> = items.iter().flatten().collect();
    for (client, lane) in owners {
        let new = |item: &CallbackItem| NewCallback {
            id: ctx.mint(),
            lane: *lane,
            dedupe_hash: hash_of(item),
            item: item.clone(),
        };
        let new: Vec<NewCallback> = read.iter().map(|item| new(item)).collect();
        let woken = take_in(ctx, &mut tx, *client, &new.iter().collect::<Vec<_>>(), true).await?;
        wakes.push((*client, woken));
    }
    tx.commit().await?;
    for (client, woken) in wakes {
        ctx.wake.wake_all(client, woken);
    }
    tracing::info!(items = items.len(), "callbacks that came before their number or page was added are taken in");
    Ok(items.len())
}

/// Removes the first items of a source in an open transaction. Those that this version cannot read are logged and dropped.
async fn first_items(
    ctx: &Context,
    source: &CallbackTarget,
    limit: i64,
) -> Result<(Transaction<'static>, Vec<Option<CallbackItem>>)> {
    let mut tx = ctx.db.begin().await?;
    let items = stray_callbacks::remove_first(&mut tx, source, limit).await?;
    let read = |item: storage::Result<CallbackItem>| match item {
        Ok(item) => Some(item),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "a kept callback cannot be read and is dropped");
            None
        }
    };
    Ok((tx, items.into_iter().map(read).collect()))
}

/// Gives up the first item of a source: the clients with the source find it among their failed callbacks.
async fn give_up_first(ctx: &Context, owners: &SourceOwners, source: &CallbackTarget, error: &Error) -> Result<usize> {
    tracing::error!(error = error as &dyn std::error::Error, "a kept callback could not be taken in and is given up");
    let (mut tx, items) = first_items(ctx, source, 1).await?;
    for item in items.iter().flatten() {
        for (client, _) in owners {
            let given_up = GivenUpItem { id: ctx.mint(), target: &item.target, body: &item.body };
            failed_items::keep_given_up(ctx, &mut tx, *client, given_up).await?;
        }
    }
    tx.commit().await?;
    Ok(items.len())
}
