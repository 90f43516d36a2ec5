//! `/smsbatch/deliveryreceiptscheck`, `/smsbatch/replysmscheck` and `/smsbatch/servicequery`.

use base::Context;
use chrono::{TimeDelta, Utc};
use domain::{
    clock::minted_at,
    ids::ClientId,
    sandbox::KeyMode,
    sms_products::{
        FinalReceipt,
        batch::{BatchCells, BatchFault, BatchName, BatchText, Keywords},
    },
};
use storage::{
    PgConnection,
    sms::products::{
        replies as stored_replies,
        requests::{self, StoredRequest},
        tracking::{self, MessageRange},
    },
    tenancy::credits,
};

use super::answer::{BatchAnswer, BatchRefusal, batch, write_answer};

/// Bound on receipts and replies in one answer.
const TOLD_MAX: i64 = 10_000;
/// Time for which a late receipt is still expected.
const GRACE: TimeDelta = TimeDelta::hours(24);
const VERSION: &str = "1.0";

/// The batch that a query names.
async fn find_batch(
    db: &mut PgConnection,
    client: ClientId,
    keywords: &Keywords,
) -> Result<((String, String), StoredRequest), BatchRefusal> {
    let name = BatchName::of(keywords)?.whole()?;
    let found = requests::batch(db, client, &name.0, &name.1).await?;
    let unknown = || BatchFault::new(2040, "there is no batch with this batchref and batchid");
    Ok((name, found.ok_or_else(unknown)?))
}

pub(super) async fn receipts(
    ctx: &Context,
    client: ClientId,
    keywords: &Keywords,
    namespace: &str,
) -> Result<BatchAnswer, BatchRefusal> {
    let mut db = ctx.db.acquire().await?;
    let (name, request) = find_batch(&mut db, client, keywords).await?;
    if !request.wants_receipts {
        return Err(BatchFault::new(2041, "the batch was sent without rdr=true: it has no receipts").into());
    }
    let messages = tracking::of_request(&mut db, client, request.id.0, MessageRange::EVERYTHING, TOLD_MAX).await?;
    let validity = TimeDelta::from_std(ctx.settings.limits.sms_expires_after).unwrap_or(TimeDelta::MAX);
    let sent_at = request.due_at.unwrap_or_default().max(minted_at(request.id.0));
    let overdue = ctx.now() - sent_at > validity + GRACE;
    Ok(write_answer(0, "success", namespace, ctx.now(), |xml| {
        xml.element("deliveryreceipts", None, |xml| {
            batch(xml, &name.0, &name.1);
            for message in messages {
                let Some(status) = FinalReceipt::shown_status(message.state, message.receipt, overdue) else {
                    continue;
                };
                xml.element("receipt", None, |xml| {
                    xml.leaf("cell", &message.recipient);
                    if let Some(identifier) = &message.identifier {
                        xml.leaf("identifier", identifier);
                    }
                    xml.leaf("status", status);
                    xml.time("time", message.moved_at);
                });
            }
        });
    }))
}

pub(super) async fn replies(
    ctx: &Context,
    client: ClientId,
    keywords: &Keywords,
    namespace: &str,
) -> Result<BatchAnswer, BatchRefusal> {
    let mut db = ctx.db.acquire().await?;
    let (name, request) = find_batch(&mut db, client, keywords).await?;
    if !request.wants_replies {
        let said = "the batch was sent without repliesperuserid or manageownreplies: its replies are not kept";
        return Err(BatchFault::new(2042, said).into());
    }
    let replies = stored_replies::of_request(&mut db, client, request.id, TOLD_MAX).await?;
    Ok(write_answer(0, "success", namespace, ctx.now(), |xml| {
        xml.element("replies", None, |xml| {
            batch(xml, &name.0, &name.1);
            for reply in replies {
                xml.element("reply", None, |xml| {
                    xml.leaf("cell", &reply.subscriber);
                    if let Some(identifier) = &reply.identifier {
                        xml.leaf("identifier", identifier);
                    }
                    xml.leaf("message", &reply.body);
                    xml.time("time", reply.received_at.with_timezone(&Utc));
                });
            }
        });
    }))
}

pub(super) async fn service(
    ctx: &Context,
    client: ClientId,
    keywords: &Keywords,
    namespace: &str,
) -> Result<BatchAnswer, BatchRefusal> {
    let (wants_credits, wants_charge) = (keywords.truth("creditcheck")?, keywords.truth("charge")?);
    let mut db = ctx.db.acquire().await?;
    let balance = if wants_credits { Some(credits::balance(&mut db, client).await?) } else { None };
    let charge = if wants_charge { Some(charge(&mut db, client, keywords).await?) } else { None };
    Ok(write_answer(0, "success", namespace, ctx.now(), |xml| {
        xml.element("servicequery", None, |xml| {
            xml.leaf("version", VERSION);
            if let Some(balance) = balance {
                xml.leaf("credits", &balance.to_string());
            }
            if let Some(Charge { total, correct, credits }) = charge {
                xml.element("charge", None, |xml| {
                    xml.leaf("totalnumbers", &total.to_string());
                    xml.leaf("correctnumbers", &correct.to_string());
                    xml.leaf("credits", &credits.to_string());
                });
            }
        });
    }))
}

struct Charge {
    total: usize,
    correct: usize,
    credits: i64,
}

/// The price of `message` for the numbers of `cell`. Without a message: one segment for each.
async fn charge(db: &mut PgConnection, client: ClientId, keywords: &Keywords) -> Result<Charge, BatchRefusal> {
    let parts = match keywords.text("message") {
        Some(_) => BatchText::of(keywords)?.parts,
        None => 1,
    };
    let BatchCells { recipients, total, correct } = BatchCells::of(keywords, KeyMode::Live)?;
    let numbers: Vec<&str> = recipients.iter().map(|cell| cell.number.as_str()).collect();
    let prices = credits::prices(db, client, &numbers).await?;
    let parts = i64::try_from(parts).unwrap_or(i64::MAX);
    let credits = prices.into_iter().map(|price| price.saturating_mul(parts)).sum();
    Ok(Charge { total, correct, credits })
}
