//! Hooks of the dispatcher (ADR 0056) for rules of one kind of inbox: before a mark, within its transaction, and when
//! outcomes are stored.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::Arc,
};

use async_trait::async_trait;
use base::{Context, Result, lanes::Lease};
use channels::carrier::{Carrier, CarrierInbox, PartTaken};
use domain::{
    ids::{ClientId, MessageId},
    inbox::InboxKind,
};
use storage::{PgConnection, Queue};
use uuid::Uuid;

use super::picked_legs::PickedLegs;

pub type LegKey = (MessageId, i16);

#[derive(Debug)]
pub struct LegPart {
    pub ordinal: i16,
    pub part: PartTaken,
}

/// The rules of one kind of inbox. A process has one value for all its lanes.
pub trait ChannelHook: Send + Sync + 'static {
    fn kind(&self) -> InboxKind;

    /// The hook of the lane of an inbox. It lives until the facts about the inbox are read again.
    fn lane(self: Arc<Self>, inbox: Arc<CarrierInbox>, carrier: Arc<dyn Carrier>) -> Arc<dyn LaneHook>;
}

#[async_trait]
pub trait LaneHook: Send + Sync {
    /// Prepares a mark of up to `limit` legs to recipients that are not `busy`, without a transaction. May call
    /// plugins.
    async fn prepare<'a>(
        &'a self,
        ctx: &'a Context,
        lease: &'a Lease,
        limit: usize,
        busy: &HashSet<String>,
    ) -> Result<Box<dyn MarkHook + 'a>>;

    /// Returns the numbers of the parts that the provider has, from 1, of legs that were called for before.
    async fn parts(&self, db: &mut PgConnection, client: ClientId, legs: &[LegKey])
    -> Result<HashMap<LegKey, Vec<u8>>>;

    /// Stores parts in the caller's transaction. Returns the legs whose state may follow from them.
    async fn store_parts(&self, db: &mut PgConnection, client: ClientId, parts: &[LegPart]) -> Result<Vec<LegKey>>;

    /// Moves legs by the states of their parts, in the caller's transaction. Returns the lanes to wake.
    async fn join_parts(
        &self,
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        legs: &[LegKey],
    ) -> Result<Vec<(Queue, Uuid)>>;
}

/// The rules of one mark.
#[async_trait]
pub trait MarkHook: Send {
    /// Holds the lane in the transaction of the mark. `false`: the preparation is out of date and must be repeated.
    async fn hold(&mut self, db: &mut PgConnection) -> Result<bool>;

    /// In the transaction of the mark: may change picked legs, fail them, or leave them for the next read.
    async fn decide(&mut self, db: &mut PgConnection, picked: &mut PickedLegs) -> Result<()>;

    /// True if it left legs for the next read.
    fn left_some(&self) -> bool;

    fn has_rows(&self) -> bool;

    async fn store(&mut self, db: &mut PgConnection) -> Result<()>;

    /// Ends the mark: it was committed, or there was nothing to write.
    fn end(self: Box<Self>);
}

/// The registered hooks, by kind of inbox.
#[derive(Clone, Default)]
pub struct DispatchHooks(HashMap<InboxKind, Arc<dyn ChannelHook>>);

impl DispatchHooks {
    pub fn with(mut self, hook: Arc<dyn ChannelHook>) -> Self {
        self.0.insert(hook.kind(), hook);
        self
    }

    pub(super) fn lane(&self, inbox: &Arc<CarrierInbox>, carrier: &Arc<dyn Carrier>) -> Option<Arc<dyn LaneHook>> {
        let hook = Arc::clone(self.0.get(&inbox.kind)?);
        Some(hook.lane(Arc::clone(inbox), Arc::clone(carrier)))
    }
}

impl fmt::Debug for DispatchHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
