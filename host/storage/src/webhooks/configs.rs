//! Webhook configurations (SPEC 2.12) and their endpoints, one for each webhook type.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, EndpointId, InboxId, WebhookConfigId},
    webhook::{DisabledReason, FailurePeriod, PayloadVersion, WebhookSettings, WebhookType},
};
use uuid::Uuid;

use crate::{Error, PgConnection, Queue, Result, column_values::read_value};

/// Violated by a second default of a client.
pub const ONE_DEFAULT: &str = "webhook_config_default_unique";
/// Violated by a second override of an inbox.
pub const ONE_OVERRIDE: &str = "webhook_config_inbox_unique";
/// Violated by an inbox of another client.
pub const OWN_INBOX: &str = "webhook_config_inbox_fk";

/// Most secrets that sign in addition to the present and the previous one.
const OLDER_SECRETS_MAX: i64 = 4;

#[derive(Debug, Clone)]
pub struct NewConfig {
    pub id: WebhookConfigId,
    pub inbox: Option<InboxId>,
    pub settings: WebhookSettings,
    pub endpoints: Vec<(WebhookType, EndpointId)>,
    pub secret_sealed: Vec<u8>,
    pub created_at: DateTime<Utc>,
}

pub async fn insert(db: &mut PgConnection, client: ClientId, config: &NewConfig) -> Result<()> {
    sqlx::query(
        "INSERT INTO webhook_config (client_id, id, inbox_id, chatbot_include_outgoing,
             chatbot_stop_on_agent_assignment, chatbot_payload_version, secret_sealed, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(client.0)
    .bind(config.id.0)
    .bind(config.inbox.map(|inbox| inbox.0))
    .bind(config.settings.chatbot_include_outgoing)
    .bind(config.settings.chatbot_stop_on_agent_assignment)
    .bind(config.settings.chatbot_payload_version.as_str())
    .bind(&config.secret_sealed)
    .bind(config.created_at)
    .execute(&mut *db)
    .await?;
    let ids: Vec<Uuid> = config.endpoints.iter().map(|(_, id)| id.0).collect();
    let types: Vec<&str> = config.endpoints.iter().map(|(kind, _)| kind.as_str()).collect();
    let urls: Vec<&str> =
        config.endpoints.iter().map(|(kind, _)| config.settings.url(*kind).unwrap_or_default()).collect();
    sqlx::query(
        "INSERT INTO webhook_endpoint (client_id, id, config_id, webhook_type, url)
         SELECT $1, id, $2, webhook_type, url FROM unnest($3::uuid[], $4::text[], $5::text[]) AS new (id, webhook_type, url)",
    )
    .bind(client.0)
    .bind(config.id.0)
    .bind(ids)
    .bind(types)
    .bind(urls)
    .execute(db)
    .await?;
    Ok(())
}

#[derive(Debug, Clone, PartialEq)]
pub struct StoredConfig {
    pub id: WebhookConfigId,
    /// The inbox of an override and its address; `None`: the client's default.
    pub inbox: Option<(InboxId, Option<String>)>,
    pub settings: WebhookSettings,
}

/// A configuration with its endpoints, each array in the same order.
#[derive(sqlx::FromRow)]
pub(super) struct ConfigRow {
    id: Uuid,
    inbox_id: Option<Uuid>,
    address: Option<String>,
    chatbot_include_outgoing: bool,
    chatbot_stop_on_agent_assignment: bool,
    chatbot_payload_version: String,
    endpoints: Vec<Uuid>,
    webhook_types: Vec<String>,
    urls: Vec<String>,
}

impl ConfigRow {
    fn settings(&self) -> Result<WebhookSettings> {
        let on = self.webhook_types.iter().zip(&self.urls).filter(|(_, url)| !url.is_empty());
        Ok(WebhookSettings {
            urls: on.map(|(kind, url)| Ok((webhook_type(kind)?, url.clone()))).collect::<Result<_>>()?,
            chatbot_include_outgoing: self.chatbot_include_outgoing,
            chatbot_stop_on_agent_assignment: self.chatbot_stop_on_agent_assignment,
            chatbot_payload_version: payload_version(&self.chatbot_payload_version)?,
        })
    }
}

fn payload_version(value: &str) -> Result<PayloadVersion> {
    read_value("webhook_config", "chatbot_payload_version", value, |value| value.parse().ok())
}

pub(super) fn webhook_type(value: &str) -> Result<WebhookType> {
    read_value("webhook_endpoint", "webhook_type", value, |value| value.parse().ok())
}

impl TryFrom<ConfigRow> for StoredConfig {
    type Error = Error;

    fn try_from(row: ConfigRow) -> Result<Self> {
        let settings = row.settings()?;
        let inbox = row.inbox_id.map(|id| (InboxId(id), row.address));
        Ok(Self { id: WebhookConfigId(row.id), inbox, settings })
    }
}

pub async fn find_default(db: &mut PgConnection, client: ClientId) -> Result<Option<StoredConfig>> {
    let row: Option<ConfigRow> = sqlx::query_as(
        "SELECT config.id, config.inbox_id, NULL AS address, config.chatbot_include_outgoing,
                config.chatbot_stop_on_agent_assignment, config.chatbot_payload_version,
                array_agg(endpoint.id) AS endpoints, array_agg(endpoint.webhook_type) AS webhook_types,
                array_agg(endpoint.url) AS urls
         FROM webhook_config config
         JOIN webhook_endpoint endpoint ON endpoint.client_id = config.client_id AND endpoint.config_id = config.id
         WHERE config.client_id = $1 AND config.inbox_id IS NULL
         GROUP BY config.client_id, config.id",
    )
    .bind(client.0)
    .fetch_optional(db)
    .await?;
    row.map(StoredConfig::try_from).transpose()
}

pub async fn find(db: &mut PgConnection, client: ClientId, id: WebhookConfigId) -> Result<Option<StoredConfig>> {
    let row: Option<ConfigRow> = sqlx::query_as(
        "SELECT config.id, config.inbox_id, inbox.address, config.chatbot_include_outgoing,
                config.chatbot_stop_on_agent_assignment, config.chatbot_payload_version,
                array_agg(endpoint.id) AS endpoints, array_agg(endpoint.webhook_type) AS webhook_types,
                array_agg(endpoint.url) AS urls
         FROM webhook_config config
         JOIN webhook_endpoint endpoint ON endpoint.client_id = config.client_id AND endpoint.config_id = config.id
         LEFT JOIN inbox ON inbox.client_id = config.client_id AND inbox.id = config.inbox_id
         WHERE config.client_id = $1 AND config.id = $2
         GROUP BY config.client_id, config.id, inbox.address",
    )
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    row.map(StoredConfig::try_from).transpose()
}

pub async fn secret(db: &mut PgConnection, client: ClientId, id: WebhookConfigId) -> Result<Option<Vec<u8>>> {
    let sealed = sqlx::query_scalar("SELECT secret_sealed FROM webhook_config WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id.0)
        .fetch_optional(db)
        .await?;
    Ok(sealed)
}

/// The new secret of a configuration.
#[derive(Debug, Clone, Copy)]
pub struct SecretReplacement<'a> {
    pub sealed: &'a [u8],
    pub at: DateTime<Utc>,
    pub previous_expires_at: DateTime<Utc>,
}

/// The old secret signs too until `previous_expires_at`, as do earlier ones, up to [`OLDER_SECRETS_MAX`].
pub async fn replace_secret(
    db: &mut PgConnection,
    client: ClientId,
    id: WebhookConfigId,
    new: SecretReplacement<'_>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE webhook_config config
         SET previous_secret_sealed = secret_sealed, previous_secret_expires_at = $4, secret_sealed = $3,
             (older_secrets_sealed, older_secrets_expire_at) = (
                 SELECT COALESCE(array_agg(signing.sealed ORDER BY signing.expires_at DESC), '{}'),
                        COALESCE(array_agg(signing.expires_at ORDER BY signing.expires_at DESC), '{}')
                 FROM (
                     SELECT old.sealed, old.expires_at
                     FROM unnest(array_prepend(config.previous_secret_sealed, config.older_secrets_sealed),
                                 array_prepend(config.previous_secret_expires_at, config.older_secrets_expire_at))
                         AS old (sealed, expires_at)
                     WHERE old.expires_at > $5 ORDER BY old.expires_at DESC LIMIT $6
                 ) signing
             )
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(new.sealed)
    .bind(new.previous_expires_at)
    .bind(new.at)
    .bind(OLDER_SECRETS_MAX)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

#[derive(Debug, Clone, PartialEq)]
pub struct WebhookRoute {
    pub inbox: Option<InboxId>,
    /// Options and addresses.
    pub settings: WebhookSettings,
    pub endpoints: BTreeMap<WebhookType, EndpointId>,
    /// Disabled endpoints, unless a developer listens. Their deliveries are stored and not sent.
    pub disabled: BTreeSet<WebhookType>,
}

#[derive(sqlx::FromRow)]
struct RouteRow {
    #[sqlx(flatten)]
    config: ConfigRow,
    disabled_types: Vec<String>,
}

impl TryFrom<RouteRow> for WebhookRoute {
    type Error = Error;

    fn try_from(RouteRow { config: row, disabled_types }: RouteRow) -> Result<Self> {
        let mut settings = row.settings()?;
        let endpoints = row.webhook_types.iter().zip(&row.endpoints);
        let endpoints = endpoints.map(|(kind, id)| Ok((webhook_type(kind)?, EndpointId(*id))));
        let endpoints = endpoints.collect::<Result<BTreeMap<_, _>>>()?;
        for kind in endpoints.keys() {
            settings.urls.entry(*kind).or_default();
        }
        let disabled: BTreeSet<WebhookType> =
            disabled_types.iter().map(|kind| webhook_type(kind)).collect::<Result<_>>()?;
        Ok(Self { inbox: row.inbox_id.map(InboxId), settings, endpoints, disabled })
    }
}

pub async fn routes(db: &mut PgConnection, client: ClientId, inboxes: &[InboxId]) -> Result<Vec<WebhookRoute>> {
    let inboxes: Vec<Uuid> = inboxes.iter().map(|inbox| inbox.0).collect();
    let rows: Vec<RouteRow> = sqlx::query_as(
        "SELECT config.id, config.inbox_id, NULL AS address, config.chatbot_include_outgoing,
                config.chatbot_stop_on_agent_assignment, config.chatbot_payload_version,
                COALESCE(array_agg(endpoint.id) FILTER (WHERE endpoint.id IS NOT NULL), '{}') AS endpoints,
                COALESCE(array_agg(endpoint.webhook_type) FILTER (WHERE endpoint.id IS NOT NULL), '{}') AS webhook_types,
                COALESCE(array_agg(endpoint.url) FILTER (WHERE endpoint.id IS NOT NULL), '{}') AS urls,
                COALESCE(array_agg(endpoint.webhook_type) FILTER (
                    WHERE endpoint.disabled_at IS NOT NULL AND COALESCE(endpoint.listened_until <= now(), true)), '{}')
                    AS disabled_types
         FROM webhook_config config
         LEFT JOIN webhook_endpoint endpoint
             ON endpoint.client_id = config.client_id AND endpoint.config_id = config.id
             AND (endpoint.url <> '' OR endpoint.listened_until > now())
         WHERE config.client_id = $1 AND (config.inbox_id IS NULL OR config.inbox_id = ANY($2))
         GROUP BY config.client_id, config.id",
    )
    .bind(client.0)
    .bind(inboxes)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(WebhookRoute::try_from).collect()
}

#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct Endpoint {
    pub url: String,
    failing_since: Option<DateTime<Utc>>,
    last_failed_at: Option<DateTime<Utc>>,
    /// Set if nothing is sent until the URL is saved again.
    pub disabled_at: Option<DateTime<Utc>>,
    pub secret_sealed: Vec<u8>,
    /// Signs too until it expires.
    pub previous_secret_sealed: Option<Vec<u8>>,
    pub previous_secret_expires_at: Option<DateTime<Utc>>,
    /// Earlier secrets, which sign too until they expire, newest first.
    pub older_secrets_sealed: Vec<Vec<u8>>,
    /// Their expiries, in the same order.
    pub older_secrets_expire_at: Vec<DateTime<Utc>>,
    pub allow_private_targets: bool,
    /// True if a developer listens, so that bodies are copied.
    pub is_listened: bool,
    pub is_sandbox: bool,
}

impl Endpoint {
    /// The failures since the last success.
    pub fn failing(&self) -> Option<FailurePeriod> {
        let since = self.failing_since?;
        // A process of an earlier release stores only the first failure, so the last one can be of an earlier period.
        Some(FailurePeriod { since, last: self.last_failed_at.map_or(since, |last| last.max(since)) })
    }

    /// Returns the sealed secrets that sign too, each with its expiry, newest first.
    pub fn replaced_secrets(&self) -> impl Iterator<Item = (&[u8], DateTime<Utc>)> {
        let previous = self.previous_secret_sealed.iter().zip(self.previous_secret_expires_at);
        let older = self.older_secrets_sealed.iter().zip(self.older_secrets_expire_at.iter().copied());
        previous.chain(older).map(|(sealed, expires_at)| (sealed.as_slice(), expires_at))
    }
}

pub async fn endpoint(db: &mut PgConnection, client: ClientId, id: EndpointId) -> Result<Option<Endpoint>> {
    let row = sqlx::query_as(
        "SELECT endpoint.url, endpoint.failing_since, endpoint.last_failed_at, endpoint.disabled_at, config.secret_sealed,
                config.previous_secret_sealed, config.previous_secret_expires_at,
                config.older_secrets_sealed, config.older_secrets_expire_at, client.allow_private_targets,
                COALESCE(endpoint.listened_until > now(), false) AS is_listened,
                client.sandbox_of IS NOT NULL AS is_sandbox
         FROM webhook_endpoint endpoint
         JOIN webhook_config config ON config.client_id = endpoint.client_id AND config.id = endpoint.config_id
         JOIN client ON client.id = endpoint.client_id
         WHERE endpoint.client_id = $1 AND endpoint.id = $2",
    )
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    Ok(row)
}

/// The endpoint of a lane for the holder of this fence. Outer `None`: the lane is lost; inner: no endpoint.
pub async fn endpoint_of_lane(
    db: &mut PgConnection,
    client: ClientId,
    id: EndpointId,
    fence: i64,
) -> Result<Option<Option<Endpoint>>> {
    let row: Option<EndpointOfLane> = sqlx::query_as(
        "SELECT config.id IS NOT NULL AS is_there,
                COALESCE(endpoint.url, '') AS url, endpoint.failing_since, endpoint.last_failed_at, endpoint.disabled_at,
                COALESCE(config.secret_sealed, '') AS secret_sealed,
                config.previous_secret_sealed, config.previous_secret_expires_at,
                COALESCE(config.older_secrets_sealed, '{}') AS older_secrets_sealed,
                COALESCE(config.older_secrets_expire_at, '{}') AS older_secrets_expire_at, client.allow_private_targets,
                COALESCE(endpoint.listened_until > now(), false) AS is_listened,
                client.sandbox_of IS NOT NULL AS is_sandbox
         FROM lane
         JOIN client ON client.id = lane.client_id
         LEFT JOIN webhook_endpoint endpoint ON endpoint.client_id = lane.client_id AND endpoint.id = lane.lane_id
         LEFT JOIN webhook_config config ON config.client_id = endpoint.client_id AND config.id = endpoint.config_id
         WHERE lane.client_id = $1 AND lane.queue = $2 AND lane.lane_id = $3 AND lane.fence = $4",
    )
    .bind(client.0)
    .bind(Queue::Webhook.name())
    .bind(id.0)
    .bind(fence)
    .fetch_optional(db)
    .await?;
    Ok(row.map(|row| row.is_there.then_some(row.endpoint)))
}

#[derive(sqlx::FromRow)]
struct EndpointOfLane {
    is_there: bool,
    #[sqlx(flatten)]
    endpoint: Endpoint,
}

pub async fn endpoint_place(
    db: &mut PgConnection,
    client: ClientId,
    id: EndpointId,
) -> Result<Option<(WebhookConfigId, WebhookType, Option<InboxId>)>> {
    let row: Option<(Uuid, String, Option<Uuid>)> = sqlx::query_as(
        "SELECT endpoint.config_id, endpoint.webhook_type, config.inbox_id
         FROM webhook_endpoint endpoint
         JOIN webhook_config config ON config.client_id = endpoint.client_id AND config.id = endpoint.config_id
         WHERE endpoint.client_id = $1 AND endpoint.id = $2",
    )
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    row.map(|(config, kind, inbox)| Ok((WebhookConfigId(config), webhook_type(&kind)?, inbox.map(InboxId)))).transpose()
}

/// Sets the time for which an endpoint has failed; `None`: it is healthy.
pub async fn set_failing(
    db: &mut PgConnection,
    client: ClientId,
    id: EndpointId,
    failing: Option<FailurePeriod>,
) -> Result<()> {
    sqlx::query("UPDATE webhook_endpoint SET failing_since = $3, last_failed_at = $4 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id.0)
        .bind(failing.map(|period| period.since))
        .bind(failing.map(|period| period.last))
        .execute(db)
        .await?;
    Ok(())
}

/// Stops an endpoint until its URL is saved again. `false` if its address has changed or it is stopped.
pub async fn disable(
    db: &mut PgConnection,
    client: ClientId,
    id: EndpointId,
    url: &str,
    reason: DisabledReason,
    now: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE webhook_endpoint SET disabled_at = $4, disabled_reason = $5
         WHERE client_id = $1 AND id = $2 AND url = $3 AND disabled_at IS NULL",
    )
    .bind(client.0)
    .bind(id.0)
    .bind(url)
    .bind(now)
    .bind(reason.as_str())
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}
