use base::{
    Context,
    audit::{Actor, Administration, AuditObject, audit},
};
use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, DeliveryId, EndpointId, WebhookConfigId},
    webhook::WebhookType,
};
use storage::{
    Queue,
    webhooks::{
        configs, history,
        resend::{self as rows, FailedDeliveries},
    },
};

use super::{EndpointHealth, HistoryError, endpoints_of};
use crate::deliver::{self, PingResult};

const AT_ONCE: i64 = 5_000;
/// Deliveries that one call makes due.
const MOST: u64 = 100_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResendResult {
    pub count: u64,
    pub more: bool,
}

fn is_on(endpoint: &EndpointHealth) -> bool {
    !endpoint.url.is_empty() && endpoint.disabled_at.is_none()
}

fn wake(ctx: &Context, client: ClientId, endpoint: EndpointId) {
    ctx.wake.wake(Queue::Webhook, client, endpoint.0);
}

/// Sends a delivery again at once, in any state, with the same bytes and the same id. If it fails, the schedule begins again.
pub async fn resend(
    ctx: &Context,
    client: ClientId,
    actor: Actor,
    config: WebhookConfigId,
    id: DeliveryId,
) -> Result<(), HistoryError> {
    let mut tx = ctx.db.begin().await?;
    let delivery = history::delivery(&mut tx, client, config, id).await?.ok_or(HistoryError::NotFound)?;
    let endpoints = endpoints_of(&mut tx, client, config).await?;
    let endpoint = endpoints.into_iter().find(|endpoint| endpoint.webhook == delivery.webhook);
    let endpoint = endpoint.ok_or(HistoryError::NotFound)?;
    if !is_on(&endpoint) {
        return Err(HistoryError::Off(delivery.webhook.url_field()));
    }
    if !rows::one(&mut tx, client, id, ctx.now()).await? {
        return Err(HistoryError::Dropped);
    }
    let object = AuditObject::new("webhook-delivery", &id);
    audit(&Administration::from(ctx), &mut tx, client, actor, "resend", object).await?;
    tx.commit().await?;
    wake(ctx, client, endpoint.id);
    Ok(())
}

/// The given-up deliveries to send again.
pub struct ResendFilter {
    pub config: WebhookConfigId,
    /// `None`: all webhooks that are enabled.
    pub webhook: Option<WebhookType>,
    pub since: DateTime<Utc>,
    /// Excluded. `None`: no end.
    pub until: Option<DateTime<Utc>>,
}

/// Sends given-up deliveries again, in order.
pub async fn resend_failed(
    ctx: &Context,
    client: ClientId,
    actor: Actor,
    filter: ResendFilter,
) -> Result<ResendResult, HistoryError> {
    let ResendFilter { config, webhook, since, until } = filter;
    let endpoints = super::endpoints(ctx, client, config).await?;
    if let Some(named) = webhook
        && !endpoints.iter().any(|endpoint| endpoint.webhook == named && is_on(endpoint))
    {
        return Err(HistoryError::Off(named.url_field()));
    }
    let wanted = |endpoint: &&EndpointHealth| is_on(endpoint) && webhook.is_none_or(|named| named == endpoint.webhook);
    let mut resent = ResendResult { count: 0, more: false };
    for endpoint in endpoints.iter().filter(wanted) {
        let failed = FailedDeliveries { endpoint: endpoint.id, since, until };
        while !resent.more {
            let mut tx = ctx.db.begin().await?;
            let moved = rows::resend_failed(&mut tx, client, failed, ctx.now(), AT_ONCE).await?;
            if moved > 0 {
                let object = AuditObject::new("webhook-endpoint", &endpoint.id);
                audit(&Administration::from(ctx), &mut tx, client, actor, "resend-failed", object).await?;
            }
            tx.commit().await?;
            if moved == 0 {
                break;
            }
            wake(ctx, client, endpoint.id);
            resent.count += moved;
            resent.more = resent.count >= MOST;
        }
    }
    Ok(resent)
}

pub async fn ping(
    ctx: &Context,
    client: ClientId,
    config: WebhookConfigId,
    webhook: WebhookType,
) -> Result<(String, PingResult), HistoryError> {
    let endpoint = {
        let mut db = ctx.db.acquire().await?;
        let endpoints = endpoints_of(&mut db, client, config).await?;
        let id = endpoints.iter().find(|endpoint| endpoint.webhook == webhook).map(|endpoint| endpoint.id);
        let id = id.ok_or(HistoryError::NotFound)?;
        configs::endpoint(&mut db, client, id).await?.ok_or(HistoryError::NotFound)?
    };
    if endpoint.url.is_empty() {
        return Err(HistoryError::Off(webhook.url_field()));
    }
    let url = endpoint.url.clone();
    Ok((url, deliver::ping(ctx, client, webhook, endpoint).await?))
}
