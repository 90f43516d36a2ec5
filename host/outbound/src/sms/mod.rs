//! SMS legs: parts out over SMPP, receipts back in.

mod receipts;

pub use receipts::SmscEvents;

use std::time::Duration;

use channels::smpp::{Coding, SmppGateway, SmsPart, SubmitFailure, concat_udh};
use domain::{
    delivery::DeliveryState,
    ids::MessageId,
    inbound::ProviderFailure,
    segments::{self, Encoding, Segmented},
};
use storage::{
    outbound::{
        messages,
        work::{self, DueLeg},
    },
    sms::parts,
};

use crate::{
    delivery::{Step, advance},
    fallback::SmsContent,
};
use base::{Context, Error, Result, lanes::Lease};

/// Our own code of an SMS that the SMSC refused; the SMSC's status is in the text.
pub const REFUSED_BY_SMSC: i64 = 900_450;
/// Our own code of an SMS whose repeated submit was not answered either.
pub const NO_ANSWER_FROM_SMSC: i64 = 900_451;
/// Our own code of an SMS that the SMSC took and that did not arrive.
pub const UNDELIVERED_SMS: i64 = 900_452;
/// Legs marked at once: no more than are in flight, and SMS go out one after the other.
const PAGE: i64 = 1;
/// How long a leg waits while no SMSC is connected.
const NOT_CONNECTED: Duration = Duration::from_secs(5);
/// Submits refused for a passing reason before the leg fails.
const PASSING_REFUSALS: i16 = 6;

/// How the submits of one leg ended.
enum Outcome {
    Taken,
    Later(Duration),
    Failed(ProviderFailure),
    Unknown,
}

/// Works off a client's SMS lane.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    while !lease.is_over() {
        let Some(gateway) = ctx.smpp.get() else {
            tracing::warn!(client.id = %lease.client, "an SMS waits, but no SMSC is configured (smpp.url)");
            return postpone_all(ctx, lease).await;
        };
        let Some(leg) = mark(ctx, lease).await? else { return Ok(()) };
        let outcome = submit(ctx, lease, gateway, &leg).await?;
        settle(ctx, lease, &leg, outcome).await?;
    }
    Ok(())
}

/// Without an SMSC there is nothing to do but to look again later.
async fn postpone_all(ctx: &Context, lease: &Lease) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let due = work::due(&mut tx, lease.client, lease.lane, ctx.now(), 1000).await?;
    let later = ctx.now() + Duration::from_secs(60);
    let later: Vec<_> = due.iter().map(|leg| (leg.message, leg.ordinal, later)).collect();
    work::put_back(&mut tx, lease.client, &later).await?;
    tx.commit().await?;
    Ok(())
}

/// Commits the `SENDING` mark of the next leg.
async fn mark(ctx: &Context, lease: &Lease) -> Result<Option<DueLeg>> {
    let now = ctx.now();
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let due = work::due(&mut tx, lease.client, lease.lane, now, PAGE).await?;
    let Some(leg) = due.into_iter().next() else { return Ok(None) };
    let key = [(leg.message, leg.ordinal)];
    work::mark_sending(&mut tx, lease.client, &key, now, ctx.settings.unknown_after).await?;
    if leg.unanswered {
        messages::mark_ambiguous(&mut tx, lease.client, &key).await?;
    }
    tx.commit().await?;
    Ok(Some(leg))
}

/// Submits the parts that the SMSC has not taken yet. Each is remembered as soon as it is taken.
async fn submit(ctx: &Context, lease: &Lease, gateway: &SmppGateway, leg: &DueLeg) -> Result<Outcome> {
    if leg.unanswered && leg.ambiguous {
        return Ok(Outcome::Failed(ProviderFailure {
            code: NO_ANSWER_FROM_SMSC,
            text: "the SMSC answered neither the submit nor its repetition; the SMS may have arrived".to_owned(),
        }));
    }
    let (sms, segmented) = content_of(leg)?;
    let mut db = ctx.db.acquire().await?;
    let taken = parts::submitted(&mut db, lease.client, leg.message).await?;
    drop(db);
    let destination = leg.to_phone.clone().unwrap_or_default();
    for (index, part) in parts_of(&sms, &segmented, &destination, leg.message).into_iter().enumerate() {
        let number = i16::try_from(index + 1).unwrap_or(i16::MAX);
        if taken.contains(&number) {
            continue;
        }
        match gateway.submit(part).await {
            Ok(submitted) => {
                remember(ctx, lease, leg.message, number, &submitted.bind, &submitted.smsc_id).await?;
            }
            Err(failure) => return Ok(refused(failure, leg)),
        }
    }
    Ok(Outcome::Taken)
}

fn content_of(leg: &DueLeg) -> Result<(SmsContent, Segmented)> {
    let sms: SmsContent = serde_json::from_value(leg.sms.clone().unwrap_or_default())
        .map_err(|source| Error::Unreadable { what: "content of an SMS", source })?;
    // The decision was refused if it did not fit, so an SMS that does not is an empty one.
    let segmented =
        segments::split(&sms.text, sms.unicode).unwrap_or(Segmented { encoding: Encoding::Gsm7, parts: Vec::new() });
    Ok((sms, segmented))
}

/// The parts as they go over the wire; the reference that joins them comes from the message's id.
fn parts_of(sms: &SmsContent, segmented: &Segmented, destination: &str, message: MessageId) -> Vec<SmsPart> {
    let total = u8::try_from(segmented.parts.len()).unwrap_or(u8::MAX);
    let reference = message.0.as_bytes().last().copied().unwrap_or_default();
    let data_coding = || match segmented.encoding {
        Encoding::Gsm7 => Coding::SmscDefault,
        Encoding::Ucs2 => Coding::Ucs2,
    };
    (1..=total)
        .zip(&segmented.parts)
        .map(|(number, segment)| SmsPart {
            source: sms.source.clone(),
            destination: destination.to_owned(),
            data_coding: data_coding(),
            udh: (total > 1).then(|| concat_udh(reference, total, number)),
            octets: segment.octets.clone(),
            priority: 0,
        })
        .collect()
}

fn refused(failure: SubmitFailure, leg: &DueLeg) -> Outcome {
    match failure {
        SubmitFailure::NotConnected => Outcome::Later(NOT_CONNECTED),
        SubmitFailure::Throttled { after } => Outcome::Later(after),
        SubmitFailure::Retry { .. } if leg.attempts + 1 < PASSING_REFUSALS => Outcome::Later(NOT_CONNECTED),
        SubmitFailure::Retry { code, name } | SubmitFailure::Rejected { code, name } => {
            Outcome::Failed(ProviderFailure {
                code: REFUSED_BY_SMSC,
                text: format!("the SMSC refused it: {name} ({code})"),
            })
        }
        SubmitFailure::Invalid(reason) => {
            Outcome::Failed(ProviderFailure { code: REFUSED_BY_SMSC, text: format!("not a valid SMS: {reason}") })
        }
        SubmitFailure::Unknown { reason } => {
            tracing::warn!(message.id = %leg.message, reason, "the SMSC did not answer a submit");
            Outcome::Unknown
        }
    }
}

/// Stores the SMSC's id of a part and joins receipts that came before it.
async fn remember(
    ctx: &Context,
    lease: &Lease,
    message: MessageId,
    part: i16,
    bind: &str,
    smsc_id: &str,
) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    parts::lock_smsc_id(&mut tx, bind, smsc_id).await?;
    parts::insert(&mut tx, lease.client, message, part, bind, smsc_id).await?;
    for (state, _) in parts::take_parked(&mut tx, bind, smsc_id).await? {
        parts::set_state(&mut tx, lease.client, message, part, &state).await?;
    }
    tx.commit().await?;
    Ok(())
}

async fn settle(ctx: &Context, lease: &Lease, leg: &DueLeg, outcome: Outcome) -> Result<()> {
    let now = ctx.now();
    let key = (leg.message, leg.ordinal);
    let step = |reached, failure| Step {
        message: leg.message,
        ordinal: leg.ordinal,
        reached,
        at: now,
        provider_id: None,
        failure,
    };
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let wakes = match outcome {
        Outcome::Taken => {
            let mut wakes = advance(ctx, &mut tx, lease.client, vec![step(DeliveryState::Accepted, None)]).await?;
            wakes.extend(receipts::join(ctx, &mut tx, lease.client, leg.message).await?);
            wakes
        }
        Outcome::Failed(failure) => {
            advance(ctx, &mut tx, lease.client, vec![step(DeliveryState::Failed, Some(failure))]).await?
        }
        Outcome::Later(pause) => {
            work::put_back(&mut tx, lease.client, &[(key.0, key.1, now + pause)]).await?;
            Vec::new()
        }
        Outcome::Unknown => {
            work::mark_unknown(&mut tx, lease.client, &[key]).await?;
            Vec::new()
        }
    };
    tx.commit().await?;
    ctx.wake.wake_all(lease.client, wakes);
    Ok(())
}
