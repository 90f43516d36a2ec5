//! Sends a message to a second address if the first one fails: from an unknown number to the user id of the request
//! (SPEC 2.2), and from a user id to the customer's number (PROVIDERS A.11, 131062).

use base::{Context, Result};
use channels::code_meaning::CodeMeaning;
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    delivery::DeliveryState,
    ids::ClientId,
    inbound::ProviderFailure,
    template::TemplateCategory,
};
use storage::{
    PgConnection, Queue,
    outbound::legs::{self, MessageLeg, NewLeg},
    people::inbox_customers,
};
use uuid::Uuid;

use crate::{
    delivery_step::FIRST_LEG,
    dispatch::{REPLY_PRIORITY, SEND_PRIORITY},
};

/// Adds the leg to the other address in the transaction in which the first leg fails, at most once per message.
pub(crate) async fn follow(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    leg: &MessageLeg,
    failure: &ProviderFailure,
) -> Result<Option<(Queue, Uuid)>> {
    let Some(address) = other_address(db, client, leg, failure.code).await? else { return Ok(None) };
    let priority = if leg.chat_message.is_some() { REPLY_PRIORITY } else { SEND_PRIORITY };
    let kind = address.kind().as_str();
    let next = NewLeg { channel: leg.channel, inbox: leg.leg_inbox, address, content: None };
    legs::append(db, client, leg.id, &next, priority, ctx.now()).await?;
    tracing::info!(message.id = %leg.id, code = failure.code, kind, "a message is sent to another address of its recipient");
    Ok(Some((Queue::Outbound, leg.leg_inbox.0)))
}

async fn other_address(
    db: &mut PgConnection,
    client: ClientId,
    leg: &MessageLeg,
    code: i64,
) -> Result<Option<Address>> {
    let is_the_only_one = leg.ordinal == FIRST_LEG && leg.last_ordinal == FIRST_LEG;
    if leg.channel != Channel::Whatsapp || !is_the_only_one {
        return Ok(None);
    }
    let Some(meaning) = CodeMeaning::of(leg.channel, code) else { return Ok(None) };
    if meaning.is_absent_recipient {
        return Ok(other_user_id(leg).cloned());
    }
    if meaning.needs_a_number {
        return phone_of(db, client, leg).await;
    }
    Ok(None)
}

/// The user id that the request gave with the number. None if the number is known to WhatsApp, or for a one-time code:
/// then an SMS follows.
fn other_user_id(leg: &MessageLeg) -> Option<&Address> {
    let to_a_number = leg.leg_address.kind() == AddressKind::Phone && leg.leg_state < DeliveryState::Sent;
    let is_a_code = leg.category.as_deref() == Some(TemplateCategory::Authentication.as_str());
    leg.recipient.other().filter(|other| to_a_number && !is_a_code && other.kind() == AddressKind::Bsuid)
}

/// The number of the customer with a user id, only for a refused call, so that nothing is sent twice.
async fn phone_of(db: &mut PgConnection, client: ClientId, leg: &MessageLeg) -> Result<Option<Address>> {
    if leg.leg_address.kind() != AddressKind::Bsuid || leg.leg_state != DeliveryState::Queued {
        return Ok(None);
    }
    let mut known = inbox_customers::phones(db, client, leg.leg_inbox, &[&leg.leg_address]).await?;
    Ok(known.remove(&leg.leg_address))
}
