//! The loop of one business number: mark, call, settle.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use channels::whatsapp_cloud::{Accepted, CloudNumber, CloudSend, SendFailure};
use domain::{
    content::OutboundContent,
    ids::{InboxId, MessageId},
};
use futures::{FutureExt, StreamExt, stream::FuturesUnordered};
use storage::outbound::{
    messages,
    work::{self, DueLeg},
};

use super::settle;
use crate::delivery::opaque;
use base::Pace;
use base::{Context, Error, Result, lanes::Lease, secrets::Purpose};

/// Outcomes written in one transaction at most.
const SETTLE_AT_ONCE: usize = 64;
/// How often the queue is looked at while calls are in flight and nobody nudges.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Legs looked at beyond those that can go out, to find other recipients behind several messages to one.
const LOOK_BEYOND: usize = 64;

/// After the second call there is nothing left but to wait for a status, so that wait is this many times as long: giving
/// up too early would report a message as failed that arrived.
const LAST_PATIENCE: u32 = 10;

/// How a provider call ended.
pub(super) struct Outcome {
    pub(super) leg: DueLeg,
    pub(super) content: OutboundContent,
    pub(super) result: std::result::Result<Accepted, SendFailure>,
}

/// The number that sends.
pub(super) struct Sender {
    pub(super) number: CloudNumber,
    pub(super) waba_id: Option<String>,
    pub(super) pace: Arc<Mutex<Pace>>,
}

impl Sender {
    async fn load(ctx: &Context, lease: &Lease, id: InboxId) -> Result<Option<Self>> {
        let mut db = ctx.db.acquire().await?;
        let Some(row) = storage::inboxes::by_id(&mut db, lease.client, id).await? else { return Ok(None) };
        let (Some(phone_number_id), Some(sealed)) = (row.phone_number_id, row.access_token_sealed) else {
            return Ok(None);
        };
        let token = ctx.sealer.open(lease.client, Purpose::AccessToken, &sealed)?;
        let access_token = String::from_utf8_lossy(&token).into_owned();
        let rate =
            row.rate_per_second.and_then(|rate| u32::try_from(rate).ok()).unwrap_or(ctx.settings.cloud_rate_per_second);
        Ok(Some(Self {
            number: CloudNumber { phone_number_id, access_token },
            waba_id: row.waba_id,
            pace: ctx.pacing.of(id, rate, Instant::now()),
        }))
    }

    pub(super) fn pace(&self) -> std::sync::MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends what is due on `number` until nothing is, or the lease is over. Calls in flight are always waited for.
pub(super) async fn run(ctx: &Context, lease: &Lease, number: InboxId) -> Result<()> {
    let Some(sender) = Sender::load(ctx, lease, number).await? else {
        tracing::error!(number.id = %number, "this number has no Cloud credentials; its messages wait until it has");
        return Ok(());
    };
    let mut calls = FuturesUnordered::new();
    let mut busy: HashSet<String> = HashSet::new();
    loop {
        let room = ctx.settings.cloud_in_flight.saturating_sub(calls.len());
        let allowed = if lease.is_over() { 0 } else { sender.pace().take(room, Instant::now()) };
        if allowed > 0 {
            let legs = mark(ctx, lease, &sender, allowed, &busy).await?;
            sender.pace().give_back(allowed - legs.len());
            let idle = legs.is_empty();
            for (leg, content) in legs {
                busy.insert(recipient_of(&leg).to_owned());
                calls.push(call(ctx, lease, &sender, leg, content));
            }
            if idle && calls.is_empty() {
                return Ok(());
            }
        } else if calls.is_empty() && lease.is_over() {
            return Ok(());
        }
        let wait = if room == 0 { LOOK_AGAIN } else { sender.pace().wait(Instant::now()).min(LOOK_AGAIN) };
        let pause = if allowed > 0 { LOOK_AGAIN } else { wait.max(Duration::from_millis(1)) };
        tokio::select! {
            Some(first) = calls.next() => {
                let mut outcomes = vec![first];
                while outcomes.len() < SETTLE_AT_ONCE {
                    match calls.next().now_or_never() {
                        Some(Some(outcome)) => outcomes.push(outcome),
                        Some(None) | None => break,
                    }
                }
                for outcome in &outcomes {
                    busy.remove(recipient_of(&outcome.leg));
                }
                settle::settle(ctx, lease, &sender, outcomes).await?;
            }
            () = lease.nudge.notified() => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// Who a leg goes to.
fn recipient_of(leg: &DueLeg) -> &str {
    leg.to_phone.as_deref().or(leg.to_bsuid.as_deref()).unwrap_or_default()
}

/// Picks up to `limit` legs and commits their `SENDING` marks. A recipient gets its messages in order: one call at a time,
/// none while it is `busy`. Legs to recipients that were written to too often go back for a while; legs whose second
/// answer never came either are given up.
async fn mark(
    ctx: &Context,
    lease: &Lease,
    sender: &Sender,
    limit: usize,
    busy: &HashSet<String>,
) -> Result<Vec<(DueLeg, OutboundContent)>> {
    let now = ctx.now();
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let page = i64::try_from(limit + busy.len() + LOOK_BEYOND).unwrap_or(i64::MAX);
    let due = work::due(&mut tx, lease.client, lease.lane, now, page).await?;
    let (mut go, mut later, mut again, mut lost) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut picked: HashSet<String> = HashSet::new();
    for leg in due {
        let recipient = recipient_of(&leg).to_owned();
        if go.len() == limit || busy.contains(&recipient) || !picked.insert(recipient.clone()) {
            continue;
        }
        if leg.unanswered && leg.ambiguous {
            lost.push(leg);
            continue;
        }
        match sender.pace().admit(&recipient, Instant::now()) {
            Err(wait) => later.push((leg.message, leg.ordinal, now + wait)),
            Ok(()) => {
                if leg.unanswered {
                    again.push((leg.message, leg.ordinal));
                }
                let content = serde_json::from_value(leg.content.clone())
                    .map_err(|source| Error::Unreadable { what: "content of a message", source })?;
                go.push((leg, content));
            }
        }
    }
    let (last, first): (Vec<&DueLeg>, Vec<&DueLeg>) =
        go.iter().map(|(leg, _)| leg).partition(|leg| leg.unanswered || leg.ambiguous);
    for (legs, times) in [(first, 1), (last, LAST_PATIENCE)] {
        let keys: Vec<(MessageId, i16)> = legs.iter().map(|leg| (leg.message, leg.ordinal)).collect();
        work::mark_sending(&mut tx, lease.client, &keys, now, ctx.settings.unknown_after * times).await?;
    }
    messages::mark_ambiguous(&mut tx, lease.client, &again).await?;
    work::put_back(&mut tx, lease.client, &later).await?;
    let wakes = settle::give_up(ctx, &mut tx, lease.client, &lost).await?;
    tx.commit().await?;
    ctx.wake.wake_all(lease.client, wakes);
    Ok(go)
}

async fn call(ctx: &Context, lease: &Lease, sender: &Sender, leg: DueLeg, content: OutboundContent) -> Outcome {
    let opaque = opaque(lease.client, leg.message, leg.ordinal);
    let send = CloudSend {
        phone: leg.to_phone.as_deref(),
        bsuid: leg.to_bsuid.as_deref(),
        content: &content,
        quoted: leg.quoted_provider_id.as_deref(),
        opaque: &opaque,
    };
    let started = Instant::now();
    let result = ctx.cloud.send(&sender.number, &send).await;
    metrics::histogram!("patchbay_provider_call_seconds", "provider" => "whatsapp_cloud")
        .record(started.elapsed().as_secs_f64());
    Outcome { leg, content, result }
}
