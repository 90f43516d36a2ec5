//! Leaves out recipients that stopped marketing (SPEC 6.4), also for messages accepted before the stop.

use base::Result;
use domain::{
    address::Address, channel::Channel, ids::ClientId, inbound::ProviderFailure, send::RejectionReason,
    template::TemplateCategory,
};
use storage::{PgConnection, outbound::work::DueLeg, people::marketing_stops};

use super::{picked_legs::PickedLegs, sender::SenderInbox};
use crate::opt_out::STOPPED_MARKETING;

/// Fails the picked legs to recipients that stopped messages. Makes no query if no picked leg is marketing.
pub(super) async fn leave_out(
    db: &mut PgConnection,
    client: ClientId,
    sender: &SenderInbox,
    picked: &mut PickedLegs,
) -> Result<()> {
    if sender.inbox.kind.channel() != Channel::Whatsapp {
        return Ok(());
    }
    let asked: Vec<&Address> =
        picked.go.iter().filter(|leg| is_marketing(leg)).flat_map(|leg| leg.recipient.iter()).collect();
    let stopped = marketing_stops::find_stopped(db, client, &asked).await?;
    if stopped.is_empty() {
        return Ok(());
    }
    let is_stopped = |leg: &DueLeg| is_marketing(leg) && leg.recipient.iter().any(|address| stopped.contains(address));
    let said = RejectionReason::MarketingStopped.to_string();
    picked.fail_where(sender.carrier.as_ref(), &ProviderFailure { code: STOPPED_MARKETING, text: said }, is_stopped);
    Ok(())
}

fn is_marketing(leg: &DueLeg) -> bool {
    leg.category.as_deref() == Some(TemplateCategory::Marketing.as_str())
}
