//! Turns an endpoint off if its receiver fails permanently, and informs the client.

use base::{Context, Result, lanes::Lease};
use domain::{
    event::{Event, WebhookDisabled},
    ids::InboxId,
    webhook::DisabledReason,
};
use events::{NewEvent, record};
use storage::{
    PgConnection, Queue,
    tenancy::audit::{self, AuditEntry},
    webhooks::{
        configs,
        deliveries::{self, DeliveryFate},
    },
};
use uuid::Uuid;

use super::{attempt::DeliveryTarget, endpoint::endpoint_of};

#[derive(Debug, Clone, Copy)]
pub(super) struct DisableCause {
    pub(super) reason: DisabledReason,
    /// The subject of the failed event.
    pub(super) inbox: Option<InboxId>,
}

/// Turns the endpoint off, drops its waiting deliveries and informs the client. `None`: its address was changed before,
/// so nothing is done. Returns the lanes to wake after the commit.
pub(super) async fn disable(
    ctx: &Context,
    db: &mut PgConnection,
    lease: &Lease,
    target: &DeliveryTarget,
    cause: DisableCause,
) -> Result<Option<Vec<(Queue, Uuid)>>> {
    let (endpoint, now) = (endpoint_of(lease), ctx.now());
    if !configs::disable(db, lease.client, endpoint, &target.url, cause.reason, now).await? {
        return Ok(None);
    }
    let ended = deliveries::abandon(db, lease.client, endpoint, DeliveryFate::Exhausted).await?;
    let entry = AuditEntry {
        id: ctx.mint::<Uuid>(),
        happened_at: now,
        actor: "webhooks",
        action: verb(cause.reason),
        object_kind: "webhook-endpoint",
        object_id: &endpoint.to_string(),
    };
    audit::insert(db, lease.client, &entry).await?;
    tracing::warn!(client.id = %lease.client, endpoint.id = %endpoint, reason = verb(cause.reason), ended,
        "a webhook endpoint was disabled; save its address again to enable it");
    metrics::counter!("patchbay_webhook_endpoints_disabled_total").increment(1);
    record_disabled_event(ctx, db, lease, target, cause).await.map(Some)
}

fn verb(reason: DisabledReason) -> &'static str {
    match reason {
        DisabledReason::Gone => "disable-gone",
        DisabledReason::Failing => "disable-failing",
    }
}

/// Records a partner event that the webhook is off; the configuration of the inbox decides its receiver.
async fn record_disabled_event(
    ctx: &Context,
    db: &mut PgConnection,
    lease: &Lease,
    target: &DeliveryTarget,
    cause: DisableCause,
) -> Result<Vec<(Queue, Uuid)>> {
    let endpoint = endpoint_of(lease);
    let place = configs::endpoint_place(db, lease.client, endpoint).await?;
    let Some((config, webhook, overridden)) = place else { return Ok(Vec::new()) };
    let url = target.url.clone();
    let off = WebhookDisabled { config, is_default: overridden.is_none(), webhook, url, reason: cause.reason };
    let event = NewEvent {
        inbox: overridden.or(cause.inbox),
        // The events about one endpoint stay in order.
        order_key: endpoint.0.as_u64_pair().1.cast_signed(),
        at: ctx.now(),
        event: Event::WebhookDisabled(off),
    };
    record(ctx, db, lease.client, &[event]).await
}
