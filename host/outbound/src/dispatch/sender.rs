//! The inbox that a lane sends from, with the carrier that takes its messages.

use std::sync::Arc;

use base::{Context, Result, lanes::Lease, secrets::Purpose};
use channels::{
    carrier::{Carrier, CarrierInbox, Credentials},
    whatsapp_cloud::CloudNumber,
};
use domain::ids::{ClientId, InboxId};
use storage::inboxes::{self, Inbox, InboxSettings};

/// An inbox that can send.
#[derive(Clone)]
pub(super) struct Sender {
    pub(super) inbox: Arc<CarrierInbox>,
    pub(super) carrier: Arc<dyn Carrier>,
    /// The business account whose templates it sends.
    pub(super) waba_id: Option<String>,
}

impl Sender {
    /// The sender of a lane; `None` when the inbox is gone or nothing carries its messages.
    pub(super) async fn load(ctx: &Context, lease: &Lease) -> Result<Option<Self>> {
        let id = InboxId(lease.lane);
        let mut db = ctx.db.acquire().await?;
        let Some(inbox) = inboxes::by_id(&mut db, lease.client, id).await? else {
            tracing::error!(client.id = %lease.client, inbox.id = %id, "messages wait for an inbox that is gone");
            return Ok(None);
        };
        drop(db);
        let kind = inbox.kind();
        let Some(carrier) = ctx.carriers.of(kind).cloned() else {
            tracing::warn!(client.id = %lease.client, inbox.id = %id, kind = kind.as_str(),
                "messages wait: nothing in this program carries messages of this kind of inbox");
            return Ok(None);
        };
        let waba_id = inbox.cloud().map(|cloud| cloud.waba_id.clone());
        Ok(Some(Self { inbox: Arc::new(opened(ctx, lease.client, &inbox)?), carrier, waba_id }))
    }
}

/// What a carrier must know of an inbox, with its secrets opened.
fn opened(ctx: &Context, client: ClientId, inbox: &Inbox) -> Result<CarrierInbox> {
    let credentials = match &inbox.settings {
        InboxSettings::WhatsappCloud(cloud) => Credentials::WhatsappCloud(CloudNumber {
            phone_number_id: cloud.phone_number_id.clone(),
            access_token: ctx.sealer.open_text(client, Purpose::AccessToken, &cloud.access_token_sealed)?,
        }),
        InboxSettings::WhatsappLite(_)
        | InboxSettings::Messenger(_)
        | InboxSettings::Web(_)
        | InboxSettings::Sms(_) => Credentials::None,
    };
    Ok(CarrierInbox {
        client,
        id: inbox.id,
        kind: inbox.kind(),
        address: inbox.address().unwrap_or(&ctx.settings.sms_default_source).to_owned(),
        rate_per_second: inbox.rate_per_second().and_then(|rate| u32::try_from(rate).ok()),
        credentials,
    })
}
