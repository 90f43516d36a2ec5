//! Attributes of the contact that a chatbot sets.

use domain::{contact_attribute::AttributeChange, ids::ClientId};
use plugin_host::{chatbot::AttributeChange as WantedChange, domain_value};
use storage::{PgConnection, tenancy::contact_attributes};

use super::turn_context::TurnContext;
use base::{Context, Result};

/// Compares a change with the definitions of the client. The inner error is the reason for the author of the plugin.
pub(super) async fn plan(
    ctx: &Context,
    client: ClientId,
    wanted: &WantedChange,
) -> Result<std::result::Result<AttributeChange, String>> {
    let value = match wanted.value.as_ref().map(domain_value).transpose() {
        Ok(value) => value,
        Err(reason) => return Ok(Err(format!("`set-attribute`: `{}` {reason}", wanted.name))),
    };
    let mut db = ctx.db.acquire().await?;
    let known = contact_attributes::definitions(&mut db, client).await?;
    Ok(AttributeChange::of_plugin(&wanted.name, value, &known))
}

/// Stores a change for the customer of the chat. If the definition was changed since, the turn is made again.
pub(super) async fn apply(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    scene: &TurnContext,
    change: AttributeChange,
) -> Result<()> {
    let customer = scene.customer.id;
    if contact_attributes::change(db, client, customer, &[change], ctx.now()).await? {
        return Ok(());
    }
    Err(storage::Error::overtaken("an attribute of contacts was changed at the same time").into())
}
