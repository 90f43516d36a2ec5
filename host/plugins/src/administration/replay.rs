//! Replays recorded calls on any version.

use std::time::Instant;

use domain::ids::ClientId;
use plugin_host::{CallError, CallReplay, PluginRef, Recording as Recorded};
use serde_json::Value;
use storage::plugins::recordings::{self, RecordingRow};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::{PluginError, catalogue};
use base::{
    Context, Error, Result,
    heavy_work::{self, BodyOwner},
};

const PAGE: i64 = 100;
const AT_ONCE: usize = 4;
/// Most differences in the result.
const MOST_DIFFERENCES: usize = 20;
const MOST: u32 = 10_000;

#[derive(Debug, Clone, Default)]
pub struct ReplayReport {
    pub replayed: u64,
    pub identical: u64,
    pub different: Vec<ReplayedDifference>,
    pub per_second: f64,
}

/// A replayed call with another result.
#[derive(Debug, Clone)]
pub struct ReplayedDifference {
    pub recording: Uuid,
    /// Participant, message or delivery of the call.
    pub subject: Uuid,
    pub difference: String,
    pub then: Option<Value>,
    /// The new result; `None` if the call could not be made.
    pub now: Option<Value>,
}

/// Replays up to `limit` recorded calls of a plugin, newest first, on one of its versions (`None` = the newest).
pub async fn replay(
    ctx: &Context,
    client: ClientId,
    plugin: &str,
    version: Option<u64>,
    limit: u32,
) -> Result<ReplayReport, PluginError> {
    if !(1..=MOST).contains(&limit) {
        return Err(PluginError::fault("limit", format!("must be a whole number from 1 to {MOST}")));
    }
    let chosen = {
        let mut db = ctx.db.acquire().await?;
        catalogue::choose(ctx, &mut db, client, plugin, version).await?
    };
    super::loads(ctx, client, &chosen.plugin).await?;
    let mut report = ReplayReport::default();
    let (mut before, mut left, mut seconds) = (Uuid::max(), i64::from(limit), 0.0);
    while left > 0 {
        let page = {
            let mut db = ctx.db.acquire().await?;
            recordings::older(&mut db, client, plugin, before, left.min(PAGE)).await?
        };
        let Some(last) = page.last() else { break };
        before = last.id;
        left -= i64::try_from(page.len()).unwrap_or(left);
        let began = Instant::now();
        run(ctx, client, &chosen.plugin, page, &mut report).await?;
        seconds += began.elapsed().as_secs_f64();
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    let calls = report.replayed as f64;
    report.per_second = if seconds > 0.0 { calls / seconds } else { 0.0 };
    Ok(report)
}

/// Replays the calls of a page, a few at once, and reports them in order.
async fn run(
    ctx: &Context,
    client: ClientId,
    plugin: &PluginRef,
    page: Vec<RecordingRow>,
    report: &mut ReplayReport,
) -> Result<(), PluginError> {
    let mut waiting = page.into_iter().enumerate();
    let mut under_way = JoinSet::new();
    let mut done: Vec<(usize, RecordingRow, Result<CallReplay, CallError>)> = Vec::new();
    loop {
        while under_way.len() < AT_ONCE
            && let Some((at, recording)) = waiting.next()
        {
            let (host, plugin, bytes) =
                (std::sync::Arc::clone(&ctx.plugins), plugin.clone(), recording.recording.len());
            // A recording may have many megabytes.
            let read = move || (serde_json::from_str(&recording.recording), recording);
            let (recorded, recording) = heavy_work::work(bytes, BodyOwner::Client(client), read).await?;
            let recorded: Recorded = recorded.map_err(|source| Error::Unreadable { what: "recording", source })?;
            under_way.spawn(async move {
                let replayed = host.replay(client, &plugin, &recorded).await;
                (at, recording, replayed)
            });
        }
        match under_way.join_next().await {
            Some(Ok(one)) => done.push(one),
            Some(Err(fault)) => return Err(Error::from(base::HostFailed(fault.to_string())).into()),
            None => break,
        }
    }
    done.sort_by_key(|(at, ..)| *at);
    for (_, recording, replayed) in done {
        count(report, &recording, replayed)?;
    }
    Ok(())
}

fn count(
    report: &mut ReplayReport,
    recording: &RecordingRow,
    replayed: Result<CallReplay, CallError>,
) -> Result<(), PluginError> {
    let (difference, then, now) = match replayed {
        Ok(replay) if replay.identical => {
            report.replayed += 1;
            report.identical += 1;
            return Ok(());
        }
        Ok(replay) => {
            let (then, now) = (replay.json_then(), replay.json_now());
            let difference = replay.first_difference.unwrap_or_else(|| "the results differ".to_owned());
            (difference, Some(then), Some(now))
        }
        Err(error @ (CallError::TooBusy { .. } | CallError::Unavailable { .. })) => {
            return Err(PluginError::Busy(format!("{error}; try again in a few seconds")));
        }
        Err(error) => (format!("the call could not be made: {error}"), None, None),
    };
    report.replayed += 1;
    if report.different.len() < MOST_DIFFERENCES {
        let (recording, subject) = (recording.id, recording.subject);
        report.different.push(ReplayedDifference { recording, subject, difference, then, now });
    }
    Ok(())
}
