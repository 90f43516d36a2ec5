//! Accepts the messages of requests: checks, charges, stores and schedules them in one transaction.

use std::{
    collections::{BTreeMap, HashSet},
    time::Instant,
};

use base::{Context, Error, Result, traces};
use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    content::{OutboundContent, SmsContent},
    ids::{BatchId, ClientId, MessageId, PartId, SmsRequestId},
    recipient::{Recipient, order_key},
};
use outbound::message_span;
use storage::{
    PgConnection, Queue,
    inboxes::{self, Inbox},
    outbound::{
        messages::NewMessage,
        outgoing_rows::{self, GroupRows},
        parts::{NewPart, PartOrigin},
        work::{self, WaitReason},
    },
    sms::products::{
        messages::{self as product_messages, NewSms},
        opt_outs::{self, StoppedSources},
        replies,
        requests::{self, NewRequest},
    },
    tenancy::credits::{self, Charge},
};

use crate::{
    deduplication::{self, NewMessages, SourceFacts},
    dispatch::SCHEDULED_FROM,
    notify,
    order::{SmsDraft, SmsOrder},
};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum AcceptOutcome {
    Stored,
    /// All of it was sent before, with this request.
    Before(SmsRequestId),
    /// A batch with the same name exists.
    SameName,
    /// The balance does not cover it. Nothing is stored or charged.
    NoCredits,
}

/// Accepts a request in a transaction of its own. It is stored together with its charge, or not at all. If the caller
/// ends the wait, nothing is stored.
pub(crate) async fn accept(ctx: &Context, client: ClientId, order: &SmsOrder) -> Result<AcceptOutcome> {
    take(ctx, client, std::slice::from_ref(order)).await
}

/// Accepts requests of one client in one transaction. If one fails, each is tried alone, so that it does not affect the
/// others.
pub(crate) async fn accept_all(ctx: &Context, client: ClientId, orders: &[SmsOrder]) -> Vec<Result<AcceptOutcome>> {
    match take(ctx, client, orders).await {
        Ok(AcceptOutcome::Stored) => return orders.iter().map(|_| Ok(AcceptOutcome::Stored)).collect(),
        alone if orders.len() == 1 => return vec![alone],
        Ok(_) => {}
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "a group of SMS requests failed; trying them one by one"
            );
        }
    }
    let mut taken = Vec::with_capacity(orders.len());
    for order in orders {
        taken.push(take(ctx, client, std::slice::from_ref(order)).await);
    }
    taken
}

/// Accepts all requests or none. Any result but [`AcceptOutcome::Stored`] refers to one of them.
async fn take(ctx: &Context, client: ClientId, orders: &[SmsOrder]) -> Result<AcceptOutcome> {
    let mut tx = ctx.db.begin().await?;
    let requests: Vec<NewRequest<'_>> = orders.iter().map(SmsOrder::request).collect();
    if !requests::insert(&mut tx, client, &requests.iter().collect::<Vec<_>>()).await? {
        return Ok(AcceptOutcome::SameName);
    }
    let Some(inbox) = inboxes::default_sms(&mut tx, client).await? else { return Err(Error::Stopped) };
    let own = inbox.address().unwrap_or(&ctx.settings.sms.default_source);
    let stopped = who_stopped(&mut tx, client, orders, own).await?;
    let sources = SourceFacts { own, stopped: &stopped };
    let (unsent, before) = deduplication::unsent(ctx, &mut tx, client, orders, sources).await?;
    let mut drafting = Drafting { ctx, client, stopped: &stopped, unsent, drafts: Vec::new() };
    for (at, order) in orders.iter().enumerate() {
        drafting.add(at, order, order.source.as_deref().unwrap_or(own));
    }
    let mut drafts = drafting.drafts;
    if let (true, Some(before)) = (drafts.is_empty() || orders.len() > 1, before) {
        return Ok(AcceptOutcome::Before(before));
    }
    price(&mut tx, client, orders, &mut drafts).await?;
    store(ctx, &mut tx, client, orders, &inbox, &drafts).await?;
    let told = notify::store_results(ctx, &mut tx, client, orders, &drafts).await?;
    // Last, so that other requests of the client wait only for the commit.
    if !charge(ctx, &mut tx, client, orders, &drafts).await? {
        return Ok(AcceptOutcome::NoCredits);
    }
    tx.commit().await?;
    ctx.wake.wake_all(client, told);
    for (at, order) in orders.iter().enumerate() {
        let messages = drafts.iter().filter(|draft| draft.order == at).count();
        metrics::counter!("patchbay_sms_accepted_total", "product" => order.product.as_str())
            .increment(u64::try_from(messages).unwrap_or(0));
    }
    ctx.wake.wake(Queue::Outbound, client, inbox.id.0);
    Ok(AcceptOutcome::Stored)
}

/// The recipients that have opted out of messages from their source.
async fn who_stopped(
    db: &mut PgConnection,
    client: ClientId,
    orders: &[SmsOrder],
    own: &str,
) -> Result<StoppedSources> {
    let mut asked = Vec::new();
    for order in orders {
        let recipients = order.texts.iter().flat_map(|text| &text.recipients);
        asked.extend(recipients.map(|(to, _)| (order.source.as_deref().unwrap_or(own), to.as_str())));
    }
    Ok(opt_outs::find_stopped(db, client, &asked).await?)
}

/// Collects the messages of the requests of a client.
struct Drafting<'a> {
    ctx: &'a Context,
    client: ClientId,
    stopped: &'a StoppedSources,
    /// Messages that were not sent before.
    unsent: NewMessages,
    drafts: Vec<SmsDraft>,
}

impl Drafting<'_> {
    /// Adds the messages of the request at `at`. Ids of parts are minted before those of their messages.
    fn add(&mut self, at: usize, order: &SmsOrder, source: &str) {
        for (text_at, text) in order.texts.iter().enumerate() {
            let shared: PartId = self.ctx.mint();
            for (to, identifier) in &text.recipients {
                let digest = deduplication::digest(self.ctx, self.client, text, to);
                if digest.is_some_and(|digest| !self.unsent.take(at, digest)) {
                    continue;
                }
                let Some(address) = Address::of_kind(AddressKind::Phone, to) else { continue };
                // A text that is deleted with its message cannot be shared.
                let part = if order.forget_at.is_some() { self.ctx.mint() } else { shared };
                let sms = NewSms {
                    id: self.ctx.mint(),
                    request: order.id,
                    part,
                    recipient: to.clone(),
                    source: source.to_owned(),
                    ct_id: text.ct_id.clone(),
                    identifier: identifier.clone(),
                    units: 0,
                    blocked: self.stopped.contains(source, to),
                    digest,
                };
                self.drafts.push(SmsDraft { order: at, text: text_at, to: address, sms });
            }
        }
    }
}

async fn price(db: &mut PgConnection, client: ClientId, orders: &[SmsOrder], drafts: &mut [SmsDraft]) -> Result<()> {
    let recipients: Vec<&str> = drafts.iter().map(|draft| draft.to.value()).collect();
    let prices = credits::prices(db, client, &recipients).await?;
    for (draft, price) in drafts.iter_mut().zip(prices) {
        let text = orders.get(draft.order).and_then(|order| order.texts.get(draft.text));
        let parts = text.map_or(1, |text| text.parts);
        draft.sms.units = i64::try_from(parts).unwrap_or(i64::MAX).saturating_mul(price);
    }
    Ok(())
}

async fn store(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    orders: &[SmsOrder],
    inbox: &Inbox,
    drafts: &[SmsDraft],
) -> Result<()> {
    let began = Instant::now();
    let rows: Vec<&NewSms> = drafts.iter().map(|draft| &draft.sms).collect();
    product_messages::insert(db, client, &rows, ctx.now()).await?;
    let sent: Vec<&SmsDraft> = drafts.iter().filter(|draft| !draft.sms.blocked).collect();
    let parts = parts_of(orders, inbox, &sent);
    let mut parts: Vec<&NewPart> = parts.iter().collect();
    // Requests with the same priority and time are stored together.
    let mut alike: BTreeMap<(i16, Option<DateTime<Utc>>), Vec<&SmsDraft>> = BTreeMap::new();
    for draft in &sent {
        let Some(order) = orders.get(draft.order) else { continue };
        let priority = order.priority();
        alike.entry((priority, order.due.filter(|_| order.is_due_after(ctx.now())))).or_default().push(draft);
    }
    for ((priority, due), drafts) in alike {
        let new: Vec<NewMessage> = drafts.iter().map(|draft| message_of(inbox, draft)).collect();
        let at = due.unwrap_or(ctx.now());
        let (parts, messages) = (std::mem::take(&mut parts), new.iter().collect());
        let outgoing = GroupRows { parts, messages, ..GroupRows::default() };
        outgoing_rows::insert(db, client, &outgoing, priority, at).await?;
        let spans = new.iter().filter_map(|message| message_span(client, message, traces::current(), began));
        spans.for_each(|span| span.end("accept"));
        if let Some(due) = due {
            let later: Vec<_> = drafts.iter().map(|draft| (draft.sms.id, 0, due)).collect();
            work::defer(db, client, &later, WaitReason::PutOff).await?;
        }
    }
    // Replies to a scheduled message count only after it was sent.
    let soon = ctx.now() + SCHEDULED_FROM;
    let (later, now): (Vec<&SmsDraft>, Vec<&SmsDraft>) =
        sent.iter().partition(|draft| orders.get(draft.order).is_some_and(|order| order.is_due_after(soon)));
    replies::correspond(db, client, &answerable(&now), ctx.now()).await?;
    Ok(replies::correspond_at_last(db, client, &answerable(&later), ctx.now()).await?)
}

/// Source, subscriber and id of each message.
fn answerable<'d>(drafts: &[&'d SmsDraft]) -> Vec<(&'d str, &'d str, MessageId)> {
    drafts.iter().map(|draft| (draft.sms.source.as_str(), draft.to.value(), draft.sms.id)).collect()
}

/// Charges the requests, and refunds their blocked messages. `false` if the balance does not cover them.
async fn charge(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    orders: &[SmsOrder],
    drafts: &[SmsDraft],
) -> Result<bool> {
    let mut charges: Vec<Charge> =
        orders.iter().map(|order| Charge { id: ctx.mint(), units: 0, request: order.id }).collect();
    for draft in drafts {
        if let Some(charge) = charges.get_mut(draft.order) {
            charge.units += draft.sms.units;
        }
    }
    if !credits::charge(db, client, &charges, ctx.now()).await? {
        return Ok(false);
    }
    let blocked = drafts.iter().map(|draft| &draft.sms).filter(|sms| sms.blocked);
    let refunds: Vec<_> = blocked.map(|sms| (ctx.mint(), sms.id, sms.units)).collect();
    credits::refund(db, client, &refunds, ctx.now()).await?;
    Ok(true)
}

fn message_of(inbox: &Inbox, draft: &SmsDraft) -> NewMessage {
    NewMessage {
        id: draft.sms.id,
        part: draft.sms.part,
        origin: PartOrigin::Product,
        inbox: inbox.id,
        channel: Channel::Sms,
        order_key: order_key(inbox.id, &draft.to),
        recipient: Recipient::new(draft.to.clone(), None),
        ct_id: draft.sms.ct_id.clone(),
        gst_id: draft.sms.id.to_string(),
        chat: None,
        conversation: None,
    }
}

fn parts_of(orders: &[SmsOrder], inbox: &Inbox, sent: &[&SmsDraft]) -> Vec<NewPart> {
    let mut seen = HashSet::new();
    let new = sent.iter().filter(|draft| seen.insert(draft.sms.part));
    let part = |draft: &&SmsDraft| {
        let text = orders.get(draft.order).and_then(|order| order.texts.get(draft.text));
        let content = text.map(|text| text.content.clone()).unwrap_or_default();
        NewPart {
            id: draft.sms.part,
            batch: BatchId(draft.sms.part.0),
            inbox: inbox.id,
            origin: PartOrigin::Product,
            content: OutboundContent::Sms(SmsContent { source: Some(draft.sms.source.clone()), ..content }),
            fallback: None,
            quoted_provider_id: None,
            send: None,
        }
    };
    new.map(part).collect()
}
