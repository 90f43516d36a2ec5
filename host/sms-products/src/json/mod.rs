//! The JSON gateway (SPEC 4.8): what is sent, asked after, stopped and left.

mod tracking;

use std::sync::Arc;

use base::{
    Context, Error,
    gather::{Gatherer, Grouping},
};
use channels::http::AddressPolicy;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    body::{Faults, FieldFault},
    content::SmsContent,
    ids::{ClientId, SmsRequestId},
    segments,
    sms_products::{
        GatewayStatus, Product,
        json::{JsonSend, JsonText},
    },
};
use storage::{sms::products::requests::NewRequest, tenancy::clients};

pub use storage::sms::products::tracking::Tracked;
pub use tracking::{TrackError, track};

use crate::accept::{self, Order, OrderedText, Taken};

/// How far ahead something can be scheduled.
const AHEAD_MAX: TimeDelta = TimeDelta::days(366);

/// A request that is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    /// `gstid`: of the request that sent it, where all of it had been sent before.
    pub id: SmsRequestId,
    /// When.
    pub at: DateTime<Utc>,
}

/// Why a request is not taken. Nothing is stored, nothing charged.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// It is wrong.
    #[error("the request is not valid")]
    Faults(Faults),
    /// The balance does not cover it.
    #[error("{}", GatewayStatus::NoCredits.description())]
    NoCredits,
    /// It could not be stored.
    #[error(transparent)]
    Failed(#[from] Error),
}

/// Weights are recipients.
const GROUPING: Grouping = Grouping { groups: 2, further_from: 32, most_items: 128, most_weight: 4000 };

/// A request that is judged, on its way into a group.
struct Pending {
    id: SmsRequestId,
    send: JsonSend,
    urgent: bool,
}

impl Pending {
    fn order(&self) -> Order<'_> {
        let request = NewRequest {
            id: self.id,
            product: Product::Json,
            receipt_url: self.send.receipt_url.as_deref(),
            reply_url: self.send.reply_url.as_deref(),
            posts_replies: self.send.posts_replies,
            forgets: self.send.forgets,
            batch: None,
            wants_receipts: true,
            wants_replies: true,
            response: None,
        };
        let texts = self.send.texts.iter().map(|text| ordered(text, self.send.unicode, self.urgent)).collect();
        Order { request, source: None, texts, due: self.send.scheduled, mailed: None }
    }
}

/// The door of the gateway: requests of one client that arrive together share a transaction, as sends do (ADR 0003).
pub struct Gateway {
    ctx: Arc<Context>,
    groups: Arc<Gatherer<ClientId, Pending, Result<Accepted, SendError>>>,
}

impl Gateway {
    /// One per process.
    pub fn new(ctx: Arc<Context>) -> Arc<Self> {
        let stores = Arc::clone(&ctx);
        let groups = Gatherer::new(
            GROUPING,
            |pending: &Pending| pending.send.recipient_count(),
            move |client, group: Vec<Pending>| {
                let ctx = Arc::clone(&stores);
                async move { take(&ctx, client, &group).await }
            },
        );
        Arc::new(Self { ctx, groups })
    }

    /// Takes a request. `urgent`: one-time pins, which overtake what else the client sends.
    ///
    /// # Errors
    /// See [`SendError`]; nothing of it is stored then.
    pub async fn send(&self, client: ClientId, send: JsonSend, urgent: bool) -> Result<Accepted, SendError> {
        judge_addresses(&self.ctx, client, &send).await?;
        if send.scheduled.is_some_and(|due| due > self.ctx.now() + AHEAD_MAX) {
            let said = "lies more than a year ahead";
            return Err(SendError::Faults(FieldFault::new("settings.scheduledSmsDate", said).into()));
        }
        let pending = Pending { id: self.ctx.mint(), send, urgent };
        self.groups.join(client, pending).await.unwrap_or(Err(SendError::Failed(Error::Stopped)))
    }
}

async fn take(ctx: &Context, client: ClientId, group: &[Pending]) -> Vec<Result<Accepted, SendError>> {
    let orders: Vec<Order<'_>> = group.iter().map(Pending::order).collect();
    let taken = accept::accept_all(ctx, client, &orders).await;
    let at = ctx.now();
    let answer = |(pending, taken): (&Pending, base::Result<Taken>)| match taken? {
        Taken::Before(id) => Ok(Accepted { id, at }),
        Taken::Stored | Taken::SameName => Ok(Accepted { id: pending.id, at }),
        Taken::NoCredits => Err(SendError::NoCredits),
    };
    group.iter().zip(taken).map(answer).collect()
}

fn ordered(text: &JsonText, unicode: bool, urgent: bool) -> OrderedText {
    let content = SmsContent { text: text.text.clone(), unicode, urgent, ..SmsContent::default() };
    OrderedText {
        parts: segments::split(&text.text, unicode).map_or(1, |segmented| segmented.parts.len()),
        content,
        ct_id: text.ct_id.clone(),
        recipients: text.recipients.iter().map(|(to, name)| (to.as_str().to_owned(), name.clone())).collect(),
    }
}

/// Judges the callback addresses as those of webhooks are: scheme, user information and literal addresses (DESIGN 3.8).
async fn judge_addresses(ctx: &Context, client: ClientId, send: &JsonSend) -> Result<(), SendError> {
    let given = [("settings.receiptCallBackURL", &send.receipt_url), ("settings.replyCallBackURL", &send.reply_url)];
    if given.iter().all(|(_, url)| url.is_none()) {
        return Ok(());
    }
    let policy = AddressPolicy { allow_private: may_reach_private(ctx, client).await? };
    let judged = given.iter().filter_map(|(field, url)| {
        let refused = policy.judge_url(url.as_deref()?).err()?;
        Some(FieldFault::new(*field, refused.to_string()))
    });
    let faults: Faults = judged.collect();
    if faults.is_empty() { Ok(()) } else { Err(SendError::Faults(faults)) }
}

/// Whether callbacks of a client may go to loopback and private addresses.
pub(crate) async fn may_reach_private(ctx: &Context, client: ClientId) -> base::Result<bool> {
    if ctx.settings.allow_private_targets {
        return Ok(true);
    }
    let mut db = ctx.db.acquire().await?;
    Ok(clients::get(&mut db, client).await?.is_some_and(|client| client.allow_private_targets))
}
