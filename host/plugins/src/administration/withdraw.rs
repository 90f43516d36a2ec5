//! Ends activations: rollback, deactivation, withdrawal of a failing canary, deletion of a plugin.

use domain::{
    event::Swap,
    ids::{ClientId, InboxId},
};
use plugin_host::{PluginRef, ProgramState, World};
use storage::{
    PgConnection,
    plugins::{activations, versions},
};

use super::{
    EventNote, PluginError,
    activate::{begin, in_scope, still_there},
    catalogue::{self, FoundPlugin},
    follow, loads, note, place_of, referred_secrets,
};
use crate::{
    slots::{Mode, SlotActivation, is_no_chatbot, stored_version},
    swaps::{reporting_inbox, swap_event},
};
use base::{
    Context, Result,
    audit::{Actor, Administration, AuditObject, audit},
};
use events::{NewEvent, record};

/// Attempts of a rollback if other activations happen at the same time.
const MOST_LOOKS: usize = 5;
/// Activations of a plugin that are searched for a version.
const LOOK_BACK: i64 = 200;

#[derive(Debug, Clone, PartialEq)]
enum Plan {
    /// Ends canaries and shadows. The live activation stays.
    EndTrials { trials: Vec<SlotActivation>, live: Option<SlotActivation> },
    /// Restores the activation before.
    BringBack { instead_of: Option<SlotActivation>, back: Box<SlotActivation> },
}

/// A request for a rollback.
#[derive(Debug, Clone, Copy)]
pub struct RollBack<'a> {
    pub plugin: &'a str,
    pub inbox: Option<InboxId>,
    /// The version to return to. `None` = the activation before.
    pub to: Option<u64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RollbackResult {
    /// The activation that was ended: a trial or the live one. `None` after a deactivation.
    pub before: Option<SlotActivation>,
    /// The live activation that is then in force. `None` if a trial was ended and nothing is live.
    pub live: Option<SlotActivation>,
}

impl Plan {
    fn outcome(&self) -> RollbackResult {
        match self {
            Self::EndTrials { trials, live } => RollbackResult { before: trials.first().cloned(), live: live.clone() },
            Self::BringBack { instead_of, back } => {
                RollbackResult { before: instead_of.clone(), live: Some(back.as_ref().clone()) }
            }
        }
    }
}

pub async fn preview_rollback(
    ctx: &Context,
    client: ClientId,
    wanted: RollBack<'_>,
) -> Result<RollbackResult, PluginError> {
    let mut db = ctx.db.acquire().await?;
    let world = world_of(ctx, &mut db, client, wanted.plugin, wanted.inbox).await?;
    let plan = plan(ctx, &mut db, client, world, wanted).await?;
    if let Plan::BringBack { back, .. } = &plan {
        referred_secrets::still_granted(&mut db, client, back).await?;
    }
    Ok(plan.outcome())
}

/// Ends a canary or shadow; if there is none, restores the live activation before, or that of a given version. After an
/// error nothing has changed.
pub async fn rollback(
    ctx: &Context,
    client: ClientId,
    wanted: RollBack<'_>,
    actor: Actor,
) -> Result<RollbackResult, PluginError> {
    for _ in 0..MOST_LOOKS {
        let plan = {
            let mut db = ctx.db.acquire().await?;
            let world = world_of(ctx, &mut db, client, wanted.plugin, wanted.inbox).await?;
            plan(ctx, &mut db, client, world, wanted).await?
        };
        if let Plan::BringBack { back, .. } = &plan {
            loads(ctx, client, &back.plugin).await?;
        }
        let before = plan.outcome().before;
        if let Some(live) = carry_out(ctx, client, wanted, plan, actor).await? {
            return Ok(RollbackResult { before, live });
        }
    }
    Err(PluginError::Conflict("other activations keep coming in between: look what is in force, and try again".into()))
}

/// `None` = the activations have changed since the plan was made.
async fn carry_out(
    ctx: &Context,
    client: ClientId,
    wanted: RollBack<'_>,
    plan_made: Plan,
    actor: Actor,
) -> Result<Option<Option<SlotActivation>>, PluginError> {
    let world = match &plan_made {
        Plan::EndTrials { trials, .. } => trials.first().map(|trial| trial.world),
        Plan::BringBack { back, .. } => Some(back.world),
    }
    .ok_or(PluginError::NotFound)?;
    let mut tx = ctx.db.begin().await?;
    activations::lock(&mut tx, client).await?;
    if plan(ctx, &mut tx, client, world, wanted).await? != plan_made {
        return Ok(None);
    }
    let now = ctx.now();
    let mut swaps: Vec<NewEvent> = Vec::new();
    let live = match plan_made {
        Plan::EndTrials { trials, live } => {
            for trial in trials {
                end(ctx, &mut tx, client, &trial, ActivationEnd::RolledBack).await?;
                swaps.push(swap_event(&trial, Swap::RolledBack, now));
            }
            live
        }
        Plan::BringBack { instead_of, back } => {
            still_there(&mut tx, client, &back.plugin).await?;
            referred_secrets::still_granted(&mut tx, client, &back).await?;
            if let Some(live) = instead_of {
                end(ctx, &mut tx, client, &live, ActivationEnd::RolledBack).await?;
                swaps.push(swap_event(&live, Swap::RolledBack, now));
            }
            let again = SlotActivation { id: ctx.ids.mint(now), activated_at: now, ..*back };
            begin(ctx, &mut tx, client, &again, "ACTIVATED").await?;
            swaps.push(swap_event(&again, Swap::BroughtBack, now));
            Some(again)
        }
    };
    let wakes = record(ctx, &mut tx, client, &swaps).await?;
    audit(&Administration::from(ctx), &mut tx, client, actor, "rollback", AuditObject::new("plugin", wanted.plugin))
        .await?;
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    if let Some(live) = &live {
        follow::announce(ctx, client, live).await;
    }
    Ok(Some(live))
}

/// The world of a plugin, even if the plugin is gone and only an activation refers to it.
async fn world_of(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
    inbox: Option<InboxId>,
) -> Result<World, PluginError> {
    if plugin.contains('\0') {
        return Err(PluginError::NotFound);
    }
    let active = catalogue::active(db, client, Some(plugin)).await?;
    if let Some(active) = active.into_iter().find(|active| active.inbox == inbox) {
        return Ok(active.world);
    }
    let world = match catalogue::find(ctx, db, client, plugin).await? {
        Some(FoundPlugin::Upload(version)) => Some(catalogue::world_of(&version)?),
        Some(FoundPlugin::Shipped(info)) => info.world,
        None => None,
    };
    world.ok_or(PluginError::NotFound)
}

async fn plan(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    world: World,
    wanted: RollBack<'_>,
) -> Result<Plan, PluginError> {
    let RollBack { plugin, inbox, to } = wanted;
    let present = in_scope(db, client, world, inbox).await?;
    let live = present.iter().find(|present| present.mode == Mode::Live).cloned();
    if let Some(version) = to {
        return plan_to(ctx, db, client, EarlierVersion { plugin, inbox, version }, live).await;
    }
    let of_plugin = |present: &&SlotActivation| present.mode != Mode::Live && present.plugin.name() == plugin;
    let trials: Vec<SlotActivation> = present.iter().filter(of_plugin).cloned().collect();
    if !trials.is_empty() {
        return Ok(Plan::EndTrials { trials, live });
    }
    let conflict = |said: String| Err(PluginError::Conflict(said));
    let Some(live) = live else {
        let latest = activations::latest_live(db, client, world.as_str(), inbox).await?;
        return match latest {
            Some(past) if past.end_reason.as_deref() == Some("deactivated") && past.activation.plugin == plugin => {
                let back = Box::new(available(ctx, past.activation.try_into()?)?);
                Ok(Plan::BringBack { instead_of: None, back })
            }
            _ => {
                let elsewhere = elsewhere(db, client, plugin).await?;
                conflict(format!("`{plugin}` is not in force there{elsewhere}: nothing can be rolled back"))
            }
        };
    };
    if live.plugin.name() != plugin {
        let whose = inbox.map_or("all numbers", |_| "this number");
        let elsewhere = elsewhere(db, client, plugin).await?;
        return conflict(format!("{} is live for {whose}, and not `{plugin}`{elsewhere}", live.plugin));
    }
    let before = match live.previous {
        Some(previous) => activations::past(db, client, previous).await?,
        None => None,
    };
    match before {
        Some(before) => {
            let back = Box::new(available(ctx, before.activation.try_into()?)?);
            Ok(Plan::BringBack { instead_of: Some(live), back })
        }
        None => conflict(format!(
            "nothing was in force there before {}: deactivate it to return to what is built in",
            live.plugin
        )),
    }
}

/// The places where a plugin is in force, for an error about another place.
async fn elsewhere(db: &mut PgConnection, client: ClientId, plugin: &str) -> Result<String, PluginError> {
    let places: Vec<String> = catalogue::active(db, client, Some(plugin)).await?.iter().map(place_of).collect();
    Ok(match places.is_empty() {
        true => String::new(),
        false => format!(", which is {}: name that place", places.join(", ")),
    })
}

/// A version that was live for a client, or for one of its inboxes.
struct EarlierVersion<'a> {
    plugin: &'a str,
    inbox: Option<InboxId>,
    version: u64,
}

/// The plan to return to the latest live activation of a version.
async fn plan_to(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    EarlierVersion { plugin, inbox, version }: EarlierVersion<'_>,
    live: Option<SlotActivation>,
) -> Result<Plan, PluginError> {
    for past in activations::history(db, client, plugin, LOOK_BACK).await? {
        let past: SlotActivation = past.activation.try_into()?;
        let fits =
            past.mode == Mode::Live && past.inbox == inbox && past.plugin.version().map(u64::from) == Some(version);
        if !fits {
            continue;
        }
        if live.as_ref().is_some_and(|live| live.id == past.id) {
            return Err(PluginError::Conflict(format!("{} is live there already", past.plugin)));
        }
        return Ok(Plan::BringBack { instead_of: live, back: Box::new(available(ctx, past)?) });
    }
    // A version that does not exist has another cure.
    catalogue::choose(ctx, db, client, plugin, Some(version)).await?;
    Err(PluginError::Conflict(format!(
        "version {version} of `{plugin}` was not live there lately: activate it with the configuration that it needs"
    )))
}

/// A built-in or directory plugin may have been removed or replaced since. Uploads are checked later, under the lock.
fn available(ctx: &Context, back: SlotActivation) -> Result<SlotActivation, PluginError> {
    if let PluginRef::Shipped(name) = &back.plugin
        && !is_no_chatbot(&back.plugin)
    {
        let usable = ctx.plugins.find(name).filter(|info| info.state == ProgramState::Ready);
        if usable.and_then(|info| info.world) != Some(back.world) {
            let said = format!("`{name}`, which was in force before, is no longer there: activate another");
            return Err(PluginError::Conflict(said));
        }
    }
    Ok(back)
}

/// Deactivates a plugin in every mode, for a client or for one of its inboxes. Chats of a chatbot are handed over to
/// agents with their next event.
pub async fn deactivate(
    ctx: &Context,
    client: ClientId,
    plugin: &str,
    inbox: Option<InboxId>,
    actor: Actor,
) -> Result<(), PluginError> {
    if plugin.contains('\0') {
        return Err(PluginError::NotFound);
    }
    let mut tx = ctx.db.begin().await?;
    activations::lock(&mut tx, client).await?;
    let mut active = catalogue::active(&mut tx, client, Some(plugin)).await?;
    active.retain(|active| active.inbox == inbox);
    if active.is_empty() {
        return Err(PluginError::NotFound);
    }
    for activation in &active {
        end(ctx, &mut tx, client, activation, ActivationEnd::Deactivated).await?;
    }
    let swaps: Vec<NewEvent> =
        active.iter().map(|activation| swap_event(activation, Swap::Deactivated, ctx.now())).collect();
    let wakes = record(ctx, &mut tx, client, &swaps).await?;
    audit(&Administration::from(ctx), &mut tx, client, actor, "deactivate", AuditObject::new("plugin", plugin)).await?;
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

/// Withdraws a failing canary in the transaction of the call. `false` if it has ended. Take no other lock after this
/// one.
pub async fn fail_canary(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    canary: &SlotActivation,
    reason: &str,
) -> Result<bool> {
    activations::lock(db, client).await?;
    if !activations::end(db, client, canary.id, "canary-failed", ctx.now()).await? {
        return Ok(false);
    }
    let version = stored_version(&canary.plugin);
    let new =
        EventNote { plugin: canary.plugin.name(), version, kind: "CANARY_FAILED", reason: Some(reason.to_owned()) };
    note(ctx, db, client, new).await?;
    let admin = Administration::from(ctx);
    audit(&admin, db, client, Actor::Platform, "take-back", AuditObject::new("plugin", &canary.plugin)).await?;
    let inbox = reporting_inbox(db, client, canary.inbox).await?;
    let swap = swap_event(canary, Swap::TakenBack { reason: reason.to_owned() }, ctx.now());
    // The caller commits, so no lane is woken here. The poll of the runner finds the stored rows.
    record(ctx, db, client, &[NewEvent { inbox, ..swap }]).await?;
    Ok(true)
}

/// Deletes a plugin with all its versions, key-values, recordings and differences.
pub async fn delete(ctx: &Context, client: ClientId, plugin: &str, actor: Actor) -> Result<(), PluginError> {
    if plugin.contains('\0') {
        return Err(PluginError::NotFound);
    }
    let mut tx = ctx.db.begin().await?;
    activations::lock(&mut tx, client).await?;
    if versions::plugin(&mut tx, client, plugin).await?.is_none() {
        return Err(match ctx.plugins.find(plugin) {
            Some(_) => PluginError::Conflict(format!("`{plugin}` was not uploaded by you, and cannot be deleted")),
            None => PluginError::NotFound,
        });
    }
    let active = catalogue::active(&mut tx, client, Some(plugin)).await?;
    let places: Vec<String> = active.iter().filter(|active| active.plugin.version().is_some()).map(place_of).collect();
    if !places.is_empty() {
        let said = format!("`{plugin}` is in force ({}): deactivate it first", places.join(", "));
        return Err(PluginError::Conflict(said));
    }
    versions::delete(&mut tx, client, plugin).await?;
    // The operator may have added a plugin of this name later. If it is in force, its values stay.
    if active.is_empty() {
        storage::chat::chatbot_values::forget_plugin(&mut tx, client, plugin).await?;
    }
    // Its grants stay.
    if ctx.plugins.find(plugin).is_none() {
        storage::plugins::shared_secrets::forget_plugin(&mut tx, client, plugin).await?;
    }
    note(ctx, &mut tx, client, EventNote { plugin, version: None, kind: "DELETED", reason: None }).await?;
    audit(&Administration::from(ctx), &mut tx, client, actor, "delete", AuditObject::new("plugin", plugin)).await?;
    tx.commit().await?;
    Ok(())
}

/// The end of an activation by a user.
#[derive(Debug, Clone, Copy)]
enum ActivationEnd {
    RolledBack,
    Deactivated,
}

impl ActivationEnd {
    /// The stored kind of the event.
    fn event_kind(self) -> &'static str {
        match self {
            Self::RolledBack => "ROLLED_BACK",
            Self::Deactivated => "DEACTIVATED",
        }
    }

    /// The stored reason of the activation.
    fn reason(self) -> &'static str {
        match self {
            Self::RolledBack => "rolled-back",
            Self::Deactivated => "deactivated",
        }
    }
}

async fn end(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    activation: &SlotActivation,
    end: ActivationEnd,
) -> Result<()> {
    activations::end(db, client, activation.id, end.reason(), ctx.now()).await?;
    let (plugin, version) = (activation.plugin.name(), stored_version(&activation.plugin));
    note(ctx, db, client, EventNote { plugin, version, kind: end.event_kind(), reason: Some(place_of(activation)) })
        .await
}
