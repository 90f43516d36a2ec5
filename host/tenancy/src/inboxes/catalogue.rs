//! The template catalogue. It is fetched from the provider outside any transaction and replaced as a whole (PROVIDERS
//! F).

use std::{collections::HashMap, time::Duration};

use channels::whatsapp_cloud::{CatalogueTemplate, CloudApi, GraphError};
use chrono::TimeDelta;
use domain::{ids::ClientId, search::fold, template::TemplateRecord};
use storage::{Db, inboxes::templates, tenancy::sandboxes};

use super::TemplateRow;
use crate::sandbox;
use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::SecretPurpose,
};
use domain::page::{Page, PageRequest};

const REFRESH_INTERVAL: TimeDelta = TimeDelta::hours(1);
const RETRY_INTERVAL: TimeDelta = TimeDelta::minutes(5);
const REFRESH_LIMIT: i64 = 50;
const FETCH_TIMEOUT: Duration = Duration::from_secs(120);

#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    #[error("the templates of business account {waba} could not be fetched: {reason}")]
    Provider { waba: String, reason: String },
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(SyncError: storage::Error);

/// Fetches the templates of all business accounts of a client and returns their number. Those of a sandbox are copied
/// from its client, with the numbers. `actor` is `None` if Patchbay itself starts it.
pub async fn sync_templates(
    admin: &Administration<'_>,
    cloud: &CloudApi,
    client: ClientId,
    actor: Option<Actor>,
) -> Result<usize, SyncError> {
    let (wabas, live) = {
        let mut db = admin.db.acquire().await?;
        (templates::wabas(&mut db, client).await?, sandboxes::live_client(&mut db, client).await?)
    };
    let mut synced = match live {
        Some(live) => sandbox::refresh(admin, live, client).await?,
        None => 0,
    };
    for waba in &wabas {
        synced += sync_account(admin, cloud, client, waba).await?;
    }
    if let Some(actor) = actor {
        let mut tx = admin.db.begin().await?;
        audit(admin, &mut tx, client, actor, "sync", AuditObject::new("templates", &client)).await?;
        tx.commit().await?;
    }
    Ok(synced)
}

/// Fetches the catalogues that are due: hourly, and after [`request_refresh`]. Failures are logged and retried later.
/// Returns the number of fetched catalogues.
pub async fn refresh_due(admin: &Administration<'_>, cloud: &CloudApi) -> base::Result<usize> {
    let due = {
        let mut db = admin.db.acquire().await?;
        templates::due(&mut db, admin.now(), REFRESH_LIMIT).await?
    };
    let mut fetched = 0;
    for (client, waba) in due {
        let mine = {
            let mut db = admin.db.acquire().await?;
            let retry_at = admin.now() + RETRY_INTERVAL;
            templates::claim_due(&mut db, client, &waba, admin.now(), retry_at).await?
        };
        if !mine {
            continue;
        }
        match sync_account(admin, cloud, client, &waba).await {
            Ok(_) => fetched += 1,
            Err(SyncError::Failed(error)) => return Err(error),
            Err(error) => tracing::warn!(client.id = %client, %error, "templates were not refreshed"),
        }
    }
    Ok(fetched)
}

/// Requests a fetch of a catalogue soon, after the provider reported a change or refused one of its templates
/// (PROVIDERS F).
pub async fn request_refresh(admin: &Administration<'_>, client: ClientId, waba: &str) -> base::Result<()> {
    let mut db = admin.db.acquire().await?;
    Ok(templates::request_refresh(&mut db, client, waba, admin.now()).await?)
}

/// The client's templates whose name contains `search` (`""` = all), sorted by name and language.
pub async fn list_templates(
    db: &Db,
    client: ClientId,
    search: &str,
    page: PageRequest,
) -> base::Result<Page<TemplateRow>> {
    let mut db = db.acquire().await?;
    let search = fold(search);
    let (items, total) = templates::page(&mut db, client, &search, page).await?;
    Ok(Page::of(items, total))
}

async fn sync_account(
    admin: &Administration<'_>,
    cloud: &CloudApi,
    client: ClientId,
    waba: &str,
) -> Result<usize, SyncError> {
    let Some(token) = access_token(admin, client, waba).await? else { return Ok(0) };
    let failed = |reason: String| SyncError::Provider { waba: waba.to_owned(), reason };
    let fetched = tokio::time::timeout(FETCH_TIMEOUT, cloud.templates(waba, &token))
        .await
        .map_err(|_| failed(format!("no complete answer within {} s", FETCH_TIMEOUT.as_secs())))?
        .map_err(|error: GraphError| failed(error.to_string()))?;
    let records = unique_records(waba, fetched);

    let now = admin.now();
    let mut tx = admin.db.begin().await?;
    templates::replace_all(&mut tx, client, waba, &records, now, now + REFRESH_INTERVAL).await?;
    tx.commit().await?;
    Ok(records.len())
}

async fn access_token(admin: &Administration<'_>, client: ClientId, waba: &str) -> Result<Option<String>, SyncError> {
    let numbers = {
        let mut db = admin.db.acquire().await?;
        storage::inboxes::by_waba(&mut db, client, waba).await?
    };
    let Some(cloud) = numbers.iter().find_map(|number| number.cloud()) else { return Ok(None) };
    let token =
        admin.sealer.open_text(client, SecretPurpose::AccessToken, &cloud.access_token_sealed).map_err(Error::from)?;
    Ok(Some(token))
}

/// Removes duplicates by id. If the catalogue changes while it is read, a template may appear on two pages.
fn unique_records(waba: &str, fetched: Vec<CatalogueTemplate>) -> Vec<TemplateRecord> {
    let mut records: Vec<TemplateRecord> = fetched
        .into_iter()
        .map(|template| TemplateRecord {
            waba_id: waba.to_owned(),
            id: template.id,
            name: template.name,
            language: template.language,
            status: template.status,
            category: template.category,
            parameter_format: template.parameter_format,
            components: template.components.into(),
        })
        .map(|record| (record.id.clone(), record))
        .collect::<HashMap<_, _>>()
        .into_values()
        .collect();
    records.sort_by(|a, b| a.id.cmp(&b.id));
    records
}
