//! Activates a version: live, as a shadow next to the live version, or as a canary for a share of the subjects.

use domain::{
    body::FieldFault,
    event::Swap,
    ids::{ClientId, InboxId},
};
use plugin_host::{
    AllowedHost, HttpLimits, PluginRef, SEALED, World,
    config_schema::{self, PreviousSecrets, SchemaVerdict},
};
use serde_json::{Map, Value};
use storage::{
    PgConnection,
    plugins::{activations, versions},
};

use super::{
    EventNote, PluginError, built_in_rules,
    catalogue::{self, ChosenPlugin},
    follow, known_inbox, loads, note,
    referred_secrets::{self, ReferringConfig},
    same_terms::{find_same, tries_something},
    schema, trial, validation,
};
use crate::{
    secrets,
    slots::{Mode, NO_CHATBOT, SlotActivation, is_no_chatbot, stored_version},
    swaps::swap_event,
};
use base::{
    Context, Error, Result,
    audit::{Actor, Administration, AuditObject, audit},
};
use events::record;

const MOST_HOSTS: usize = 50;

#[derive(Debug, Clone)]
pub struct NewActivation {
    pub plugin: String,
    pub version: Option<u64>,
    pub inbox: Option<InboxId>,
    pub mode: Mode,
    /// Share of a canary. `None` = keep that of this plugin's canary in the slot; if there is none, 10.
    pub percent: Option<u8>,
    /// Configuration of the plugin: an object. `None` = keep the configuration of this plugin's activation in the slot;
    /// if there is none, `{}`.
    pub config: Option<Value>,
    /// Hosts that the plugin may reach by HTTP. `None` = keep the hosts of this plugin's activation in the slot; if
    /// there is none, no hosts.
    pub allowed_hosts: Option<Vec<String>>,
    /// `None` = keep the limits of this plugin's activation in the slot; if there is none, those of the operator.
    pub http_limits: Option<HttpLimits>,
    /// `None` = as for `percent`; if there is no canary, 10.
    pub error_threshold: Option<u8>,
    /// `None` = as for `percent`; if there is no canary, 20.
    pub minimum_calls: Option<u32>,
    /// Run all checks and show the result, and change nothing.
    pub preview: bool,
}

/// The terms of a canary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CanaryTerms {
    percent: u8,
    error_threshold: u8,
    minimum_calls: u32,
}

/// The parts of a planned activation.
struct ActivationParts<'a> {
    wanted: &'a NewActivation,
    terms: CanaryTerms,
    candidate: &'a ChosenPlugin,
    config: &'a ReferringConfig,
    /// The activation whose values are kept if the request has none.
    model: Option<&'a SlotActivation>,
}

const USUAL_TERMS: CanaryTerms = CanaryTerms { percent: 10, error_threshold: 10, minimum_calls: 20 };

impl NewActivation {
    /// The newest version of a plugin for all inboxes, with default values for the rest.
    pub fn newest(plugin: impl Into<String>, mode: Mode) -> Self {
        Self {
            plugin: plugin.into(),
            version: None,
            inbox: None,
            mode,
            percent: None,
            config: None,
            allowed_hosts: None,
            http_limits: None,
            error_threshold: None,
            minimum_calls: None,
            preview: false,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct ActivationResult {
    pub activation: SlotActivation,
    /// Fields that the request left out and whose values were kept: `config`, `allowedHosts`, `httpLimits`.
    pub kept: Vec<&'static str>,
    /// The plugin that was in this slot before.
    pub replaced: Option<PluginRef>,
}

/// Activates a version from the next event on. The call can be repeated. After an error or a preview nothing has changed.
pub async fn activate(
    ctx: &Context,
    client: ClientId,
    wanted: NewActivation,
    actor: Actor,
) -> Result<ActivationResult, PluginError> {
    let (candidate, model, terms, config) = {
        let mut db = ctx.db.acquire().await?;
        let candidate = catalogue::choose(ctx, &mut db, client, &wanted.plugin, wanted.version).await?;
        known_inbox(&mut db, client, wanted.inbox).await?;
        let model = find_model(&mut db, client, &candidate, wanted.inbox).await?;
        let terms = canary_terms(&mut db, client, &candidate, &wanted).await?;
        let config = config_of(ctx, client, &wanted, model.as_ref())?;
        let config = referred_secrets::read(&mut db, &ctx.sealer, client, candidate.plugin.name(), config).await?;
        (candidate, model, terms, config)
    };
    let candidate = catalogue::with_schema(ctx, client, candidate).await?;
    let model = model.as_ref();
    let parts = ActivationParts { wanted: &wanted, terms, candidate: &candidate, config: &config, model };
    let activation = plan(ctx, client, parts).await?;
    let kept = kept_fields(&wanted, model);
    loads(ctx, client, &activation.plugin).await?;
    validation::run(ctx, client, &activation).await?;
    trial::run(ctx, client, &activation).await?;
    if wanted.preview {
        // Reads only: it waits for no other change and delays none.
        let mut db = ctx.db.acquire().await?;
        return Ok(succession(ctx, &mut db, client, activation, &config.config).await?.result(kept));
    }
    let mut tx = ctx.db.begin().await?;
    activations::lock(&mut tx, client).await?;
    let succession = succession(ctx, &mut tx, client, activation, &config.config).await?;
    let result = succession.result(kept);
    let Succession::New { activation, ended } = &succession else { return Ok(result) };
    for (other, reason) in ended {
        activations::end(&mut tx, client, other.id, reason, ctx.now()).await?;
    }
    begin(ctx, &mut tx, client, activation, "ACTIVATED").await?;
    let swap = swap_event(activation, Swap::Activated { instead_of: activation.previous }, ctx.now());
    let wakes = record(ctx, &mut tx, client, &[swap]).await?;
    let admin = Administration::from(ctx);
    audit(&admin, &mut tx, client, actor, "activate", AuditObject::new("plugin", &activation.plugin)).await?;
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    follow::announce(ctx, client, activation).await;
    Ok(result)
}

/// The fields that the request leaves out, if there are values to keep.
fn kept_fields(wanted: &NewActivation, model: Option<&SlotActivation>) -> Vec<&'static str> {
    let Some(model) = model else { return Vec::new() };
    let kept = [
        ("config", wanted.config.is_none()),
        ("allowedHosts", wanted.allowed_hosts.is_none()),
        ("httpLimits", wanted.http_limits.is_none() && !model.http_limits.is_empty()),
    ];
    kept.into_iter().filter(|(_, is_kept)| *is_kept).map(|(field, _)| field).collect()
}

pub(super) async fn in_scope(
    db: &mut PgConnection,
    client: ClientId,
    world: World,
    inbox: Option<InboxId>,
) -> Result<Vec<SlotActivation>> {
    let rows = activations::in_scope(db, client, world.as_str(), inbox).await?;
    rows.into_iter().map(SlotActivation::try_from).collect()
}

/// The configuration of the request or of `model`, with its own secrets opened.
fn config_of(
    ctx: &Context,
    client: ClientId,
    wanted: &NewActivation,
    model: Option<&SlotActivation>,
) -> Result<Value, PluginError> {
    match (&wanted.config, model) {
        (Some(config), _) if secrets::names_the_sealed(config) => {
            let said =
                format!("holds `{SEALED}`, which stands for secrets and cannot be given: write the secret itself");
            Err(PluginError::fault("config", said))
        }
        (Some(config), _) => Ok(config.clone()),
        (None, Some(model)) => Ok(secrets::open(&ctx.sealer, client, &model.config).map_err(Error::from)?),
        (None, None) => Ok(Value::Object(Map::new())),
    }
}

/// Builds and checks the activation that will be in force.
async fn plan(ctx: &Context, client: ClientId, parts: ActivationParts<'_>) -> Result<SlotActivation, PluginError> {
    let ActivationParts { wanted, terms, candidate, config, model } = parts;
    let allowed_hosts =
        wanted.allowed_hosts.clone().or_else(|| model.map(|model| model.allowed_hosts.clone())).unwrap_or_default();
    let http_limits = wanted.http_limits.or_else(|| model.map(|model| model.http_limits)).unwrap_or_default();
    let mut faults = host_faults(&allowed_hosts);
    faults.extend(http_limit_faults(ctx, candidate.world, http_limits));
    let before = PreviousSecrets {
        secrets: model.map(|model| secrets::hide(&model.config).1).unwrap_or_default(),
        is_kept: wanted.config.is_none(),
    };
    let judged = check_config(client, candidate.config_schema.clone(), config, before).await?;
    if judged.faults.is_empty() {
        faults.extend(built_in_rules::faults(&candidate.plugin, &config.with_stand_ins()));
    }
    faults.extend(judged.faults);
    if !(1..=100).contains(&terms.percent) {
        faults.push(FieldFault::new("percent", "must be a whole number from 1 to 100"));
    }
    if terms.error_threshold > 100 {
        faults.push(FieldFault::new("errorThreshold", "must be a whole number from 0 to 100, in percent"));
    }
    if !(1..=1_000).contains(&terms.minimum_calls) {
        faults.push(FieldFault::new("minimumCalls", "must be a whole number from 1 to 1000"));
    }
    if is_no_chatbot(&candidate.plugin) {
        faults.extend(no_chatbot_faults(wanted));
    }
    if !faults.is_empty() {
        return Err(PluginError::Faults(faults));
    }
    let now = ctx.now();
    Ok(SlotActivation {
        config: secrets::seal(&ctx.sealer, client, &config.config, &config.places_to_seal(&judged.secrets))
            .map_err(Error::from)?,
        shared: config.granted.clone(),
        id: ctx.ids.mint(now),
        world: candidate.world,
        inbox: wanted.inbox,
        mode: wanted.mode,
        plugin: candidate.plugin.clone(),
        allowed_hosts,
        http_limits,
        percent: if wanted.mode == Mode::Canary { terms.percent } else { 100 },
        error_threshold: terms.error_threshold,
        minimum_calls: terms.minimum_calls,
        previous: None,
        recording: None,
        activated_at: now,
    })
}

/// The terms of the request. Absent ones are those of the canary of this plugin that runs in the place, because its
/// participants must not change to another version unasked.
async fn canary_terms(
    db: &mut PgConnection,
    client: ClientId,
    candidate: &ChosenPlugin,
    wanted: &NewActivation,
) -> Result<CanaryTerms> {
    let present = match wanted.mode {
        Mode::Canary => in_scope(db, client, candidate.world, wanted.inbox).await?,
        Mode::Live | Mode::Shadow => Vec::new(),
    };
    let running = present.iter().find(|one| one.mode == Mode::Canary && one.plugin.name() == candidate.plugin.name());
    let usual = running.map_or(USUAL_TERMS, |running| CanaryTerms {
        percent: running.percent,
        error_threshold: running.error_threshold,
        minimum_calls: running.minimum_calls,
    });
    Ok(CanaryTerms {
        percent: wanted.percent.unwrap_or(usual.percent),
        error_threshold: wanted.error_threshold.unwrap_or(usual.error_threshold),
        minimum_calls: wanted.minimum_calls.unwrap_or(usual.minimum_calls),
    })
}

/// The activation whose configuration is kept if the request has none: that of the same version, for example when a
/// canary becomes live. If there is none, the live activation of the same plugin. A number without either has those
/// for all numbers.
async fn find_model(
    db: &mut PgConnection,
    client: ClientId,
    candidate: &ChosenPlugin,
    inbox: Option<InboxId>,
) -> Result<Option<SlotActivation>> {
    let of_scope = model(candidate, in_scope(db, client, candidate.world, inbox).await?);
    if of_scope.is_some() || inbox.is_none() {
        return Ok(of_scope);
    }
    Ok(model(candidate, in_scope(db, client, candidate.world, None).await?))
}

fn model(candidate: &ChosenPlugin, present: Vec<SlotActivation>) -> Option<SlotActivation> {
    let is_live = |one: &SlotActivation| one.mode == Mode::Live && one.plugin.name() == candidate.plugin.name();
    let at = present.iter().position(|one| one.plugin == candidate.plugin);
    let at = at.or_else(|| present.iter().position(is_live))?;
    present.into_iter().nth(at)
}

/// The faults of a "no chatbot" activation: it needs an inbox and the mode `live`.
fn no_chatbot_faults(wanted: &NewActivation) -> Vec<FieldFault> {
    let mut faults = Vec::new();
    if wanted.inbox.is_none() {
        let said = "is required: deactivate the chatbot that is live for all numbers instead";
        faults.push(FieldFault::new("whatsAppNumberId", said));
    }
    if wanted.mode != Mode::Live {
        faults.push(FieldFault::new("mode", format!("must be `live`: `{NO_CHATBOT}` cannot be a canary or a shadow")));
    }
    faults
}

fn host_faults(hosts: &[String]) -> Vec<FieldFault> {
    if hosts.len() > MOST_HOSTS {
        return vec![FieldFault::new("allowedHosts", format!("must name at most {MOST_HOSTS} hosts"))];
    }
    let judged = hosts.iter().enumerate();
    judged
        .filter_map(|(at, host)| {
            let reason = AllowedHost::parse(host).err()?;
            Some(FieldFault::new(format!("allowedHosts[{at}]"), reason))
        })
        .collect()
}

fn http_limit_faults(ctx: &Context, world: World, limits: HttpLimits) -> Vec<FieldFault> {
    if !limits.is_empty() && !world.row().grants.contains(&"http") {
        let said = format!("is for plugins that send HTTP requests: leave it out for the world {world}");
        return vec![FieldFault::new("httpLimits", said)];
    }
    let faults = limits.faults(ctx.plugins.limits()).into_iter();
    faults.map(|fault| FieldFault::new(format!("httpLimits.{}", fault.field), fault.reason)).collect()
}

/// The faults of a configuration and the places of its secrets.
async fn check_config(
    client: ClientId,
    config_schema: Option<Value>,
    config: &ReferringConfig,
    before: PreviousSecrets,
) -> Result<SchemaVerdict, PluginError> {
    if let Some(fault) = config_schema::form_fault(&config.opened, config.config.to_string().len()) {
        return Ok(SchemaVerdict { faults: vec![fault], secrets: Vec::new() });
    }
    match config_schema {
        Some(schema) => schema::judge(client, schema, config.opened.clone(), before, config.places.clone()).await,
        None if !config.places.is_empty() => {
            Ok(SchemaVerdict { faults: config_schema::unmarked(&config.places, &[]), secrets: Vec::new() })
        }
        None if before.is_kept => Ok(SchemaVerdict { faults: Vec::new(), secrets: before.secrets }),
        None => Ok(SchemaVerdict::default()),
    }
}

/// Checks again that the version exists, because it may have been deleted since it was found.
pub(super) async fn still_there(
    db: &mut PgConnection,
    client: ClientId,
    plugin: &PluginRef,
) -> Result<(), PluginError> {
    let PluginRef::Uploaded { name, sha256, .. } = plugin else { return Ok(()) };
    match versions::with_bytes(db, client, name, sha256).await? {
        Some(version) if stored_version(plugin) == Some(version.version) => Ok(()),
        _ => Err(PluginError::Conflict(format!("{plugin} is no longer there: upload it again, or activate another"))),
    }
}

/// A shadow needs a live plugin, or a built-in plugin of the host, to compare with.
async fn has_something_to_compare_with(
    db: &mut PgConnection,
    client: ClientId,
    shadow: &SlotActivation,
) -> Result<(), PluginError> {
    if shadow.world.row().answers_by_default {
        return Ok(());
    }
    let of_number = in_scope(db, client, shadow.world, shadow.inbox).await?;
    let of_client = in_scope(db, client, shadow.world, None).await?;
    if of_number.iter().chain(&of_client).any(|present| present.mode == Mode::Live && !is_no_chatbot(&present.plugin)) {
        return Ok(());
    }
    let said =
        format!("a shadow needs a live {}, and none is live there: activate one live first, or this one", shadow.world);
    Err(PluginError::fault("mode", said))
}

/// The effect of a new activation on the present ones.
enum Succession {
    /// The same is in force already.
    Same(SlotActivation),
    New {
        activation: SlotActivation,
        /// The activations that it ends, with the reasons.
        ended: Vec<(SlotActivation, &'static str)>,
    },
}

impl Succession {
    fn result(&self, kept: Vec<&'static str>) -> ActivationResult {
        match self {
            Self::Same(activation) => ActivationResult { activation: activation.clone(), kept, replaced: None },
            Self::New { activation, ended } => {
                let replaced = ended.iter().find(|(other, _)| other.mode == activation.mode);
                let replaced = replaced.map(|(other, _)| other.plugin.clone());
                ActivationResult { activation: activation.clone(), kept, replaced }
            }
        }
    }
}

/// Compares a new activation with the present ones. An activation holds the lock of the client from before this call until
/// its commit.
async fn succession(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    mut activation: SlotActivation,
    config: &Value,
) -> Result<Succession, PluginError> {
    still_there(db, client, &activation.plugin).await?;
    referred_secrets::still_granted(db, client, &activation).await?;
    let present = in_scope(db, client, activation.world, activation.inbox).await?;
    if let Some(same) = find_same(ctx, client, &present, &activation, config)? {
        return Ok(Succession::Same(same.clone()));
    }
    if activation.mode == Mode::Canary {
        tries_something(ctx, client, &present, &activation, config)?;
    }
    if activation.mode == Mode::Shadow {
        has_something_to_compare_with(db, client, &activation).await?;
    }
    let ended = ended_by(&activation, present);
    activation.previous = ended.iter().find(|(other, _)| other.mode == Mode::Live).map(|(other, _)| other.id);
    Ok(Succession::New { activation, ended })
}

/// The present activations of its place that a new one ends, with the reasons.
fn ended_by(activation: &SlotActivation, present: Vec<SlotActivation>) -> Vec<(SlotActivation, &'static str)> {
    let reason = |other: &SlotActivation| {
        if other.mode == activation.mode {
            Some("replaced")
        } else if activation.mode == Mode::Live && other.plugin == activation.plugin {
            Some("promoted")
        } else {
            None
        }
    };
    present.into_iter().filter_map(|other| reason(&other).map(|reason| (other, reason))).collect()
}

/// Stores an activation in its slot and records the event.
pub(super) async fn begin(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    activation: &SlotActivation,
    kind: &str,
) -> Result<()> {
    activations::begin(db, client, &activation.into()).await?;
    let version = stored_version(&activation.plugin);
    let place = match activation.mode {
        Mode::Canary => format!("{}, {} %", super::place_of(activation), activation.percent),
        Mode::Live | Mode::Shadow => super::place_of(activation),
    };
    let new = EventNote { plugin: activation.plugin.name(), version, kind, reason: Some(place) };
    note(ctx, db, client, new).await
}
