//! The parts of SMS legs: stored when the SMSC takes them, and combined into the state of their leg.

use base::{Context, Result};
use channels::smpp;
use domain::{
    content::{LegContent, OutboundContent},
    delivery::DeliveryState,
    failure_code::OwnCode,
    ids::{ClientId, MessageId},
    inbound::ProviderFailure,
};
use outbound::{
    delivery::{self, DeliveryStep},
    dispatch::{LegKey, LegPart},
};
use storage::{
    PgConnection, Queue,
    outbound::legs::{self, LockPolicy},
    sms::{
        accepted_parts::{self, TakenPart},
        parts::{self, SmsPart},
    },
};
use uuid::Uuid;

/// The code of an SMS that the SMSC took and that did not arrive.
const UNDELIVERED_SMS: i64 = OwnCode::UndeliveredSms.code();

/// Stores the SMSC's ids of parts inside the caller's transaction. Returns the legs with earlier receipts: they must be
/// joined.
pub(crate) async fn remember(db: &mut PgConnection, client: ClientId, leg_parts: &[LegPart]) -> Result<Vec<LegKey>> {
    let taken: Vec<TakenPart> = leg_parts
        .iter()
        .map(|LegPart { ordinal, part }| TakenPart {
            part: SmsPart { message: part.message, ordinal: *ordinal, part: i16::from(part.part) },
            bind: part.bind.clone(),
            smsc_id: part.smsc_id.clone(),
        })
        .collect();
    Ok(accepted_parts::enter(db, client, &taken).await?)
}

/// Moves SMS legs by the states of their parts, inside the caller's transaction: delivered if all parts are, failed as
/// soon as one is. Returns the lanes to wake after the commit.
pub(crate) async fn join(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    legs: &[LegKey],
) -> Result<Vec<(Queue, Uuid)>> {
    // Locks the legs first, so that the receipts of two parts cannot both miss the other's state.
    let locked = legs::lock(db, client, legs, LockPolicy::Wait).await?;
    if locked.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<(MessageId, i16)> = locked.iter().map(|leg| (leg.id, leg.ordinal)).collect();
    let states = parts::states(db, client, &keys).await?;
    let contents = legs::contents(db, client, &keys).await?;
    let step = |(message, ordinal): (MessageId, i16), reached: DeliveryState, failure: Option<ProviderFailure>| {
        DeliveryStep { message, ordinal, reached, at: ctx.now(), provider_id: None, failure, named: Vec::new() }
    };
    let mut steps = Vec::with_capacity(keys.len());
    for key in keys {
        let Some(states) = states.get(&key) else { continue };
        // If the text was deleted, the stored parts are counted.
        let total = contents.get(&key).and_then(part_count).unwrap_or(0).max(states.len());
        let Some((reached, failure)) = joined_state(states, total) else { continue };
        // An SMSC reports on SMS that it took, even if the report arrives before its answer. An SMS that fails then is
        // charged.
        if reached.is_failed() {
            steps.push(step(key, DeliveryState::Accepted, None));
        }
        steps.push(step(key, reached, failure));
    }
    delivery::advance_reported(ctx, db, client, locked, steps).await
}

/// Returns the state of a leg of `total` parts, if the parts decide one.
fn joined_state(states: &[DeliveryState], total: usize) -> Option<(DeliveryState, Option<ProviderFailure>)> {
    let count = |wanted: DeliveryState| states.iter().filter(|state| **state == wanted).count();
    let delivered = count(DeliveryState::Delivered);
    if count(DeliveryState::Failed) > 0 {
        let text = "the SMS was not delivered".to_owned();
        Some((DeliveryState::Failed, Some(ProviderFailure { code: UNDELIVERED_SMS, text })))
    } else if delivered == total {
        Some((DeliveryState::Delivered, None))
    } else if states.len() == total && count(DeliveryState::Sent) + delivered == total {
        Some((DeliveryState::Sent, None))
    } else {
        None
    }
}

fn part_count(content: &LegContent) -> Option<usize> {
    match content {
        LegContent::Sms(sms) => smpp::part_count(&OutboundContent::Text { body: sms.text.clone() }, sms.unicode),
        LegContent::Message(content) => {
            let unicode = matches!(content.as_ref(), OutboundContent::Sms(sms) if sms.unicode);
            smpp::part_count(content, unicode)
        }
    }
}

#[cfg(test)]
mod tests {
    use DeliveryState::{Accepted, Delivered, Failed, Sent};

    use super::*;

    fn state(states: &[DeliveryState], total: usize) -> Option<DeliveryState> {
        joined_state(states, total).map(|(state, _)| state)
    }

    #[test]
    fn an_sms_is_delivered_with_its_last_part_and_failed_with_its_first_failed_part() {
        assert_eq!(state(&[Delivered], 2), None);
        assert_eq!(state(&[Delivered, Sent], 2), Some(Sent));
        assert_eq!(state(&[Delivered, Delivered], 2), Some(Delivered));
        assert_eq!(state(&[Delivered, Failed], 3), Some(Failed));
        assert_eq!(state(&[Accepted, Sent], 2), None);
    }
}
