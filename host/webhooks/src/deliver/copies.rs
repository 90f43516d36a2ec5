//! Copies of webhooks for a developer who listens (`patchbay listen`), stored when a delivery is shaped and signed when
//! it is read. Deliveries to an endpoint that is off are copied and end at once.

use std::time::Duration;

use base::{Context, Error, Result, lanes::Lease};
use channels::standard_webhooks::signed_headers;
use domain::{
    ids::{ClientId, DeliveryId},
    webhook::WebhookType,
};
use storage::{
    PgConnection,
    webhooks::{
        configs,
        copies::{self, NewWebhookCopy, WebhookCopy},
    },
};
use tokio::{
    sync::Semaphore,
    time::{Instant, sleep},
};

use super::{attempt::DeliveryTarget, endpoint::endpoint_of, send_queue::ReadyDelivery};

const COPIES: i64 = 20;
/// Longest wait for a copy.
const WAIT: Duration = Duration::from_secs(20);
/// Time between two searches while a listener waits.
const SEARCH: Duration = Duration::from_millis(200);
/// Listeners of one process that wait at the same time. If all places are taken, a listener gets its answer at once.
static WAITING: Semaphore = Semaphore::const_new(64);

#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error("there is no webhook configuration: create one first; it needs no addresses, and its secret signs")]
    NoConfiguration,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(ListenError: storage::Error);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedWebhook {
    /// `None` if it was not copied for a listener.
    pub number: Option<i64>,
    pub id: DeliveryId,
    pub webhook: WebhookType,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeardWebhooks {
    pub last: i64,
    pub webhooks: Vec<SignedWebhook>,
}

/// Returns at most 20 webhooks after a number. If there are none, waits up to 20 s. Without a number returns the last
/// one.
pub async fn listen(
    ctx: &Context,
    client: ClientId,
    after: Option<i64>,
    is_stopping: impl Fn() -> bool,
) -> Result<HeardWebhooks, ListenError> {
    let last = copies::listen(&mut *ctx.db.acquire().await?, client).await?.ok_or(ListenError::NoConfiguration)?;
    // A number of another database, or of none.
    let Some(after) = after.filter(|after| *after <= last) else {
        return Ok(HeardWebhooks { last, webhooks: Vec::new() });
    };
    let place = WAITING.try_acquire();
    let until = Instant::now() + if place.is_ok() { WAIT } else { Duration::ZERO };
    loop {
        let found = copies::after(&mut *ctx.db.acquire().await?, client, after, COPIES).await?;
        if !found.is_empty() || Instant::now() >= until || is_stopping() {
            let last = found.last().and_then(|copy| copy.number).unwrap_or(after);
            return Ok(HeardWebhooks { last, webhooks: sign(ctx, client, found).await? });
        }
        sleep(SEARCH).await;
    }
}

pub async fn webhook(ctx: &Context, client: ClientId, id: DeliveryId) -> Result<Option<SignedWebhook>> {
    let found = copies::of_delivery(&mut *ctx.db.acquire().await?, client, id).await?;
    Ok(sign(ctx, client, found.into_iter().collect()).await?.pop())
}

/// Signs copies with the present secrets. Copies of a deleted configuration are left out.
async fn sign(ctx: &Context, client: ClientId, copies: Vec<WebhookCopy>) -> Result<Vec<SignedWebhook>> {
    let now = ctx.now();
    let mut signed = Vec::with_capacity(copies.len());
    let mut last = None;
    for WebhookCopy { number, delivery, endpoint, webhook, body } in copies {
        if last.as_ref().is_none_or(|(known, _)| *known != endpoint) {
            let stored = configs::endpoint(&mut *ctx.db.acquire().await?, client, endpoint).await?;
            // Its configuration was deleted since the copies were read.
            let Some(stored) = stored else { continue };
            last = Some((endpoint, DeliveryTarget::of(ctx, client, stored)?));
        }
        let Some((_, target)) = &last else { continue };
        let id = delivery.to_string();
        let headers = signed_headers(&target.secrets(now), &id, now.timestamp(), &body, target.mode);
        let text = headers.iter().filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
        let headers = text.collect();
        signed.push(SignedWebhook { number, id: delivery, webhook, headers, body });
    }
    Ok(signed)
}

/// Copies deliveries that were shaped. The transaction is that of their other results.
pub(super) async fn keep(ctx: &Context, db: &mut PgConnection, lease: &Lease, ready: &[ReadyDelivery]) -> Result<()> {
    let new: Vec<NewWebhookCopy<'_>> =
        ready.iter().map(|ready| NewWebhookCopy { delivery: ready.id, body: &ready.body }).collect();
    Ok(copies::insert(db, lease.client, endpoint_of(lease), &new, ctx.now()).await?)
}
