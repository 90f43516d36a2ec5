//! A provider that refuses a message because its customer wants no more marketing says what a preference would have said
//! (PROVIDERS A.11): nothing of the kind is sent to the customer again.

use base::{Context, Result};
use domain::{ids::ClientId, inbound::ProviderFailure};
use storage::{
    PgConnection,
    outbound::legs::MessageLeg,
    people::{customers, marketing_stops},
};

/// Meta's code for it, and ours where a message waited while its customer said so.
pub(crate) const STOPPED_MARKETING: i64 = 131_050;

/// Keeps the stop, inside the transaction in which the leg fails.
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
    for customer in customers::resolve_many(db, client, &ctx.ids, &[&leg.leg_address], ctx.now()).await? {
        marketing_stops::stop(db, client, customer, ctx.now()).await?;
    }
    Ok(())
}
