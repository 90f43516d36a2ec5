//! The inbox that a lane sends from, and the carrier that takes its messages.

use std::sync::{Arc, atomic::AtomicBool};

use base::{Context, Result, lanes::Lease, secrets::SecretPurpose, sending_figures::SendingFigures};
use channels::{
    account::AccountLogin,
    carrier::{Carrier, CarrierInbox, Credentials},
    sandbox,
};
use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, InboxId},
    inbox_fault::AccountHold,
    sandbox::KeyMode,
};
use storage::{
    PgConnection,
    inboxes::{self, Inbox, StoredSender},
};
use tenancy::inboxes::{SenderState, sender_state};

use super::{
    files::ClientFiles,
    hook::{DispatchHooks, LaneHook},
    link_types::LinkTypes,
};

#[derive(Clone)]
pub(super) struct SenderInbox {
    pub(super) inbox: Arc<CarrierInbox>,
    pub(super) carrier: Arc<dyn Carrier>,
    /// `Test`: the carrier sends nothing out of this server.
    pub(super) mode: KeyMode,
    pub(super) files: Arc<ClientFiles>,
    pub(super) links: Arc<LinkTypes>,
    pub(super) waits_until: Option<DateTime<Utc>>,
    pub(super) is_elsewhere: bool,
    pub(super) hook: Option<Arc<dyn LaneHook>>,
    pub(super) figures: SendingFigures,
    /// A fault of the inbox is recorded. Clones share it.
    pub(super) has_fault: Arc<AtomicBool>,
    /// Its provider refused its token or account when it was read.
    pub(super) hold: Option<AccountHold>,
}

impl SenderInbox {
    pub(super) async fn load(ctx: &Context, hooks: &DispatchHooks, lease: &Lease) -> Result<Option<Self>> {
        let id = InboxId(lease.lane);
        let mut db = ctx.db.acquire().await?;
        let read = Self::read(ctx, &mut db, lease.client, id).await?;
        // Hooks ask routers and count parts of SMS. A sandbox has neither.
        let hook = |sender: &Self| match sender.mode {
            KeyMode::Live => hooks.lane(&sender.inbox, &sender.carrier),
            KeyMode::Test => None,
        };
        Ok(read.map(|sender| Self { hook: hook(&sender), ..sender }))
    }

    pub(super) async fn read(
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        id: InboxId,
    ) -> Result<Option<Self>> {
        let Some(StoredSender { inbox, mode, has_fault, hold }) = inboxes::sender(db, client, id).await? else {
            tracing::error!(client.id = %client, inbox.id = %id, "messages wait for a deleted inbox");
            return Ok(None);
        };
        let kind = inbox.kind();
        let Some(carrier) = ctx.carriers.of_sender(kind, mode) else {
            tracing::warn!(client.id = %client, inbox.id = %id, kind = kind.as_str(),
                "messages wait: this program has no carrier for this kind of inbox");
            return Ok(None);
        };
        let mut opened = open_inbox(ctx, client, &inbox, mode, carrier.as_ref())?;
        let state = match mode {
            KeyMode::Live => sender_state(ctx, db, client, &inbox).await?,
            KeyMode::Test => SenderState::default(),
        };
        let SenderState { waits_until, is_elsewhere, credentials } = state;
        if let Some(credentials) = credentials {
            opened.credentials = credentials;
        }
        let files = Arc::new(ClientFiles::new(ctx, client));
        let links = Arc::new(LinkTypes::new(ctx, client, Arc::clone(&files)));
        Ok(Some(Self {
            inbox: Arc::new(opened),
            carrier,
            mode,
            files,
            links,
            waits_until: waits_until.max(hold.map(|hold| hold.until)),
            is_elsewhere,
            hook: None,
            figures: ctx.sending.clone(),
            has_fault: Arc::new(AtomicBool::new(has_fault)),
            hold,
        }))
    }

    /// The name of the provider in metrics and traces.
    pub(super) fn provider(&self) -> &'static str {
        match self.mode {
            KeyMode::Live => self.inbox.kind.facts().provider,
            KeyMode::Test => sandbox::PROVIDER,
        }
    }
}

/// The facts that a carrier needs about an inbox, with opened secrets. The caller adds those that need a query.
fn open_inbox(
    ctx: &Context,
    client: ClientId,
    inbox: &Inbox,
    mode: KeyMode,
    carrier: &dyn Carrier,
) -> Result<CarrierInbox> {
    let credentials = match inbox.login().filter(|_| !mode.is_test()) {
        Some((account_id, sealed)) => {
            let access_token = ctx.sealer.open_text(client, SecretPurpose::AccessToken, sealed)?;
            carrier.credentials(AccountLogin { account_id: account_id.to_owned(), access_token })
        }
        None => Credentials::default(),
    };
    Ok(CarrierInbox {
        client,
        id: inbox.id,
        kind: inbox.kind(),
        address: inbox.address().unwrap_or(&ctx.settings.sms.default_source).to_owned(),
        rate_per_second: inbox.rate_per_second().and_then(|rate| u32::try_from(rate).ok()),
        credentials,
    })
}
