//! Tries a version out: one call without effects.

use std::sync::Arc;

use domain::{body::FieldFault, ids::ClientId};
use plugin_host::{
    CallError, CallSeed, CallTrace, HttpLimits, LogLine, NoKeyValues, PluginCall, SEALED, World, WorldQuestion,
    config_schema::shorten,
};
use serde_json::{Map, Value, json};

use super::{PluginError, catalogue};
use crate::{
    secrets::names_the_sealed,
    shared_secrets::references,
    slots::{Mode, SlotActivation, read_shared_secrets},
};
use base::{Context, Result};

#[derive(Debug, Clone)]
pub struct Invoke {
    pub plugin: String,
    pub version: Option<u64>,
    /// The event for the plugin. If fields are missing, a sample gives their values.
    pub event: Value,
    /// The conversation, for a chatbot. If fields are missing, a sample gives their values.
    pub session: Value,
    /// Its configuration. `None` = that of its live activation for all inboxes; if there is none, `{}`.
    pub config: Option<Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct InvokeAnswer {
    /// The answer and further details, by name.
    pub told: Map<String, Value>,
}

/// Makes one call without effects. A failed call is a result with `error` in place of the answer.
pub async fn invoke(ctx: &Context, client: ClientId, wanted: Invoke) -> Result<InvokeAnswer, PluginError> {
    let (chosen, active) = {
        let mut db = ctx.db.acquire().await?;
        let chosen = catalogue::choose(ctx, &mut db, client, &wanted.plugin, wanted.version).await?;
        let mut active = catalogue::active(&mut db, client, Some(&wanted.plugin)).await?;
        read_shared_secrets(&mut db, client, active.iter_mut().collect()).await?;
        (chosen, active)
    };
    if wanted.config.as_ref().is_some_and(names_the_sealed) {
        return Err(PluginError::fault(
            "config",
            format!("holds `{SEALED}`, which stands for secrets: write one yourself"),
        ));
    }
    if let Some(config) = &wanted.config
        && let Some((place, _)) = references(config).first()
    {
        let said = "names a shared secret, which only activations can use: write a value yourself";
        return Err(PluginError::fault(&shorten(&format!("config{place}")), said));
    }
    let config = wanted.config.unwrap_or_else(|| config_of(active));
    if !config.is_object() {
        return Err(PluginError::fault("config", "must be a JSON object"));
    }
    // A caller with one form for all worlds sends an empty session too.
    let no_session = chosen.world != World::Chatbot && wanted.session == json!({});
    let session = if no_session { Value::Null } else { wanted.session };
    let question = WorldQuestion::from_json(chosen.world, &wanted.event, &session).map_err(|problems| {
        PluginError::Faults(problems.into_iter().map(|(path, said)| FieldFault::new(path, said)).collect())
    })?;
    let config = config.to_string();
    let call = PluginCall {
        client,
        plugin: &chosen.plugin,
        now: ctx.now(),
        seed: CallSeed::from_number(ctx.ids.random()),
        config: &config,
        turn: "invoke",
        allowed_hosts: &[],
        http_limits: HttpLimits::default(),
        record: false,
    };
    let told = match ctx.plugins.dry_run(call, &question, Arc::new(NoKeyValues)).await {
        Ok(answer) => match answer.to_json() {
            Value::Object(told) => told,
            other => Map::from_iter([("answer".to_owned(), other)]),
        },
        Err(error) => failure_fields(error)?,
    };
    Ok(InvokeAnswer { told: without_secrets(ctx, client, &config, told)? })
}

fn config_of(active: Vec<SlotActivation>) -> Value {
    let mut live = active.into_iter().filter(|active| active.mode == Mode::Live && active.inbox.is_none());
    live.next().map_or_else(|| json!({}), |live| live.call_config().into_owned())
}

/// The answer with placeholders for the secrets of the configuration, which the caller may not know.
fn without_secrets(
    ctx: &Context,
    client: ClientId,
    config: &str,
    told: Map<String, Value>,
) -> Result<Map<String, Value>, PluginError> {
    let mut answer = Value::Object(told);
    let left_out = ctx.plugins.leave_out_secrets(client, config, &mut answer);
    left_out.map_err(|error| PluginError::Conflict(error.to_string()))?;
    match answer {
        Value::Object(told) => Ok(told),
        _ => Ok(Map::new()),
    }
}

fn failure_fields(error: CallError) -> Result<Map<String, Value>, PluginError> {
    let said = error.to_string();
    let Some(trace) = error.trace() else {
        return Err(match error {
            CallError::TooBusy { .. } | CallError::Unavailable { .. } => PluginError::Busy(said),
            _ => PluginError::Conflict(said),
        });
    };
    let CallTrace { logs, duration, peak_memory_bytes, outcome, .. } = trace;
    let micros = u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
    let logs: Vec<Value> = logs.iter().map(line).collect();
    let told = json!({
        "error": { "kind": outcome.as_str(), "message": said },
        "logs": logs,
        "stderr": trace.printed(),
        "durationMicros": micros,
        "processorMicros": u64::try_from(trace.processor_time.as_micros()).unwrap_or(u64::MAX),
        "peakMemoryBytes": peak_memory_bytes,
    });
    match told {
        Value::Object(told) => Ok(told),
        _ => Ok(Map::new()),
    }
}

fn line(line: &LogLine) -> Value {
    json!({ "level": line.level_name(), "message": line.message })
}
