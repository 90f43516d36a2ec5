//! Receipts and subscribers' messages from the SMSC.

use std::sync::Arc;

use async_trait::async_trait;
use channels::smpp::{MobileOriginated, SmppEvents, SmsReceipt, SmsState, StoreFailed};
use domain::{
    delivery::DeliveryState,
    ids::{ClientId, MessageId},
    inbound::ProviderFailure,
    segments,
};
use storage::{
    PgConnection, Queue,
    outbound::messages::{self, SMS_LEG},
    sms::parts,
};
use uuid::Uuid;

use super::UNDELIVERED_SMS;
use crate::{
    delivery::{Step, advance},
    fallback::SmsContent,
};
use base::{Context, Error, Result};

/// Stores what the SMSC sends before it is acknowledged.
pub struct SmscEvents {
    ctx: Arc<Context>,
}

impl SmscEvents {
    /// For `SmppGateway::start`.
    pub fn new(ctx: Arc<Context>) -> Arc<Self> {
        Arc::new(Self { ctx })
    }
}

#[async_trait]
impl SmppEvents for SmscEvents {
    async fn receipt(&self, receipt: SmsReceipt) -> std::result::Result<(), StoreFailed> {
        store_receipt(&self.ctx, &receipt).await.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "a receipt could not be stored");
            StoreFailed
        })
    }

    async fn mobile_originated(&self, message: MobileOriginated) -> std::result::Result<(), StoreFailed> {
        store_message(&self.ctx, &message).await.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "a subscriber's SMS could not be stored");
            StoreFailed
        })
    }
}

/// What a receipt makes of a part; `None` while it is on its way.
fn part_state(state: SmsState) -> Option<&'static str> {
    match state {
        SmsState::Delivered => Some("DELIVERED"),
        SmsState::Expired
        | SmsState::Deleted
        | SmsState::Undeliverable
        | SmsState::Unknown
        | SmsState::Rejected
        | SmsState::Skipped => Some("FAILED"),
        SmsState::Enroute => Some("SENT"),
        SmsState::Accepted | SmsState::Scheduled => None,
    }
}

async fn store_receipt(ctx: &Context, receipt: &SmsReceipt) -> Result<()> {
    let Some(state) = part_state(receipt.state) else { return Ok(()) };
    let mut tx = ctx.db.begin().await?;
    parts::lock_smsc_id(&mut tx, &receipt.bind, &receipt.smsc_id).await?;
    let Some((client, message, part)) = parts::find(&mut tx, &receipt.bind, &receipt.smsc_id).await? else {
        let error = receipt.error.as_deref();
        parts::park(&mut tx, ctx.mint(), &receipt.bind, &receipt.smsc_id, state, error, ctx.now()).await?;
        tx.commit().await?;
        return Ok(());
    };
    parts::set_state(&mut tx, client, message, part, state).await?;
    let wakes = join(ctx, &mut tx, client, message).await?;
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

/// Moves an SMS leg by the states of its parts, inside the caller's transaction: delivered when all are, failed as soon
/// as one is.
pub(super) async fn join(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    message: MessageId,
) -> Result<Vec<(Queue, Uuid)>> {
    // Locks the message first, so that the receipts of two parts cannot both miss the other's state.
    if messages::lock_legs(db, client, &[(message, SMS_LEG)]).await?.is_empty() {
        return Ok(Vec::new());
    }
    let states = parts::states(db, client, message).await?;
    let Some(total) = part_count(db, client, message).await? else { return Ok(Vec::new()) };
    let count = |wanted: &str| states.iter().filter(|state| *state == wanted).count();
    let (reached, failure) = if count("FAILED") > 0 {
        let text = "the SMS was not delivered".to_owned();
        (DeliveryState::Failed, Some(ProviderFailure { code: UNDELIVERED_SMS, text }))
    } else if count("DELIVERED") == total {
        (DeliveryState::Delivered, None)
    } else if states.len() == total && count("SENT") + count("DELIVERED") == total {
        (DeliveryState::Sent, None)
    } else {
        return Ok(Vec::new());
    };
    let step = Step { message, ordinal: SMS_LEG, reached, at: ctx.now(), provider_id: None, failure };
    advance(ctx, db, client, vec![step]).await
}

/// How many parts the SMS has.
async fn part_count(db: &mut PgConnection, client: ClientId, message: MessageId) -> Result<Option<usize>> {
    let Some(content) = messages::sms_content(db, client, message).await? else { return Ok(None) };
    let sms: SmsContent =
        serde_json::from_value(content).map_err(|source| Error::Unreadable { what: "content of an SMS", source })?;
    Ok(segments::split(&sms.text, sms.unicode).ok().map(|segmented| segmented.parts.len()))
}

async fn store_message(ctx: &Context, message: &MobileOriginated) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let sms = parts::InboundSms {
        id: ctx.mint(),
        bind: &message.bind,
        sender: &message.from,
        receiver: &message.to,
        body: &message.text,
    };
    parts::insert_inbound(&mut tx, &sms, ctx.now()).await?;
    tx.commit().await?;
    Ok(())
}
