//! Leaves out recipients that stopped SMS from a source, for all products (SPEC 4.8). The check comes when legs are
//! about to be marked, so a stop also holds for messages that were accepted before it.

use base::Result;
use channels::carrier::{Carrier, CarrierInbox};
use outbound::dispatch::PickedLegs;
use storage::{PgConnection, outbound::work::DueLeg, sms::products::opt_outs};

use super::leg_source::{routed_source, sent_from, source_of};
use crate::stops::stopped_failure;

/// Fails the picked legs to recipients that stopped messages. If a router chose another source, a stop of either source
/// holds.
pub(super) async fn leave_out(
    db: &mut PgConnection,
    inbox: &CarrierInbox,
    carrier: &dyn Carrier,
    picked: &mut PickedLegs,
) -> Result<()> {
    let own = picked.go.iter().map(|leg| (source_of(inbox, leg), to(leg)));
    let routed = picked.go.iter().filter_map(|leg| Some((routed_source(leg)?, to(leg))));
    let asked: Vec<(&str, &str)> = own.chain(routed).collect();
    if asked.is_empty() {
        return Ok(());
    }
    let stopped = opt_outs::find_stopped(db, inbox.client, &asked).await?;
    if stopped.is_empty() {
        return Ok(());
    }
    picked.fail_where(carrier, &stopped_failure(), |leg| {
        stopped.contains(source_of(inbox, leg), to(leg)) || stopped.contains(sent_from(inbox, leg), to(leg))
    });
    Ok(())
}

fn to(leg: &DueLeg) -> &str {
    leg.recipient.address().value()
}
