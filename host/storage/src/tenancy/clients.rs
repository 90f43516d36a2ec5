//! Clients (tenants).

use chrono::{DateTime, Utc};
use domain::{
    chat::FallbackMode,
    ids::{ClientId, InboxId},
};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    Error, Result,
    inboxes::{self, Inbox, InboxSettings, Sms},
    stored::known,
};

/// A client.
#[derive(Debug, Clone)]
pub struct Client {
    /// Its id.
    pub id: ClientId,
    /// The name that people and programs call it by; may be changed later.
    pub client_ref: String,
    /// The name that people read.
    pub display_name: String,
    /// The client that created it.
    pub parent: Option<ClientId>,
    /// IANA name, for schedules and hours.
    pub time_zone: String,
    /// When an undeliverable message counts as "not on WhatsApp".
    pub fallback_mode: FallbackMode,
    /// Its webhook targets may be private addresses.
    pub allow_private_targets: bool,
    /// When it was created.
    pub created_at: DateTime<Utc>,
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
    created_at: DateTime<Utc>,
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
            fallback_mode: known("client", "fallback_mode", &row.fallback_mode, |mode| mode.parse().ok())?,
            allow_private_targets: row.allow_private_targets,
            created_at: row.created_at,
        })
    }
}

/// What a new client starts with; the rest has defaults.
#[derive(Debug, Clone)]
pub struct NewClient<'a> {
    /// Unique over all clients.
    pub client_ref: &'a str,
    /// The name that people read.
    pub display_name: &'a str,
    /// The client that it belongs to.
    pub parent: Option<ClientId>,
    /// Its webhook targets may be private addresses.
    pub allow_private_targets: bool,
    /// Id of the inbox that takes its SMS when nothing names a source.
    pub sms_inbox: InboxId,
}

/// The constraint that says a `client_ref` is taken.
pub const CLIENT_REF_UNIQUE: &str = "client_ref_unique";

/// Stores a client, with the inbox that every client has: SMS from the operator's default source. Fails on
/// [`CLIENT_REF_UNIQUE`] when the name is taken.
pub async fn insert(db: &mut PgConnection, client: ClientId, new: &NewClient<'_>, now: DateTime<Utc>) -> Result<()> {
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

/// One client.
pub async fn get(db: &mut PgConnection, client: ClientId) -> Result<Option<Client>> {
    let row: Option<ClientRow> = sqlx::query_as(
        "SELECT id, client_ref, display_name, parent_id, time_zone, fallback_mode, allow_private_targets,
                created_at
         FROM client WHERE id = $1",
    )
    .bind(client.0)
    .fetch_optional(db)
    .await?;
    row.map(Client::try_from).transpose()
}

/// Directory: the client of a name.
pub async fn find_by_ref(db: &mut PgConnection, client_ref: &str) -> Result<Option<ClientId>> {
    let id: Option<Uuid> =
        sqlx::query_scalar("SELECT id FROM client WHERE client_ref = $1").bind(client_ref).fetch_optional(db).await?;
    Ok(id.map(ClientId))
}

/// True once there is a client: a program on an empty database creates the demo client.
pub async fn any(db: &mut PgConnection) -> Result<bool> {
    Ok(sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM client)").fetch_one(db).await?)
}

/// Whether `client` is `above` or one of its descendants.
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
