//! The inboxes of clients: add and list them, and the template catalogue of WhatsApp numbers.

mod add;
mod add_account;
mod add_page;
mod catalogue;
mod lite_sender;
mod overview;
mod register;
mod renew_token;
mod sender_state;
mod set_rate;
mod sms_sources;

use domain::{
    channel::Channel,
    ids::{ClientId, InboxId},
    inbox::{BillingModel, InboxKind, LiteHosting},
    page::{Page, PageRequest},
    phone::Msisdn,
};
use storage::{Db, PgConnection, inboxes::Inbox};
use uuid::Uuid;

pub use add::{AddNumberError, CloudAccount, NewNumber, NumberConnection, add_number};
pub use add_account::{AddAccountError, NewAccount, add_account};
pub use add_page::{AddPageError, NewPage, add_page};
pub use catalogue::{SyncError, list_templates, refresh_due, request_refresh, sync_templates};
pub use overview::{PROVIDER_CHANNELS, list_inboxes};
pub use register::{RegisterError, register_lite_number};
pub use renew_token::{NewToken, RenewTokenError, renew_token};
pub use sender_state::SenderState;
pub use set_rate::{SetRateError, set_rate};
pub use sms_sources::{SmsSourceError, add_sms_source, remove_sms_source, sms_sources};
pub use storage::inboxes::{
    accounts::UpdateSource,
    overview::{InboxOverview, TierReport},
    templates::TemplateRow,
};

use base::{Context, Result};

/// A WhatsApp number of a client in the view of its owner (SPEC 4.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhatsAppNumber {
    pub link_id: Uuid,
    pub id: InboxId,
    pub msisdn: Msisdn,
    pub kind: InboxKind,
    pub lite: Option<(LiteHosting, BillingModel)>,
}

impl WhatsAppNumber {
    pub fn of(inbox: &Inbox) -> Option<Self> {
        let (link_id, msisdn) = (inbox.link_id()?, inbox.msisdn()?.clone());
        let lite = inbox.lite().map(|lite| (lite.hosting, lite.billing));
        Some(Self { link_id, id: inbox.id, msisdn, kind: inbox.kind(), lite })
    }
}

/// The client's numbers that contain `search` (`""` = all), sorted by MSISDN.
pub async fn list_numbers(db: &Db, client: ClientId, search: &str, page: PageRequest) -> Result<Page<WhatsAppNumber>> {
    let mut db = db.acquire().await?;
    let (items, total) = storage::inboxes::page(&mut db, client, Channel::Whatsapp, search, page).await?;
    let items = items.iter().filter_map(WhatsAppNumber::of).collect();
    Ok(Page::of(items, total))
}

/// The state of an inbox, by the rules of its kind.
pub async fn sender_state(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    inbox: &Inbox,
) -> Result<SenderState> {
    match inbox.lite() {
        Some(number) => lite_sender::read(ctx, db, client, inbox.id, &number.msisdn).await,
        None => Ok(SenderState::default()),
    }
}
