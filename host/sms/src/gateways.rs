//! Groups the requests of both gateways: requests of one client that arrive together share a transaction, like sends
//! (ADR 0003).

use std::sync::Arc;

use base::{
    Context, Error, Result,
    gather::{Gatherer, GroupLimits, RETURN_WAIT},
};
use domain::ids::ClientId;

use crate::{
    accept::{self, AcceptOutcome},
    order::SmsOrder,
};

/// Weights are recipients.
const GROUPING: GroupLimits =
    GroupLimits { groups: 2, further_from: 32, most_items: 128, most_weight: 4000, coming_back: RETURN_WAIT };

pub struct Gateways {
    pub(crate) ctx: Arc<Context>,
    groups: Arc<Gatherer<ClientId, SmsOrder, Result<AcceptOutcome>>>,
}

impl Gateways {
    pub fn new(ctx: Arc<Context>) -> Arc<Self> {
        let stores = Arc::clone(&ctx);
        let groups = Gatherer::new(GROUPING, SmsOrder::recipients, move |client, group: Vec<SmsOrder>| {
            let ctx = Arc::clone(&stores);
            async move { accept::accept_all(&ctx, client, &group).await }
        });
        Arc::new(Self { ctx, groups })
    }

    /// Accepts a request, together with others of its client that arrive at the same time.
    pub(crate) async fn take(&self, client: ClientId, order: SmsOrder) -> Result<AcceptOutcome> {
        self.groups.join(client, order).await.unwrap_or(Err(Error::Stopped))
    }
}
