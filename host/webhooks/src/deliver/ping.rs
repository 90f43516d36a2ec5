//! A test ping: one signed request to an endpoint at once, before all waiting deliveries. Nothing of it is stored.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, DeliveryId, InboxId},
    webhook::WebhookType,
};
use serde_json::json;
use storage::webhooks::configs::Endpoint;
use uuid::Uuid;

use super::{
    attempt::{DeliveryTarget, FinishedAttempt, attempt},
    send_queue::ReadyDelivery,
};
use base::{Context, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PingResult {
    pub id: DeliveryId,
    pub status_code: Option<u16>,
    pub error: Option<String>,
    pub response_start: Option<String>,
    pub at: DateTime<Utc>,
    pub duration: Duration,
}

/// Pings an endpoint, even one that was turned off. The result changes nothing.
pub async fn ping(ctx: &Context, client: ClientId, webhook: WebhookType, endpoint: Endpoint) -> Result<PingResult> {
    let now = ctx.now();
    let body =
        json!({ "eventType": "TEST_PING", "webhookType": webhook.as_str(), "timestamp": now.timestamp_millis() });
    let ready = ReadyDelivery {
        id: ctx.mint(),
        order_key: 0,
        inbox: InboxId(Uuid::nil()),
        attempts: 0,
        schedule_from: 0,
        body: Bytes::from(body.to_string()),
        is_stored: true,
        message: None,
    };
    let target = Arc::new(DeliveryTarget::of(ctx, client, endpoint)?);
    let http = ctx.http.on_behalf_of(client);
    let FinishedAttempt { ready, outcome, at, duration, .. } =
        attempt(client, http, Arc::clone(&ctx.clock), target, ready).await;
    Ok(PingResult {
        id: ready.id,
        status_code: outcome.status_code,
        error: outcome.error,
        response_start: outcome.response_start,
        at,
        duration,
    })
}
