//! Business numbers, and the directories that find the client of a provider callback.

use std::fmt;

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, InboxId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{Error, Result};

/// How a number reaches WhatsApp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provider {
    /// Meta's Cloud API.
    Cloud,
    /// A linked phone.
    Lite,
}

impl Provider {
    /// The name in requests, answers and the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cloud => "WHATSAPP_CLOUD",
            Self::Lite => "WHATSAPP_LITE",
        }
    }

    /// The provider of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Cloud, Self::Lite].into_iter().find(|provider| provider.as_str() == name)
    }
}

/// A business number. `Debug` shows ids only.
#[derive(Clone, PartialEq, Eq)]
pub struct Number {
    /// The `id` of the nested `whatsAppNumber` object.
    pub id: InboxId,
    /// Id of the row that links client and number.
    pub link_id: Uuid,
    /// Digits without `+`.
    pub msisdn: String,
    /// How it reaches WhatsApp.
    pub provider: Provider,
    /// Meta's id of the number.
    pub phone_number_id: Option<String>,
    /// Meta's id of the WhatsApp business account.
    pub waba_id: Option<String>,
    /// Sealed with `Purpose::AccessToken`.
    pub access_token_sealed: Option<Vec<u8>>,
    /// Sealed with `Purpose::AppSecret`; `None` = the operator's app secret signs its callbacks.
    pub app_secret_sealed: Option<Vec<u8>>,
    /// Messages per second; `None` = the operator's limit.
    pub rate_per_second: Option<i32>,
}

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Number").field("id", &self.id).field("provider", &self.provider).finish_non_exhaustive()
    }
}

#[derive(sqlx::FromRow)]
struct NumberRow {
    id: Uuid,
    link_id: Uuid,
    msisdn: String,
    provider: String,
    phone_number_id: Option<String>,
    waba_id: Option<String>,
    access_token_sealed: Option<Vec<u8>>,
    app_secret_sealed: Option<Vec<u8>>,
    rate_per_second: Option<i32>,
}

impl TryFrom<NumberRow> for Number {
    type Error = Error;

    fn try_from(row: NumberRow) -> Result<Self> {
        let provider = Provider::from_name(&row.provider).ok_or(Error::Inconsistent {
            table: "whatsapp_number",
            column: "provider",
            value: row.provider,
        })?;
        Ok(Self {
            id: InboxId(row.id),
            link_id: row.link_id,
            msisdn: row.msisdn,
            provider,
            phone_number_id: row.phone_number_id,
            waba_id: row.waba_id,
            access_token_sealed: row.access_token_sealed,
            app_secret_sealed: row.app_secret_sealed,
            rate_per_second: row.rate_per_second,
        })
    }
}

fn numbers(rows: Vec<NumberRow>) -> Result<Vec<Number>> {
    rows.into_iter().map(Number::try_from).collect()
}

/// The constraint that says a client has the number already.
pub const MSISDN_UNIQUE: &str = "whatsapp_number_msisdn_unique";
/// The constraint that says a phone-number id belongs to a number already, of whatever client.
pub const PHONE_NUMBER_ID_UNIQUE: &str = "phone_number_directory_pk";

/// Stores a number and enters it into the directories. Fails on [`MSISDN_UNIQUE`] and [`PHONE_NUMBER_ID_UNIQUE`].
pub async fn insert(db: &mut PgConnection, client: ClientId, number: &Number, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO whatsapp_number (client_id, id, link_id, msisdn, provider, phone_number_id, waba_id,
                                      access_token_sealed, app_secret_sealed, rate_per_second, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
    )
    .bind(client.0)
    .bind(number.id.0)
    .bind(number.link_id)
    .bind(&number.msisdn)
    .bind(number.provider.as_str())
    .bind(number.phone_number_id.as_deref())
    .bind(number.waba_id.as_deref())
    .bind(number.access_token_sealed.as_deref())
    .bind(number.app_secret_sealed.as_deref())
    .bind(number.rate_per_second)
    .bind(now)
    .execute(&mut *db)
    .await?;
    if let Some(phone_number_id) = &number.phone_number_id {
        sqlx::query("INSERT INTO phone_number_directory (phone_number_id, client_id, number_id) VALUES ($1, $2, $3)")
            .bind(phone_number_id)
            .bind(client.0)
            .bind(number.id.0)
            .execute(&mut *db)
            .await?;
    }
    if let Some(waba) = &number.waba_id {
        sqlx::query(
            "INSERT INTO waba_directory (waba_id, client_id, refresh_due_at) VALUES ($1, $2, $3)
             ON CONFLICT (waba_id, client_id) DO NOTHING",
        )
        .bind(waba)
        .bind(client.0)
        .bind(now)
        .execute(&mut *db)
        .await?;
    }
    Ok(())
}

/// One number of the client.
pub async fn by_id(db: &mut PgConnection, client: ClientId, id: InboxId) -> Result<Option<Number>> {
    let row: Option<NumberRow> = sqlx::query_as(
        "SELECT id, link_id, msisdn, provider, phone_number_id, waba_id, access_token_sealed, app_secret_sealed,
                rate_per_second
         FROM whatsapp_number WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    row.map(Number::try_from).transpose()
}

/// Those of the client's numbers that have one of these MSISDNs (digits).
pub async fn by_msisdns(db: &mut PgConnection, client: ClientId, msisdns: &[String]) -> Result<Vec<Number>> {
    let rows: Vec<NumberRow> = sqlx::query_as(
        "SELECT id, link_id, msisdn, provider, phone_number_id, waba_id, access_token_sealed, app_secret_sealed,
                rate_per_second
         FROM whatsapp_number WHERE client_id = $1 AND msisdn = ANY($2)",
    )
    .bind(client.0)
    .bind(msisdns)
    .fetch_all(db)
    .await?;
    numbers(rows)
}

/// The client's numbers of one WhatsApp business account, oldest first.
pub async fn by_waba(db: &mut PgConnection, client: ClientId, waba: &str) -> Result<Vec<Number>> {
    let rows: Vec<NumberRow> = sqlx::query_as(
        "SELECT id, link_id, msisdn, provider, phone_number_id, waba_id, access_token_sealed, app_secret_sealed,
                rate_per_second
         FROM whatsapp_number WHERE client_id = $1 AND waba_id = $2 ORDER BY created_at, id",
    )
    .bind(client.0)
    .bind(waba)
    .fetch_all(db)
    .await?;
    numbers(rows)
}

/// A page of the client's numbers that contain `search` (`""` = all), by MSISDN; and how many there are over all pages.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    search: &str,
    limit: i64,
    offset: i64,
) -> Result<(Vec<Number>, i64)> {
    let total: i64 =
        sqlx::query_scalar("SELECT count(*) FROM whatsapp_number WHERE client_id = $1 AND strpos(msisdn, $2) > 0")
            .bind(client.0)
            .bind(search)
            .fetch_one(&mut *db)
            .await?;
    let rows: Vec<NumberRow> = sqlx::query_as(
        "SELECT id, link_id, msisdn, provider, phone_number_id, waba_id, access_token_sealed, app_secret_sealed,
                rate_per_second
         FROM whatsapp_number WHERE client_id = $1 AND strpos(msisdn, $2) > 0
         ORDER BY msisdn, id LIMIT $3 OFFSET $4",
    )
    .bind(client.0)
    .bind(search)
    .bind(limit)
    .bind(offset)
    .fetch_all(db)
    .await?;
    Ok((numbers(rows)?, total))
}

/// Directory: the client and number of a phone-number id.
pub async fn find_by_phone_number_id(
    db: &mut PgConnection,
    phone_number_id: &str,
) -> Result<Option<(ClientId, InboxId)>> {
    let row: Option<(Uuid, Uuid)> =
        sqlx::query_as("SELECT client_id, number_id FROM phone_number_directory WHERE phone_number_id = $1")
            .bind(phone_number_id)
            .fetch_optional(db)
            .await?;
    Ok(row.map(|(client, number)| (ClientId(client), InboxId(number))))
}

/// Directory: the clients with a number in a WhatsApp business account.
pub async fn clients_of_waba(db: &mut PgConnection, waba: &str) -> Result<Vec<ClientId>> {
    let ids: Vec<Uuid> =
        sqlx::query_scalar("SELECT client_id FROM waba_directory WHERE waba_id = $1 ORDER BY client_id")
            .bind(waba)
            .fetch_all(db)
            .await?;
    Ok(ids.into_iter().map(ClientId).collect())
}

/// A number that signs its callbacks with an app secret of its own.
#[derive(Clone)]
pub struct OwnAppSecret {
    /// Whose number.
    pub client: ClientId,
    /// Meta's id of the number.
    pub phone_number_id: String,
    /// Meta's id of its business account.
    pub waba_id: Option<String>,
    /// Sealed with `Purpose::AppSecret`.
    pub sealed: Vec<u8>,
}

/// Directory: those of the numbers that have an app secret of their own, by phone-number id or business account.
pub async fn own_app_secrets(
    db: &mut PgConnection,
    phone_number_ids: &[String],
    wabas: &[String],
) -> Result<Vec<OwnAppSecret>> {
    let rows: Vec<(Uuid, String, Option<String>, Vec<u8>)> = sqlx::query_as(
        "SELECT number.client_id, directory.phone_number_id, number.waba_id, number.app_secret_sealed
         FROM phone_number_directory directory
         JOIN whatsapp_number number ON number.client_id = directory.client_id AND number.id = directory.number_id
         WHERE directory.phone_number_id = ANY($1) AND number.app_secret_sealed IS NOT NULL
         UNION
         SELECT number.client_id, number.phone_number_id, number.waba_id, number.app_secret_sealed
         FROM waba_directory directory
         JOIN whatsapp_number number ON number.client_id = directory.client_id AND number.waba_id = directory.waba_id
         WHERE directory.waba_id = ANY($2) AND number.app_secret_sealed IS NOT NULL
           AND number.phone_number_id IS NOT NULL",
    )
    .bind(phone_number_ids)
    .bind(wabas)
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|(client, phone_number_id, waba_id, sealed)| OwnAppSecret {
            client: ClientId(client),
            phone_number_id,
            waba_id,
            sealed,
        })
        .collect())
}

/// The Cloud numbers of all clients: what the simulator must know at its start.
pub async fn all_cloud(db: &mut PgConnection) -> Result<Vec<Number>> {
    let rows: Vec<NumberRow> = sqlx::query_as(
        "SELECT id, link_id, msisdn, provider, phone_number_id, waba_id, access_token_sealed, app_secret_sealed,
                rate_per_second
         FROM whatsapp_number WHERE provider = 'WHATSAPP_CLOUD' ORDER BY client_id, id",
    )
    .fetch_all(db)
    .await?;
    numbers(rows)
}
