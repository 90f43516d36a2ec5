//! The quality, limit and status of Cloud numbers. Callbacks only say that something changed (PROVIDERS 0.4). So the
//! number is read from the provider, outside any transaction: soon after a callback, and hourly. One merged event
//! reports the changes to the client.

use base::{Context, Error, Result, secrets::SecretPurpose};
use channels::whatsapp_cloud::{CloudNumber, NumberNode};
use chrono::TimeDelta;
use domain::{
    event::{ChannelStatus, Event, InboxQualityChanged, Quality},
    ids::{ClientId, InboxId},
};
use events::{NewEvent, record};
use storage::{
    inboxes::{
        self,
        quality::{self, NumberQuality, QualityReading},
    },
    outbound::tiers,
};

const READS_PER_ROUND: i64 = 50;
const RETRY_INTERVAL: TimeDelta = TimeDelta::minutes(1);
/// Failed reads after which the client gets the values that callbacks have reported.
const FAILURES_BEFORE_REPORT: i16 = 3;

/// Asks the provider about the numbers that are due, and returns how many answers came. Failures are logged and retried
/// later. A claim keeps other processes from the same number.
pub async fn look_at_due(ctx: &Context) -> Result<usize> {
    let due = {
        let mut db = ctx.db.acquire().await?;
        quality::due(&mut db, ctx.now(), READS_PER_ROUND).await?
    };
    let mut read = 0;
    for (client, inbox) in due {
        let claimed = {
            let mut db = ctx.db.acquire().await?;
            quality::claim(&mut db, client, inbox, ctx.now(), ctx.now() + RETRY_INTERVAL).await?
        };
        let Some(asked) = claimed else { continue };
        match node(ctx, client, inbox).await? {
            Some(node) => {
                record_quality(ctx, client, inbox, words_of(node), asked).await?;
                read += 1;
            }
            None => record_failed_read(ctx, client, inbox, asked).await?,
        }
    }
    Ok(read)
}

async fn node(ctx: &Context, client: ClientId, inbox: InboxId) -> Result<Option<NumberNode>> {
    let stored = {
        let mut db = ctx.db.acquire().await?;
        inboxes::by_id(&mut db, client, inbox).await?
    };
    let Some(cloud) = stored.as_ref().and_then(|inbox| inbox.cloud()) else { return Ok(None) };
    let access_token =
        ctx.sealer.open_text(client, SecretPurpose::AccessToken, &cloud.access_token_sealed).map_err(Error::from)?;
    let number = CloudNumber { phone_number_id: cloud.phone_number_id.clone(), access_token };
    match ctx.cloud.number_node(&number).await {
        Ok(node) => Ok(Some(node)),
        Err(error) => {
            tracing::warn!(client.id = %client, inbox.id = %inbox, %error, "the quality of a number could not be read; it is tried again");
            Ok(None)
        }
    }
}

fn words_of(node: NumberNode) -> NumberQuality {
    NumberQuality {
        quality_rating: node.quality_rating,
        messaging_limit: node.messaging_limit,
        channel_status: node.status,
    }
}

async fn record_quality(ctx: &Context, client: ClientId, inbox: InboxId, now: NumberQuality, asked: i32) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let Some(before) = quality::lock(&mut tx, client, inbox).await? else { return Ok(()) };
    let reading = QualityReading { quality: &now, told: asked, at: ctx.now() };
    quality::store_reading(&mut tx, client, inbox, reading).await?;
    if let Some(tier) = now.messaging_limit.as_deref() {
        tiers::set(&mut tx, client, inbox, tier, ctx.now()).await?;
    }
    let differs = before.known && before.quality != now;
    let wakes = if asked > before.told || differs {
        record(ctx, &mut tx, client, &[change_event(ctx, inbox, &now)]).await?
    } else {
        Vec::new()
    };
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

/// Records a failed read. After `FAILURES_BEFORE_REPORT` of them the client gets the last known values.
async fn record_failed_read(ctx: &Context, client: ClientId, inbox: InboxId, asked: i32) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let Some(before) = quality::lock(&mut tx, client, inbox).await? else { return Ok(()) };
    let owed = asked > before.told;
    let enough = before.failures.saturating_add(1) >= FAILURES_BEFORE_REPORT;
    let told = if owed && enough { asked } else { before.told };
    quality::count_failure(&mut tx, client, inbox, told).await?;
    let wakes = if owed && enough {
        record(ctx, &mut tx, client, &[change_event(ctx, inbox, &before.quality)]).await?
    } else {
        Vec::new()
    };
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

/// The event for these values of a number. The limit stays in the provider's words, and the API translates it.
pub(crate) fn change_event(ctx: &Context, inbox: InboxId, known: &NumberQuality) -> NewEvent {
    let changed = InboxQualityChanged {
        quality: known.quality_rating.as_deref().and_then(Quality::of_number),
        limit: known.messaging_limit.clone(),
        status: known.channel_status.as_deref().map(ChannelStatus::of_provider),
    };
    NewEvent {
        inbox: Some(inbox),
        // Keeps the events of one number in order.
        order_key: inbox.0.as_u64_pair().1.cast_signed(),
        at: ctx.now(),
        event: Event::InboxQualityChanged(changed),
    }
}
