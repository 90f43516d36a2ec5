//! Changing, listing and deleting configurations (SPEC 4.7).

use std::collections::BTreeMap;

use base::Context;
use domain::{
    ids::{ClientId, EndpointId, WebhookConfigId},
    page::{Page, PageRequest},
    webhook::{WebhookConfig, WebhookConfigRequest, WebhookType},
};
use storage::{
    Queue,
    webhooks::{config_changes, configs},
};

use super::{ConfigureError, note, refuse_addresses, webhook_config};

/// Absent fields stay; an empty address turns its type off. A given address is checked again and turns its type on.
pub async fn update(
    ctx: &Context,
    client: ClientId,
    actor: &str,
    id: WebhookConfigId,
    request: &WebhookConfigRequest,
) -> Result<WebhookConfig, ConfigureError> {
    let mut tx = ctx.db.begin().await?;
    if !config_changes::lock(&mut tx, client, id).await? {
        return Err(ConfigureError::NotFound);
    }
    let stored = configs::find(&mut tx, client, id).await?.ok_or(ConfigureError::NotFound)?;
    let settings = request.update(&stored.settings);
    let given = request.urls().filter_map(|(kind, url)| Some((kind, url?.to_owned())));
    let given: BTreeMap<WebhookType, String> = given.collect();
    let on = given.iter().filter(|(_, url)| !url.is_empty()).map(|(kind, url)| (*kind, url.clone()));
    refuse_addresses(ctx, &mut tx, client, &on.collect()).await?;
    let saved: Vec<WebhookType> = given.into_keys().collect();
    let endpoints = config_changes::update(&mut tx, client, id, &settings, &saved).await?;
    note(ctx, &mut tx, client, actor, "update", id).await?;
    let stored = configs::find(&mut tx, client, id).await?.ok_or(ConfigureError::NotFound)?;
    tx.commit().await?;
    wake(ctx, client, endpoints);
    Ok(webhook_config(stored))
}

pub async fn list(ctx: &Context, client: ClientId, page: PageRequest) -> base::Result<Page<WebhookConfig>> {
    let mut db = ctx.db.acquire().await?;
    let (items, total) = config_changes::page(&mut db, client, page).await?;
    Ok(Page::of(items.into_iter().map(webhook_config).collect(), total))
}

/// A number then uses the default. Waiting deliveries are dropped, and an attempt in progress ends.
pub async fn delete(ctx: &Context, client: ClientId, actor: &str, id: WebhookConfigId) -> Result<(), ConfigureError> {
    let mut tx = ctx.db.begin().await?;
    if !config_changes::lock(&mut tx, client, id).await? {
        return Err(ConfigureError::NotFound);
    }
    let endpoints = config_changes::delete(&mut tx, client, id).await?;
    note(ctx, &mut tx, client, actor, "delete", id).await?;
    tx.commit().await?;
    wake(ctx, client, endpoints);
    Ok(())
}

fn wake(ctx: &Context, client: ClientId, endpoints: Vec<EndpointId>) {
    ctx.wake.wake_all(client, endpoints.into_iter().map(|endpoint| (Queue::Webhook, endpoint.0)));
}
