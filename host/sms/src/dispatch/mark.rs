//! A mark of SMS: asks the routers about the legs that go out next, before the transaction begins (ADR 0036), and
//! applies their decisions in it.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use base::{Context, Result, lanes::Lease};
use channels::carrier::{Carrier, CarrierInbox};
use domain::ids::{InboxId, MessageId};
use outbound::dispatch::{MarkHook, PickedLegs, next_legs};
use plugin_host::World;
use plugins::calls::RemainingComparisons;
use storage::{
    PgConnection,
    outbound::work::DueLeg,
    sms::routes::{self, RouteFacts},
};
use uuid::Uuid;

use super::{
    early_decisions::{EarlyDecisions, ForeseenDecision},
    leg_decisions::{LegDecisions, is_undecided, key},
    question::question,
    routed_lanes::RoutedLanes,
    scheduled_sms, stopped_recipients,
};
use crate::routing::{Routers, has_operators};

#[derive(Clone, Copy)]
pub(super) struct LanePlace<'a> {
    pub(super) inbox: &'a CarrierInbox,
    pub(super) carrier: &'a dyn Carrier,
    pub(super) routed: &'a RoutedLanes,
    pub(super) early_decisions: &'a EarlyDecisions,
}

/// The routers of a lane, as known before a mark.
enum LaneRouters {
    /// Unknown: the last read found none. The statement that holds the lane reads again.
    Unknown,
    /// There is no router to ask.
    Absent,
    Decided(Box<LegDecisions>),
}

pub(super) struct SmsMark<'a> {
    place: LanePlace<'a>,
    ctx: &'a Context,
    lease: &'a Lease,
    routers: LaneRouters,
    /// Comparisons with shadow versions, which begin after the commit.
    comparisons: RemainingComparisons,
}

impl<'a> SmsMark<'a> {
    pub(super) async fn prepare(
        place: LanePlace<'a>,
        ctx: &'a Context,
        lease: &'a Lease,
        limit: usize,
        busy: &HashSet<String>,
    ) -> Result<Self> {
        let routers = ask(place, ctx, lease, limit, busy).await?;
        Ok(Self { place, ctx, lease, routers, comparisons: RemainingComparisons::default() })
    }

    fn decisions(&self) -> Option<&LegDecisions> {
        match &self.routers {
            LaneRouters::Decided(decisions) => Some(decisions),
            LaneRouters::Unknown | LaneRouters::Absent => None,
        }
    }
}

/// Asks about the legs that go out next, if there are routers.
async fn ask(
    place: LanePlace<'_>,
    ctx: &Context,
    lease: &Lease,
    limit: usize,
    busy: &HashSet<String>,
) -> Result<LaneRouters> {
    if !place.routed.contains(lease) && !has_operators(ctx) {
        return Ok(LaneRouters::Unknown);
    }
    let mut db = ctx.db.acquire().await?;
    let found = Routers::in_force(ctx, &mut db, lease.client, InboxId(lease.lane)).await?;
    place.routed.note(lease, found.as_ref().is_some_and(Routers::has_client_router));
    let Some(routers) = found else { return Ok(LaneRouters::Absent) };
    let mut answers = place.early_decisions.take(routers.deciders(ctx), ctx.now());
    let mut calls = Vec::new();
    if let Some(reach) = answers.asks_about(limit) {
        let next = next_legs(&mut db, lease, ctx.now(), reach, busy).await?;
        let unknown = next.into_iter().filter(|leg| is_undecided(leg) && !answers.knows(key(leg)));
        let legs: Vec<DueLeg> = unknown.collect();
        let messages: Vec<MessageId> = legs.iter().map(|leg| leg.message).collect();
        let background = routes::background(&mut db, lease.client, &messages).await?;
        drop(db);
        let background: HashMap<Uuid, RouteFacts> = background.into_iter().map(|known| (known.id, known)).collect();
        let binds = place.carrier.binds();
        let about = |leg: &DueLeg| question(place.inbox, leg, background.get(&leg.message.0), &binds);
        let routed = routers.ask(ctx, lease.client, legs.iter().map(about).collect()).await;
        for (leg, route) in legs.iter().zip(routed.routes) {
            answers.add(key(leg), ForeseenDecision { route });
        }
        calls = routed.calls;
    }
    Ok(LaneRouters::Decided(Box::new(LegDecisions::new(answers, calls))))
}

#[async_trait]
impl MarkHook for SmsMark<'_> {
    async fn hold(&mut self, db: &mut PgConnection) -> Result<bool> {
        if !matches!(self.routers, LaneRouters::Unknown) {
            return self.lease.hold(db).await.map(|()| true);
        }
        let is_routed = self.lease.hold_and_see(db, World::SmsRouter.as_str()).await?;
        if is_routed {
            self.place.routed.note(self.lease, true);
        }
        Ok(!is_routed)
    }

    async fn decide(&mut self, db: &mut PgConnection, picked: &mut PickedLegs) -> Result<()> {
        let LanePlace { inbox, carrier, .. } = self.place;
        stopped_recipients::leave_out(db, inbox, carrier, picked).await?;
        if let LaneRouters::Decided(decisions) = &mut self.routers {
            decisions.apply(db, inbox.client, picked).await?;
            decisions.keep(self.ctx, db, inbox.client).await?;
        }
        scheduled_sms::correspond(db, inbox, &picked.go, self.ctx.now()).await
    }

    fn left_some(&self) -> bool {
        self.decisions().is_some_and(LegDecisions::left_some)
    }

    fn has_rows(&self) -> bool {
        self.decisions().is_some_and(LegDecisions::has_calls)
    }

    async fn store(&mut self, db: &mut PgConnection) -> Result<()> {
        if let LaneRouters::Decided(decisions) = &mut self.routers {
            self.comparisons = decisions.keep_calls(self.ctx, db, self.lease.client).await?;
        }
        Ok(())
    }

    fn end(self: Box<Self>) {
        if let LaneRouters::Decided(decisions) = self.routers {
            self.place.early_decisions.keep(decisions.into_answers());
        }
        self.comparisons.compare(self.ctx, self.lease.client);
    }
}
