//! Stores the results of calls in the transaction of their effects.

use std::collections::BTreeMap;

use super::{AnsweringVersion, FinishedCall, canary, shadow, trace};
use crate::slots::stored_version;
use base::{Context, Error, Result};
use domain::ids::ClientId;
use futures::{FutureExt, future::BoxFuture};
use plugin_host::World;
use storage::{
    PgConnection,
    plugins::{
        invocations::{self, Invocation},
        recordings::{self, RecordingEnd, RecordingRow},
    },
};
use uuid::Uuid;

/// The comparisons with shadows that remain after the calls are stored.
#[derive(Debug, Default)]
#[must_use = "after the commit, `compare` asks the shadows"]
pub struct RemainingComparisons {
    comparisons: Vec<shadow::ShadowComparison>,
}

impl RemainingComparisons {
    /// Starts the shadows of the calls. Call it after the commit. It does not wait.
    pub fn compare(self, ctx: &Context, client: ClientId) {
        shadow::spawn(ctx, client, self.comparisons);
    }
}

/// Stores calls in the caller's transaction: traces, recordings, and the withdrawal of a canary that failed too often.
pub fn keep<'a>(
    ctx: &'a Context,
    db: &'a mut PgConnection,
    client: ClientId,
    mut calls: Vec<FinishedCall>,
) -> BoxFuture<'a, Result<RemainingComparisons>> {
    // Boxed, so that it is compiled once here and not in each calling crate.
    async move {
        let mut kept = RemainingComparisons::default();
        if calls.is_empty() {
            return Ok(kept);
        }
        for made in &mut calls {
            made.invocation.id = ctx.mint();
        }
        let rows: Vec<Invocation> = calls.iter().map(|made| made.invocation.clone()).collect();
        invocations::record(db, client, &rows).await?;
        for made in &calls {
            if made.answering.is_canary() && (made.failed || made.hopeless) {
                canary::judge(ctx, db, client, made).await?;
            }
        }
        // After the verdicts. A verdict waits for changes of the client's plugins, and such a change may wait for a
        // recording to end.
        let mut full = BTreeMap::new();
        for made in &calls {
            if let Some((activation, why)) = record(db, client, made).await? {
                full.insert(activation, (why, &made.answering));
            }
        }
        for (activation, (why, answering)) in full {
            if let Some(terms) = &answering.recording {
                let full = crate::FullRecording { activation, plugin: &answering.plugin, terms, limit: why };
                crate::end_recording(ctx, db, client, full).await?;
            }
        }
        kept.comparisons.extend(calls.into_iter().filter_map(shadow::ShadowComparison::of));
        Ok(kept)
    }
    .boxed()
}

/// Stores only the trace of a call whose answer is not used.
pub async fn store_shadow_call(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    made: FinishedCall,
) -> Result<()> {
    let row = Invocation { id: ctx.mint(), ..made.invocation };
    Ok(invocations::record(db, client, &[row]).await?)
}

/// An event that a chatbot does not get.
#[derive(Debug, Clone, Copy)]
pub struct MissedEvent<'a> {
    pub plugin: &'a str,
    /// One of [`trace::EVENTS`].
    pub event: &'a str,
    /// The participant.
    pub subject: Uuid,
    pub reason: &'a str,
}

/// Notes among the calls of a chatbot that it was not called, for its author.
pub async fn note_missed_event(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    missed: MissedEvent<'_>,
) -> Result<()> {
    let answering = AnsweringVersion::built_in(World::Chatbot, missed.plugin);
    let row = Invocation {
        event: Some(missed.event.to_owned()),
        consequence: Some(missed.reason.to_owned()),
        ..trace::invocation(ctx.mint(), &answering, None, None, missed.subject)
    };
    Ok(invocations::record(db, client, &[row]).await?)
}

/// Stores the recording of a call, if requested. Returns the activation whose recording is now full.
async fn record(db: &mut PgConnection, client: ClientId, made: &FinishedCall) -> Result<Option<(Uuid, RecordingEnd)>> {
    let (Some(recording), Some(terms), Some(activation), true) =
        (&made.recording, &made.answering.recording, made.answering.activation, made.is_recorded)
    else {
        return Ok(None);
    };
    let text = serde_json::to_string(recording.as_ref())
        .map_err(|source| Error::Unreadable { what: "recording of a call", source })?;
    let new = RecordingRow {
        id: made.invocation.id,
        activation,
        plugin: made.answering.name().to_owned(),
        version: stored_version(&made.answering.plugin),
        world: made.answering.world.as_str().to_owned(),
        subject: made.invocation.subject.unwrap_or_default(),
        recording: text,
    };
    let keeping = recordings::insert(db, client, &new, &terms.into()).await?;
    Ok(keeping.full.map(|full| (activation, full)))
}
