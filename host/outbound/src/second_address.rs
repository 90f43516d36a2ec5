//! A message whose phone number is unknown to WhatsApp goes to the user id that its sender wrote beside it (SPEC 2.2: the
//! number takes precedence, the BSUID is kept as a fallback).

use base::{Context, Result};
use channels::whatsapp_cloud::error_codes::means_not_on_whatsapp;
use domain::{
    address::{Address, AddressKind},
    channel::Channel,
    delivery::DeliveryState,
    ids::ClientId,
    inbound::ProviderFailure,
};
use storage::{
    PgConnection, Queue,
    outbound::legs::{self, MessageLeg, NewLeg},
};
use uuid::Uuid;

use crate::dispatch::{REPLY_PRIORITY, SEND_PRIORITY};

/// Adds the leg to the other address where one is due, inside the transaction in which the first leg fails, and answers the
/// lane to wake. At most once: only a leg to a number, and the last one of its message, is followed by it.
pub(crate) async fn follow(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    leg: &MessageLeg,
    failure: &ProviderFailure,
) -> Result<Option<(Queue, Uuid)>> {
    if !means_not_on_whatsapp(failure.code) {
        return Ok(None);
    }
    let Some(address) = other_address(leg) else { return Ok(None) };
    let priority = if leg.chat_message.is_some() { REPLY_PRIORITY } else { SEND_PRIORITY };
    let next = NewLeg { channel: leg.channel, inbox: leg.leg_inbox, address: address.clone(), content: None };
    legs::append(db, client, leg.id, &next, priority, ctx.now()).await?;
    tracing::info!(message.id = %leg.id, "the number is unknown to WhatsApp; the message goes to the user id beside it");
    Ok(Some((Queue::Outbound, leg.leg_inbox.0)))
}

/// The user id that this leg can be followed by. A number that WhatsApp has sent to is known there.
fn other_address(leg: &MessageLeg) -> Option<&Address> {
    let to_a_number = leg.channel == Channel::Whatsapp && leg.leg_address.kind() == AddressKind::Phone;
    let is_the_last = leg.ordinal == leg.last_ordinal && leg.leg_state < DeliveryState::Sent;
    leg.recipient.other().filter(|other| to_a_number && is_the_last && other.kind() == AddressKind::Bsuid)
}
