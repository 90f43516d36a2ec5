//! Which plugin serves which world of a client: switched on and off by people, with a trace of who did it.

mod invocations;

use std::sync::Arc;

use domain::ids::{ClientId, NumberId};
use plugin_host::{PluginHost, PluginInfo, State, World};
use serde_json::Value;
use storage::{PgConnection, PgPool, plugins};

pub use invocations::{Traced, invocation_of, record};
pub use plugin_host::{PluginInfo as Plugin, State as PluginState};
pub use storage::plugins::{Activation, Invocation};

use crate::{
    Context, Error, Result,
    accounts::{Actor, Administration, audit},
};

/// What is to be switched on.
#[derive(Debug, Clone)]
pub struct Activate {
    /// Name of the plugin; its world follows from it.
    pub plugin: String,
    /// `None` = all numbers of the client that have none of their own.
    pub number: Option<NumberId>,
    /// What the plugin reads as its configuration: an object, `{}` for none.
    pub config: Value,
}

/// Why an activation was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ActivationError {
    /// No plugin of this name.
    #[error("there is no plugin `{0}`; GET /plugins lists those that are loaded")]
    UnknownPlugin(String),
    /// The plugin is there and does not work.
    #[error("plugin `{plugin}` cannot be used: {reason}")]
    NotUsable {
        /// Its name.
        plugin: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Not a number of this client.
    #[error("there is no such WhatsApp number")]
    UnknownNumber,
    /// Something other than an object.
    #[error("`config` must be a JSON object")]
    BadConfig,
    /// Nothing to switch off.
    #[error("plugin `{0}` is not active there")]
    NotActive(String),
    /// Nobody's fault.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<storage::Error> for ActivationError {
    fn from(error: storage::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<storage::SqlxError> for ActivationError {
    fn from(error: storage::SqlxError) -> Self {
        Self::Failed(error.into())
    }
}

/// Puts a plugin in charge of its world, for a client or for one of its numbers, in place of the one that was. Live with
/// the next event.
pub async fn activate(
    ctx: &Context,
    client: ClientId,
    wanted: Activate,
    actor: Actor,
) -> std::result::Result<Activation, ActivationError> {
    let world = usable_world(&ctx.plugins, &wanted.plugin)?;
    if !wanted.config.is_object() {
        return Err(ActivationError::BadConfig);
    }
    let activation = Activation {
        world: world.as_str().to_owned(),
        number: wanted.number,
        plugin: wanted.plugin,
        config: wanted.config,
        activated_at: ctx.now(),
    };
    let admin = Administration::from(ctx);
    let mut tx = ctx.db.begin().await?;
    if let Some(number) = wanted.number
        && storage::numbers::by_id(&mut tx, client, number).await?.is_none()
    {
        return Err(ActivationError::UnknownNumber);
    }
    plugins::activate(&mut tx, client, &activation).await?;
    audit(&admin, &mut tx, client, actor, "activate", ("plugin", &activation.plugin)).await?;
    tx.commit().await?;
    Ok(activation)
}

/// Takes a plugin out of charge, for a client or for one of its numbers. Chats that a chatbot has go to people with the
/// next thing that happens in them.
pub async fn deactivate(
    ctx: &Context,
    client: ClientId,
    plugin: &str,
    number: Option<NumberId>,
    actor: Actor,
) -> std::result::Result<(), ActivationError> {
    let admin = Administration::from(ctx);
    let mut tx = ctx.db.begin().await?;
    if !plugins::deactivate(&mut tx, client, plugin, number).await? {
        return Err(ActivationError::NotActive(plugin.to_owned()));
    }
    audit(&admin, &mut tx, client, actor, "deactivate", ("plugin", plugin)).await?;
    tx.commit().await?;
    Ok(())
}

/// The plugin that serves `world` on a number: the number's own, else the client's.
pub async fn in_force(
    db: &mut PgConnection,
    client: ClientId,
    world: World,
    number: NumberId,
) -> Result<Option<Activation>> {
    Ok(plugins::activation(db, client, world.as_str(), number).await?)
}

/// What is active for a client.
pub async fn list(db: &PgPool, client: ClientId) -> Result<Vec<Activation>> {
    let mut db = db.acquire().await?;
    Ok(plugins::list(&mut db, client).await?)
}

/// Calls of a plugin for a client, newest first, and how many there are. `outcome` keeps only those.
pub async fn invocations(
    db: &PgPool,
    client: ClientId,
    plugin: &str,
    outcome: Option<&str>,
    page: crate::numbers::PageRequest,
) -> Result<crate::numbers::Page<Invocation>> {
    let mut db = db.acquire().await?;
    let (items, total) = plugins::invocations(&mut db, client, plugin, outcome, (page.offset(), page.limit())).await?;
    Ok(crate::numbers::Page { items, total: u64::try_from(total).unwrap_or(0) })
}

fn usable_world(host: &Arc<PluginHost>, name: &str) -> std::result::Result<World, ActivationError> {
    let found: PluginInfo = host.find(name).ok_or_else(|| ActivationError::UnknownPlugin(name.to_owned()))?;
    let not_usable = |reason: String| ActivationError::NotUsable { plugin: name.to_owned(), reason };
    match (found.state, found.world) {
        (State::Ready, Some(world)) => Ok(world),
        (State::Ready, None) => Err(not_usable("it has no world that this version knows".to_owned())),
        (State::Broken, _) => Err(not_usable(found.last_error.unwrap_or_else(|| "it does not load".to_owned()))),
    }
}
