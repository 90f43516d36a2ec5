//! Calls to providers whose outcome is not stored yet. A customer may answer the message before that: then the answer names
//! a message that is not known.

use base::Result;
use domain::{
    address::{Address, with_spellings},
    ids::{ClientId, CustomerId, InboxId},
};
use storage::{
    PgConnection,
    outbound::in_doubt::{self, OpenCalls},
    people::customers::addresses,
};

/// True if there is such a call for a message from this inbox to this customer.
pub async fn is_any_to(
    db: &mut PgConnection,
    client: ClientId,
    inbox: InboxId,
    customer: CustomerId,
    calls: OpenCalls,
) -> Result<bool> {
    let recipients = with_spellings(&addresses::of_customer(db, client, customer).await?);
    let recipients: Vec<&str> = recipients.iter().map(Address::value).collect();
    Ok(in_doubt::is_any_in_front_to(db, client, inbox.0, &recipients, calls).await?)
}
