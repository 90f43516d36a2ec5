use chrono::{DateTime, Utc};
use domain::{
    channel::Channel,
    ids::{ClientId, InboxId},
    inbox::{BillingModel, InboxKind, LiteHosting},
    inbox_fault::AccountHold,
    page::PageRequest,
    phone::Msisdn,
    sandbox::KeyMode,
};
use uuid::Uuid;

use super::{Account, Inbox, InboxSettings, MessengerInbox, Sms, WebInbox, WhatsappCloud, WhatsappLite};
use crate::{Error, PgConnection, Result, column_values::read_value};

/// An inbox with the columns of its kind, joined by key: one statement returns all facts for sending.
const SELECT: &str = "SELECT inbox.id, inbox.kind, inbox.address, COALESCE(cloud.link_id, lite.link_id) AS link_id,
        cloud.phone_number_id, cloud.waba_id,
        COALESCE(cloud.access_token_sealed, page.access_token_sealed, account.access_token_sealed) AS access_token_sealed,
        COALESCE(cloud.app_secret_sealed, page.app_secret_sealed, account.app_secret_sealed) AS app_secret_sealed,
        COALESCE(cloud.rate_per_second, lite.rate_per_second) AS rate_per_second,
        lite.hosting_type, lite.billing_model,
        COALESCE(site.name, account.name) AS name, site.origins, sms.is_default
    FROM inbox
    LEFT JOIN whatsapp_cloud_inbox cloud ON cloud.client_id = inbox.client_id AND cloud.id = inbox.id
    LEFT JOIN whatsapp_lite_inbox lite ON lite.client_id = inbox.client_id AND lite.id = inbox.id
    LEFT JOIN messenger_inbox page ON page.client_id = inbox.client_id AND page.id = inbox.id
    LEFT JOIN account_inbox account ON account.client_id = inbox.client_id AND account.id = inbox.id
    LEFT JOIN web_inbox site ON site.client_id = inbox.client_id AND site.id = inbox.id
    LEFT JOIN sms_inbox sms ON sms.client_id = inbox.client_id AND sms.id = inbox.id";

#[derive(sqlx::FromRow)]
struct InboxRow {
    id: Uuid,
    kind: String,
    address: Option<String>,
    link_id: Option<Uuid>,
    phone_number_id: Option<String>,
    waba_id: Option<String>,
    access_token_sealed: Option<Vec<u8>>,
    app_secret_sealed: Option<Vec<u8>>,
    rate_per_second: Option<i32>,
    hosting_type: Option<String>,
    billing_model: Option<String>,
    name: Option<String>,
    origins: Option<Vec<String>>,
    is_default: Option<bool>,
}

impl TryFrom<InboxRow> for Inbox {
    type Error = Error;

    fn try_from(row: InboxRow) -> Result<Self> {
        let kind: InboxKind = read_value("inbox", "kind", &row.kind, |kind| kind.parse().ok())?;
        let id = InboxId(row.id);
        // The row of its kind is inserted and deleted with it.
        let settings = row.settings(kind).ok_or_else(|| Error::Inconsistent {
            table: "inbox",
            column: "kind",
            value: format!("{} without its settings", kind.as_str()),
        })?;
        Ok(Self { id, settings })
    }
}

impl InboxRow {
    fn settings(self, kind: InboxKind) -> Option<InboxSettings> {
        let msisdn = |address: Option<String>| Msisdn::parse(&address?).ok();
        Some(match kind {
            InboxKind::WhatsappCloud => InboxSettings::WhatsappCloud(WhatsappCloud {
                msisdn: msisdn(self.address)?,
                link_id: self.link_id?,
                phone_number_id: self.phone_number_id?,
                waba_id: self.waba_id?,
                access_token_sealed: self.access_token_sealed?,
                app_secret_sealed: self.app_secret_sealed,
                rate_per_second: self.rate_per_second,
            }),
            InboxKind::WhatsappLite => InboxSettings::WhatsappLite(WhatsappLite {
                msisdn: msisdn(self.address)?,
                link_id: self.link_id?,
                rate_per_second: self.rate_per_second,
                hosting: LiteHosting::from_name(&self.hosting_type?)?,
                billing: BillingModel::from_name(&self.billing_model?)?,
            }),
            InboxKind::Messenger => InboxSettings::Messenger(MessengerInbox {
                page_id: self.address?,
                access_token_sealed: self.access_token_sealed?,
                app_secret_sealed: self.app_secret_sealed,
            }),
            InboxKind::Web => {
                InboxSettings::Web(WebInbox { site_key: self.address?, name: self.name?, origins: self.origins? })
            }
            InboxKind::Sms => InboxSettings::Sms(Sms { source: self.address, is_default: self.is_default? }),
            // All other kinds are accounts.
            _ => InboxSettings::Account(Account {
                kind,
                account_id: self.address?,
                name: self.name?,
                access_token_sealed: self.access_token_sealed?,
                app_secret_sealed: self.app_secret_sealed?,
            }),
        })
    }
}

fn inboxes(rows: Vec<InboxRow>) -> Result<Vec<Inbox>> {
    rows.into_iter().map(Inbox::try_from).collect()
}

pub async fn by_id(db: &mut PgConnection, client: ClientId, id: InboxId) -> Result<Option<Inbox>> {
    let row: Option<InboxRow> = sqlx::query_as(&format!("{SELECT} WHERE inbox.client_id = $1 AND inbox.id = $2"))
        .bind(client.0)
        .bind(id.0)
        .fetch_optional(db)
        .await?;
    row.map(Inbox::try_from).transpose()
}

#[derive(sqlx::FromRow)]
struct SenderRow {
    is_sandbox: bool,
    has_fault: bool,
    held_since: Option<DateTime<Utc>>,
    held_until: Option<DateTime<Utc>>,
    held_code: Option<i64>,
    #[sqlx(flatten)]
    inbox: InboxRow,
}

/// An inbox that messages leave from.
#[derive(Debug, Clone)]
pub struct StoredSender {
    pub inbox: Inbox,
    /// `Test`: its messages never leave the server.
    pub mode: KeyMode,
    /// A fault at its provider is recorded (`super::faults`).
    pub has_fault: bool,
    /// Its provider refuses its token or account.
    pub hold: Option<AccountHold>,
}

pub async fn sender(db: &mut PgConnection, client: ClientId, id: InboxId) -> Result<Option<StoredSender>> {
    let row: Option<SenderRow> = sqlx::query_as(&format!(
        "SELECT found.*, owner.sandbox_of IS NOT NULL AS is_sandbox,
                fault.inbox_id IS NOT NULL AS has_fault, fault.held_since, fault.held_until, fault.held_code
         FROM ({SELECT} WHERE inbox.client_id = $1 AND inbox.id = $2) found
         CROSS JOIN (SELECT sandbox_of FROM client WHERE id = $1) owner
         LEFT JOIN LATERAL (
             SELECT inbox_id, held_since, held_until, held_code FROM inbox_fault one
             WHERE one.client_id = $1 AND one.inbox_id = $2 OFFSET 0) fault ON true"
    ))
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    let read = |row: SenderRow| -> Result<StoredSender> {
        let mode = KeyMode::of(row.is_sandbox);
        let held = row.held_since.zip(row.held_until).zip(row.held_code);
        let hold = held.map(|((since, until), code)| AccountHold { since, until, code });
        Ok(StoredSender { inbox: row.inbox.try_into()?, mode, has_fault: row.has_fault, hold })
    };
    row.map(read).transpose()
}

pub async fn by_ids(db: &mut PgConnection, client: ClientId, ids: &[InboxId]) -> Result<Vec<Inbox>> {
    let rows: Vec<InboxRow> = sqlx::query_as(&format!("{SELECT} WHERE inbox.client_id = $1 AND inbox.id = ANY($2)"))
        .bind(client.0)
        .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
        .fetch_all(db)
        .await?;
    inboxes(rows)
}

/// The senders of a send: the client's inboxes with these addresses. A removed source of SMS is absent.
pub async fn by_addresses(
    db: &mut PgConnection,
    client: ClientId,
    channel: Channel,
    addresses: &[String],
) -> Result<Vec<Inbox>> {
    let rows: Vec<InboxRow> = sqlx::query_as(&format!(
        "{SELECT} WHERE inbox.client_id = $1 AND inbox.channel = $2 AND inbox.address = ANY($3)
             AND sms.removed_at IS NULL"
    ))
    .bind(client.0)
    .bind(channel.as_str())
    .bind(addresses)
    .fetch_all(db)
    .await?;
    inboxes(rows)
}

pub async fn by_waba(db: &mut PgConnection, client: ClientId, waba: &str) -> Result<Vec<Inbox>> {
    let rows: Vec<InboxRow> = sqlx::query_as(&format!(
        "{SELECT} WHERE inbox.client_id = $1 AND cloud.waba_id = $2 ORDER BY inbox.created_at, inbox.id"
    ))
    .bind(client.0)
    .bind(waba)
    .fetch_all(db)
    .await?;
    inboxes(rows)
}

pub async fn default_sms(db: &mut PgConnection, client: ClientId) -> Result<Option<Inbox>> {
    let row: Option<InboxRow> = sqlx::query_as(&format!("{SELECT} WHERE sms.client_id = $1 AND sms.is_default"))
        .bind(client.0)
        .fetch_optional(db)
        .await?;
    row.map(Inbox::try_from).transpose()
}

/// A page of the inboxes whose address contains `search` (`""`: all), and the total.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    channel: Channel,
    search: &str,
    page: PageRequest,
) -> Result<(Vec<Inbox>, i64)> {
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM inbox
         WHERE client_id = $1 AND channel = $2 AND strpos(COALESCE(address, ''), $3) > 0",
    )
    .bind(client.0)
    .bind(channel.as_str())
    .bind(search)
    .fetch_one(&mut *db)
    .await?;
    let rows: Vec<InboxRow> = sqlx::query_as(&format!(
        "{SELECT} WHERE inbox.client_id = $1 AND inbox.channel = $2
             AND strpos(COALESCE(inbox.address, ''), $3) > 0
         ORDER BY inbox.address, inbox.id LIMIT $4 OFFSET $5"
    ))
    .bind(client.0)
    .bind(channel.as_str())
    .bind(search)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    Ok((inboxes(rows)?, total))
}

/// All Cloud numbers, without those of sandboxes, which no provider knows.
pub async fn all_cloud(db: &mut PgConnection) -> Result<Vec<Inbox>> {
    let rows: Vec<InboxRow> = sqlx::query_as(&format!(
        "{SELECT} JOIN client ON client.id = inbox.client_id AND client.sandbox_of IS NULL
         WHERE inbox.kind = 'WHATSAPP_CLOUD' ORDER BY inbox.client_id, inbox.id"
    ))
    .fetch_all(db)
    .await?;
    inboxes(rows)
}

/// All pages, without those of sandboxes.
pub async fn all_pages(db: &mut PgConnection) -> Result<Vec<Inbox>> {
    let rows: Vec<InboxRow> = sqlx::query_as(&format!(
        "{SELECT} JOIN client ON client.id = inbox.client_id AND client.sandbox_of IS NULL
         WHERE inbox.kind = 'MESSENGER' ORDER BY inbox.client_id, inbox.id"
    ))
    .fetch_all(db)
    .await?;
    inboxes(rows)
}
