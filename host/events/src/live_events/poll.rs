//! Looks for new events: one query for all clients with connections here. The first process numbers new events.

use std::{sync::Arc, time::Duration};

use domain::ids::ClientId;
use storage::{
    live_events::{
        events,
        streams::{self, StreamNews},
    },
    silence::in_time,
};
use tokio::time::Instant;

use super::{feed::Feed, hub::Hub, page};
use base::{Context, Result};

const BUSY: Duration = Duration::from_millis(40);
const QUIET: Duration = Duration::from_millis(120);
/// How long after an event the reads are more frequent.
const BUSY_FOR: Duration = Duration::from_secs(5);
/// How often the record that events are wanted is checked.
const KEEP_WANTED: Duration = Duration::from_secs(30);
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
const PAGE: i64 = 500;

pub(super) async fn run(hub: Arc<Hub>) {
    let mut busy_until = Instant::now();
    let mut keep_wanted = Instant::now() + KEEP_WANTED;
    loop {
        let now = Instant::now();
        let pause = match in_time(look(&hub)).await {
            Ok(true) => {
                busy_until = now + BUSY_FOR;
                BUSY
            }
            Ok(false) if now < busy_until => BUSY,
            Ok(false) => QUIET,
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "live events cannot be searched now; they are tried again"
                );
                CHECK_INTERVAL
            }
        };
        if now >= keep_wanted {
            keep_wanted = now + KEEP_WANTED;
            for feed in hub.feeds() {
                if let Err(error) = in_time(hub.extend_demand(feed.client)).await {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "the record that live events are wanted cannot be renewed now"
                    );
                }
            }
        }
        tokio::select! {
            () = hub.stop.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
    }
}

async fn look(hub: &Arc<Hub>) -> Result<bool> {
    let feeds = hub.feeds();
    if feeds.is_empty() {
        return Ok(false);
    }
    let clients: Vec<_> = feeds.iter().map(|feed| feed.client).collect();
    let news = streams::find_new(&mut *hub.ctx.db.acquire().await?, &clients).await?;
    let mut any = false;
    for news in news {
        let Some(feed) = feeds.iter().find(|feed| feed.client == news.client) else { continue };
        if news.last <= feed.head() && !news.unnumbered {
            continue;
        }
        any = true;
        if feed.begin() {
            tokio::spawn(pump(Arc::clone(hub), Arc::clone(feed), news));
        }
    }
    Ok(any)
}

async fn pump(hub: Arc<Hub>, feed: Arc<Feed>, news: StreamNews) {
    let Err(error) = in_time(bring_up(&hub, &feed, news)).await else { return feed.end() };
    tracing::warn!(
        client.id = %feed.client,
        error = &error as &dyn std::error::Error,
        "live events could not be read; they are tried again"
    );
    tokio::time::sleep(CHECK_INTERVAL).await;
    feed.end();
}

async fn bring_up(hub: &Hub, feed: &Feed, news: StreamNews) -> Result<()> {
    let ctx = &hub.ctx;
    if news.unnumbered {
        number(&hub.ctx, feed.client, u32::MAX).await?;
    }
    loop {
        let mut db = ctx.db.acquire().await?;
        let numbered = events::after(&mut db, feed.client, feed.head(), PAGE).await?;
        let is_last = numbered.len() < usize::try_from(PAGE).unwrap_or(usize::MAX);
        feed.push(page::load(ctx, &mut db, feed.client, numbered).await?);
        if is_last {
            return Ok(());
        }
    }
}

/// Numbers at most so many pages of events, unless another process is numbering: then its committed numbers are read.
pub(super) async fn number(ctx: &Context, client: ClientId, pages: u32) -> Result<()> {
    for _ in 0..pages {
        let mut tx = ctx.db.begin().await?;
        let Some(last) = streams::lock_numbers(&mut tx, client).await? else { return Ok(()) };
        let numbered = events::number(&mut tx, client, last, PAGE).await?;
        tx.commit().await?;
        if numbered < PAGE {
            return Ok(());
        }
    }
    Ok(())
}
