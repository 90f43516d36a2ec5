//! The templates that chatbots and agents send in chats.

use base::{Context, Result};
use domain::{ids::ClientId, template::TemplateRecord};
use storage::{
    PgConnection,
    inboxes::{Inbox, templates},
};

/// Finds a template of the catalogue of an inbox. An inbox without a catalogue uses the client's Cloud accounts.
pub(crate) async fn find(
    db: &mut PgConnection,
    client: ClientId,
    inbox: &Inbox,
    id: &str,
) -> Result<Option<TemplateRecord>> {
    let waba = match inbox.cloud() {
        Some(cloud) => Some(cloud.waba_id.clone()),
        None => templates::accounts_of(db, client, &[id]).await?.remove(id),
    };
    let Some(waba) = waba else { return Ok(None) };
    let found = templates::by_ids(db, client, &[(waba, id.to_owned())]).await?.into_iter().next();
    Ok(found.map(|found| found.record))
}

/// A new token of a button ([`domain::template::TokenMaker`]).
pub(crate) fn new_token(ctx: &Context) -> String {
    format!("pb1:{}", ctx.ids.mint(ctx.now()).simple())
}
