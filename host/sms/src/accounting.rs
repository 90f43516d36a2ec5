//! Statuses of SMS, for their products and their costs. The state of a product's message follows its leg, and its
//! client is informed if requested. Credits of unsent messages are refunded, and texts that must not be kept are
//! removed. An SMS without a product, such as a fallback, is metered when the SMSC accepts it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use base::{Context, EventReader, Result};
use chrono::{DateTime, Utc};
use domain::{
    address::AddressKind,
    carriage::NOT_HANDED_OVER,
    channel::Channel,
    delivery::DeliveryState,
    event::{Event, MessageMoved, NewEvent},
    failure_code::OwnCode,
    ids::{ClientId, MessageId, PartId, SmsRequestId},
    sms_products::{FinalReceipt, GatewayStatus, callback, email::AnswerMail},
};
use storage::{
    PgConnection, Queue,
    sms::products::{
        callbacks::{self, SmsCallback},
        mails::{self, OutgoingMail},
        messages::{self, SmsStep, SteppedMessage},
        requests,
    },
    sms::routes,
    tenancy::credits,
};
use uuid::Uuid;

use crate::email;

/// Failures of an SMS that may have arrived without a report of an SMSC.
const MAY_HAVE_ARRIVED: [i64; 2] = [OwnCode::NoAnswerFromSmsc.code(), OwnCode::NotRepeated.code()];

/// Reads the steps of SMS.
#[derive(Debug, Clone, Copy)]
pub struct SmsAccounting;

#[async_trait]
impl EventReader for SmsAccounting {
    async fn take(
        &self,
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        events: &[NewEvent],
    ) -> Result<Vec<(Queue, Uuid)>> {
        take(ctx, db, client, events).await
    }
}

async fn take(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    events: &[NewEvent],
) -> Result<Vec<(Queue, Uuid)>> {
    // Of several steps at once only the last is reported.
    let mut last: BTreeMap<MessageId, (&NewEvent, &MessageMoved)> = BTreeMap::new();
    let mut others = Vec::new();
    for new in events {
        let Event::MessageMoved(moved) = &new.event else { continue };
        if moved.tracking.of_product {
            last.insert(moved.message, (new, moved));
        } else if moved.channel == Channel::Sms && (moved.state == DeliveryState::Accepted || moved.state.is_failed()) {
            others.push(moved.as_ref());
        }
    }
    meter(ctx, db, client, &others).await?;
    if last.is_empty() {
        return Ok(Vec::new());
    }
    let failed: Vec<MessageId> =
        last.iter().filter(|(_, (_, moved))| moved.state.is_failed()).map(|(id, _)| *id).collect();
    let taken = if failed.is_empty() { HashMap::new() } else { messages::accepted_parts(db, client, &failed).await? };
    let steps: Vec<SmsStep> = last
        .iter()
        .map(|(message, (new, moved))| SmsStep {
            message: *message,
            state: moved.state,
            receipt: receipt_of(moved, taken.get(message)),
            at: new.at,
        })
        .collect();
    let mut follow = Follow::default();
    for sms in messages::step(db, client, &steps).await? {
        let id = MessageId(sms.id);
        let Some((new, moved)) = last.get(&id) else { continue };
        follow.after(ctx, &sms, new, moved, taken.get(&id));
    }
    follow.write(ctx, db, client).await
}

#[derive(Default)]
struct Follow {
    refunds: Vec<(Uuid, MessageId, i64)>,
    /// Digests that may be sent again under their tracking ids, with the request that did not send them.
    unsent: Vec<(Vec<u8>, SmsRequestId)>,
    forgotten: Vec<PartId>,
    /// Messages with texts of routers, which are removed, too.
    unsaid: Vec<MessageId>,
    told: Vec<SmsCallback>,
    /// Messages of mails that did not arrive: request, recipient and final state.
    undelivered: Vec<(SmsRequestId, String, FinalReceipt, DateTime<Utc>)>,
}

impl Follow {
    fn after(
        &mut self,
        ctx: &Context,
        sms: &SteppedMessage,
        new: &NewEvent,
        moved: &MessageMoved,
        taken: Option<&(i64, Option<FinalReceipt>)>,
    ) {
        let (was_taken, receipt) = (taken.is_some(), receipt_of(moved, taken));
        if moved.state.is_failed() && !was_taken && !may_have_arrived(moved) {
            self.refunds.push((ctx.mint(), moved.message, sms.units));
            self.unsent.extend(sms.digest.clone().map(|digest| (digest, SmsRequestId(sms.request_id))));
        }
        if sms.forgets && GatewayStatus::of(moved.state, receipt).is_final() {
            self.forgotten.push(PartId(sms.part_id));
            self.unsaid.push(moved.message);
        }
        if sms.by_mail && moved.state.is_failed() {
            let receipt = receipt.unwrap_or(FinalReceipt::Undelivered);
            self.undelivered.push((SmsRequestId(sms.request_id), sms.recipient.clone(), receipt, new.at));
        }
        self.told.extend(receipt_callback(ctx, sms, GatewayStatus::of(moved.state, receipt), new.at));
    }

    async fn write(self, ctx: &Context, db: &mut PgConnection, client: ClientId) -> Result<Vec<(Queue, Uuid)>> {
        credits::refund(db, client, &self.refunds, ctx.now()).await?;
        requests::unsend(db, client, &self.unsent).await?;
        messages::forget(db, client, &self.forgotten).await?;
        routes::forget_texts(db, client, &self.unsaid).await?;
        callbacks::insert(db, client, &self.told).await?;
        let lanes: BTreeSet<Uuid> = self.told.iter().map(|callback| callback.lane_id).collect();
        let mut wakes: Vec<(Queue, Uuid)> = lanes.into_iter().map(|lane| (Queue::SmsCallback, lane)).collect();
        wakes.extend(mail_undelivered(ctx, db, client, &self.undelivered).await?);
        Ok(wakes)
    }
}

/// Mails to the senders of messages that did not arrive; none without a relay.
async fn mail_undelivered(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    undelivered: &[(SmsRequestId, String, FinalReceipt, DateTime<Utc>)],
) -> Result<Option<(Queue, Uuid)>> {
    if undelivered.is_empty() || ctx.relay.is_none() {
        return Ok(None);
    }
    let requests: Vec<SmsRequestId> = undelivered.iter().map(|(request, ..)| *request).collect();
    let origins = email::origins(db, client, &requests).await?;
    let mail = |(request, number, receipt, at): &(SmsRequestId, String, FinalReceipt, DateTime<Utc>)| {
        let answer = AnswerMail::undelivered(number, receipt.as_str(), *request, *at);
        Some(OutgoingMail::to(origins.get(request)?, ctx.mint(), answer, ctx.now()))
    };
    let written: Vec<OutgoingMail> = undelivered.iter().filter_map(mail).collect();
    mails::insert(db, client, &written).await?;
    Ok((!written.is_empty()).then_some((Queue::Email, client.0)))
}

fn may_have_arrived(moved: &MessageMoved) -> bool {
    moved.failure.as_ref().is_some_and(|failure| MAY_HAVE_ARRIVED.contains(&failure.code))
}

/// The final state of a message. `taken`: the known states of accepted parts.
fn receipt_of(moved: &MessageMoved, taken: Option<&(i64, Option<FinalReceipt>)>) -> Option<FinalReceipt> {
    let code = moved.failure.as_ref().map(|failure| failure.code);
    match (moved.state, taken) {
        (DeliveryState::Delivered, _) => Some(FinalReceipt::Delivered),
        (DeliveryState::Failed, _) if may_have_arrived(moved) => Some(FinalReceipt::Unknown),
        (DeliveryState::Failed, Some((_, Some(receipt)))) => Some(*receipt),
        (DeliveryState::Failed, _) if code == Some(NOT_HANDED_OVER) => Some(FinalReceipt::Expired),
        // The network may have accepted some parts of a long SMS before one was refused.
        (DeliveryState::Failed, Some(_)) if !code.is_some_and(is_refusal) => Some(FinalReceipt::Undelivered),
        (DeliveryState::Failed, _) => Some(FinalReceipt::Rejected),
        _ => None,
    }
}

/// True if a code means a refusal: by the SMSC, by a router, or by the subscriber.
fn is_refusal(code: i64) -> bool {
    [OwnCode::RefusedBySmsc, OwnCode::RefusedByRouter, OwnCode::StoppedSms].map(OwnCode::code).contains(&code)
}

fn receipt_callback(
    ctx: &Context,
    sms: &SteppedMessage,
    status: GatewayStatus,
    at: DateTime<Utc>,
) -> Option<SmsCallback> {
    let url = sms.receipt_url.as_deref()?;
    let about = callback::MessageIds {
        ct_id: sms.ct_id.as_deref(),
        request: SmsRequestId(sms.request_id),
        message: MessageId(sms.id),
        identifier: sms.identifier.as_deref(),
    };
    let form = callback::receipt(about, &sms.recipient, status, at);
    Some(SmsCallback {
        // One callback per message: a late older one would count as a new state.
        id: sms.id,
        lane_id: callback::lane_of(url),
        url: url.to_owned(),
        posts: false,
        form,
        attempts: 0,
        created_at: ctx.now(),
    })
}

/// SMS that are sent with any balance (DESIGN 7).
async fn meter(ctx: &Context, db: &mut PgConnection, client: ClientId, moved: &[&MessageMoved]) -> Result<()> {
    let phone = |moved: &MessageMoved| {
        let phone = moved.to.iter().find_map(|address| address.as_kind(AddressKind::Phone));
        phone.map(str::to_owned)
    };
    // For each message: true if the SMSC accepted it, false if it failed.
    let mut sent: BTreeMap<MessageId, (String, bool)> = BTreeMap::new();
    for moved in moved {
        let Some(phone) = phone(moved) else { continue };
        let (_, accepted) = sent.entry(moved.message).or_insert((phone, false));
        *accepted |= !moved.state.is_failed();
    }
    if sent.is_empty() {
        return Ok(());
    }
    let messages: Vec<MessageId> = sent.keys().copied().collect();
    let phones: Vec<&str> = sent.values().map(|(phone, _)| phone.as_str()).collect();
    let taken = messages::accepted_parts(db, client, &messages).await?;
    let prices = credits::prices(db, client, &phones).await?;
    let (mut metered, mut metered_late) = (Vec::new(), Vec::new());
    for ((message, (_, accepted)), price) in sent.iter().zip(prices) {
        // Of a failed message, the parts that the SMSC accepted before.
        let parts = taken.get(message).map(|(parts, _)| *parts).or(accepted.then_some(1));
        let Some(parts) = parts else { continue };
        let entry = (ctx.mint(), *message, parts.saturating_mul(price));
        if *accepted { metered.push(entry) } else { metered_late.push(entry) }
    }
    // Most failed messages were metered before, so they come last.
    metered.extend(metered_late);
    Ok(credits::meter(db, client, &metered, ctx.now()).await?)
}

#[cfg(test)]
mod tests {
    use domain::{
        event::{StepTimes, Tracking},
        inbound::ProviderFailure,
    };

    use super::*;

    /// The final state of a message that failed with this code.
    fn stands_for(code: i64, taken: Option<(i64, Option<FinalReceipt>)>) -> Option<FinalReceipt> {
        let moved = MessageMoved {
            message: MessageId(Uuid::nil()),
            chat_message: None,
            leg: 0,
            channel: Channel::Sms,
            state: DeliveryState::Failed,
            to: Vec::new(),
            gst_id: String::new(),
            ct_id: None,
            conversation: None,
            times: StepTimes::default(),
            failure: Some(ProviderFailure { code, text: String::new() }),
            tracking: Tracking::default(),
        };
        receipt_of(&moved, taken.as_ref())
    }

    #[test]
    fn the_receipt_of_a_long_sms_with_unsent_parts_has_the_reason() {
        for taken in [None, Some((1, None))] {
            assert_eq!(stands_for(900_503, taken), Some(FinalReceipt::Expired));
            for refusal in [900_450, 900_453, 900_470] {
                assert_eq!(stands_for(refusal, taken), Some(FinalReceipt::Rejected), "{refusal} with {taken:?}");
            }
            for in_doubt in [900_409, 900_451] {
                assert_eq!(stands_for(in_doubt, taken), Some(FinalReceipt::Unknown), "{in_doubt} with {taken:?}");
            }
        }
        assert_eq!(stands_for(900_452, Some((1, None))), Some(FinalReceipt::Undelivered));
    }

    #[test]
    fn the_receipt_of_a_part_takes_precedence_over_the_reason_of_an_unsent_part() {
        assert_eq!(stands_for(900_450, Some((1, Some(FinalReceipt::Expired)))), Some(FinalReceipt::Expired));
    }
}
