//! The cached template catalogue of each WhatsApp business account, and when it is fetched again.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, InboxId},
    opaque_json::OpaqueJson,
    page::PageRequest,
    template::TemplateRecord,
};
use sqlx::types::Json;
use uuid::Uuid;

use crate::{PgConnection, Result};

#[derive(Debug, Clone, PartialEq)]
pub struct TemplateRow {
    pub record: TemplateRecord,
    pub synced_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct StoredTemplate {
    waba_id: String,
    id: String,
    name: String,
    language: String,
    status: String,
    category: String,
    parameter_format: String,
    components: Json<OpaqueJson>,
    synced_at: DateTime<Utc>,
}

impl From<StoredTemplate> for TemplateRow {
    fn from(row: StoredTemplate) -> Self {
        Self {
            record: TemplateRecord {
                id: row.id,
                waba_id: row.waba_id,
                name: row.name,
                language: row.language,
                status: row.status,
                category: row.category,
                parameter_format: row.parameter_format,
                components: row.components.0,
            },
            synced_at: row.synced_at,
        }
    }
}

pub async fn accounts_of(db: &mut PgConnection, client: ClientId, ids: &[&str]) -> Result<HashMap<String, String>> {
    let rows: Vec<(String, String)> = sqlx::query_as(
        "SELECT DISTINCT ON (wanted.id) wanted.id, template.waba_id
         FROM (SELECT DISTINCT waba_directory.client_id, waba_directory.waba_id, id
               FROM waba_directory, unnest($2::text[]) AS one (id) WHERE waba_directory.client_id = $1 OFFSET 0) wanted
         JOIN template USING (client_id, waba_id, id)
         ORDER BY wanted.id, template.waba_id",
    )
    .bind(client.0)
    .bind(ids)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().collect())
}

pub async fn by_ids(db: &mut PgConnection, client: ClientId, keys: &[(String, String)]) -> Result<Vec<TemplateRow>> {
    let (wabas, ids): (Vec<&str>, Vec<&str>) = keys.iter().map(|(waba, id)| (waba.as_str(), id.as_str())).unzip();
    let rows: Vec<StoredTemplate> = sqlx::query_as(
        "SELECT waba_id, id, name, language, status, category, parameter_format, components, synced_at
         FROM (SELECT DISTINCT $1::uuid AS client_id, waba_id, id FROM unnest($2::text[], $3::text[]) AS one (waba_id, id)
               OFFSET 0) wanted
         JOIN template USING (client_id, waba_id, id)",
    )
    .bind(client.0)
    .bind(&wabas)
    .bind(&ids)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(TemplateRow::from).collect())
}

/// A page of the templates whose name contains `search`, folded (`""`: all), and the total.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    search: &str,
    page: PageRequest,
) -> Result<(Vec<TemplateRow>, i64)> {
    let total: i64 =
        sqlx::query_scalar("SELECT count(*) FROM template WHERE client_id = $1 AND strpos(lower(name), $2) > 0")
            .bind(client.0)
            .bind(search)
            .fetch_one(&mut *db)
            .await?;
    let rows: Vec<StoredTemplate> = sqlx::query_as(
        "SELECT waba_id, id, name, language, status, category, parameter_format, components, synced_at
         FROM template WHERE client_id = $1 AND strpos(lower(name), $2) > 0
         ORDER BY name, language, waba_id, id LIMIT $3 OFFSET $4",
    )
    .bind(client.0)
    .bind(search)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    Ok((rows.into_iter().map(TemplateRow::from).collect(), total))
}

/// Replaces the catalogue of a business account. Two calls for one account wait for each other.
pub async fn replace_all(
    db: &mut PgConnection,
    client: ClientId,
    waba: &str,
    templates: &[TemplateRecord],
    now: DateTime<Utc>,
    next_refresh: DateTime<Utc>,
) -> Result<()> {
    sqlx::query("UPDATE waba_directory SET refresh_due_at = $3 WHERE waba_id = $1 AND client_id = $2")
        .bind(waba)
        .bind(client.0)
        .bind(next_refresh)
        .execute(&mut *db)
        .await?;
    let ids: Vec<&str> = templates.iter().map(|template| template.id.as_str()).collect();
    sqlx::query("DELETE FROM template WHERE client_id = $1 AND waba_id = $2 AND id <> ALL($3)")
        .bind(client.0)
        .bind(waba)
        .bind(&ids)
        .execute(&mut *db)
        .await?;
    let column = |of: fn(&TemplateRecord) -> &str| templates.iter().map(of).collect::<Vec<&str>>();
    let components: Vec<Json<&OpaqueJson>> = templates.iter().map(|template| Json(&template.components)).collect();
    sqlx::query(
        "INSERT INTO template (client_id, waba_id, id, name, language, status, category, parameter_format, components,
                               synced_at)
         SELECT $1, $2, fetched.*, $10
         FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::jsonb[]) AS fetched
         ON CONFLICT (client_id, waba_id, id) DO UPDATE
         SET name = excluded.name, language = excluded.language, status = excluded.status,
             category = excluded.category, parameter_format = excluded.parameter_format,
             components = excluded.components, synced_at = excluded.synced_at",
    )
    .bind(client.0)
    .bind(waba)
    .bind(&ids)
    .bind(column(|template| &template.name))
    .bind(column(|template| &template.language))
    .bind(column(|template| &template.status))
    .bind(column(|template| &template.category))
    .bind(column(|template| &template.parameter_format))
    .bind(components)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn wabas(db: &mut PgConnection, client: ClientId) -> Result<Vec<String>> {
    let wabas = sqlx::query_scalar("SELECT waba_id FROM waba_directory WHERE client_id = $1 ORDER BY waba_id")
        .bind(client.0)
        .fetch_all(db)
        .await?;
    Ok(wabas)
}

/// Directory: catalogues that are due to be fetched, the longest due first.
pub async fn due(db: &mut PgConnection, now: DateTime<Utc>, limit: i64) -> Result<Vec<(ClientId, String)>> {
    let rows: Vec<(Uuid, String)> = sqlx::query_as(
        "SELECT client_id, waba_id FROM waba_directory WHERE refresh_due_at <= $1 ORDER BY refresh_due_at LIMIT $2",
    )
    .bind(now)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(client, waba)| (ClientId(client), waba)).collect())
}

/// Claims a due catalogue and puts it off until `retry_at`; `false` if another process was first.
pub async fn claim_due(
    db: &mut PgConnection,
    client: ClientId,
    waba: &str,
    now: DateTime<Utc>,
    retry_at: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE waba_directory SET refresh_due_at = $4 WHERE waba_id = $1 AND client_id = $2 AND refresh_due_at <= $3",
    )
    .bind(waba)
    .bind(client.0)
    .bind(now)
    .bind(retry_at)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn request_refresh(db: &mut PgConnection, client: ClientId, waba: &str, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "UPDATE waba_directory SET refresh_due_at = $3 WHERE waba_id = $1 AND client_id = $2 AND refresh_due_at > $3",
    )
    .bind(waba)
    .bind(client.0)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// The same for the accounts of these numbers. Other inboxes have no catalogue.
pub async fn request_refresh_of_numbers(
    db: &mut PgConnection,
    client: ClientId,
    inboxes: &[InboxId],
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "UPDATE waba_directory known SET refresh_due_at = $3
         FROM (SELECT DISTINCT $1::uuid AS client_id, number.waba_id FROM unnest($2::uuid[]) AS wanted (id)
               CROSS JOIN LATERAL (SELECT waba_id FROM whatsapp_cloud_inbox one
                                   WHERE one.client_id = $1 AND one.id = wanted.id OFFSET 0) number
               OFFSET 0) stale
         WHERE known.waba_id = stale.waba_id AND known.client_id = stale.client_id AND known.refresh_due_at > $3",
    )
    .bind(client.0)
    .bind(inboxes.iter().map(|inbox| inbox.0).collect::<Vec<_>>())
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}
