//! The history of webhooks for a client: health, attempts and deliveries. Failed deliveries can be sent [`again`].

mod resend;

use domain::{
    ids::{ClientId, DeliveryId, WebhookConfigId},
    page::{Page, PageRequest},
    webhook::WebhookType,
};
use storage::{PgConnection, webhooks::history};

pub use resend::{ResendFilter, ResendResult, ping, resend, resend_failed};
pub use storage::webhooks::history::{Attempt, Delivery, EndpointHealth, WebhookDeliveryState};

use base::{Context, Error};

#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    #[error("there is no such webhook configuration, or delivery of it")]
    NotFound,
    #[error("`{0}` has no address: save one first")]
    Off(&'static str),
    #[error("there is nothing to send: the shaper dropped the event, or its webhook had no address")]
    Dropped,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(HistoryError: storage::Error);

/// The webhooks of a configuration, in the order of SPEC 6.
pub async fn endpoints(
    ctx: &Context,
    client: ClientId,
    config: WebhookConfigId,
) -> Result<Vec<EndpointHealth>, HistoryError> {
    let mut db = ctx.db.acquire().await?;
    endpoints_of(&mut db, client, config).await
}

async fn endpoints_of(
    db: &mut PgConnection,
    client: ClientId,
    config: WebhookConfigId,
) -> Result<Vec<EndpointHealth>, HistoryError> {
    let mut endpoints = history::endpoints(db, client, config).await?;
    if endpoints.is_empty() {
        return Err(HistoryError::NotFound);
    }
    endpoints.sort_unstable_by_key(|endpoint| endpoint.webhook);
    Ok(endpoints)
}

#[derive(Debug, Clone, Copy, Default)]
pub struct WantedAttempts {
    pub webhook: Option<WebhookType>,
    pub failed: bool,
}

pub async fn attempts(
    ctx: &Context,
    client: ClientId,
    config: WebhookConfigId,
    wanted: WantedAttempts,
    page: PageRequest,
) -> Result<Page<(WebhookType, Attempt)>, HistoryError> {
    let mut db = ctx.db.acquire().await?;
    let endpoints = endpoints_of(&mut db, client, config).await?;
    let of = endpoints.iter().filter(|endpoint| wanted.webhook.is_none_or(|kind| kind == endpoint.webhook));
    let ids: Vec<_> = of.map(|endpoint| endpoint.id).collect();
    let (made, total) = history::attempts(&mut db, client, &ids, wanted.failed, page).await?;
    let webhook = |attempt: &Attempt| {
        let endpoint = endpoints.iter().find(|endpoint| Some(endpoint.id.0) == attempt.endpoint_id);
        endpoint.map(|endpoint| endpoint.webhook)
    };
    let items = made.into_iter().filter_map(|attempt| Some((webhook(&attempt)?, attempt))).collect();
    Ok(Page::of(items, total))
}

pub async fn delivery(
    ctx: &Context,
    client: ClientId,
    config: WebhookConfigId,
    id: DeliveryId,
) -> Result<(Delivery, Vec<Attempt>), HistoryError> {
    let mut db = ctx.db.acquire().await?;
    let delivery = history::delivery(&mut db, client, config, id).await?.ok_or(HistoryError::NotFound)?;
    let attempts = history::attempts_of(&mut db, client, id).await?;
    Ok((delivery, attempts))
}
