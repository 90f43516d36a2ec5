//! Rules of a kind of inbox that the dispatcher asks (ADR 0056).

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use base::{Context, Result, lanes::Lease};
use channels::carrier::{Carrier, CarrierInbox};
use domain::{ids::ClientId, inbound::ProviderFailure, inbox::InboxKind};
use outbound::dispatch::{ChannelHook, DispatchHooks, LaneHook, LegKey, LegPart, MarkHook, PickedLegs};
use storage::{PgConnection, Queue};
use uuid::Uuid;

use crate::stage::Stage;

/// Refuses messages to one visitor. Its first preparation is out of date.
#[derive(Default)]
struct Guard {
    refused: &'static str,
    /// Steps of the marks, in order.
    steps: Mutex<Vec<&'static str>>,
}

impl Guard {
    fn note(&self, step: &'static str) {
        self.steps.lock().unwrap().push(step);
    }
}

impl ChannelHook for Guard {
    fn kind(&self) -> InboxKind {
        InboxKind::Web
    }

    fn lane(self: Arc<Self>, _inbox: Arc<CarrierInbox>, carrier: Arc<dyn Carrier>) -> Arc<dyn LaneHook> {
        Arc::new(GuardedLane { guard: self, carrier })
    }
}

struct GuardedLane {
    guard: Arc<Guard>,
    carrier: Arc<dyn Carrier>,
}

#[async_trait]
impl LaneHook for GuardedLane {
    async fn prepare<'a>(
        &'a self,
        _ctx: &'a Context,
        lease: &'a Lease,
        _limit: usize,
        _busy: &HashSet<String>,
    ) -> Result<Box<dyn MarkHook + 'a>> {
        let outdated = self.guard.steps.lock().unwrap().is_empty();
        self.guard.note("prepare");
        Ok(Box::new(GuardedMark { lane: self, lease, outdated }))
    }

    async fn parts(&self, _: &mut PgConnection, _: ClientId, _: &[LegKey]) -> Result<HashMap<LegKey, Vec<u8>>> {
        Ok(HashMap::new())
    }

    async fn store_parts(&self, _: &mut PgConnection, _: ClientId, _: &[LegPart]) -> Result<Vec<LegKey>> {
        Ok(Vec::new())
    }

    async fn join_parts(
        &self,
        _: &Context,
        _: &mut PgConnection,
        _: ClientId,
        _: &[LegKey],
    ) -> Result<Vec<(Queue, Uuid)>> {
        Ok(Vec::new())
    }
}

struct GuardedMark<'a> {
    lane: &'a GuardedLane,
    lease: &'a Lease,
    outdated: bool,
}

#[async_trait]
impl MarkHook for GuardedMark<'_> {
    async fn hold(&mut self, db: &mut PgConnection) -> Result<bool> {
        self.lease.hold(db).await?;
        Ok(!self.outdated)
    }

    async fn decide(&mut self, _: &mut PgConnection, picked: &mut PickedLegs) -> Result<()> {
        if !picked.go.is_empty() {
            self.lane.guard.note("decide");
        }
        let failure = ProviderFailure { code: 1, text: "refused".to_owned() };
        let refused = self.lane.guard.refused;
        picked.fail_where(self.lane.carrier.as_ref(), &failure, |leg| leg.recipient.address().value() == refused);
        Ok(())
    }

    fn left_some(&self) -> bool {
        false
    }

    fn has_rows(&self) -> bool {
        false
    }

    async fn store(&mut self, _: &mut PgConnection) -> Result<()> {
        self.lane.guard.note("store");
        Ok(())
    }

    fn end(self: Box<Self>) {}
}

#[tokio::test]
async fn a_leg_that_the_hook_of_its_channel_fails_is_not_sent() {
    let mut stage = Stage::new().await;
    let guard = Arc::new(Guard { refused: "v-2", ..Guard::default() });
    stage.hooks = DispatchHooks::default().with(Arc::<Guard>::clone(&guard));
    stage.say("v-1", "Hello").await;
    let refused = stage.say("v-2", "Hello").await;

    stage.work().await;

    assert_eq!(stage.notes().sent, ["v-1: Hello"]);
    assert_eq!(stage.legs(refused).await, [("WEB".to_owned(), 0, "FAILED".to_owned(), false)]);
    assert_eq!(stage.waiting().await, 0);
    let steps = guard.steps.lock().unwrap();
    assert_eq!(steps[..4], ["prepare", "prepare", "decide", "store"], "an outdated preparation is made again");
}
