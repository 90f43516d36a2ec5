use chrono::{DateTime, Utc};
use domain::{
    chat::FallbackMode,
    ids::{ClientId, InboxId},
    page::PageRequest,
};
use uuid::Uuid;

use super::sandboxes;
use crate::{
    Error, PgConnection, Result,
    column_values::read_value,
    inboxes::{self, Inbox, InboxSettings, Sms},
};

#[derive(Debug, Clone)]
pub struct Client {
    pub id: ClientId,
    pub client_ref: String,
    pub display_name: String,
    pub parent: Option<ClientId>,
    /// IANA name, for schedules and hours.
    pub time_zone: String,
    /// The rule by which an undeliverable message counts as "not on WhatsApp".
    pub fallback_mode: FallbackMode,
    /// True if its webhooks may go to private addresses.
    pub allow_private_targets: bool,
    /// True if numbers and names of its customers are masked for roles that do not need them.
    pub popia_compliant: bool,
    /// True if customers are asked for a rating after an agent ends their chat.
    pub asks_rating: bool,
    /// True if a message whose outcome is unknown is not sent again (ADR 0004).
    pub at_most_once: bool,
    pub sms_fallback: SmsFallback,
    /// The client whose test keys open this sandbox. `None`: a client with real messages.
    pub sandbox_of: Option<ClientId>,
    pub created_at: DateTime<Utc>,
    pub disabled_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SmsFallback {
    /// True if the `fallback` of a send is carried out.
    pub enabled: bool,
    pub username: Option<String>,
}

#[derive(sqlx::FromRow)]
struct ClientRow {
    id: Uuid,
    client_ref: String,
    display_name: String,
    parent_id: Option<Uuid>,
    time_zone: String,
    fallback_mode: String,
    allow_private_targets: bool,
    popia_compliant: bool,
    asks_rating: bool,
    at_most_once: bool,
    sms_fallback_enabled: bool,
    sms_username: Option<String>,
    created_at: DateTime<Utc>,
    sandbox_of: Option<Uuid>,
    disabled_at: Option<DateTime<Utc>>,
}

impl TryFrom<ClientRow> for Client {
    type Error = Error;

    fn try_from(row: ClientRow) -> Result<Self> {
        Ok(Self {
            id: ClientId(row.id),
            client_ref: row.client_ref,
            display_name: row.display_name,
            parent: row.parent_id.map(ClientId),
            time_zone: row.time_zone,
            fallback_mode: read_value("client", "fallback_mode", &row.fallback_mode, |mode| mode.parse().ok())?,
            allow_private_targets: row.allow_private_targets,
            popia_compliant: row.popia_compliant,
            asks_rating: row.asks_rating,
            at_most_once: row.at_most_once,
            sms_fallback: SmsFallback { enabled: row.sms_fallback_enabled, username: row.sms_username },
            created_at: row.created_at,
            sandbox_of: row.sandbox_of.map(ClientId),
            disabled_at: row.disabled_at,
        })
    }
}

#[derive(Debug, Clone)]
pub struct ClientRecord<'a> {
    pub client_ref: &'a str,
    pub display_name: &'a str,
    pub parent: Option<ClientId>,
    pub allow_private_targets: bool,
    pub sms_inbox: InboxId,
}

pub const CLIENT_REF_UNIQUE: &str = "client_ref_unique";

/// Stores a client with its inbox for SMS. Fails on [`CLIENT_REF_UNIQUE`] if the name is taken.
pub async fn insert(db: &mut PgConnection, client: ClientId, new: &ClientRecord<'_>, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO client (id, client_ref, display_name, parent_id, allow_private_targets, created_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(client.0)
    .bind(new.client_ref)
    .bind(new.display_name)
    .bind(new.parent.map(|parent| parent.0))
    .bind(new.allow_private_targets)
    .bind(now)
    .execute(&mut *db)
    .await?;
    let sms = InboxSettings::Sms(Sms { source: None, is_default: true });
    inboxes::insert(db, client, &Inbox { id: new.sms_inbox, settings: sms }, now).await
}

pub async fn get(db: &mut PgConnection, client: ClientId) -> Result<Option<Client>> {
    let row: Option<ClientRow> = sqlx::query_as(
        "SELECT id, client_ref, display_name, parent_id, time_zone, fallback_mode, allow_private_targets,
                popia_compliant, asks_rating, at_most_once, sms_fallback_enabled, sms_username, created_at, sandbox_of,
                disabled_at
         FROM client WHERE id = $1",
    )
    .bind(client.0)
    .fetch_optional(db)
    .await?;
    row.map(Client::try_from).transpose()
}

pub async fn lock(db: &mut PgConnection, client: ClientId) -> Result<Option<Client>> {
    let row: Option<ClientRow> = sqlx::query_as(
        "SELECT id, client_ref, display_name, parent_id, time_zone, fallback_mode, allow_private_targets,
                popia_compliant, asks_rating, at_most_once, sms_fallback_enabled, sms_username, created_at, sandbox_of,
                disabled_at
         FROM client WHERE id = $1 FOR NO KEY UPDATE",
    )
    .bind(client.0)
    .fetch_optional(db)
    .await?;
    row.map(Client::try_from).transpose()
}

/// Stores a client. Its sandbox follows it.
pub async fn save(db: &mut PgConnection, client: &Client) -> Result<()> {
    sqlx::query(
        "UPDATE client SET client_ref = $2, display_name = $3, time_zone = $4, popia_compliant = $5,
             sms_fallback_enabled = $6, sms_username = $7, asks_rating = $8,
             fallback_mode = $9, at_most_once = $10
         WHERE id = $1",
    )
    .bind(client.id.0)
    .bind(&client.client_ref)
    .bind(&client.display_name)
    .bind(&client.time_zone)
    .bind(client.popia_compliant)
    .bind(client.sms_fallback.enabled)
    .bind(client.sms_fallback.username.as_deref())
    .bind(client.asks_rating)
    .bind(client.fallback_mode.as_str())
    .bind(client.at_most_once)
    .execute(&mut *db)
    .await?;
    sandboxes::follow(db, client.id).await
}

pub async fn asks_rating(db: &mut PgConnection, client: ClientId) -> Result<bool> {
    let asks =
        sqlx::query_scalar("SELECT asks_rating FROM client WHERE id = $1").bind(client.0).fetch_optional(db).await?;
    Ok(asks.unwrap_or(false))
}

pub async fn is_at_most_once(db: &mut PgConnection, client: ClientId) -> Result<bool> {
    let found = sqlx::query_scalar("SELECT at_most_once FROM client WHERE id = $1");
    Ok(found.bind(client.0).fetch_optional(db).await?.unwrap_or(false))
}

/// Replaces the sealed password of the client's own account for SMS; `None` removes it.
pub async fn set_sms_password(db: &mut PgConnection, client: ClientId, sealed: Option<&[u8]>) -> Result<()> {
    sqlx::query("UPDATE client SET sms_password_sealed = $2 WHERE id = $1")
        .bind(client.0)
        .bind(sealed)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn sms_password(db: &mut PgConnection, client: ClientId) -> Result<Option<Vec<u8>>> {
    let sealed: Option<Option<Vec<u8>>> = sqlx::query_scalar("SELECT sms_password_sealed FROM client WHERE id = $1")
        .bind(client.0)
        .fetch_optional(db)
        .await?;
    Ok(sealed.flatten())
}

pub async fn children(db: &mut PgConnection, parent: ClientId, page: PageRequest) -> Result<(Vec<Client>, i64)> {
    let total: i64 = sqlx::query_scalar("SELECT count(*) FROM client WHERE parent_id = $1")
        .bind(parent.0)
        .fetch_one(&mut *db)
        .await?;
    let rows: Vec<ClientRow> = sqlx::query_as(
        "SELECT id, client_ref, display_name, parent_id, time_zone, fallback_mode, allow_private_targets,
                popia_compliant, asks_rating, at_most_once, sms_fallback_enabled, sms_username, created_at, sandbox_of,
                disabled_at
         FROM client WHERE parent_id = $1 ORDER BY client_ref LIMIT $2 OFFSET $3",
    )
    .bind(parent.0)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    Ok((rows.into_iter().map(Client::try_from).collect::<Result<_>>()?, total))
}

/// Directory: returns a client with its descendants, or all clients if `above` is `None`, by reference.
pub async fn with_descendants(db: &mut PgConnection, above: Option<ClientId>) -> Result<Vec<Client>> {
    let rows: Vec<ClientRow> = sqlx::query_as(
        "WITH RECURSIVE below (id) AS (
             SELECT id FROM client WHERE id = $1 OR $1 IS NULL AND parent_id IS NULL
             UNION ALL
             SELECT child.id FROM client child JOIN below ON child.parent_id = below.id)
         SELECT client.id, client_ref, display_name, parent_id, time_zone, fallback_mode, allow_private_targets,
                popia_compliant, asks_rating, at_most_once, sms_fallback_enabled, sms_username, created_at, sandbox_of,
                disabled_at
         FROM below JOIN client ON client.id = below.id ORDER BY client_ref",
    )
    .bind(above.map(|client| client.0))
    .fetch_all(db)
    .await?;
    rows.into_iter().map(Client::try_from).collect()
}

/// Finds a client. Only test keys lead to a sandbox, so a sandbox has no reference for logins and commands.
pub async fn find_by_ref(db: &mut PgConnection, client_ref: &str) -> Result<Option<ClientId>> {
    let query = sqlx::query_scalar("SELECT id FROM client WHERE client_ref = $1 AND sandbox_of IS NULL");
    let id: Option<Uuid> = query.bind(client_ref).fetch_optional(db).await?;
    Ok(id.map(ClientId))
}

/// True if there is a client. On an empty database the program creates the demo client.
pub async fn any(db: &mut PgConnection) -> Result<bool> {
    Ok(sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM client)").fetch_one(db).await?)
}

pub async fn is_within(db: &mut PgConnection, above: ClientId, client: ClientId) -> Result<bool> {
    let within = sqlx::query_scalar(
        "WITH RECURSIVE line AS (
             SELECT id, parent_id FROM client WHERE id = $2
             UNION
             SELECT parent.id, parent.parent_id FROM line
             CROSS JOIN LATERAL (SELECT id, parent_id FROM client one WHERE one.id = line.parent_id OFFSET 0) parent)
         SELECT EXISTS (SELECT 1 FROM line WHERE id = $1)",
    )
    .bind(above.0)
    .bind(client.0)
    .fetch_one(db)
    .await?;
    Ok(within)
}
