//! Records events: every reader sees them in the transaction of their cause.

use base::{Context, Result};
use domain::{event::NewEvent, ids::ClientId};
use futures::{FutureExt, future::BoxFuture};
use storage::{PgConnection, Queue};
use uuid::Uuid;

use crate::readers::{chat_episodes, live_events, provider_facts, waiting_customers, webhooks};

/// Call it once, with all events of one transaction in order. Returns the lanes to wake after the commit.
pub fn record<'a>(
    ctx: &'a Context,
    db: &'a mut PgConnection,
    client: ClientId,
    events: &'a [NewEvent],
) -> BoxFuture<'a, Result<Vec<(Queue, Uuid)>>> {
    // Boxed, so that it is compiled here once, and not in each crate that awaits it.
    async move {
        let mut wakes = record_with_webhook(ctx, db, client, events).await?;
        wakes.extend(webhooks::take(ctx, db, client, events).await?);
        Ok(wakes)
    }
    .boxed()
}

/// As [`record`], for steps of messages that store their webhooks themselves ([`webhooks::webhook_of_step`]).
pub fn record_with_webhook<'a>(
    ctx: &'a Context,
    db: &'a mut PgConnection,
    client: ClientId,
    events: &'a [NewEvent],
) -> BoxFuture<'a, Result<Vec<(Queue, Uuid)>>> {
    async move {
        provider_facts::take(ctx, db, client, events).await?;
        live_events::take(ctx, db, client, events).await?;
        chat_episodes::take(ctx, db, client, events).await?;
        let mut wakes = Vec::new();
        for reader in ctx.readers.iter() {
            wakes.extend(reader.take(ctx, db, client, events).await?);
        }
        wakes.extend(waiting_customers::take(ctx, db, client, events).await?);
        Ok(wakes)
    }
    .boxed()
}
