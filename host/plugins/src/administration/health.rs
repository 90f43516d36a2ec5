//! The health of a plugin: whether its activations are suspended, and their calls in the last hour.

use std::collections::HashMap;

use base::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    clock::first_id_at,
    ids::ClientId,
    status_report::{ProcessReport, ReportTime, SILENT_AFTER},
};
use storage::{
    PgConnection,
    plugins::{
        events,
        invocations::{self, CallFigures},
    },
    work::process_reports,
};

use super::catalogue;
use crate::{calls::suspensions::OPENED, slots::SlotActivation};

/// The time whose calls are counted.
const COUNTED: TimeDelta = TimeDelta::hours(1);

/// The health of a plugin of a client.
#[derive(Debug, Clone, PartialEq)]
pub struct PluginHealth {
    /// Begin of the time whose calls are counted.
    pub since: DateTime<Utc>,
    pub activations: Vec<ActivationHealth>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ActivationHealth {
    pub activation: SlotActivation,
    pub suspension: Option<PluginSuspension>,
    /// `None`: it was not called.
    pub figures: Option<CallFigures>,
}

/// The suspension of a version for a client. Each process suspends for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginSuspension {
    pub since: DateTime<Utc>,
    /// Time from which one call decides if the plugin is used again.
    pub until: DateTime<Utc>,
    pub reason: String,
    pub processes: u32,
}

impl PluginSuspension {
    fn and(self, other: Self) -> Self {
        Self {
            since: self.since.min(other.since),
            until: self.until.max(other.until),
            reason: self.reason,
            processes: self.processes + other.processes,
        }
    }
}

/// Suspensions by version.
type Suspensions = HashMap<Option<u32>, PluginSuspension>;

pub async fn health(ctx: &Context, client: ClientId, plugin: &str) -> Result<PluginHealth> {
    let since = ctx.now() - COUNTED;
    let mut db = ctx.db.acquire().await?;
    let active = catalogue::active(&mut db, client, Some(plugin)).await?;
    let figures = invocations::figures(&mut db, client, plugin, first_id_at(since)).await?;
    let mut suspensions = suspensions_elsewhere(ctx, &mut db, client, plugin).await?;
    add_own(ctx, client, plugin, &mut suspensions);
    for (version, suspension) in &mut suspensions {
        let version = version.map(|version| i32::try_from(version).unwrap_or(i32::MAX));
        // The event has the last failure, too.
        if let Some(reason) = events::last_reason(&mut db, client, plugin, version, OPENED).await? {
            suspension.reason = reason;
        }
    }
    let activations = active.into_iter().map(|activation| ActivationHealth {
        suspension: suspensions.get(&activation.plugin.version()).cloned(),
        figures: figures.iter().find(|figures| figures.activation == activation.id).copied(),
        activation,
    });
    Ok(PluginHealth { since, activations: activations.collect() })
}

/// The suspensions in other processes, by their last reports.
async fn suspensions_elsewhere(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    plugin: &str,
) -> Result<Suspensions> {
    let mut suspensions = Suspensions::new();
    for stored in process_reports::all::<ProcessReport>(db).await? {
        let is_present = stored.node != ctx.node && stored.age_seconds <= SILENT_AFTER.as_secs_f64();
        let Some(report) = stored.report.ok().filter(|report| is_present && !report.stopped) else { continue };
        for suspended in report.suspended_plugins {
            if suspended.client_id == client && suspended.name == plugin {
                let at = |time: Option<ReportTime>| time.map_or(stored.reported_at, |time| time.0);
                let (since, until) = (at(suspended.since), at(suspended.until));
                let reason = suspended.reason.unwrap_or_default();
                add(&mut suspensions, suspended.version, PluginSuspension { since, until, reason, processes: 1 });
            }
        }
    }
    Ok(suspensions)
}

fn add_own(ctx: &Context, client: ClientId, plugin: &str, suspensions: &mut Suspensions) {
    for suspended in ctx.plugins.suspended_plugins() {
        if suspended.client == client && suspended.plugin.name() == plugin {
            let until = ctx.now() + TimeDelta::from_std(suspended.remaining).unwrap_or_default();
            let (since, reason) = (suspended.since, suspended.reason);
            add(suspensions, suspended.plugin.version(), PluginSuspension { since, until, reason, processes: 1 });
        }
    }
}

fn add(suspensions: &mut Suspensions, version: Option<u32>, suspension: PluginSuspension) {
    let all = match suspensions.remove(&version) {
        Some(known) => known.and(suspension),
        None => suspension,
    };
    suspensions.insert(version, all);
}
