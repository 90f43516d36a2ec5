//! Keeps what calls leave behind, in the transaction of their effects.

use super::{Made, canary, shadow};
use crate::{Context, Error, Result, plugins::slots::stored_version};
use domain::ids::ClientId;
use storage::{
    PgConnection,
    plugins::{
        invocations::{self, Invocation},
        recordings::{self, Recording},
    },
};

/// What keeping some calls led to.
#[derive(Debug, Default)]
#[must_use = "after the commit, `compare` asks the shadows"]
pub(crate) struct Kept {
    /// A canary was taken back: the next call goes to the live version.
    pub(crate) canary_ended: bool,
    beside: Vec<shadow::Beside>,
}

impl Kept {
    /// Asks the shadows what the calls were about. Call it after the commit; it does not wait.
    pub(crate) fn compare(self, ctx: &Context, client: ClientId) {
        for beside in self.beside {
            shadow::spawn(ctx, client, beside);
        }
    }
}

/// Keeps calls in the caller's transaction: traces, recordings, and the end of a canary that failed too often.
pub(crate) async fn keep(ctx: &Context, db: &mut PgConnection, client: ClientId, mut calls: Vec<Made>) -> Result<Kept> {
    let mut kept = Kept::default();
    if calls.is_empty() {
        return Ok(kept);
    }
    for made in &mut calls {
        made.invocation.id = ctx.mint();
    }
    let rows: Vec<Invocation> = calls.iter().map(|made| made.invocation.clone()).collect();
    invocations::record(db, client, &rows).await?;
    for made in calls {
        record(db, client, &made).await?;
        if made.answering.is_canary() && (made.failed || made.hopeless) {
            kept.canary_ended |= canary::judge(ctx, db, client, &made).await?;
        }
        kept.beside.extend(shadow::Beside::of(made));
    }
    Ok(kept)
}

/// Keeps the trace of a call whose answer is not used, and nothing else of it.
pub(crate) async fn keep_beside(ctx: &Context, db: &mut PgConnection, client: ClientId, made: Made) -> Result<()> {
    let row = Invocation { id: ctx.mint(), ..made.invocation };
    Ok(invocations::record(db, client, &[row]).await?)
}

async fn record(db: &mut PgConnection, client: ClientId, made: &Made) -> Result<()> {
    let (Some(recording), Some(terms), Some(activation), true) =
        (&made.recording, &made.answering.recording, made.answering.activation, made.is_recorded)
    else {
        return Ok(());
    };
    let text = serde_json::to_string(recording.as_ref())
        .map_err(|source| Error::Unreadable { what: "recording of a call", source })?;
    let new = Recording {
        id: made.invocation.id,
        activation,
        plugin: made.answering.name().to_owned(),
        version: stored_version(&made.answering.plugin),
        world: made.answering.world.as_str().to_owned(),
        subject: made.invocation.subject.unwrap_or_default(),
        recording: text,
    };
    recordings::insert(db, client, &new, &terms.into()).await?;
    Ok(())
}
