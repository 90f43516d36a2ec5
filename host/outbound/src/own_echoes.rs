//! Messages of ours that the device of a Lite number reports as sent while the answer to their call is not known. The
//! report names the recipient, the text and WhatsApp's id, but not our id. Without it the message would be sent again.

use std::collections::BTreeSet;

use base::{Context, Result};
use chrono::TimeDelta;
use domain::{
    address::{Address, with_spellings},
    ids::{ClientId, CustomerId, InboxId},
    inbound::Echo,
    lite::{says_the_same, scoped_id},
};
use storage::{
    PgConnection,
    outbound::{in_doubt, provider_ids},
    people::customers::addresses,
};

use crate::delivery::opaque;

/// How far the clock of a device may be behind ours.
const CLOCKS_DIFFER: TimeDelta = TimeDelta::minutes(2);

/// The correlation string of the message in doubt that the device reports: the oldest one of the inbox to this
/// recipient with this text, queued before the report. `None` if the id is known already, or if no message fits.
pub async fn message_of(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    echo: &Echo,
) -> Result<Option<String>> {
    let scoped = scoped_id(inbox, &echo.provider_id);
    if provider_ids::is_any_known(db, client, &[&scoped, &echo.provider_id]).await? {
        return Ok(None);
    }
    let recipients = addresses_of(db, client, echo).await?;
    let recipients: Vec<&str> = recipients.iter().map(Address::value).collect();
    let legs = in_doubt::to_recipients(db, client, inbox.0, &recipients).await?;
    let until = ctx.clock.at(echo.sent_at) + CLOCKS_DIFFER;
    let found = legs.iter().find(|leg| leg.queued_at <= until && says_the_same(&leg.content, &echo.content));
    Ok(found.map(|leg| opaque(client, leg.message, leg.ordinal)))
}

/// True if a call for the recipient of this message is not settled.
pub async fn may_be_ours(db: &mut PgConnection, client: ClientId, inbox: InboxId, echo: &Echo) -> Result<bool> {
    let recipients = addresses_of(db, client, echo).await?;
    let recipients: Vec<&str> = recipients.iter().map(Address::value).collect();
    Ok(in_doubt::is_any_to(db, client, inbox.0, &recipients).await?)
}

/// All addresses of the recipient: a message to a phone number may be reported with a hidden id, or with the other
/// spelling of the number.
async fn addresses_of(db: &mut PgConnection, client: ClientId, echo: &Echo) -> Result<Vec<Address>> {
    let mut all = with_spellings(echo.addresses());
    let known = addresses::find(db, client, &all).await?;
    let customers: BTreeSet<CustomerId> = known.into_values().collect();
    for customer in customers {
        all.extend(addresses::of_customer(db, client, customer).await?);
    }
    Ok(all)
}
