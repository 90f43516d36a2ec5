//! Reads a page of due deliveries and shapes them. A body of a client's own shaper is stored before it is sent, one of
//! a built-in shaper with its first outcome.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use base::{Context, Error, Result, lanes::Lease};
use bytes::Bytes;
use domain::{
    ids::{DeliveryId, InboxId},
    inbox::InboxKind,
    webhook::FailurePeriod,
};
use plugin_host::World;
use plugins::{
    calls::{self, AnsweringVersion, FinishedCall},
    slots,
};
use storage::{
    PgConnection, inboxes,
    webhooks::{
        configs::{self, Endpoint},
        deliveries::{
            self, ClientShaperResult, DeliveryContent, DeliveryFate, FinishedDelivery, OutcomeRows, Position,
        },
    },
};

use super::{
    attempt::DeliveryTarget,
    copies,
    endpoint::endpoint_of,
    event_message::message_of,
    send_queue::ReadyDelivery,
    settle::{self, next_after_failure},
    shape::{DueEvent, OwnShapers, PageShaper, ShapeOutcome, ShapedDelivery, ShapedInbox},
};

#[derive(Default)]
pub(super) struct DeliveryPage {
    /// `None` if the endpoint takes no more deliveries. Its waiting deliveries have been dropped.
    pub(super) open: Option<OpenEndpoint>,
    pub(super) ready: Vec<ReadyDelivery>,
    pub(super) ended_at: Option<Position>,
    pub(super) fresh: usize,
}

pub(super) struct OpenEndpoint {
    pub(super) target: Arc<DeliveryTarget>,
    pub(super) failing: Option<FailurePeriod>,
}

/// Reads the page after `after`, without deliveries in `held`, and shapes the bodies.
pub(super) async fn prepare(
    ctx: &Context,
    lease: &Lease,
    after: Option<Position>,
    held: Vec<DeliveryId>,
) -> Result<DeliveryPage> {
    let endpoint = endpoint_of(lease);
    let mut db = ctx.db.acquire().await?;
    // Not every page leads to a write before its deliveries are sent, so the lane is checked here too.
    let stored = configs::endpoint_of_lane(&mut db, lease.client, endpoint, lease.fence).await?;
    let open = match stored.ok_or(Error::LeaseLost)? {
        Some(stored) if !stored.url.is_empty() && stored.disabled_at.is_none() => stored,
        Some(stored) if stored.is_listened => {
            drop(db);
            return end_with_copies(ctx, lease, &stored).await.map(|()| DeliveryPage::default());
        }
        closed => {
            drop(db);
            return close(ctx, lease, closed.as_ref()).await;
        }
    };
    let is_listened = open.is_listened;
    let found = find(ctx, &mut db, lease, deliveries::DeliveryQuery { after, held: &held, limit: PAGE }).await?;
    drop(db);
    let (ended_at, fresh) = (found.ended_at, found.fresh.len());
    let ready = make_ready(ctx, lease, found, is_listened).await?;
    let failing = open.failing();
    let open = OpenEndpoint { target: Arc::new(DeliveryTarget::of(ctx, lease.client, open)?), failing };
    Ok(DeliveryPage { open: Some(open), ready, ended_at, fresh })
}

async fn end_with_copies(ctx: &Context, lease: &Lease, endpoint: &Endpoint) -> Result<()> {
    let fate = fate_without_address(endpoint);
    while !lease.is_over() {
        let mut db = ctx.db.acquire().await?;
        let found =
            find(ctx, &mut db, lease, deliveries::DeliveryQuery { after: None, held: &[], limit: PAGE }).await?;
        drop(db);
        let is_last = found.ended_at.is_none();
        let ready = make_ready(ctx, lease, found, true).await?;
        let end = |ready: &ReadyDelivery| FinishedDelivery { id: ready.id, attempts: ready.attempts, fate, body: None };
        let finished: Vec<FinishedDelivery<'_>> = ready.iter().map(end).collect();
        if !finished.is_empty() {
            let mut db = ctx.db.acquire().await?;
            settle::write(&mut db, lease, OutcomeRows { finished: &finished, attempts: &[] }, None)
                .await?
                .ok_or(Error::LeaseLost)?;
        }
        if is_last {
            break;
        }
    }
    Ok(())
}

/// A delivery to an endpoint that was turned off can be sent again after its address was saved.
fn fate_without_address(endpoint: &Endpoint) -> DeliveryFate {
    if endpoint.disabled_at.is_some() { DeliveryFate::Exhausted } else { DeliveryFate::Dropped }
}

struct Found {
    fresh: Vec<DueEvent>,
    ended_at: Option<Position>,
    inboxes: HashMap<InboxId, ShapedInbox>,
}

async fn find(
    ctx: &Context,
    db: &mut PgConnection,
    lease: &Lease,
    look: deliveries::DeliveryQuery<'_>,
) -> Result<Found> {
    let fresh: Vec<DueEvent> = deliveries::due_page(db, lease.client, endpoint_of(lease), ctx.now(), look).await?;
    let ended_at = fresh.last().filter(|_| fresh.len() == PAGE).map(DueEvent::position);
    let unshaped: HashSet<InboxId> =
        fresh.iter().filter(|row| matches!(row.content, DeliveryContent::Event(_))).map(|row| row.inbox).collect();
    let inboxes = shaped_inboxes(ctx, db, lease, unshaped).await?;
    Ok(Found { fresh, ended_at, inboxes })
}

async fn close(ctx: &Context, lease: &Lease, endpoint: Option<&Endpoint>) -> Result<DeliveryPage> {
    let fate = endpoint.map_or(DeliveryFate::Dropped, fate_without_address);
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let ended = deliveries::abandon(&mut tx, lease.client, endpoint_of(lease), fate).await?;
    tx.commit().await?;
    if ended > 0 {
        tracing::info!(client.id = %lease.client, endpoint.id = %endpoint_of(lease), ended,
            "webhook deliveries were dropped, because their endpoint is disabled");
    }
    Ok(DeliveryPage::default())
}

async fn shaped_inboxes(
    ctx: &Context,
    db: &mut PgConnection,
    lease: &Lease,
    inboxes: HashSet<InboxId>,
) -> Result<HashMap<InboxId, ShapedInbox>> {
    let mut shaped = HashMap::new();
    for inbox in inboxes {
        let slots = slots::in_force(db, lease.client, World::WebhookShaper, inbox).await?;
        let found = inboxes::by_id(db, lease.client, inbox).await?;
        let channel = found.as_ref().map(|inbox| inbox.kind().channel());
        let business = found
            .map(|inbox| match (inbox.address(), inbox.kind()) {
                (Some(address), _) => address.to_owned(),
                (None, InboxKind::Sms) => ctx.settings.sms.default_source.clone(),
                (None, _) => String::new(),
            })
            .unwrap_or_default();
        shaped.insert(inbox, ShapedInbox { business, channel, own: OwnShapers::new(slots) });
    }
    Ok(shaped)
}

/// Returns those that can be sent, in the given order.
async fn make_ready(
    ctx: &Context,
    lease: &Lease,
    Found { fresh, inboxes, .. }: Found,
    is_listened: bool,
) -> Result<Vec<ReadyDelivery>> {
    let mut ready = Vec::with_capacity(fresh.len());
    let (mut unshaped, mut unreadable, mut messages) = (Vec::new(), Vec::new(), HashMap::new());
    for mut delivery in fresh {
        match std::mem::replace(&mut delivery.content, DeliveryContent::Body(Vec::new())) {
            DeliveryContent::Event(Ok(event)) => {
                messages.extend(message_of(&event).map(|message| (delivery.id, message)));
                unshaped.push((delivery, event));
            }
            DeliveryContent::Event(Err(error)) => {
                tracing::error!(client.id = %lease.client, delivery.id = %delivery.id,
                    error = &error as &dyn std::error::Error, "a stored webhook event cannot be read and is given up");
                unreadable.push(FinishedDelivery {
                    id: delivery.id,
                    attempts: delivery.attempts,
                    fate: DeliveryFate::Exhausted,
                    body: None,
                });
            }
            DeliveryContent::Body(body) => ready.push(ready_with(&delivery, Bytes::from(body), true)),
        }
    }
    if unshaped.is_empty() && unreadable.is_empty() {
        return Ok(ready);
    }
    let (plugins, sealer) = (Arc::clone(&ctx.plugins), ctx.sealer.clone());
    let shaper = PageShaper { plugins, sealer, client: lease.client, inboxes };
    let shaped = shaper.shape_all(unshaped).await;
    let mut outcome = sort_out(ctx, shaped);
    outcome.finished.extend(unreadable);
    write(ctx, lease, &mut outcome, is_listened).await?;
    ready.extend(outcome.ready.into_iter().map(|one| ReadyDelivery { message: messages.remove(&one.id), ..one }));
    // Ids grow with the order of the events.
    ready.sort_unstable_by_key(|one| one.id);
    Ok(ready)
}

/// Stores own bodies, dropped deliveries, recorded calls, and copies for a developer who listens.
async fn write(ctx: &Context, lease: &Lease, outcome: &mut SortedOut, is_listened: bool) -> Result<()> {
    let calls = std::mem::take(&mut outcome.calls);
    let has_copies = is_listened && !outcome.ready.is_empty();
    if outcome.own.is_empty() && outcome.finished.is_empty() && calls.is_empty() && !has_copies {
        return Ok(());
    }
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    if !outcome.own.is_empty() {
        let shapes: Vec<ClientShaperResult<'_>> = outcome.own.iter().map(OwnSaid::shape).collect();
        deliveries::store_shapes(&mut tx, lease.client, &shapes).await?;
    }
    if !outcome.finished.is_empty()
        && settle::write(&mut tx, lease, OutcomeRows { finished: &outcome.finished, attempts: &[] }, None)
            .await?
            .is_none()
    {
        return Err(Error::LeaseLost);
    }
    let kept = calls::keep(ctx, &mut tx, lease.client, calls).await?;
    // Last, because copies of other endpoints of the client wait for this transaction.
    if has_copies {
        copies::keep(ctx, &mut tx, lease, &outcome.ready).await?;
    }
    tx.commit().await?;
    kept.compare(ctx, lease.client);
    Ok(())
}

fn ready_with(delivery: &DueEvent, body: Bytes, is_stored: bool) -> ReadyDelivery {
    ReadyDelivery {
        id: delivery.id,
        order_key: delivery.order_key,
        inbox: delivery.inbox,
        attempts: delivery.attempts,
        schedule_from: delivery.schedule_from,
        body,
        is_stored,
        message: None,
    }
}

#[derive(Default)]
struct SortedOut {
    ready: Vec<ReadyDelivery>,
    /// If a client's own shaper were called again, it could answer differently.
    own: Vec<OwnSaid>,
    finished: Vec<FinishedDelivery<'static>>,
    calls: Vec<FinishedCall>,
}

struct OwnSaid {
    id: DeliveryId,
    body: Option<Bytes>,
    by: Arc<AnsweringVersion>,
}

impl OwnSaid {
    fn shape(&self) -> ClientShaperResult<'_> {
        let by = &self.by;
        ClientShaperResult {
            id: self.id,
            body: self.body.as_deref(),
            shaper: by.name(),
            version: by.version(),
            sha256: by.sha256(),
        }
    }
}

fn sort_out(ctx: &Context, shaped: Vec<ShapedDelivery>) -> SortedOut {
    let mut outcome = SortedOut::default();
    for ShapedDelivery { delivery, outcome: shape, by, calls } in shaped {
        outcome.calls.extend(calls);
        let said = |body| by.map(|by| OwnSaid { id: delivery.id, body, by });
        let (attempts, fate) = match shape {
            ShapeOutcome::Body(body) => {
                let body = Bytes::from(body);
                let own = said(Some(body.clone()));
                // Bodies of a client's own shaper are stored before any delivery of the page is sent.
                outcome.ready.push(ready_with(&delivery, body, own.is_some()));
                outcome.own.extend(own);
                continue;
            }
            ShapeOutcome::Unwanted => {
                outcome.own.extend(said(None));
                (delivery.attempts, DeliveryFate::Dropped)
            }
            ShapeOutcome::Unreadable => (delivery.attempts, DeliveryFate::Exhausted),
            ShapeOutcome::Failed => {
                let attempts = delivery.attempts.saturating_add(1);
                let schedule = &ctx.settings.webhooks.retry_schedule;
                let counting = attempts.saturating_sub(delivery.schedule_from);
                (attempts, next_after_failure(schedule, counting, ctx.now(), ctx.ids.random(), None))
            }
        };
        outcome.finished.push(FinishedDelivery { id: delivery.id, attempts, fate, body: None });
    }
    outcome
}

/// Deliveries per page. With this many in memory, no further page is read.
pub(super) const PAGE: usize = 256;
