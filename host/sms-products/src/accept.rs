//! Takes the messages of a request: judged, charged, stored and scheduled in one transaction.

use std::collections::HashSet;

use base::{Context, Error, Result};
use chrono::{DateTime, Utc};
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    content::{OutboundContent, SmsContent},
    ids::{BatchId, ClientId, MessageId, PartId, SmsRequestId},
    recipient::{Recipient, order_key},
};
use outbound::dispatch::{REPLY_PRIORITY, SEND_PRIORITY};
use sha2::{Digest, Sha256};
use storage::{
    PgConnection, Queue, inboxes,
    inboxes::Inbox,
    outbound::{
        messages::{self, NewMessage},
        parts::{self, NewPart, PartOrigin},
        work::{self, Later},
    },
    sms::products::{
        messages::{self as product_messages, NewSms},
        opt_outs, replies,
        requests::{self, NewRequest},
    },
    tenancy::credits,
};

use crate::email::{self, Mailed};

/// A text and whom it goes to.
pub(crate) struct OrderedText {
    pub(crate) content: SmsContent,
    /// How many SMS it is.
    pub(crate) parts: usize,
    /// The client's tracking id: the same is not sent twice under it.
    pub(crate) ct_id: Option<String>,
    /// Numbers in digits, each with the client's name for it.
    pub(crate) recipients: Vec<(String, Option<String>)>,
}

/// A request whose messages can be sent.
pub(crate) struct Order<'a> {
    pub(crate) request: NewRequest<'a>,
    /// What it is sent from; `None` = the client's SMS inbox.
    pub(crate) source: Option<String>,
    pub(crate) texts: Vec<OrderedText>,
    /// `None` = now.
    pub(crate) due: Option<DateTime<Utc>>,
    /// The mail that it came in.
    pub(crate) mailed: Option<Mailed>,
}

/// What became of a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    /// It is on disk.
    Stored,
    /// All of it had been sent before, with this request.
    Before(SmsRequestId),
    /// There is a batch of the same name.
    SameName,
    /// The balance does not cover it. Nothing is stored, nothing charged.
    NoCredits,
}

/// A message on its way into the tables.
struct Draft {
    text: usize,
    to: Address,
    sms: NewSms,
}

/// Takes a request. What is stored is stored with the charge for it, or not at all.
pub(crate) async fn accept(ctx: &Context, client: ClientId, order: Order<'_>) -> Result<Taken> {
    let mut tx = ctx.db.begin().await?;
    if !requests::insert(&mut tx, client, &order.request).await? {
        return Ok(Taken::SameName);
    }
    let Some(inbox) = inboxes::default_sms(&mut tx, client).await? else { return Err(Error::Stopped) };
    let source = order.source.clone().or_else(|| inbox.address().map(str::to_owned));
    let source = source.unwrap_or_else(|| ctx.settings.sms_default_source.clone());
    let (mut unsent, before) = unsent(ctx, &mut tx, client, &order).await?;
    let mut drafts = drafts(ctx, client, &order, &source, &mut unsent);
    if let (true, Some(before)) = (drafts.is_empty(), before) {
        return Ok(Taken::Before(before));
    }
    price(&mut tx, client, &order, &source, &mut drafts).await?;
    let units = drafts.iter().map(|draft| draft.sms.units).sum();
    if !credits::charge(&mut tx, client, ctx.mint(), units, order.request.id.0, ctx.now()).await? {
        return Ok(Taken::NoCredits);
    }
    store(ctx, &mut tx, client, &order, (&inbox, &source), &mut drafts).await?;
    let told = match &order.mailed {
        Some(mailed) => {
            let blocked: Vec<String> =
                drafts.iter().filter(|draft| draft.sms.blocked).map(|draft| draft.sms.recipient.clone()).collect();
            email::tell_taken(ctx, &mut tx, client, (order.request.id, mailed), &blocked).await?
        }
        None => None,
    };
    tx.commit().await?;
    ctx.wake.wake_all(client, told);
    metrics::counter!("patchbay_sms_accepted", "product" => order.request.product.as_str())
        .increment(u64::try_from(drafts.len()).unwrap_or(0));
    ctx.wake.wake(Queue::Outbound, client, inbox.id.0);
    Ok(Taken::Stored)
}

/// Which messages with tracking ids were not sent before, by their digests, and the request that sent one of the others.
async fn unsent(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    order: &Order<'_>,
) -> Result<(HashSet<[u8; 32]>, Option<SmsRequestId>)> {
    let of_text = |text: &OrderedText| {
        let one = |(to, _): &(String, Option<String>)| digest(ctx, client, text, to);
        text.recipients.iter().filter_map(one).collect::<Vec<_>>()
    };
    let digests: Vec<[u8; 32]> = order.texts.iter().flat_map(of_text).collect();
    let (new, before) = requests::send_once(db, client, order.request.id, &digests).await?;
    Ok((new.into_iter().collect(), before))
}

/// What stands for "this text to this number under this tracking id". Keyed, so that it tells nobody what a text was.
fn digest(ctx: &Context, client: ClientId, text: &OrderedText, to: &str) -> Option<[u8; 32]> {
    let ct_id = text.ct_id.as_deref()?;
    let mut digest = Sha256::new();
    digest.update(ctx.sealer.derive("sms that were sent"));
    digest.update(client.0.as_bytes());
    for field in [ct_id, to, text.content.text.as_str()] {
        digest.update(field.len().to_be_bytes());
        digest.update(field.as_bytes());
    }
    Some(digest.finalize().into())
}

/// The messages that are to be sent. Ids of parts come before those of their messages.
fn drafts(
    ctx: &Context,
    client: ClientId,
    order: &Order<'_>,
    source: &str,
    unsent: &mut HashSet<[u8; 32]>,
) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for (at, text) in order.texts.iter().enumerate() {
        let shared: PartId = ctx.mint();
        for (to, identifier) in &text.recipients {
            // Taken out, so that one request sends it once, too.
            if digest(ctx, client, text, to).is_some_and(|digest| !unsent.remove(&digest)) {
                continue;
            }
            let Some(address) = Address::of_kind(AddressKind::Phone, to) else { continue };
            // A text that is forgotten with its message is a message's own.
            let part = if order.request.forgets { ctx.mint() } else { shared };
            let sms = NewSms {
                id: ctx.mint(),
                part,
                recipient: to.clone(),
                source: source.to_owned(),
                ct_id: text.ct_id.clone(),
                identifier: identifier.clone(),
                units: 0,
                blocked: false,
            };
            drafts.push(Draft { text: at, to: address, sms });
        }
    }
    drafts
}

/// What each message costs, and which of them are not sent because their recipients stopped them.
async fn price(
    db: &mut PgConnection,
    client: ClientId,
    order: &Order<'_>,
    source: &str,
    drafts: &mut [Draft],
) -> Result<()> {
    let recipients: Vec<&str> = drafts.iter().map(|draft| draft.to.value()).collect();
    let prices = credits::prices(db, client, &recipients).await?;
    let stopped = opt_outs::among(db, client, source, &recipients).await?;
    for (draft, price) in drafts.iter_mut().zip(prices) {
        let parts = order.texts.get(draft.text).map_or(1, |text| text.parts);
        draft.sms.units = i64::try_from(parts).unwrap_or(i64::MAX).saturating_mul(price);
        draft.sms.blocked = stopped.contains(&draft.sms.recipient);
    }
    Ok(())
}

async fn store(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    order: &Order<'_>,
    (inbox, source): (&Inbox, &str),
    drafts: &mut [Draft],
) -> Result<()> {
    let sent: Vec<&Draft> = drafts.iter().filter(|draft| !draft.sms.blocked).collect();
    let new_parts = parts_of(order, inbox, source, &sent);
    let of = |draft: &&Draft| NewMessage {
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
    };
    let new_messages: Vec<NewMessage> = sent.iter().map(of).collect();
    let rows: Vec<NewSms> = drafts.iter().map(|draft| draft.sms.clone()).collect();
    product_messages::insert(db, client, order.request.id, &rows, ctx.now()).await?;
    if !sent.is_empty() {
        parts::insert(db, client, &new_parts.iter().collect::<Vec<_>>()).await?;
        let urgent = order.texts.iter().any(|text| text.content.urgent);
        let priority = if urgent { REPLY_PRIORITY } else { SEND_PRIORITY };
        let due = order.due.filter(|due| *due > ctx.now());
        messages::insert(db, client, &new_messages.iter().collect::<Vec<_>>(), priority, due.unwrap_or(ctx.now()))
            .await?;
        if let Some(due) = due {
            let later: Vec<(MessageId, i16, DateTime<Utc>)> = sent.iter().map(|draft| (draft.sms.id, 0, due)).collect();
            work::defer(db, client, &later, Later::PutOff).await?;
        }
        let sent: Vec<(&str, MessageId)> = sent.iter().map(|draft| (draft.to.value(), draft.sms.id)).collect();
        replies::correspond(db, client, source, &sent).await?;
    }
    let blocked: Vec<_> = rows.iter().filter(|sms| sms.blocked).map(|sms| (ctx.mint(), sms.id, sms.units)).collect();
    Ok(credits::refund(db, client, &blocked, ctx.now()).await?)
}

fn parts_of(order: &Order<'_>, inbox: &Inbox, source: &str, sent: &[&Draft]) -> Vec<NewPart> {
    let mut seen = HashSet::new();
    let new = sent.iter().filter(|draft| seen.insert(draft.sms.part));
    let part = |draft: &&Draft| {
        let content = order.texts.get(draft.text).map(|text| text.content.clone()).unwrap_or_default();
        NewPart {
            id: draft.sms.part,
            batch: BatchId(draft.sms.part.0),
            inbox: inbox.id,
            origin: PartOrigin::Product,
            content: OutboundContent::Sms(SmsContent { source: Some(source.to_owned()), ..content }),
            fallback: None,
            quoted_provider_id: None,
            send: None,
        }
    };
    new.map(part).collect()
}
