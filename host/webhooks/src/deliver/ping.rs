//! A test ping: one signed request to an endpoint, now, whatever else waits for it. Nothing of it is kept.

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
    attempt::{Attempted, attempt},
    page::target,
    send_queue::ReadyDelivery,
};
use base::{Context, Result};

/// How a ping went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinged {
    /// The header `webhook-id` that it had.
    pub id: DeliveryId,
    /// HTTP status; `None` when no answer came.
    pub status_code: Option<u16>,
    /// Why it does not count as received, in words.
    pub error: Option<String>,
    /// Beginning of the answer's body.
    pub response_start: Option<String>,
    /// When it was made.
    pub at: DateTime<Utc>,
    /// How long it took.
    pub duration: Duration,
}

/// Pings an endpoint, also one that was turned off. Its answer changes nothing.
pub async fn ping(ctx: &Context, client: ClientId, webhook: WebhookType, endpoint: Endpoint) -> Result<Pinged> {
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
    };
    let target = Arc::new(target(ctx, client, endpoint)?);
    let http = ctx.http.on_behalf_of(client);
    let Attempted { ready, outcome, at, duration, .. } = attempt(http, Arc::clone(&ctx.clock), target, ready).await;
    Ok(Pinged {
        id: ready.id,
        status_code: outcome.status_code,
        error: outcome.error,
        response_start: outcome.response_start,
        at,
        duration,
    })
}
