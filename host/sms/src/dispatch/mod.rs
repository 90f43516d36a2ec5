//! The rules of SMS in the dispatcher: routers are asked before a mark, recipients that stopped are left out, and parts
//! are stored with the outcomes of calls (ADR 0056).

mod early_decisions;
mod leg_decisions;
mod leg_source;
mod mark;
mod question;
mod routed_lanes;
mod scheduled_sms;
mod stopped_recipients;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use async_trait::async_trait;
use base::{Context, Result, lanes::Lease};
use channels::carrier::{Carrier, CarrierInbox};
use domain::{ids::ClientId, inbox::InboxKind};
use early_decisions::EarlyDecisions;
use outbound::dispatch::{ChannelHook, LaneHook, LegKey, LegPart, MarkHook};
use routed_lanes::RoutedLanes;
pub(crate) use scheduled_sms::SCHEDULED_FROM;
use storage::{PgConnection, Queue, sms::parts};
use uuid::Uuid;

use crate::parts as leg_parts;

/// The rules of SMS. A process has one value.
#[derive(Debug, Default)]
pub struct SmsHook {
    routed: RoutedLanes,
}

impl ChannelHook for SmsHook {
    fn kind(&self) -> InboxKind {
        InboxKind::Sms
    }

    fn lane(self: Arc<Self>, inbox: Arc<CarrierInbox>, carrier: Arc<dyn Carrier>) -> Arc<dyn LaneHook> {
        Arc::new(SmsLane { hook: self, inbox, carrier, early_decisions: EarlyDecisions::default() })
    }
}

struct SmsLane {
    hook: Arc<SmsHook>,
    inbox: Arc<CarrierInbox>,
    carrier: Arc<dyn Carrier>,
    /// Answers of routers about the next legs.
    early_decisions: EarlyDecisions,
}

impl SmsLane {
    fn place(&self) -> mark::LanePlace<'_> {
        mark::LanePlace {
            inbox: &self.inbox,
            carrier: self.carrier.as_ref(),
            routed: &self.hook.routed,
            early_decisions: &self.early_decisions,
        }
    }
}

#[async_trait]
impl LaneHook for SmsLane {
    async fn prepare<'a>(
        &'a self,
        ctx: &'a Context,
        lease: &'a Lease,
        limit: usize,
        busy: &HashSet<String>,
    ) -> Result<Box<dyn MarkHook + 'a>> {
        Ok(Box::new(mark::SmsMark::prepare(self.place(), ctx, lease, limit, busy).await?))
    }

    async fn parts(
        &self,
        db: &mut PgConnection,
        client: ClientId,
        legs: &[LegKey],
    ) -> Result<HashMap<LegKey, Vec<u8>>> {
        let submitted = parts::find_submitted(db, client, legs).await?;
        let numbers = |parts: Vec<i16>| parts.into_iter().filter_map(|part| u8::try_from(part).ok()).collect();
        Ok(submitted.into_iter().map(|(leg, parts)| (leg, numbers(parts))).collect())
    }

    async fn store_parts(&self, db: &mut PgConnection, client: ClientId, parts: &[LegPart]) -> Result<Vec<LegKey>> {
        leg_parts::remember(db, client, parts).await
    }

    async fn join_parts(
        &self,
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        legs: &[LegKey],
    ) -> Result<Vec<(Queue, Uuid)>> {
        leg_parts::join(ctx, db, client, legs).await
    }
}
