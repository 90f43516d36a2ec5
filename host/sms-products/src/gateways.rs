//! Groups the requests of both gateways: requests of one client that arrive together share a transaction, like sends
//! (ADR 0003).

use std::sync::Arc;

use base::{
    Context, Error, Result,
    gather::{COMING_BACK, Gatherer, GroupLimits},
};
use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, SmsRequestId},
    sms_products::SmsProduct,
};
use storage::sms::products::requests::NewRequest;

use crate::{
    accept::{self, AcceptOutcome},
    order::{OrderedText, SmsOrder},
};

/// Weights are recipients.
const GROUPING: GroupLimits =
    GroupLimits { groups: 2, further_from: 32, most_items: 128, most_weight: 4000, coming_back: COMING_BACK };

/// A checked request that waits for its group.
pub(crate) struct PendingOrder {
    pub(crate) id: SmsRequestId,
    pub(crate) product: SmsProduct,
    pub(crate) receipt_url: Option<String>,
    pub(crate) reply_url: Option<String>,
    pub(crate) posts_replies: bool,
    /// Latest time at which its texts are deleted. `None` = they are kept.
    pub(crate) forget_at: Option<DateTime<Utc>>,
    /// `batchref` and `batchid`.
    pub(crate) batch: Option<(String, String)>,
    pub(crate) wants_receipts: bool,
    pub(crate) wants_replies: bool,
    /// The answer, if it is stored.
    pub(crate) response: Option<String>,
    /// The source. `None` = the client's SMS inbox.
    pub(crate) source: Option<String>,
    pub(crate) texts: Vec<OrderedText>,
    /// `None` = now.
    pub(crate) due: Option<DateTime<Utc>>,
}

impl PendingOrder {
    fn recipients(&self) -> usize {
        self.texts.iter().map(|text| text.recipients.len()).sum()
    }

    fn order(&self) -> SmsOrder<'_> {
        let request = NewRequest {
            id: self.id,
            product: self.product,
            receipt_url: self.receipt_url.as_deref(),
            reply_url: self.reply_url.as_deref(),
            posts_replies: self.posts_replies,
            due_at: self.due,
            forget_at: self.forget_at,
            batch: self.batch.as_ref().map(|(batch_ref, batch_id)| (batch_ref.as_str(), batch_id.as_str())),
            wants_receipts: self.wants_receipts,
            wants_replies: self.wants_replies,
            response: self.response.as_deref(),
        };
        SmsOrder { request, source: self.source.as_deref(), texts: &self.texts, mailed: None }
    }
}

/// Accepts the requests of both gateways.
pub struct Gateways {
    pub(crate) ctx: Arc<Context>,
    groups: Arc<Gatherer<ClientId, PendingOrder, Result<AcceptOutcome>>>,
}

impl Gateways {
    pub fn new(ctx: Arc<Context>) -> Arc<Self> {
        let stores = Arc::clone(&ctx);
        let groups = Gatherer::new(GROUPING, PendingOrder::recipients, move |client, group: Vec<PendingOrder>| {
            let ctx = Arc::clone(&stores);
            async move {
                let orders: Vec<SmsOrder<'_>> = group.iter().map(PendingOrder::order).collect();
                accept::accept_all(&ctx, client, &orders).await
            }
        });
        Arc::new(Self { ctx, groups })
    }

    /// Accepts a request, together with others of its client that arrive at the same time.
    pub(crate) async fn take(&self, client: ClientId, pending: PendingOrder) -> Result<AcceptOutcome> {
        self.groups.join(client, pending).await.unwrap_or(Err(Error::Stopped))
    }
}
