//! Uploads of clients: names (`plugin`), versions (`plugin_version`) and bytes (`plugin_component`).

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, UserId},
    opaque_json::OpaqueJson,
    page::PageRequest,
    plugin_origin::{VersionOrigin, VersionSignature},
};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{
    Error, PgConnection, Result,
    column_values::{self, UnreadJson},
};

const TABLE: &str = "plugin_version";

/// Latest live activations of a plugin, over all scopes, whose versions are kept for a rollback.
const ROLLBACK_DEPTH: i64 = 50;

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct PluginName {
    pub name: String,
    pub world: String,
    pub last_version: i32,
    pub created_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct UploadedVersion {
    pub name: String,
    pub world: String,
    pub version: i32,
    pub sha256: String,
    pub size: i64,
    pub api_version: String,
    pub imports: Vec<String>,
    pub config_schema: Option<OpaqueJson>,
    /// The user who uploaded it; `None`: the command line.
    pub created_by: Option<UserId>,
    pub created_at: DateTime<Utc>,
    pub signature: Option<VersionSignature>,
    /// `None`: uploaded before it was recorded.
    pub origin: Option<VersionOrigin>,
}

#[derive(sqlx::FromRow)]
struct Row {
    name: String,
    world: String,
    version: i32,
    sha256: String,
    size: i64,
    api_version: String,
    imports: Vec<String>,
    config_schema: Option<Json<OpaqueJson>>,
    created_by: Option<Uuid>,
    created_at: DateTime<Utc>,
    signature: Option<UnreadJson>,
    origin: Option<UnreadJson>,
}

impl TryFrom<Row> for UploadedVersion {
    type Error = Error;

    fn try_from(row: Row) -> Result<Self> {
        Ok(Self {
            name: row.name,
            world: row.world,
            version: row.version,
            sha256: row.sha256,
            size: row.size,
            api_version: row.api_version,
            imports: row.imports,
            config_schema: row.config_schema.map(|schema| schema.0),
            created_by: row.created_by.map(UserId),
            created_at: row.created_at,
            signature: column_values::read_optional(TABLE, "signature", row.signature.as_ref())?,
            origin: column_values::read_optional(TABLE, "origin", row.origin.as_ref())?,
        })
    }
}

pub async fn plugin(db: &mut PgConnection, client: ClientId, name: &str) -> Result<Option<PluginName>> {
    Ok(sqlx::query_as("SELECT name, world, last_version, created_at FROM plugin WHERE client_id = $1 AND name = $2")
        .bind(client.0)
        .bind(name)
        .fetch_optional(db)
        .await?)
}

pub async fn count(db: &mut PgConnection, client: ClientId) -> Result<i64> {
    Ok(sqlx::query_scalar("SELECT count(*) FROM plugin WHERE client_id = $1").bind(client.0).fetch_one(db).await?)
}

/// Returns the newest version of each name that contains `search`, folded (`""`: all), by name.
pub async fn newest(db: &mut PgConnection, client: ClientId, search: &str) -> Result<Vec<UploadedVersion>> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT v.name, p.world, v.version, v.sha256, v.size, v.api_version, v.imports, v.config_schema, v.created_by,
                v.created_at, v.signature, v.origin
         FROM plugin p JOIN plugin_version v ON v.client_id = p.client_id AND v.name = p.name AND v.version = p.last_version
         WHERE p.client_id = $1 AND strpos(lower(p.name), $2) > 0 ORDER BY p.name",
    )
    .bind(client.0)
    .bind(search)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(UploadedVersion::try_from).collect()
}

/// Returns those of these names that are uploaded plugins of the client.
pub async fn known_names(db: &mut PgConnection, client: ClientId, names: &[String]) -> Result<Vec<String>> {
    Ok(sqlx::query_scalar("SELECT name FROM plugin WHERE client_id = $1 AND name = ANY($2) ORDER BY name")
        .bind(client.0)
        .bind(names)
        .fetch_all(db)
        .await?)
}

pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    name: &str,
    page: PageRequest,
) -> Result<(Vec<UploadedVersion>, i64)> {
    let rows: Vec<Row> = sqlx::query_as(
        "SELECT v.name, p.world, v.version, v.sha256, v.size, v.api_version, v.imports, v.config_schema, v.created_by,
                v.created_at, v.signature, v.origin
         FROM plugin_version v JOIN plugin p ON p.client_id = v.client_id AND p.name = v.name
         WHERE v.client_id = $1 AND v.name = $2 ORDER BY v.version DESC OFFSET $3 LIMIT $4",
    )
    .bind(client.0)
    .bind(name)
    .bind(page.offset())
    .bind(page.limit())
    .fetch_all(&mut *db)
    .await?;
    let total: i64 = sqlx::query_scalar("SELECT count(*) FROM plugin_version WHERE client_id = $1 AND name = $2")
        .bind(client.0)
        .bind(name)
        .fetch_one(db)
        .await?;
    let versions: Result<Vec<UploadedVersion>> = rows.into_iter().map(UploadedVersion::try_from).collect();
    Ok((versions?, total))
}

pub async fn oldest(db: &mut PgConnection, client: ClientId, name: &str) -> Result<Option<i32>> {
    Ok(sqlx::query_scalar("SELECT min(version) FROM plugin_version WHERE client_id = $1 AND name = $2")
        .bind(client.0)
        .bind(name)
        .fetch_one(db)
        .await?)
}

pub async fn one(
    db: &mut PgConnection,
    client: ClientId,
    name: &str,
    version: Option<i32>,
) -> Result<Option<UploadedVersion>> {
    let row: Option<Row> = sqlx::query_as(
        "SELECT v.name, p.world, v.version, v.sha256, v.size, v.api_version, v.imports, v.config_schema, v.created_by,
                v.created_at, v.signature, v.origin
         FROM plugin p JOIN plugin_version v ON v.client_id = p.client_id AND v.name = p.name
         WHERE p.client_id = $1 AND p.name = $2 AND v.version = COALESCE($3, p.last_version)",
    )
    .bind(client.0)
    .bind(name)
    .bind(version)
    .fetch_optional(db)
    .await?;
    row.map(UploadedVersion::try_from).transpose()
}

pub async fn with_bytes(
    db: &mut PgConnection,
    client: ClientId,
    name: &str,
    sha256: &str,
) -> Result<Option<UploadedVersion>> {
    let row: Option<Row> = sqlx::query_as(
        "SELECT v.name, p.world, v.version, v.sha256, v.size, v.api_version, v.imports, v.config_schema, v.created_by,
                v.created_at, v.signature, v.origin
         FROM plugin_version v JOIN plugin p ON p.client_id = v.client_id AND p.name = v.name
         WHERE v.client_id = $1 AND v.name = $2 AND v.sha256 = $3",
    )
    .bind(client.0)
    .bind(name)
    .bind(sha256)
    .fetch_optional(db)
    .await?;
    row.map(UploadedVersion::try_from).transpose()
}

/// Bytes of all components of a client but this one.
pub async fn stored_bytes_of_others(db: &mut PgConnection, client: ClientId, sha256: &str) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "SELECT COALESCE(sum(size), 0)::bigint FROM plugin_component WHERE client_id = $1 AND sha256 <> $2",
    )
    .bind(client.0)
    .bind(sha256)
    .fetch_one(db)
    .await?)
}

pub async fn bytes(db: &mut PgConnection, client: ClientId, sha256: &str) -> Result<Option<Vec<u8>>> {
    Ok(sqlx::query_scalar("SELECT bytes FROM plugin_component WHERE client_id = $1 AND sha256 = $2")
        .bind(client.0)
        .bind(sha256)
        .fetch_optional(db)
        .await?)
}

/// Stores the next version of a name and returns its number. Hold [`lock`](super::activations::lock).
pub async fn insert(db: &mut PgConnection, client: ClientId, version: &UploadedVersion, bytes: &[u8]) -> Result<i32> {
    sqlx::query(
        "INSERT INTO plugin_component (client_id, sha256, size, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
    )
    .bind(client.0)
    .bind(&version.sha256)
    .bind(version.size)
    .bind(bytes)
    .execute(&mut *db)
    .await?;
    let number: i32 = sqlx::query_scalar(
        "INSERT INTO plugin (client_id, name, world, last_version, created_at) VALUES ($1, $2, $3, 1, $4)
         ON CONFLICT (client_id, name) DO UPDATE SET last_version = plugin.last_version + 1
         RETURNING last_version",
    )
    .bind(client.0)
    .bind(&version.name)
    .bind(&version.world)
    .bind(version.created_at)
    .fetch_one(&mut *db)
    .await?;
    sqlx::query(
        "INSERT INTO plugin_version
             (client_id, name, version, sha256, size, api_version, imports, config_schema, created_by, created_at, signature,
              origin)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
    )
    .bind(client.0)
    .bind(&version.name)
    .bind(number)
    .bind(&version.sha256)
    .bind(version.size)
    .bind(&version.api_version)
    .bind(&version.imports)
    .bind(version.config_schema.as_ref().map(Json))
    .bind(version.created_by.map(|user| user.0))
    .bind(version.created_at)
    .bind(version.signature.as_ref().map(column_values::write))
    .bind(version.origin.as_ref().map(column_values::write))
    .execute(db)
    .await?;
    Ok(number)
}

/// Replaces the signature of a version.
pub async fn sign(
    db: &mut PgConnection,
    client: ClientId,
    name: &str,
    version: i32,
    signature: &VersionSignature,
) -> Result<()> {
    sqlx::query("UPDATE plugin_version SET signature = $4 WHERE client_id = $1 AND name = $2 AND version = $3")
        .bind(client.0)
        .bind(name)
        .bind(version)
        .bind(column_values::write(signature))
        .execute(db)
        .await?;
    Ok(())
}

/// Removes all but the newest `keep` versions that no activation or rollback needs. Returns the removed ones.
pub async fn remove_old(db: &mut PgConnection, client: ClientId, name: &str, keep: i32) -> Result<Vec<i32>> {
    let removed: Vec<i32> = sqlx::query_scalar(
        "DELETE FROM plugin_version
         WHERE client_id = $1 AND name = $2
               AND version <= (SELECT last_version - $3 FROM plugin WHERE client_id = $1 AND name = $2)
               AND version NOT IN (SELECT version FROM plugin_activation
                                   WHERE client_id = $1 AND plugin = $2 AND version IS NOT NULL)
               AND version NOT IN (SELECT version FROM (
                   SELECT version FROM plugin_activation_history
                   WHERE client_id = $1 AND plugin = $2 AND mode = 'live' AND version IS NOT NULL
                   ORDER BY id DESC LIMIT $4) AS latest)
         RETURNING version",
    )
    .bind(client.0)
    .bind(name)
    .bind(keep)
    .bind(ROLLBACK_DEPTH)
    .fetch_all(&mut *db)
    .await?;
    if !removed.is_empty() {
        remove_unused(db, client).await?;
    }
    Ok(removed)
}

/// Removes a name with its versions and recordings; effects of its calls stay.
pub async fn delete(db: &mut PgConnection, client: ClientId, name: &str) -> Result<bool> {
    let gone = sqlx::query("DELETE FROM plugin WHERE client_id = $1 AND name = $2")
        .bind(client.0)
        .bind(name)
        .execute(&mut *db)
        .await?;
    if gone.rows_affected() == 0 {
        return Ok(false);
    }
    remove_unused(db, client).await?;
    let leftovers = [
        "DELETE FROM plugin_recording WHERE client_id = $1 AND plugin = $2",
        "DELETE FROM plugin_difference WHERE client_id = $1 AND plugin = $2",
    ];
    for statement in leftovers {
        sqlx::query(statement).bind(client.0).bind(name).execute(&mut *db).await?;
    }
    Ok(true)
}

async fn remove_unused(db: &mut PgConnection, client: ClientId) -> Result<()> {
    sqlx::query(
        "DELETE FROM plugin_component c
         WHERE c.client_id = $1
               AND NOT EXISTS (SELECT 1 FROM plugin_version v WHERE v.client_id = c.client_id AND v.sha256 = c.sha256)",
    )
    .bind(client.0)
    .execute(db)
    .await?;
    Ok(())
}
