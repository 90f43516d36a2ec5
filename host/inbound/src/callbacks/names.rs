//! Names of customers of pages. Their messages have no name, so the provider is asked once, before the transaction of
//! the message.

use base::{Context, Result, secrets::SecretPurpose};
use channels::messenger::MessengerPage;
use domain::{
    address::AddressKind,
    ids::{ClientId, InboxId},
    inbound::InboundMessage,
};
use storage::{
    inboxes,
    people::{customers, inbox_customers},
};

/// Returns the message with the name of its sender, if the name is unknown and the provider gives it.
pub(super) async fn complete(
    ctx: &Context,
    client: ClientId,
    inbox: InboxId,
    message: &InboundMessage,
) -> Result<Option<InboundMessage>> {
    let address = message.from_address.as_ref().filter(|address| address.kind() == AddressKind::Psid);
    let (Some(address), Some(api), None) = (address, ctx.carriers.messenger(), &message.profile_name) else {
        return Ok(None);
    };
    let page = {
        let mut db = ctx.db.acquire().await?;
        let known = inbox_customers::facts(&mut db, client, inbox, &[address]).await?;
        if let Some(known) = known.get(address)
            && customers::find(&mut db, client, known.customer).await?.is_some_and(|customer| customer.name.is_some())
        {
            return Ok(None);
        }
        inboxes::by_id(&mut db, client, inbox).await?
    };
    let Some(page) = page.as_ref().and_then(inboxes::Inbox::messenger) else { return Ok(None) };
    let page = MessengerPage {
        page_id: page.page_id.clone(),
        access_token: ctx.sealer.open_text(client, SecretPurpose::AccessToken, &page.access_token_sealed)?,
    };
    let name = api.name_of(&page, address.value()).await;
    Ok(name.map(|name| InboundMessage { profile_name: Some(name), ..message.clone() }))
}
