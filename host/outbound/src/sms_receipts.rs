//! Receipts and subscribers' messages from the SMSC.

use std::sync::Arc;

use async_trait::async_trait;
use base::{Context, Result};
use channels::smpp::{MobileOriginated, SmppEvents, SmsReceipt, SmsState, StoreFailed};
use domain::{delivery::DeliveryState, sms_products::FinalReceipt};
use storage::sms::{
    directory::{self, ParkedReceipt},
    inbound::{self, InboundSms},
    parts,
};

use crate::sms_parts;

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
fn part_state(state: SmsState) -> Option<DeliveryState> {
    match state {
        SmsState::Delivered => Some(DeliveryState::Delivered),
        SmsState::Expired
        | SmsState::Deleted
        | SmsState::Undeliverable
        | SmsState::Unknown
        | SmsState::Rejected
        | SmsState::Skipped => Some(DeliveryState::Failed),
        SmsState::Enroute => Some(DeliveryState::Sent),
        SmsState::Accepted | SmsState::Scheduled => None,
    }
}

/// How receipts of the SMS products name a final state (PROVIDERS C.3).
fn final_receipt(state: SmsState) -> Option<FinalReceipt> {
    match state {
        SmsState::Delivered => Some(FinalReceipt::Delivered),
        SmsState::Expired => Some(FinalReceipt::Expired),
        SmsState::Deleted | SmsState::Skipped | SmsState::Undeliverable => Some(FinalReceipt::Undelivered),
        SmsState::Unknown => Some(FinalReceipt::Unknown),
        SmsState::Rejected => Some(FinalReceipt::Rejected),
        SmsState::Enroute | SmsState::Accepted | SmsState::Scheduled => None,
    }
}

async fn store_receipt(ctx: &Context, receipt: &SmsReceipt) -> Result<()> {
    let Some(state) = part_state(receipt.state) else { return Ok(()) };
    let (bind, smsc_id) = (receipt.bind.as_str(), receipt.smsc_id.as_str());
    let mut tx = ctx.db.begin().await?;
    directory::lock_smsc_id(&mut tx, bind, smsc_id).await?;
    let Some((client, part)) = directory::find(&mut tx, bind, smsc_id).await? else {
        let parked = ParkedReceipt {
            id: ctx.mint(),
            state,
            error: receipt.error.clone(),
            receipt: final_receipt(receipt.state),
        };
        directory::park(&mut tx, (bind, smsc_id), &parked, ctx.now()).await?;
        tx.commit().await?;
        return Ok(());
    };
    parts::set_state(&mut tx, client, part, state, final_receipt(receipt.state)).await?;
    let wakes = sms_parts::join(ctx, &mut tx, client, (part.message, part.ordinal)).await?;
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

async fn store_message(ctx: &Context, message: &MobileOriginated) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    let sms = InboundSms {
        id: ctx.mint(),
        bind: &message.bind,
        sender: &message.from,
        receiver: &message.to,
        body: &message.text,
    };
    inbound::insert(&mut tx, &sms, ctx.now()).await?;
    tx.commit().await?;
    Ok(())
}
