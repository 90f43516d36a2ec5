//! Callbacks of a bridge. They may arrive at any node.

use std::sync::Arc;

use base::{
    Context, Error,
    heavy_work::{self, BodyOwner},
};
use bytes::Bytes;
pub use channels::whatsapp_lite::bridge::is_signature;
use channels::whatsapp_lite::{BridgeCallback, BridgeCallbackRefused, DeviceEvent, LiteDevices, LiteNumber};
use domain::{
    ids::{ClientId, InboxId},
    inbound::{Echo, ProviderStatus, StatusUpdate},
};
use outbound::own_echoes;
use storage::{PgConnection, inboxes::InboxSettings};

use super::device_events::DeviceEffect;
use crate::callbacks::take_of_inbox;

#[derive(Debug, thiserror::Error)]
pub enum LiteCallbackRefused {
    #[error("the signature is missing or wrong")]
    BadSignature,
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    #[error("there is no such number")]
    UnknownNumber,
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<BridgeCallbackRefused> for LiteCallbackRefused {
    fn from(refused: BridgeCallbackRefused) -> Self {
        match refused {
            BridgeCallbackRefused::BadSignature | BridgeCallbackRefused::NotExpected => Self::BadSignature,
            BridgeCallbackRefused::Unreadable(reason) => Self::Unreadable(reason),
        }
    }
}

/// Takes a callback of a bridge about a number. When this returns, its messages are on disk. The node that holds the
/// session asks the bridge for the state of the session.
pub async fn take_callback(
    ctx: &Context,
    client: ClientId,
    inbox: InboxId,
    body: &Bytes,
    signature: &str,
) -> Result<(), LiteCallbackRefused> {
    let devices = ctx.carriers.lite_devices().ok_or(LiteCallbackRefused::BadSignature)?;
    let events = open(client, devices, body, signature.to_owned()).await?;
    let mut tx = ctx.db.begin().await.map_err(Error::from)?;
    let found = storage::inboxes::by_id(&mut tx, client, inbox).await.map_err(Error::from)?;
    let Some(InboxSettings::WhatsappLite(lite)) = found.map(|found| found.settings) else {
        return Err(LiteCallbackRefused::UnknownNumber);
    };
    let number = LiteNumber { client, inbox, msisdn: lite.msisdn };
    let events = answer_calls(ctx, &mut tx, &number, events).await?;
    let items = DeviceEffect::messages(&number, events);
    let wakes = take_of_inbox(ctx, &mut tx, client, inbox, items).await?;
    tx.commit().await.map_err(Error::from)?;
    ctx.wake.wake_all(client, wakes);
    Ok(())
}

/// Turns the reports about messages of ours whose answer is not known into their answers.
async fn answer_calls(
    ctx: &Context,
    db: &mut PgConnection,
    number: &LiteNumber,
    events: Vec<DeviceEvent>,
) -> Result<Vec<DeviceEvent>, Error> {
    let mut read = Vec::with_capacity(events.len());
    for event in events {
        let told = match &event {
            DeviceEvent::SentByUs(echo) | DeviceEvent::SentBySomeDevice(echo) => {
                own_echoes::message_of(ctx, db, number.client, number.inbox, echo).await?.map(|ours| answer(echo, ours))
            }
            _ => None,
        };
        read.push(told.unwrap_or(event));
    }
    Ok(read)
}

/// `ours`: the correlation string of the message.
fn answer(echo: &Echo, ours: String) -> DeviceEvent {
    DeviceEvent::Moved(StatusUpdate {
        provider_id: echo.provider_id.clone(),
        opaque: Some(ours),
        status: ProviderStatus::Sent,
        at: echo.sent_at,
        recipient: None,
        recipient_user_id: None,
        error: None,
    })
}

/// Verifies and parses a callback. Before a body is verified, the work for it is at most linear in its length.
async fn open(
    client: ClientId,
    devices: &Arc<dyn LiteDevices>,
    body: &Bytes,
    signature: String,
) -> Result<Vec<DeviceEvent>, LiteCallbackRefused> {
    let (bridge, raw) = (Arc::clone(devices), body.clone());
    let verify = move || bridge.verify(&BridgeCallback { body: &raw, signature: Some(&signature) });
    heavy_work::work(body.len(), BodyOwner::Unknown, verify).await??;
    let (bridge, raw) = (Arc::clone(devices), body.clone());
    Ok(heavy_work::work(body.len(), BodyOwner::Client(client), move || bridge.parse_events(&raw)).await??)
}
