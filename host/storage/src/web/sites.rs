use chrono::{DateTime, Utc};
use domain::{
    chat::ChatTeam,
    ids::{ClientId, InboxId, TeamId},
    page::PageRequest,
    web_chat::{PageOrigin, SiteSettings},
};
use uuid::Uuid;

use crate::{
    Error, PgConnection, Result,
    column_values::{self, UnreadJson},
};

#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    pub client: ClientId,
    pub id: InboxId,
    pub key: String,
    pub name: String,
    pub origins: Vec<PageOrigin>,
    pub settings: SiteSettings,
    pub team: Option<ChatTeam>,
    pub created_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct SiteRow {
    client_id: Uuid,
    id: Uuid,
    address: Option<String>,
    name: String,
    origins: Vec<String>,
    settings: Option<UnreadJson>,
    team_id: Option<Uuid>,
    team_name: Option<String>,
    created_at: DateTime<Utc>,
}

impl TryFrom<SiteRow> for Site {
    type Error = Error;

    fn try_from(row: SiteRow) -> Result<Self> {
        let inconsistent = |column, value| Error::Inconsistent { table: "web_inbox", column, value };
        let origin =
            |text: &String| PageOrigin::parse(text).map_err(|_| inconsistent("origins", "no origin".to_owned()));
        Ok(Self {
            client: ClientId(row.client_id),
            id: InboxId(row.id),
            key: row.address.ok_or_else(|| inconsistent("address", "none".to_owned()))?,
            origins: row.origins.iter().map(origin).collect::<Result<_>>()?,
            settings: column_values::read_optional("web_inbox", "settings", row.settings.as_ref())?.unwrap_or_default(),
            team: row.team_id.zip(row.team_name).map(|(id, name)| ChatTeam { id: TeamId(id), name }),
            name: row.name,
            created_at: row.created_at,
        })
    }
}

const SELECT: &str =
    "SELECT site.client_id, site.id, inbox.address, site.name, site.origins, site.settings, site.team_id,
        team.name AS team_name, inbox.created_at
    FROM web_inbox site
    JOIN inbox ON inbox.client_id = site.client_id AND inbox.id = site.id
    LEFT JOIN team ON team.client_id = site.client_id AND team.id = site.team_id";

/// Returns the site that visitors may use with this key. A disabled one is left out.
pub async fn by_key(db: &mut PgConnection, key: &str) -> Result<Option<Site>> {
    let row: Option<SiteRow> = sqlx::query_as(
        "SELECT site.client_id, site.id, inbox.address, site.name, site.origins, site.settings, site.team_id,
                team.name AS team_name, inbox.created_at
         FROM web_site_directory directory
         JOIN web_inbox site ON site.client_id = directory.client_id AND site.id = directory.inbox_id
         JOIN inbox ON inbox.client_id = site.client_id AND inbox.id = site.id
         JOIN client ON client.id = site.client_id
         LEFT JOIN team ON team.client_id = site.client_id AND team.id = site.team_id
         WHERE directory.site_key = $1 AND inbox.disabled_at IS NULL AND client.disabled_at IS NULL",
    )
    .bind(key)
    .fetch_optional(db)
    .await?;
    row.map(Site::try_from).transpose()
}

/// False if the site or its client is disabled.
pub async fn is_enabled(db: &mut PgConnection, client: ClientId, id: InboxId) -> Result<bool> {
    let enabled: Option<bool> = sqlx::query_scalar(
        "SELECT inbox.disabled_at IS NULL AND client.disabled_at IS NULL
         FROM inbox JOIN client ON client.id = inbox.client_id WHERE inbox.client_id = $1 AND inbox.id = $2",
    )
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    Ok(enabled.unwrap_or(false))
}

pub async fn by_id(db: &mut PgConnection, client: ClientId, id: InboxId) -> Result<Option<Site>> {
    let row: Option<SiteRow> =
        sqlx::query_as(&format!("{SELECT} WHERE site.client_id = $1 AND site.id = $2 AND site.deleted_at IS NULL"))
            .bind(client.0)
            .bind(id.0)
            .fetch_optional(db)
            .await?;
    row.map(Site::try_from).transpose()
}

pub async fn page(db: &mut PgConnection, client: ClientId, page: PageRequest) -> Result<(Vec<Site>, i64)> {
    let total: i64 = sqlx::query_scalar("SELECT count(*) FROM web_inbox WHERE client_id = $1 AND deleted_at IS NULL")
        .bind(client.0)
        .fetch_one(&mut *db)
        .await?;
    let rows: Vec<SiteRow> = sqlx::query_as(&format!(
        "{SELECT} WHERE site.client_id = $1 AND site.deleted_at IS NULL ORDER BY site.id LIMIT $2 OFFSET $3"
    ))
    .bind(client.0)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    Ok((rows.into_iter().map(Site::try_from).collect::<Result<_>>()?, total))
}

/// The sites of all clients, without removed ones and those of sandboxes.
pub async fn all(db: &mut PgConnection) -> Result<Vec<Site>> {
    let rows: Vec<SiteRow> = sqlx::query_as(&format!(
        "{SELECT} JOIN client ON client.id = site.client_id AND client.sandbox_of IS NULL
         WHERE site.deleted_at IS NULL ORDER BY site.client_id, site.id"
    ))
    .fetch_all(db)
    .await?;
    rows.into_iter().map(Site::try_from).collect()
}

pub async fn save(db: &mut PgConnection, site: &Site) -> Result<()> {
    sqlx::query(
        "UPDATE web_inbox SET name = $3, origins = $4, settings = $5, team_id = $6 WHERE client_id = $1 AND id = $2",
    )
    .bind(site.client.0)
    .bind(site.id.0)
    .bind(&site.name)
    .bind(site.origins.iter().map(PageOrigin::as_str).collect::<Vec<_>>())
    .bind(column_values::write(&site.settings))
    .bind(site.team.as_ref().map(|team| team.id.0))
    .execute(db)
    .await?;
    Ok(())
}

/// Locks a site, so that changes of it are made one after the other; `false` if there is none.
pub async fn lock(db: &mut PgConnection, client: ClientId, id: InboxId) -> Result<bool> {
    let found: Option<Uuid> = sqlx::query_scalar(
        "SELECT id FROM web_inbox WHERE client_id = $1 AND id = $2 AND deleted_at IS NULL FOR UPDATE",
    )
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}

pub async fn set_key(db: &mut PgConnection, client: ClientId, id: InboxId, key: &str) -> Result<()> {
    forget_key(db, client, id).await?;
    sqlx::query("UPDATE inbox SET address = $3 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id.0)
        .bind(key)
        .execute(&mut *db)
        .await?;
    enter(db, client, id, key).await
}

pub async fn enter(db: &mut PgConnection, client: ClientId, id: InboxId, key: &str) -> Result<()> {
    sqlx::query("INSERT INTO web_site_directory (site_key, client_id, inbox_id) VALUES ($1, $2, $3)")
        .bind(key)
        .bind(client.0)
        .bind(id.0)
        .execute(db)
        .await?;
    Ok(())
}

async fn forget_key(db: &mut PgConnection, client: ClientId, id: InboxId) -> Result<()> {
    sqlx::query("DELETE FROM web_site_directory WHERE client_id = $1 AND inbox_id = $2")
        .bind(client.0)
        .bind(id.0)
        .execute(db)
        .await?;
    Ok(())
}

/// Deletes a site with its key and secret; its chats stay.
pub async fn delete(db: &mut PgConnection, client: ClientId, id: InboxId, now: DateTime<Utc>) -> Result<()> {
    forget_key(db, client, id).await?;
    sqlx::query("UPDATE web_inbox SET deleted_at = $3, identity_secret_sealed = NULL WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id.0)
        .bind(now)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn identity_secret(db: &mut PgConnection, client: ClientId, id: InboxId) -> Result<Option<Vec<u8>>> {
    let sealed: Option<Option<Vec<u8>>> =
        sqlx::query_scalar("SELECT identity_secret_sealed FROM web_inbox WHERE client_id = $1 AND id = $2")
            .bind(client.0)
            .bind(id.0)
            .fetch_optional(db)
            .await?;
    Ok(sealed.flatten())
}

pub async fn set_identity_secret(db: &mut PgConnection, client: ClientId, id: InboxId, sealed: &[u8]) -> Result<()> {
    sqlx::query("UPDATE web_inbox SET identity_secret_sealed = $3 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id.0)
        .bind(sealed)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn team_of(db: &mut PgConnection, client: ClientId, id: InboxId) -> Result<Option<ChatTeam>> {
    let row: Option<(Uuid, String)> = sqlx::query_as(
        "SELECT team.id, team.name FROM web_inbox site
         JOIN team ON team.client_id = site.client_id AND team.id = site.team_id
         WHERE site.client_id = $1 AND site.id = $2",
    )
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|(id, name)| ChatTeam { id: TeamId(id), name }))
}
