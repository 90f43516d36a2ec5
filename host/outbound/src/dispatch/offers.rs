//! Numbered choices of messages (ADR 0024): recorded when a call begins, settled with its outcome.

use base::{Context, Result};
use domain::{
    address::Address,
    ids::{ClientId, MessageId},
    lite::{NumberedChoice, offered},
};
use events::record_folded;
use people::IntroducedCustomers;
use storage::{
    PgConnection, Queue,
    outbound::work::DueLeg,
    people::lite_offers::{self, OfferCall},
};
use uuid::Uuid;

use super::{outcome::LegOutcome, sender::SenderInbox};

/// Records the choices of called legs in the caller's transaction. Returns the lanes to wake after the commit.
pub(super) async fn begin(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    sender: &SenderInbox,
    legs: &[DueLeg],
) -> Result<Vec<(Queue, Uuid)>> {
    if !sender.inbox.kind.facts().keeps_choices || legs.is_empty() {
        return Ok(Vec::new());
    }
    let (mut offering, mut without_choices): (Vec<(&DueLeg, Vec<NumberedChoice>)>, Vec<&Address>) =
        (Vec::new(), Vec::new());
    for leg in legs {
        match offered(&leg.content) {
            choices if choices.is_empty() => without_choices.push(leg.recipient.address()),
            choices => offering.push((leg, choices)),
        }
    }
    lite_offers::retire_offers(db, client, sender.inbox.id, &without_choices).await?;
    if offering.is_empty() {
        return Ok(Vec::new());
    }
    let to: Vec<(&Address, &[Address])> =
        offering.iter().map(|(leg, _)| (leg.recipient.address(), [].as_slice())).collect();
    let IntroducedCustomers { who, folded } = people::resolve_sent(db, client, &ctx.ids, &to, ctx.now()).await?;
    let begun: Vec<OfferCall<'_>> = offering
        .iter()
        .zip(who)
        .map(|((leg, choices), customer)| OfferCall { message: leg.message, customer, choices })
        .collect();
    lite_offers::begin(db, client, sender.inbox.id, &begun, ctx.now()).await?;
    record_folded(ctx, db, client, &folded).await
}

/// Removes the choices in flight of legs after their calls. If no answer came, the recipient may have seen them: they
/// stay.
pub(super) async fn end(
    db: &mut PgConnection,
    client: ClientId,
    sender: &SenderInbox,
    outcomes: &[LegOutcome],
    unknown: &[(MessageId, i16)],
) -> Result<()> {
    if !sender.inbox.kind.facts().keeps_choices {
        return Ok(());
    }
    let ended: Vec<MessageId> = outcomes
        .iter()
        .filter(|outcome| !unknown.contains(&(outcome.leg.message, outcome.leg.ordinal)))
        .filter(|outcome| !offered(&outcome.leg.content).is_empty())
        .map(|outcome| outcome.leg.message)
        .collect();
    Ok(lite_offers::end(db, client, &ended).await?)
}
