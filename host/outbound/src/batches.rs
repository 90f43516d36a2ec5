//! Shows, pauses, resumes and cancels a batch.
//!
//! A worker that marks legs holds their lane in the same transaction (`dispatch::mark`), and a request that stops a
//! batch locks the lane. So a leg either left before the stop, or does not leave. A call that was in flight and must be
//! repeated checks its batch again ([`respect`]).

use base::{Context, Result};
use chrono::{DateTime, Utc};
use domain::{
    clock::first_id_at,
    delivery::DeliveryState,
    failure_code::OwnCode,
    ids::{BatchId, ClientId, MessageId},
    inbound::ProviderFailure,
    page::{Page, PageRequest},
};
pub use storage::outbound::{
    batches::{Batch, Hold},
    parts::PartOrigin,
};
use storage::{
    Db, PgConnection, Queue,
    outbound::batches::{self, held_until},
    work::lanes::{self, LaneKey},
};
use uuid::Uuid;

use crate::{delivery::advance, delivery_step::DeliveryStep};

/// The code of a message that was cancelled with its batch.
pub const CANCELLED: i64 = OwnCode::Cancelled.code();

#[derive(Debug)]
pub struct BatchProgress {
    pub batch: Batch,
    pub counts: Vec<(DeliveryState, u64)>,
}

#[derive(Debug, thiserror::Error)]
pub enum BatchError {
    #[error("there is no such batch")]
    NotFound,
    #[error("the batch is cancelled")]
    Cancelled,
    /// The fault is in the service, not in the request.
    #[error(transparent)]
    Failed(#[from] base::Error),
}

base::fails_with!(BatchError: storage::Error);

/// Lists the client's batches that were accepted at or after `from` and before `until`, newest first.
pub async fn list(
    db: &Db,
    client: ClientId,
    (from, to): (Option<DateTime<Utc>>, Option<DateTime<Utc>>),
    page: PageRequest,
) -> Result<Page<Batch>> {
    let mut db = db.acquire().await?;
    let between = (from.map_or(Uuid::nil(), first_id_at), to.map_or(Uuid::max(), first_id_at));
    Ok(batches::page(&mut db, client, between, page).await?)
}

pub async fn progress(db: &Db, client: ClientId, batch: BatchId) -> Result<Option<BatchProgress>> {
    let mut db = db.acquire().await?;
    let Some(batch) = batches::find(&mut db, client, batch).await? else { return Ok(None) };
    Ok(Some(count_progress(&mut db, client, batch).await?))
}

async fn count_progress(db: &mut PgConnection, client: ClientId, batch: Batch) -> Result<BatchProgress> {
    let counts = match batch.extent() {
        Some(extent) => batches::progress(db, client, extent).await?,
        None => std::collections::HashMap::new(),
    };
    let mut counts: Vec<(DeliveryState, u64)> =
        counts.into_iter().map(|(state, count)| (state, u64::try_from(count).unwrap_or(0))).collect();
    counts.sort_unstable();
    Ok(BatchProgress { batch, counts })
}

/// Holds back the messages of a batch that have not left, until the batch is resumed.
pub async fn pause(ctx: &Context, client: ClientId, batch: BatchId) -> std::result::Result<BatchProgress, BatchError> {
    let mut tx = ctx.db.begin().await?;
    let batch = alone_with(&mut tx, client, batch).await?;
    batches::hold(&mut tx, client, batch.id, Hold::Paused, ctx.now()).await?;
    if let Some(extent) = batch.extent() {
        batches::postpone(&mut tx, client, extent).await?;
    }
    commit_progress(tx, client, batch.id).await
}

pub async fn resume(ctx: &Context, client: ClientId, batch: BatchId) -> std::result::Result<BatchProgress, BatchError> {
    let mut tx = ctx.db.begin().await?;
    let batch = alone_with(&mut tx, client, batch).await?;
    batches::release(&mut tx, client, batch.id).await?;
    if let Some(extent) = batch.extent() {
        batches::take_up(&mut tx, client, extent, ctx.now()).await?;
    }
    let progress = commit_progress(tx, client, batch.id).await?;
    ctx.wake.wake(Queue::Outbound, client, batch.inbox.0);
    Ok(progress)
}

/// Fails the messages of a batch that have not left.
pub async fn cancel(ctx: &Context, client: ClientId, batch: BatchId) -> std::result::Result<BatchProgress, BatchError> {
    let mut tx = ctx.db.begin().await?;
    let batch = match alone_with(&mut tx, client, batch).await {
        Err(BatchError::Cancelled) => {
            drop(tx);
            return progress(&ctx.db, client, batch).await?.ok_or(BatchError::NotFound);
        }
        other => other?,
    };
    batches::hold(&mut tx, client, batch.id, Hold::Cancelled, ctx.now()).await?;
    let unsent = match batch.extent() {
        Some(extent) => batches::unsent(&mut tx, client, extent).await?,
        None => Vec::new(),
    };
    let steps = unsent.into_iter().map(|message| cancel_step(message, 0, ctx.now())).collect();
    let wakes = advance(ctx, &mut tx, client, steps).await?;
    let progress = commit_progress(tx, client, batch.id).await?;
    ctx.wake.wake_all(client, wakes);
    Ok(progress)
}

async fn alone_with(db: &mut PgConnection, client: ClientId, batch: BatchId) -> std::result::Result<Batch, BatchError> {
    let found = batches::find(db, client, batch).await?.ok_or(BatchError::NotFound)?;
    lanes::block_lane(db, LaneKey { client, queue: Queue::Outbound, lane: found.inbox.0 }).await?;
    // Another request may have stopped the batch while this one waited for the lock.
    match batches::find(db, client, batch).await?.ok_or(BatchError::NotFound)? {
        Batch { hold: Some(Hold::Cancelled), .. } => Err(BatchError::Cancelled),
        found => Ok(found),
    }
}

async fn commit_progress(
    mut tx: storage::Transaction<'_>,
    client: ClientId,
    batch: BatchId,
) -> std::result::Result<BatchProgress, BatchError> {
    let batch = batches::find(&mut tx, client, batch).await?.ok_or(BatchError::NotFound)?;
    let progress = count_progress(&mut tx, client, batch).await?;
    tx.commit().await?;
    Ok(progress)
}

pub(crate) fn cancel_step(message: MessageId, ordinal: i16, now: DateTime<Utc>) -> DeliveryStep {
    let text = "cancelled: the batch was cancelled before this message was sent".to_owned();
    DeliveryStep {
        message,
        ordinal,
        reached: DeliveryState::Failed,
        at: now,
        provider_id: None,
        failure: Some(ProviderFailure { code: CANCELLED, text }),
        named: Vec::new(),
    }
}

/// Filters legs that are to be called again: those of paused batches wait, those of cancelled batches fail.
pub(crate) async fn respect(
    db: &mut PgConnection,
    client: ClientId,
    later: &mut Vec<(MessageId, i16, DateTime<Utc>)>,
    now: DateTime<Utc>,
) -> Result<Vec<DeliveryStep>> {
    let first: Vec<MessageId> = later.iter().filter(|leg| leg.1 == 0).map(|leg| leg.0).collect();
    let held = batches::find_holds(db, client, &first).await?;
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let mut steps = Vec::new();
    later.retain_mut(|(message, ordinal, due_at)| match held.get(message).filter(|_| *ordinal == 0) {
        Some(Hold::Cancelled) => {
            steps.push(cancel_step(*message, *ordinal, now));
            false
        }
        Some(Hold::Paused) => {
            *due_at = held_until();
            true
        }
        None => true,
    });
    Ok(steps)
}
