//! If a provider reports that a customer wants no more marketing (PROVIDERS A.11), none is sent to that customer.

use base::{Context, Result};
use domain::{ids::ClientId, inbound::ProviderFailure};
use storage::{PgConnection, outbound::legs::MessageLeg, people::marketing_stops};

/// Meta's code for it. Also our code if the customer opted out while the message waited.
pub(crate) const STOPPED_MARKETING: i64 = 131_050;

/// Stores the opt-out, inside the transaction in which the leg fails.
pub(crate) async fn note(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    leg: &MessageLeg,
    failure: &ProviderFailure,
) -> Result<()> {
    if failure.code != STOPPED_MARKETING {
        return Ok(());
    }
    for customer in people::resolve_many(db, client, &ctx.ids, &[&leg.leg_address], ctx.now()).await? {
        marketing_stops::stop(db, client, customer, ctx.now()).await?;
    }
    Ok(())
}
