//! Loads the activations of other nodes early, so that their first event here is not slow. This is only a hint: an
//! event reads the table itself and loads the version that it finds.

use std::{sync::Arc, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::ClientId;
use futures::{StreamExt, stream};
use plugin_host::PluginRef;
use storage::{
    plugins::{
        activations::{self, ActiveVersion},
        changes::{self, ActivationChange, Changes},
    },
    silence::in_time,
};
use tokio_util::sync::CancellationToken;

use crate::slots::SlotActivation;
use base::Context;

/// Interval of the poll, which does not depend on notifications.
const POLL: Duration = Duration::from_secs(10);
/// Pause after a failure to listen to other nodes.
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Overlap between polls, because clocks differ and transactions take time.
const OVERLAP: TimeDelta = TimeDelta::minutes(1);
/// Number of versions that are loaded at the start: those with the latest activations.
const AT_START: i64 = 500;
const AT_ONCE: i64 = 200;

/// Notifies the other nodes of an activation. If this fails, their poll finds it later.
pub(super) async fn announce(ctx: &Context, client: ClientId, activation: &SlotActivation) {
    let PluginRef::Uploaded { sha256, .. } = &activation.plugin else { return };
    let change = ActivationChange { client, sha256: sha256.clone() };
    let told = async {
        let mut db = ctx.db.acquire().await?;
        changes::announce(&mut db, &change).await
    };
    if let Err(error) = told.await {
        let error = &error as &dyn std::error::Error;
        tracing::warn!(client.id = %client, error, "the other nodes could not be notified of a new plugin version");
    }
}

/// Loads the versions in force, then those that other nodes activate, until `stop`.
pub async fn follow(ctx: Arc<Context>, stop: CancellationToken) {
    let followed = async {
        load(&ctx, DateTime::UNIX_EPOCH, AT_START).await;
        let mut looked = ctx.now();
        loop {
            let heard = Changes::listen(&ctx.db).await;
            let ended = match heard {
                Ok(mut changes) => listen(&ctx, &mut changes, &mut looked).await,
                Err(error) => error,
            };
            tracing::warn!(
                error = &ended as &dyn std::error::Error,
                "the connection for notices of other nodes was lost; it is opened again"
            );
            drop(ended);
            tokio::time::sleep(RETRY_DELAY).await;
            ctx.db.until_answering().await;
            look(&ctx, &mut looked).await;
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = followed => {}
    }
}

async fn listen(ctx: &Context, changes: &mut Changes, looked: &mut DateTime<Utc>) -> storage::Error {
    let mut poll = tokio::time::interval(POLL);
    loop {
        tokio::select! {
            heard = changes.next() => match heard {
                Ok(_) => look(ctx, looked).await,
                Err(error) => return error,
            },
            _ = poll.tick() => look(ctx, looked).await,
        }
    }
}

async fn look(ctx: &Context, looked: &mut DateTime<Utc>) {
    let since = *looked - OVERLAP;
    *looked = ctx.now();
    load(ctx, since, AT_ONCE).await;
}

async fn load(ctx: &Context, since: DateTime<Utc>, limit: i64) {
    let finding = async {
        let mut db = ctx.db.acquire().await?;
        activations::activated_since(&mut db, since, limit).await
    };
    let found: Vec<ActiveVersion> = match in_time(finding).await {
        Ok(found) => found,
        Err(error) => {
            let error = &error as &dyn std::error::Error;
            return tracing::warn!(error, "plugins could not be loaded ahead");
        }
    };
    stream::iter(found).for_each_concurrent(2, |version| preload(ctx, version)).await;
}

async fn preload(ctx: &Context, version: ActiveVersion) {
    let client = ClientId(version.client_id);
    let plugin = PluginRef::uploaded(version.plugin, version.version.unsigned_abs(), version.sha256);
    if let Err(error) = ctx.plugins.preload(client, &plugin).await {
        tracing::warn!(client.id = %client, plugin = %plugin, error = %error, "a plugin could not be loaded ahead");
    }
}
