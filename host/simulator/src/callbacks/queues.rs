//! One worker per phone with waiting callbacks. It posts them in order and retries with back-off.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use bytes::Bytes;
use tokio::time::Instant;

use super::{
    envelope,
    event::{QueuedChange, SimulatedChange},
    sender::lock,
};
use crate::world::SimulatedWorld;

pub(super) const BATCH: &str = "batch";
pub(super) const PAGE_BATCH: &str = "page-batch";
/// Time for which events are collected before batching or reordering.
const COLLECTED: Duration = Duration::from_millis(250);
const BATCH_LENGTH: usize = 50;
const LONGEST_RETRY: Duration = Duration::from_secs(30);
/// Meta gives up after seven days (PROVIDERS A.7).
const GIVE_UP: Duration = Duration::from_secs(7 * 24 * 60 * 60);

pub(super) async fn post_all(world: Arc<SimulatedWorld>, queue: String) {
    while !world.shutdown.is_cancelled() {
        let faults = world.faults();
        let is_batch = queue == BATCH || queue == PAGE_BATCH;
        let collect = faults.reorder_callbacks || is_batch;
        if collect {
            world.pause(COLLECTED).await;
        }
        let Some(mut queued) = take(&world, &queue, collect) else {
            return;
        };
        if faults.reorder_callbacks {
            queued.reverse();
        }
        if let Some(due) = queued.iter().map(|queued| queued.due).max() {
            world.pause(due.saturating_duration_since(Instant::now())).await;
        }
        let mut events: Vec<SimulatedChange> = queued.into_iter().map(|queued| queued.event).collect();
        if is_batch {
            post(&world, &mut events, faults.duplicate_callbacks).await;
        } else {
            for event in &mut events {
                post(&world, std::slice::from_mut(event), faults.duplicate_callbacks).await;
            }
        }
    }
}

/// The next event of the queue, or up to a batch of them. `None` if the queue was empty and is now closed.
fn take(world: &SimulatedWorld, name: &str, all: bool) -> Option<Vec<QueuedChange>> {
    let mut queues = lock(&world.callbacks.queues);
    let queue = queues.get_mut(name)?;
    let count = if all { queue.len().min(BATCH_LENGTH) } else { queue.len().min(1) };
    if count == 0 {
        queues.remove(name);
        return None;
    }
    Some(queue.drain(..count).collect())
}

async fn post(world: &SimulatedWorld, events: &mut [SimulatedChange], twice: bool) {
    let Some(first) = events.first() else {
        return;
    };
    let body = envelope::body(events);
    let (_, app_secret) = world.callbacks.line_of(first);
    let signature = envelope::signature(app_secret, &body);
    let age = world.callbacks.age.load(Ordering::SeqCst);
    let started = Instant::now();
    let mut wait = world.callbacks.first_retry;
    loop {
        // Made before the attempt: a new address that comes during it ends the wait, too.
        let woken = world.callbacks.wake.notified();
        if attempt(world, events, &body, &signature).await {
            break;
        }
        tokio::select! {
            () = world.pause(wait) => {}
            () = woken => {}
        }
        wait = (wait * 2).min(LONGEST_RETRY);
        let outdated = world.callbacks.age.load(Ordering::SeqCst) != age;
        if outdated || world.shutdown.is_cancelled() || started.elapsed() > GIVE_UP {
            return;
        }
    }
    if twice {
        attempt(world, events, &body, &signature).await;
    }
    for event in events {
        if let Some(taken) = event.taken.take() {
            // The receiver may be gone.
            let _ = taken.send(());
        }
    }
}

async fn attempt(world: &SimulatedWorld, events: &[SimulatedChange], body: &Bytes, signature: &str) -> bool {
    let Some((url, _)) = events.first().map(|first| world.callbacks.line_of(first)) else {
        return false;
    };
    let Ok(_permit) = world.callbacks.permits.acquire().await else {
        return false;
    };
    let request = world
        .callbacks
        .client
        .post(&url)
        .header("Content-Type", "application/json")
        .header("User-Agent", "facebookexternalua")
        .header("X-Hub-Signature-256", signature)
        .body(body.clone());
    let Some(answered) = world.shutdown.run_until_cancelled(request.send()).await else { return false };
    world.callbacks.note(&url, &answered);
    let status = answered.ok().map(|answer| answer.status());
    world.state().callbacks.add(events, status.map(|status| status.as_u16()));
    status.is_some_and(|status| status.is_success())
}
