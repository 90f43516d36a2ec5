//! The JSON gateway (SPEC 4.8): send, track, opt-outs and credits.

mod tracking;

use base::{Context, Error};
use channels::http::AddressPolicy;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    body::{Faults, FieldFault},
    content::SmsContent,
    ids::{ClientId, SmsRequestId},
    segments,
    sms_products::{
        GatewayStatus, SmsProduct,
        json::{JsonSend, JsonText},
    },
};
pub use storage::sms::products::tracking::TrackedMessage;
use storage::tenancy::clients;

use crate::{
    accept::AcceptOutcome,
    gateways::Gateways,
    order::{OrderedText, SmsOrder},
    schedule,
};
pub use tracking::{TrackError, track};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AcceptedJson {
    /// `gstid`. If all of the request was sent before, the id of that request.
    pub id: SmsRequestId,
    pub at: DateTime<Utc>,
}

#[derive(Debug, thiserror::Error)]
pub enum SendError {
    #[error("the request is not valid")]
    Faults(Faults),
    #[error("{}", GatewayStatus::NoCredits.description())]
    NoCredits,
    #[error(transparent)]
    Failed(#[from] Error),
}

/// Accepts a request. `urgent`: one-time pins, which go before other messages. After an error nothing is stored.
pub async fn send(
    gateways: &Gateways,
    client: ClientId,
    send: JsonSend,
    urgent: bool,
) -> Result<AcceptedJson, SendError> {
    let ctx = &gateways.ctx;
    judge_addresses(ctx, client, &send).await?;
    let most = schedule::days_ahead(ctx);
    if send.scheduled.is_some_and(|due| due > ctx.now() + TimeDelta::days(most)) {
        let said = format!("lies more than {most} days ahead");
        return Err(SendError::Faults(FieldFault::new("settings.scheduledSmsDate", said).into()));
    }
    let order = SmsOrder {
        id: ctx.mint(),
        product: SmsProduct::Json,
        texts: send.texts.into_iter().map(|text| order_text(text, urgent)).collect(),
        receipt_url: send.receipt_url,
        reply_url: send.reply_url,
        posts_replies: send.posts_replies,
        forget_at: send.forgets.then(|| schedule::forgotten_by(ctx, send.scheduled)),
        batch: None,
        wants_receipts: true,
        wants_replies: true,
        response: None,
        source: None,
        due: send.scheduled,
        mailed: None,
    };
    let id = order.id;
    let taken = gateways.take(client, order).await?;
    let at = ctx.now();
    match taken {
        AcceptOutcome::Before(id) => Ok(AcceptedJson { id, at }),
        AcceptOutcome::Stored | AcceptOutcome::SameName => Ok(AcceptedJson { id, at }),
        AcceptOutcome::NoCredits => Err(SendError::NoCredits),
    }
}

fn order_text(text: JsonText, urgent: bool) -> OrderedText {
    let parts = segments::split(&text.text, text.unicode).map_or(1, |segmented| segmented.parts.len());
    OrderedText {
        parts,
        content: SmsContent { text: text.text, unicode: text.unicode, urgent, ..SmsContent::default() },
        ct_id: text.ct_id,
        recipients: text.recipients.into_iter().map(|(to, name)| (to.as_str().to_owned(), name)).collect(),
    }
}

/// Checks callback addresses like those of webhooks: scheme, user information and literal addresses (DESIGN 3.8).
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

/// True if callbacks of a client may go to loopback and private addresses.
pub(crate) async fn may_reach_private(ctx: &Context, client: ClientId) -> base::Result<bool> {
    if ctx.settings.webhooks.allow_private_targets {
        return Ok(true);
    }
    let mut db = ctx.db.acquire().await?;
    Ok(clients::get(&mut db, client).await?.is_some_and(|client| client.allow_private_targets))
}
