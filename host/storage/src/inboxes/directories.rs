//! Directories: the client and inbox of a provider's id.

use std::collections::HashMap;

use domain::ids::{ClientId, InboxId};
use uuid::Uuid;

use crate::{PgConnection, Result};

pub async fn of_phone_number_ids(
    db: &mut PgConnection,
    phone_number_ids: &[String],
) -> Result<HashMap<String, (ClientId, InboxId)>> {
    let rows: Vec<(String, Uuid, Uuid)> = sqlx::query_as(
        "SELECT phone_number_id, client_id, inbox_id FROM phone_number_directory WHERE phone_number_id = ANY($1)",
    )
    .bind(phone_number_ids)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(id, client, inbox)| (id, (ClientId(client), InboxId(inbox)))).collect())
}

/// Returns the clients with a number in these WhatsApp business accounts. Several clients may share one.
pub async fn clients_of_wabas(db: &mut PgConnection, wabas: &[String]) -> Result<Vec<(String, ClientId)>> {
    let rows: Vec<(String, Uuid)> = sqlx::query_as(
        "SELECT waba_id, client_id FROM waba_directory WHERE waba_id = ANY($1) ORDER BY waba_id, client_id",
    )
    .bind(wabas)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(waba, client)| (waba, ClientId(client))).collect())
}

#[derive(Clone)]
pub struct OwnAppSecret {
    pub client: ClientId,
    pub phone_number_id: String,
    pub waba_id: String,
    pub sealed: Vec<u8>,
}

/// Returns the numbers with their own app secret, by phone-number id or business account.
pub async fn own_app_secrets(
    db: &mut PgConnection,
    phone_number_ids: &[String],
    wabas: &[String],
) -> Result<Vec<OwnAppSecret>> {
    let rows: Vec<(Uuid, String, String, Vec<u8>)> = sqlx::query_as(
        "SELECT cloud.client_id, cloud.phone_number_id, cloud.waba_id, cloud.app_secret_sealed
         FROM phone_number_directory directory
         JOIN whatsapp_cloud_inbox cloud ON cloud.client_id = directory.client_id AND cloud.id = directory.inbox_id
         WHERE directory.phone_number_id = ANY($1) AND cloud.app_secret_sealed IS NOT NULL
         UNION
         SELECT cloud.client_id, cloud.phone_number_id, cloud.waba_id, cloud.app_secret_sealed
         FROM waba_directory directory
         JOIN whatsapp_cloud_inbox cloud ON cloud.client_id = directory.client_id AND cloud.waba_id = directory.waba_id
         WHERE directory.waba_id = ANY($2) AND cloud.app_secret_sealed IS NOT NULL",
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

pub async fn of_pages(db: &mut PgConnection, page_ids: &[String]) -> Result<HashMap<String, (ClientId, InboxId)>> {
    let rows: Vec<(String, Uuid, Uuid)> =
        sqlx::query_as("SELECT page_id, client_id, inbox_id FROM page_directory WHERE page_id = ANY($1)")
            .bind(page_ids)
            .fetch_all(db)
            .await?;
    Ok(rows.into_iter().map(|(id, client, inbox)| (id, (ClientId(client), InboxId(inbox)))).collect())
}

/// Returns the pages with their own app secret: page, client and the secret, sealed with `SecretPurpose::AppSecret`.
pub async fn own_app_secrets_of_pages(
    db: &mut PgConnection,
    page_ids: &[String],
) -> Result<Vec<(String, ClientId, Vec<u8>)>> {
    let rows: Vec<(String, Uuid, Vec<u8>)> = sqlx::query_as(
        "SELECT directory.page_id, page.client_id, page.app_secret_sealed
         FROM page_directory directory
         JOIN messenger_inbox page ON page.client_id = directory.client_id AND page.id = directory.inbox_id
         WHERE directory.page_id = ANY($1) AND page.app_secret_sealed IS NOT NULL",
    )
    .bind(page_ids)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(page, client, sealed)| (page, ClientId(client), sealed)).collect())
}
