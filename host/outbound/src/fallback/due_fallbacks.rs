//! Decides if an SMS may follow a leg that has just failed. Reasons against it are stored for the story.

use base::{Context, Result};
use channels::code_meaning::CodeMeaning;
use chrono::TimeDelta;
use domain::{
    address::AddressKind,
    channel::Channel,
    chat::{FallbackFacts, fallback_due},
    delivery::DeliveryState,
    ids::ClientId,
    lite::NOT_REGISTERED,
};
use storage::{
    PgConnection,
    outbound::{
        fallbacks::{self, NewFallback},
        legs::MessageLeg,
    },
};

use crate::delivery_step::DeliveryStep;

pub(crate) async fn follows(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    leg: &MessageLeg,
    step: &DeliveryStep,
) -> Result<bool> {
    let Some(failure) = step.failure.as_ref().filter(|failure| may_be_absent(leg.channel, failure.code)) else {
        return Ok(false);
    };
    if leg.fallback.is_none() || leg.channel != Channel::Whatsapp || leg.ordinal != leg.last_ordinal {
        return Ok(false);
    }
    let phone = leg.recipient.of_kind(AddressKind::Phone);
    let Some(known) = fallbacks::facts(db, client, leg.inbox, leg.id, phone).await? else { return Ok(false) };
    let facts = FallbackFacts {
        code: failure.code,
        mode: known.mode,
        seen_on_whatsapp: known.reached || leg.leg_state >= DeliveryState::Sent,
        has_phone: phone.is_some(),
        age: known.accepted_at.map_or(TimeDelta::zero(), |accepted| ctx.now() - accepted),
        max_age: TimeDelta::from_std(ctx.settings.limits.fallback_max_age).unwrap_or(TimeDelta::MAX),
        requested: true,
    };
    let fallback = NewFallback {
        message: leg.id,
        inbox: leg.inbox,
        error_code: failure.code.to_string(),
        error_text: failure.text.clone(),
        failed_at: step.at,
    };
    let refused = match fallback_due(&facts) {
        _ if !known.enabled => SWITCHED_OFF.to_owned(),
        Err(refused) => refused.to_string(),
        Ok(()) => return Ok(fallbacks::request(db, client, &fallback, ctx.now()).await?),
    };
    fallbacks::refuse(db, client, &fallback, &refused, ctx.now()).await?;
    Ok(false)
}

/// True for codes that Cloud sends, although not with certainty, or that Lite finds before sending.
fn may_be_absent(channel: Channel, code: i64) -> bool {
    code == NOT_REGISTERED || CodeMeaning::of(channel, code).is_some_and(|meaning| meaning.is_absent_recipient)
}

pub(super) const SWITCHED_OFF: &str = "the client has switched fallbacks off";
