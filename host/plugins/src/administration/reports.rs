//! Records about plugins, page by page, for their clients.

use domain::ids::ClientId;
use storage::{
    Db,
    plugins::{
        differences::{self as stored_differences, AnswerDifference},
        events::{self as stored_events, PluginEvent},
        invocations::{self as stored_invocations, Invocation, InvocationFilter},
        shadow_skips::{self as stored_skipped, SkippedCount},
    },
};

use base::Result;
use domain::page::{Page, PageRequest};

fn page_of<T>((items, total): (Vec<T>, i64)) -> Page<T> {
    Page::of(items, total)
}

pub async fn invocations(
    db: &Db,
    client: ClientId,
    plugin: &str,
    wanted: InvocationFilter<'_>,
    page: PageRequest,
) -> Result<Page<Invocation>> {
    let mut db = db.acquire().await?;
    Ok(page_of(stored_invocations::page(&mut db, client, plugin, wanted, page).await?))
}

pub async fn events(db: &Db, client: ClientId, plugin: &str, page: PageRequest) -> Result<Page<PluginEvent>> {
    let mut db = db.acquire().await?;
    Ok(page_of(stored_events::page(&mut db, client, plugin, page).await?))
}

/// Differences between a plugin as a shadow and the live plugin, newest first.
pub async fn differences(db: &Db, client: ClientId, plugin: &str, page: PageRequest) -> Result<Page<AnswerDifference>> {
    let mut db = db.acquire().await?;
    Ok(page_of(stored_differences::page(&mut db, client, plugin, page).await?))
}

/// Skipped comparisons of a plugin's shadows, latest first. A comparison is skipped if there is no room for it.
pub async fn list_skipped(db: &Db, client: ClientId, plugin: &str) -> Result<Vec<SkippedCount>> {
    let mut db = db.acquire().await?;
    Ok(stored_skipped::of_plugin(&mut db, client, plugin).await?)
}
