//! Records complete calls for a while, so that they can be replayed.

use chrono::TimeDelta;
use domain::{
    body::FieldFault,
    ids::{ClientId, InboxId},
};
use plugin_host::{PluginRef, Recording as Recorded};
use serde_json::Value;
use storage::{
    Db, PgConnection,
    plugins::{
        activations,
        recordings::{self as stored, ListedRecording, RecordingEnd, RecordingRow},
    },
};
use uuid::Uuid;

use super::{EventNote, PluginError, catalogue, note};
use crate::slots::{Mode, SlotActivation, SlotRecordingTerms, stored_version};
use base::{
    Context, Result,
    audit::{Actor, Administration, AuditObject, audit},
};
use domain::page::{Page, PageRequest};

/// Kind of the event at the end of a recording.
const STOPPED: &str = "RECORDING_STOPPED";
const MOST_CALLS: u32 = 10_000;
/// Longest duration in seconds: thirty days.
const LONGEST_SECONDS: u32 = 30 * 24 * 3600;

#[derive(Debug, Clone)]
pub struct StartRecording {
    pub plugin: String,
    pub inbox: Option<InboxId>,
    pub mode: Mode,
    pub sample: f64,
    pub max_calls: u32,
    /// Most bytes in total. `None` = the maximum that the operator allows.
    pub max_bytes: Option<u64>,
    pub for_seconds: u32,
}

/// Starts to record the calls of an activation. An existing recording starts again.
pub async fn start_recording(
    ctx: &Context,
    client: ClientId,
    wanted: StartRecording,
    actor: Actor,
) -> Result<SlotActivation, PluginError> {
    let mut faults = Vec::new();
    if !(wanted.sample > 0.0 && wanted.sample <= 1.0) {
        faults.push(FieldFault::new("sample", "must be a share above 0 and up to 1"));
    }
    if !(1..=MOST_CALLS).contains(&wanted.max_calls) {
        faults.push(FieldFault::new("maxCalls", format!("must be a whole number from 1 to {MOST_CALLS}")));
    }
    let most_bytes = ctx.settings.limits.plugin_recording_bytes;
    let max_bytes = wanted.max_bytes.unwrap_or(most_bytes);
    if !(1..=most_bytes).contains(&max_bytes) {
        faults.push(FieldFault::new("maxBytes", format!("must be a whole number from 1 to {most_bytes}")));
    }
    if !(1..=LONGEST_SECONDS).contains(&wanted.for_seconds) {
        faults.push(FieldFault::new("forSeconds", format!("must be a whole number from 1 to {LONGEST_SECONDS}")));
    }
    if !faults.is_empty() {
        return Err(PluginError::Faults(faults));
    }
    let now = ctx.now();
    let terms = SlotRecordingTerms {
        sample: wanted.sample,
        max_calls: wanted.max_calls,
        max_bytes,
        first: ctx.ids.mint(now),
        until: now + TimeDelta::seconds(i64::from(wanted.for_seconds)),
        stopped: None,
    };
    let scope = RecordedActivations { plugin: &wanted.plugin, inbox: wanted.inbox, mode: Some(wanted.mode) };
    let changed = change(ctx, client, scope, Some(&terms), actor).await?;
    changed.into_iter().next().ok_or(PluginError::NotFound)
}

/// Stops the recordings of a plugin, for a client or one of its inboxes, in every mode. Recorded calls stay.
pub async fn stop_recording(
    ctx: &Context,
    client: ClientId,
    plugin: &str,
    inbox: Option<InboxId>,
    actor: Actor,
) -> Result<(), PluginError> {
    change(ctx, client, RecordedActivations { plugin, inbox, mode: None }, None, actor).await.map(drop)
}

/// The activations whose recording is changed.
struct RecordedActivations<'a> {
    plugin: &'a str,
    inbox: Option<InboxId>,
    /// `None`: in every mode.
    mode: Option<Mode>,
}

async fn change(
    ctx: &Context,
    client: ClientId,
    scope: RecordedActivations<'_>,
    terms: Option<&SlotRecordingTerms>,
    actor: Actor,
) -> Result<Vec<SlotActivation>, PluginError> {
    let RecordedActivations { plugin, inbox, mode } = scope;
    if plugin.contains('\0') {
        return Err(PluginError::NotFound);
    }
    let mut tx = ctx.db.begin().await?;
    activations::lock(&mut tx, client).await?;
    let mut active = catalogue::active(&mut tx, client, Some(plugin)).await?;
    if active.is_empty() && catalogue::find(ctx, &mut tx, client, plugin).await?.is_none() {
        return Err(PluginError::NotFound);
    }
    active.retain(|active| active.inbox == inbox && mode.is_none_or(|mode| mode == active.mode));
    if active.is_empty() {
        let how = mode.map_or("in force", Mode::as_str);
        return Err(PluginError::Conflict(format!("`{plugin}` is not {how} there: activate it first")));
    }
    let stored_terms = terms.map(activations::RecordingTerms::from);
    for activation in &mut active {
        activations::set_recording(&mut tx, client, activation.id, stored_terms.as_ref()).await?;
        activation.recording = terms.cloned();
        let version = stored_version(&activation.plugin);
        let kind = if terms.is_some() { "RECORDING_STARTED" } else { STOPPED };
        let new = EventNote { plugin, version, kind, reason: Some(super::place_of(activation)) };
        note(ctx, &mut tx, client, new).await?;
    }
    let verb = if terms.is_some() { "record" } else { "stop-recording" };
    audit(&Administration::from(ctx), &mut tx, client, actor, verb, AuditObject::new("plugin", plugin)).await?;
    tx.commit().await?;
    Ok(active)
}

/// A recording that has reached one of its limits.
pub struct FullRecording<'a> {
    pub activation: Uuid,
    pub plugin: &'a PluginRef,
    pub terms: &'a SlotRecordingTerms,
    pub limit: RecordingEnd,
}

/// Ends a full recording, in the transaction of the call that exceeded the limit. Later calls see the end and record
/// nothing.
pub async fn end_recording(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    FullRecording { activation, plugin, terms, limit }: FullRecording<'_>,
) -> Result<()> {
    let reason = match limit {
        RecordingEnd::Calls => format!("it has the {} calls that were wanted", terms.max_calls),
        RecordingEnd::Bytes => format!("it has as many calls as fit into {} bytes", terms.max_bytes),
    };
    if activations::stop_recording(db, client, activation, &terms.into(), &reason).await? {
        let version = stored_version(plugin);
        let new = EventNote { plugin: plugin.name(), version, kind: STOPPED, reason: Some(reason) };
        note(ctx, db, client, new).await?;
    }
    Ok(())
}

/// A recorded call in the form of the API. Null if this program cannot read it.
pub fn readable(recording: &RecordingRow) -> Value {
    serde_json::from_str(&recording.recording).map_or(Value::Null, |recorded: Recorded| recorded.to_json())
}

/// A page of recorded calls, or of those about one subject, newest first, without their content. [`find_recorded`] reads
/// the content.
pub async fn recordings(
    db: &Db,
    client: ClientId,
    plugin: &str,
    subject: Option<Uuid>,
    page: PageRequest,
) -> Result<Page<ListedRecording>> {
    let mut db = db.acquire().await?;
    let (items, total) = stored::page(&mut db, client, plugin, subject, page).await?;
    Ok(Page::of(items, total))
}

/// The recorded calls with these ids, newest first. Calls that were removed since are absent.
pub async fn find_recorded(db: &Db, client: ClientId, ids: &[Uuid]) -> Result<Vec<RecordingRow>> {
    let mut db = db.acquire().await?;
    Ok(stored::of_ids(&mut db, client, ids).await?)
}
