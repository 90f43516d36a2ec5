//! `/smsbatch/sms`

use base::Context;
use chrono::{DateTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use domain::{
    channel::Channel,
    content::SmsContent,
    ids::{ClientId, SmsRequestId},
    sandbox::KeyMode,
    sms_products::{
        SmsProduct,
        batch::{BatchFault, BatchName, BatchSend, FutureTime, Keywords, ReplyModel},
        source,
    },
};
use storage::{
    inboxes::{self, sms_sources},
    sms::products::requests,
    tenancy::clients,
};

use super::answer::{BatchAnswer, BatchRefusal, batch, write_answer};
use crate::{
    accept::AcceptOutcome,
    gateways::Gateways,
    order::{OrderedText, SmsOrder},
    schedule,
};

/// Characters of a generated `batchid`.
const CHOSEN_ID: usize = 20;

/// Accepts a batch. It is checked alone, and stored with other requests of its client that arrive at the same time
/// ([`Gateways`]).
pub(super) async fn send(
    gateways: &Gateways,
    client: ClientId,
    mode: KeyMode,
    keywords: &Keywords,
    namespace: &str,
) -> Result<BatchAnswer, BatchRefusal> {
    let ctx = gateways.ctx.as_ref();
    let name = BatchName::of(keywords)?;
    let id: SmsRequestId = ctx.mint();
    let judged = BatchSend::of(keywords, mode);
    let (batch_ref, batch_id) = batch_name(name, id);
    // A repeated batch gets its first answer, before any other check.
    if let Some(answer) = before(ctx, client, &batch_ref, &batch_id, namespace).await? {
        return Ok(answer);
    }
    let sent = judged?;
    let due = due(ctx, client, sent.future).await?;
    let source = source(ctx, client, &sent.replies).await?;
    let said = if sent.cells.code() == 0 { "success" } else { "partial success: some numbers are invalid" };
    let answer = write_answer(sent.cells.code(), said, namespace, ctx.now(), |xml| {
        xml.element("batchsend", None, |xml| {
            batch(xml, &batch_ref, &batch_id);
            xml.leaf("totalnumbers", &sent.cells.total.to_string());
            xml.leaf("correctnumbers", &sent.cells.correct.to_string());
        });
    });
    let keeps_replies = matches!(sent.replies, ReplyModel::Replies { .. });
    let recipients = u32::try_from(sent.cells.recipients.len()).unwrap_or(u32::MAX);
    let text = OrderedText {
        content: SmsContent {
            text: sent.text.text,
            unicode: sent.text.unicode,
            numbered: sent.text.numbered,
            urgent: keeps_replies,
            source: None,
        },
        parts: sent.text.parts,
        ct_id: None,
        recipients: sent.cells.recipients.into_iter().map(|cell| (cell.number, cell.identifier)).collect(),
    };
    let order = SmsOrder {
        id,
        product: SmsProduct::Batch,
        receipt_url: None,
        reply_url: None,
        posts_replies: false,
        forget_at: None,
        batch: Some((batch_ref.clone(), batch_id.clone())),
        wants_receipts: sent.wants_receipts,
        wants_replies: keeps_replies,
        response: Some(answer.xml.clone()),
        source,
        texts: vec![text],
        due,
        mailed: None,
    };
    match gateways.take(client, order).await? {
        AcceptOutcome::Stored | AcceptOutcome::Before(_) => Ok(BatchAnswer { recipients, ..answer }),
        AcceptOutcome::NoCredits => Err(BatchFault::no_credits().into()),
        // Another request took it at the same time.
        AcceptOutcome::SameName => match before(ctx, client, &batch_ref, &batch_id, namespace).await? {
            Some(answer) => Ok(answer),
            None => Err(BatchFault::new(3001, "the batch could not be taken now: send it again").into()),
        },
    }
}

/// The name of a batch. Missing parts are generated.
fn batch_name(name: BatchName, id: SmsRequestId) -> (String, String) {
    let ours = id.0.simple().to_string();
    // The end of an id differs between two ids of the same millisecond.
    let chosen = || ours.chars().skip(ours.len() - CHOSEN_ID).collect();
    (name.batch_ref.unwrap_or_else(|| id.to_string()), name.batch_id.unwrap_or_else(chosen))
}

/// The answer to a repeated batch: `previousxml` with the first answer.
async fn before(
    ctx: &Context,
    client: ClientId,
    batch_ref: &str,
    batch_id: &str,
    namespace: &str,
) -> Result<Option<BatchAnswer>, BatchRefusal> {
    let mut db = ctx.db.acquire().await?;
    let Some(known) = requests::batch(&mut db, client, batch_ref, batch_id).await? else { return Ok(None) };
    let previous = known.response.unwrap_or_default();
    let said = "this batchref and batchid were sent before: nothing is sent again";
    Ok(Some(write_answer(1034, said, namespace, ctx.now(), |xml| {
        xml.element("previousxml", None, |xml| xml.raw(&previous));
    })))
}

/// The time of `futuredatetime`. If it has passed, the batch is sent now.
async fn due(
    ctx: &Context,
    client: ClientId,
    future: Option<FutureTime>,
) -> Result<Option<DateTime<Utc>>, BatchRefusal> {
    let due = match future {
        None => return Ok(None),
        Some(FutureTime::At(moment)) => moment,
        Some(FutureTime::Local(local)) => {
            let mut db = ctx.db.acquire().await?;
            let zone = clients::get(&mut db, client).await?.map(|client| client.time_zone).unwrap_or_default();
            let zone: Tz = zone.parse().unwrap_or(Tz::UTC);
            let moment = zone.from_local_datetime(&local).earliest();
            let skipped = || BatchFault::new(1310, format!("futuredatetime: there is no such time in {zone}"));
            moment.ok_or_else(skipped)?.to_utc()
        }
    };
    let most = schedule::days_ahead(ctx);
    if due > ctx.now() + TimeDelta::days(most) {
        return Err(BatchFault::new(1311, format!("futuredatetime lies more than {most} days ahead")).into());
    }
    Ok(Some(due))
}

/// The source of a batch. `None` = the client's SMS inbox.
async fn source(ctx: &Context, client: ClientId, replies: &ReplyModel) -> Result<Option<String>, BatchRefusal> {
    match replies {
        ReplyModel::Sender(sender) => {
            // Replies to a number go to its owner. A name cannot receive replies.
            let is_number = sender.bytes().all(|byte| byte.is_ascii_digit());
            if is_number && sms_sources::is_of_others(&mut *ctx.db.acquire().await?, client, sender).await? {
                let said = "senderid is a number of another client: use a number of your own";
                return Err(BatchFault::new(1105, said).into());
            }
            Ok(Some(sender.clone()))
        }
        ReplyModel::Replies { virtual_name: None } => Ok(None),
        // A name that is not one of the client's sources is only a name.
        ReplyModel::Replies { virtual_name: Some(name) } => {
            let mut db = ctx.db.acquire().await?;
            let address = source::source(name).unwrap_or(name).to_owned();
            let found = inboxes::by_addresses(&mut db, client, Channel::Sms, &[address]).await?;
            Ok(found.first().and_then(|inbox| inbox.address().map(str::to_owned)))
        }
    }
}
