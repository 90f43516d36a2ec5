//! Sets the send rate of a WhatsApp Cloud number. Meta raises its limit from 80 messages a second to 1,000, and lowers
//! it to 20 for a number that a phone app uses too (PROVIDERS A.11, 130429).

use domain::{channel::Channel, phone::Msisdn};
use storage::{
    inboxes::{self, Inbox},
    tenancy::clients,
};

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
};

/// The possible rates of a number in messages per second. Meta accepts no more.
pub const RATES: std::ops::RangeInclusive<u16> = 1..=1_000;

#[derive(Debug, thiserror::Error)]
pub enum SetRateError {
    #[error("there is no client `{0}`; `patchbay client create` makes one")]
    UnknownClient(String),
    #[error("the client has no number `{0}`: add it first")]
    Unknown(Msisdn),
    #[error("a rate is {} to {} messages per second", RATES.start(), RATES.end())]
    OutOfRange,
    #[error("`{0}` is a WhatsApp Lite number: its message processing configuration sets its rate")]
    HasNone(Msisdn),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(SetRateError: storage::Error);

/// Sets the messages per second of a number. `None` = `limits.cloud_rate_per_number`. It takes effect within ten seconds,
/// when the lane of the number reads it. An error means that the rate is unchanged.
pub async fn set_rate(
    admin: &Administration<'_>,
    client_ref: &str,
    number: Msisdn,
    per_second: Option<u16>,
    actor: Actor,
) -> Result<Inbox, SetRateError> {
    if per_second.is_some_and(|rate| !RATES.contains(&rate)) {
        return Err(SetRateError::OutOfRange);
    }
    let mut tx = admin.db.begin().await?;
    let Some(client) = clients::find_by_ref(&mut tx, client_ref).await? else {
        return Err(SetRateError::UnknownClient(client_ref.to_owned()));
    };
    let address = [number.as_str().to_owned()];
    let found = inboxes::by_addresses(&mut tx, client, Channel::Whatsapp, &address).await?.pop();
    let Some(inbox) = found else { return Err(SetRateError::Unknown(number)) };
    if !inboxes::set_rate(&mut tx, client, inbox.id, inbox.kind(), per_second.map(i32::from)).await? {
        return Err(SetRateError::HasNone(number));
    }
    audit(admin, &mut tx, client, actor, "setRate", AuditObject::new("inbox", &inbox.id)).await?;
    tx.commit().await?;
    Ok(inbox)
}
