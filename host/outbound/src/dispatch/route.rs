//! Asks the routers about the SMS that go out next, before they are marked (ADR 0036). The decisions are stored with
//! the marks in one transaction. A stored decision is not asked for again.

use std::collections::{HashMap, HashSet};

use base::{Context, Result, lanes::Lease};
use channels::smpp::part_count;
use domain::{
    content::{LegContent, OutboundContent},
    failure_code::OwnCode,
    ids::{ClientId, InboxId, MessageId},
    inbound::ProviderFailure,
    inbox::InboxKind,
    recipient::order_key,
    sms_products::SmsProduct,
    sms_route::SmsRoute,
};
use plugin_host::{
    World,
    sms_router::{Direction, Sms},
};
use plugins::calls::{self, FinishedCall, RemainingComparisons};
use storage::{
    PgConnection,
    outbound::work::DueLeg,
    sms::{
        products::{opt_outs, replies},
        routes::{self, RouteFacts},
    },
};
use uuid::Uuid;

use super::{
    due_legs::due,
    early_decisions::{Answers, ForeseenDecision, LegKey},
    pick::PickedLegs,
    sender::SenderInbox,
    stopped_recipients::{sms_of, source_of},
};
use crate::sms_routing::{Bounds, Routers, SmsQuestion as AskedSms, has_operators};

/// The decisions about legs that are about to be marked.
pub(super) struct LegDecisions {
    answers: Answers,
    /// Decisions about picked legs, to be stored.
    taken: Vec<(MessageId, i16, SmsRoute)>,
    /// Messages of products that go out from another source: source, recipient and message. Answers to that source are
    /// answers to the message.
    correspond: Vec<(String, String, MessageId)>,
    calls: Vec<FinishedCall>,
}

/// The routers of a lane, as known before a mark.
pub(super) enum LaneRouters {
    /// Unknown: the last look found none. The statement that holds the lane looks again.
    Unknown,
    /// There is no router to ask.
    Nobody,
    /// The routers were asked.
    Decided(Box<LegDecisions>),
}

/// Holds the lane for a mark, inside its transaction. Returns `false` if there are routers that were not asked: the
/// caller ends the transaction and asks them.
pub(super) async fn hold(ctx: &Context, db: &mut PgConnection, lease: &Lease, asked: &LaneRouters) -> Result<bool> {
    if !matches!(asked, LaneRouters::Unknown) {
        return lease.hold(db).await.map(|()| true);
    }
    let is_routed = lease.hold_and_see(db, World::SmsRouter.as_str()).await?;
    if is_routed {
        ctx.routed.note(lease, true);
    }
    Ok(!is_routed)
}

/// Asks about the legs that go out next in a lane of SMS, if there are routers.
pub(super) async fn ask(
    ctx: &Context,
    lease: &Lease,
    sender: &SenderInbox,
    limit: usize,
    busy: &HashSet<String>,
) -> Result<LaneRouters> {
    if sender.inbox.kind != InboxKind::Sms {
        return Ok(LaneRouters::Nobody);
    }
    if !ctx.routed.contains(lease) && !has_operators(ctx) {
        return Ok(LaneRouters::Unknown);
    }
    let mut db = ctx.db.acquire().await?;
    let found = Routers::in_force(ctx, &mut db, lease.client, InboxId(lease.lane)).await?;
    ctx.routed.note(lease, found.as_ref().is_some_and(Routers::are_the_clients));
    let Some(routers) = found else { return Ok(LaneRouters::Nobody) };
    let mut answers = sender.early_decisions.take(routers.deciders(ctx), ctx.now());
    let mut calls = Vec::new();
    if let Some(reach) = answers.asks_about(limit) {
        let due = due(&mut db, lease, ctx.now(), reach, busy, false).await?;
        let mut seen = busy.clone();
        let next = due.legs.into_iter().filter(|leg| seen.insert(leg.recipient.address().value().to_owned()));
        let unknown = next.take(reach).filter(|leg| is_undecided(leg) && !answers.knows(key(leg)));
        let legs: Vec<DueLeg> = unknown.collect();
        let messages: Vec<MessageId> = legs.iter().map(|leg| leg.message).collect();
        let background = routes::background(&mut db, lease.client, &messages).await?;
        drop(db);
        let background: HashMap<Uuid, RouteFacts> = background.into_iter().map(|known| (known.id, known)).collect();
        let binds = sender.carrier.binds();
        let asked = legs.iter().map(|leg| about(sender, leg, background.get(&leg.message.0), &binds)).collect();
        let routed = routers.ask(ctx, lease.client, asked).await;
        for (leg, route) in legs.iter().zip(routed.routes) {
            answers.add(key(leg), ForeseenDecision { route });
        }
        calls = routed.calls;
    }
    Ok(LaneRouters::Decided(Box::new(LegDecisions { answers, taken: Vec::new(), correspond: Vec::new(), calls })))
}

fn key(leg: &DueLeg) -> LegKey {
    (leg.message, leg.ordinal)
}

/// True if routers must still be asked. A leg that was called for before keeps its route.
fn is_undecided(leg: &DueLeg) -> bool {
    leg.route.is_none() && leg.attempts == 0 && !leg.unanswered
}

/// The text for routers.
fn text_of(leg: &DueLeg) -> String {
    let content = match &leg.own_content {
        Some(LegContent::Sms(sms)) => return sms.text.clone(),
        Some(LegContent::Message(content)) => content,
        None => leg.content.as_ref(),
    };
    match content {
        OutboundContent::Sms(sms) => sms.text.clone(),
        OutboundContent::Text { body } => body.clone(),
        _ => String::new(),
    }
}

fn about(sender: &SenderInbox, leg: &DueLeg, known: Option<&RouteFacts>, binds: &[String]) -> AskedSms {
    let sms = sms_of(leg);
    let (bounds, text) = (Bounds::of(sms), text_of(leg));
    let segments = match &leg.own_content {
        Some(LegContent::Message(content)) => part_count(content, bounds.unicode),
        Some(LegContent::Sms(_)) => None,
        None => part_count(&leg.content, bounds.unicode),
    };
    let segments = segments.and_then(|count| u32::try_from(count).ok()).or_else(|| bounds.segments(&text));
    let product = known.and_then(|known| known.product.as_deref()).map(str::to_lowercase);
    let other = match (&leg.own_content, leg.chat_message) {
        (_, Some(_)) => "chat",
        (Some(LegContent::Sms(_)), None) => "fallback",
        _ => "api",
    };
    // In a batch with a reply model, SMS that can be answered are urgent. In the other products, one-time PINs are.
    let is_batch = known.and_then(|known| known.product.as_deref()) == Some(SmsProduct::Batch.as_str());
    let traffic = match sms {
        Some(sms) if sms.urgent && !is_batch => "otp",
        Some(sms) if sms.urgent => "reply",
        _ if leg.chat_message.is_some() => "reply",
        _ => "ordinary",
    };
    let recipient = leg.recipient.address();
    AskedSms {
        id: leg.message.0,
        subject: Uuid::from_u64_pair(0, order_key(leg.inbox, recipient).cast_unsigned()),
        forgets: known.is_some_and(|known| known.forgets),
        bounds,
        sms: Sms {
            id: leg.message.to_string(),
            direction: Direction::Outgoing,
            client_ref: known.map(|known| known.client_ref.clone()).unwrap_or_default(),
            destination: recipient.value().to_owned(),
            source: source_of(sender, leg).to_owned(),
            product: product.unwrap_or_else(|| other.to_owned()),
            traffic: traffic.to_owned(),
            segments: segments.unwrap_or(1),
            text,
            bind: None,
            binds: binds.to_vec(),
            metadata: Vec::new(),
        },
        route: SmsRoute::default(),
    }
}

impl LegDecisions {
    /// Gives the picked legs their routes. Refused legs fail, and legs that were not asked about wait for the next
    /// look.
    pub(super) async fn apply(
        &mut self,
        db: &mut PgConnection,
        client: ClientId,
        picked: &mut PickedLegs,
    ) -> Result<()> {
        let mut decided = Vec::new();
        for leg in std::mem::take(&mut picked.go) {
            if !is_undecided(&leg) {
                picked.go.push(leg);
            } else if let Some(foreseen) = self.answers.take(key(&leg)) {
                decided.push((leg, foreseen));
            }
        }
        refuse_stopped(db, client, &mut decided).await?;
        for (mut leg, ForeseenDecision { route }) in decided {
            self.taken.push((leg.message, leg.ordinal, route.clone()));
            if let Some(reason) = &route.refused {
                let by = route.by.last().map(|by| by.plugin.as_str()).unwrap_or_default();
                let text = format!("refused by the router `{by}`: {reason}");
                picked.failed.push((leg, ProviderFailure { code: OwnCode::RefusedByRouter.code(), text }));
                continue;
            }
            if let Some(source) = route.source.clone() {
                self.correspond.push((source, leg.recipient.address().value().to_owned(), leg.message));
            }
            leg.route = Some(route);
            picked.go.push(leg);
        }
        Ok(())
    }

    /// True if there were legs that were not asked about, because they arrived later.
    pub(super) fn left_some(&self) -> bool {
        self.answers.lacks_answer()
    }

    /// True if there are calls to store, even if no leg is marked.
    pub(super) fn has_calls(&self) -> bool {
        self.calls.iter().any(FinishedCall::matters)
    }

    /// Stores the decisions about newly picked legs, before the legs are marked or fail.
    pub(super) async fn keep(&mut self, ctx: &Context, db: &mut PgConnection, lease: &Lease) -> Result<()> {
        let kept: Vec<_> = self.taken.iter().map(|(message, ordinal, route)| (*message, *ordinal, route)).collect();
        routes::keep(db, lease.client, &kept).await?;
        self.taken.clear();
        let answers = std::mem::take(&mut self.correspond);
        let sent: Vec<_> =
            answers.iter().map(|(source, to, message)| (source.as_str(), to.as_str(), *message)).collect();
        Ok(replies::correspond_now(db, lease.client, &sent, ctx.now()).await?)
    }

    /// Stores the calls, inside the caller's transaction.
    pub(super) async fn keep_calls(
        &mut self,
        ctx: &Context,
        db: &mut PgConnection,
        lease: &Lease,
    ) -> Result<RemainingComparisons> {
        let made = std::mem::take(&mut self.calls).into_iter().filter(FinishedCall::matters).collect();
        calls::keep(ctx, db, lease.client, made).await
    }

    /// Remembers the answers about legs that were not marked.
    pub(super) fn remember(self, sender: &SenderInbox) {
        sender.early_decisions.keep(self.answers);
    }
}

/// Fails a leg if its subscriber stopped messages from the source that a router chose.
async fn refuse_stopped(
    db: &mut PgConnection,
    client: ClientId,
    legs: &mut [(DueLeg, ForeseenDecision)],
) -> Result<()> {
    let rerouted = legs.iter().filter(|(_, foreseen)| foreseen.route.refused.is_none());
    let asked: Vec<(&str, &str)> = rerouted
        .filter_map(|(leg, foreseen)| Some((foreseen.route.source.as_deref()?, leg.recipient.address().value())))
        .collect();
    if asked.is_empty() {
        return Ok(());
    }
    let stopped = opt_outs::stopped(db, client, &asked).await?;
    for (leg, ForeseenDecision { route }) in legs {
        let Some(source) = route.source.as_deref().filter(|_| route.refused.is_none()) else { continue };
        if stopped.contains(source, leg.recipient.address().value()) {
            route.refused = Some(format!("the subscriber has stopped messages from {source}"));
        }
    }
    Ok(())
}
