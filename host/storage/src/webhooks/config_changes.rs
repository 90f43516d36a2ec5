//! Changing, listing and deleting webhook configurations (SPEC 4.7).

use domain::{
    ids::{ClientId, EndpointId, WebhookConfigId},
    page::PageRequest,
    webhook::{WebhookSettings, WebhookType},
};
use uuid::Uuid;

use super::configs::{ConfigRow, StoredConfig};
use crate::{PgConnection, Result};

pub async fn lock(db: &mut PgConnection, client: ClientId, id: WebhookConfigId) -> Result<bool> {
    let found: Option<Uuid> =
        sqlx::query_scalar("SELECT id FROM webhook_config WHERE client_id = $1 AND id = $2 FOR UPDATE")
            .bind(client.0)
            .bind(id.0)
            .fetch_optional(db)
            .await?;
    Ok(found.is_some())
}

/// Stores the switches and the saved addresses. Saving an address, also the same one, turns its endpoint on.
pub async fn update(
    db: &mut PgConnection,
    client: ClientId,
    id: WebhookConfigId,
    settings: &WebhookSettings,
    saved: &[WebhookType],
) -> Result<Vec<EndpointId>> {
    sqlx::query(
        "UPDATE webhook_config SET chatbot_include_outgoing = $3, chatbot_stop_on_agent_assignment = $4,
             chatbot_payload_version = $5
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(settings.chatbot_include_outgoing)
    .bind(settings.chatbot_stop_on_agent_assignment)
    .bind(settings.chatbot_payload_version.as_str())
    .execute(&mut *db)
    .await?;
    let types: Vec<&str> = saved.iter().map(|kind| kind.as_str()).collect();
    let urls: Vec<&str> = saved.iter().map(|kind| settings.url(*kind).unwrap_or_default()).collect();
    let endpoints: Vec<Uuid> = sqlx::query_scalar(
        "UPDATE webhook_endpoint
         SET url = saved.url, failing_since = NULL, last_failed_at = NULL, disabled_at = NULL, disabled_reason = NULL
         FROM (SELECT $1::uuid AS client_id, $2::uuid AS config_id, *
               FROM unnest($3::text[], $4::text[]) AS one (webhook_type, url) OFFSET 0) saved
         WHERE webhook_endpoint.client_id = saved.client_id AND webhook_endpoint.config_id = saved.config_id
           AND webhook_endpoint.webhook_type = saved.webhook_type
         RETURNING webhook_endpoint.id",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(types)
    .bind(urls)
    .fetch_all(db)
    .await?;
    Ok(endpoints.into_iter().map(EndpointId).collect())
}

/// Returns its endpoints. Waiting deliveries stay and are dropped by the workers of their lanes.
pub async fn delete(db: &mut PgConnection, client: ClientId, id: WebhookConfigId) -> Result<Vec<EndpointId>> {
    let endpoints: Vec<Uuid> =
        sqlx::query_scalar("DELETE FROM webhook_endpoint WHERE client_id = $1 AND config_id = $2 RETURNING id")
            .bind(client.0)
            .bind(id.0)
            .fetch_all(&mut *db)
            .await?;
    sqlx::query("DELETE FROM webhook_config WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id.0)
        .execute(db)
        .await?;
    Ok(endpoints.into_iter().map(EndpointId).collect())
}

/// A page of the configurations, the default first, then overrides by address, and the total.
pub async fn page(db: &mut PgConnection, client: ClientId, page: PageRequest) -> Result<(Vec<StoredConfig>, i64)> {
    let total: i64 = sqlx::query_scalar("SELECT count(*) FROM webhook_config WHERE client_id = $1")
        .bind(client.0)
        .fetch_one(&mut *db)
        .await?;
    let rows: Vec<ConfigRow> = sqlx::query_as(
        "SELECT config.id, config.inbox_id, config.address, config.chatbot_include_outgoing,
                config.chatbot_stop_on_agent_assignment, config.chatbot_payload_version,
                array_agg(endpoint.id) AS endpoints, array_agg(endpoint.webhook_type) AS webhook_types,
                array_agg(endpoint.url) AS urls
         FROM (SELECT config.client_id, config.id, config.inbox_id, config.chatbot_include_outgoing,
                      config.chatbot_stop_on_agent_assignment, config.chatbot_payload_version, inbox.address
               FROM webhook_config config
               LEFT JOIN inbox ON inbox.client_id = config.client_id AND inbox.id = config.inbox_id
               WHERE config.client_id = $1
               ORDER BY config.inbox_id IS NOT NULL, inbox.address, config.id LIMIT $2 OFFSET $3) config
         JOIN webhook_endpoint endpoint ON endpoint.client_id = config.client_id AND endpoint.config_id = config.id
         GROUP BY config.id, config.inbox_id, config.address, config.chatbot_include_outgoing,
                  config.chatbot_stop_on_agent_assignment, config.chatbot_payload_version
         ORDER BY config.inbox_id IS NOT NULL, config.address, config.id",
    )
    .bind(client.0)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    Ok((rows.into_iter().map(StoredConfig::try_from).collect::<Result<_>>()?, total))
}
