//! A client's webhook configurations and their signing secrets (SPEC 2.12, 4.7; CONTRACT 7).

mod change;

use std::collections::BTreeMap;

use channels::{http::AddressPolicy, standard_webhooks};
use chrono::TimeDelta;
use domain::{
    body::FieldFault,
    ids::{ClientId, EndpointId, InboxId, WebhookConfigId},
    webhook::{NumberScope, WebhookConfig, WebhookConfigRequest, WebhookType},
};
use storage::{
    PgConnection, inboxes,
    tenancy::{
        audit::{self, AuditEntry},
        clients,
    },
    webhooks::configs::{self, NewConfig, SecretReplacement, StoredConfig},
};
use uuid::Uuid;

use base::{
    Context, Error,
    secrets::{self, SealError, SecretPurpose},
};

pub use change::{delete, list, update};

/// How long a replaced secret signs with the new one (CONTRACT 7).
pub const REPLACED_SECRET_SIGNS: TimeDelta = TimeDelta::hours(24);

/// Length of a signing secret. Standard Webhooks requires 24 to 64 bytes.
const SECRET_BYTES: usize = 32;

const URL_MAX: usize = 2048;

#[derive(Debug, thiserror::Error)]
pub enum ConfigureError {
    #[error(
        "whatsAppNumberId is not one of your numbers; give `whatsAppNumber.id` from the answer of \
         `WhatsAppClientNumbers/getForCurrentLoginUser`, or leave it out for the default of all your numbers"
    )]
    NumberNotYours,
    #[error("there is a default configuration already; update it, or delete it first")]
    DefaultExists,
    #[error("there is a configuration for this number already; update it, or delete it first")]
    OverrideExists,
    #[error("some addresses cannot be used")]
    Addresses(Vec<FieldFault>),
    #[error("there is no such webhook configuration")]
    NotFound,
    /// The operating system gave no randomness for a secret.
    #[error("no signing secret could be generated")]
    NoRandomness(#[source] SealError),
    /// The fault is in the service, not in the request.
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(ConfigureError: storage::Error, SealError);

pub async fn create(
    ctx: &Context,
    client: ClientId,
    actor: &str,
    request: &WebhookConfigRequest,
) -> Result<WebhookConfig, ConfigureError> {
    let settings = request.create();
    let mut tx = ctx.db.begin().await?;
    let inbox = match request.scope() {
        NumberScope::ClientDefault => None,
        NumberScope::Number(number) => Some(own_number(&mut tx, client, number).await?),
        NumberScope::Impossible => return Err(ConfigureError::NumberNotYours),
    };
    refuse_addresses(ctx, &mut tx, client, &settings.urls).await?;
    let config = NewConfig {
        id: ctx.mint(),
        inbox,
        settings,
        endpoints: WebhookType::ALL.into_iter().map(|kind| (kind, ctx.mint::<EndpointId>())).collect(),
        secret_sealed: ctx.sealer.seal(client, SecretPurpose::WebhookSecret, &new_secret()?)?,
        created_at: ctx.now(),
    };
    configs::insert(&mut tx, client, &config).await.map_err(refused_insert)?;
    note(ctx, &mut tx, client, actor, "create", config.id).await?;
    let stored = configs::find(&mut tx, client, config.id).await?.ok_or(ConfigureError::NotFound)?;
    tx.commit().await?;
    Ok(webhook_config(stored))
}

/// Only numbers have overrides (SPEC 2.12). The id of another inbox is unknown here.
async fn own_number(db: &mut PgConnection, client: ClientId, id: InboxId) -> Result<InboxId, ConfigureError> {
    let inbox = inboxes::by_id(db, client, id).await?;
    let is_number = inbox.is_some_and(|inbox| inbox.msisdn().is_some());
    if is_number { Ok(id) } else { Err(ConfigureError::NumberNotYours) }
}

fn refused_insert(error: storage::Error) -> ConfigureError {
    use configs::{ONE_DEFAULT, ONE_OVERRIDE, OWN_INBOX};
    let broken = [
        (ONE_DEFAULT, ConfigureError::DefaultExists),
        (ONE_OVERRIDE, ConfigureError::OverrideExists),
        (OWN_INBOX, ConfigureError::NumberNotYours),
    ];
    let known = broken.into_iter().find(|(constraint, _)| storage::violates(&error, constraint));
    known.map_or_else(|| ConfigureError::Failed(error.into()), |(_, refusal)| refusal)
}

async fn refuse_addresses(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    urls: &BTreeMap<WebhookType, String>,
) -> Result<(), ConfigureError> {
    let exempt = clients::get(db, client).await?.is_some_and(|client| client.allow_private_targets);
    let policy = AddressPolicy { allow_private: ctx.settings.webhooks.allow_private_targets || exempt };
    let faults = address_faults(policy, urls);
    if faults.is_empty() { Ok(()) } else { Err(ConfigureError::Addresses(faults)) }
}

fn address_faults(policy: AddressPolicy, urls: &BTreeMap<WebhookType, String>) -> Vec<FieldFault> {
    let fault = |(kind, url): (&WebhookType, &String)| {
        if url.len() > URL_MAX {
            return Some(FieldFault::new(kind.url_field(), format!("is longer than {URL_MAX} bytes")));
        }
        let refused = policy.judge_url(url).err()?;
        Some(FieldFault::new(kind.url_field(), refused.to_string()))
    };
    urls.iter().filter_map(fault).collect()
}

pub async fn client_default(ctx: &Context, client: ClientId) -> base::Result<Option<WebhookConfig>> {
    let mut db = ctx.db.acquire().await?;
    Ok(configs::find_default(&mut db, client).await?.map(webhook_config))
}

fn webhook_config(stored: StoredConfig) -> WebhookConfig {
    // Only numbers have overrides of their own (SPEC 2.12).
    let number = stored.inbox.and_then(|(inbox, address)| Some((inbox, address?.parse().ok()?)));
    WebhookConfig::new(stored.id, number, &stored.settings)
}

pub async fn secret(ctx: &Context, client: ClientId, id: WebhookConfigId) -> Result<String, ConfigureError> {
    let mut db = ctx.db.acquire().await?;
    let sealed = configs::secret(&mut db, client, id).await?.ok_or(ConfigureError::NotFound)?;
    let secret = ctx.sealer.open(client, SecretPurpose::WebhookSecret, &sealed)?;
    Ok(standard_webhooks::encode_secret(&secret))
}

/// Returns the new secret as `whsec_...`. Replaced secrets sign too for [`REPLACED_SECRET_SIGNS`], at most the newest five.
pub async fn rotate_secret(
    ctx: &Context,
    client: ClientId,
    actor: &str,
    id: WebhookConfigId,
) -> Result<String, ConfigureError> {
    let secret = new_secret()?;
    let sealed = ctx.sealer.seal(client, SecretPurpose::WebhookSecret, &secret)?;
    let mut tx = ctx.db.begin().await?;
    let now = ctx.now();
    let new = SecretReplacement { sealed: &sealed, at: now, previous_expires_at: now + REPLACED_SECRET_SIGNS };
    if !configs::replace_secret(&mut tx, client, id, new).await? {
        return Err(ConfigureError::NotFound);
    }
    note(ctx, &mut tx, client, actor, "rotate-secret", id).await?;
    tx.commit().await?;
    Ok(standard_webhooks::encode_secret(&secret))
}

fn new_secret() -> Result<[u8; SECRET_BYTES], ConfigureError> {
    secrets::random().map_err(ConfigureError::NoRandomness)
}

async fn note(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    actor: &str,
    action: &str,
    id: WebhookConfigId,
) -> storage::Result<()> {
    let entry = AuditEntry {
        id: ctx.mint::<Uuid>(),
        happened_at: ctx.now(),
        actor,
        action,
        object_kind: "webhook",
        object_id: &id.to_string(),
    };
    audit::insert(db, client, &entry).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(of: &[(WebhookType, &str)]) -> BTreeMap<WebhookType, String> {
        of.iter().map(|(kind, url)| (*kind, (*url).to_owned())).collect()
    }

    #[test]
    fn an_address_that_may_not_be_called_is_named_by_its_field() {
        let public = AddressPolicy { allow_private: false };
        let given = urls(&[
            (WebhookType::StatusUpdate, "https://127.0.0.1/status"),
            (WebhookType::Chatbot, "https://hooks.example.com/chat"),
        ]);
        let faults = address_faults(public, &given);
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].field, "statusUpdateURL");
        assert!(address_faults(AddressPolicy { allow_private: true }, &given).is_empty());
    }

    #[test]
    fn an_endless_address_is_refused() {
        let given = urls(&[(WebhookType::Chatbot, &format!("https://example.com/{}", "a".repeat(URL_MAX)))]);
        assert_eq!(address_faults(AddressPolicy { allow_private: true }, &given)[0].field, "chatbotWebhookURL");
    }

    #[test]
    fn a_failure_that_breaks_no_rule_is_not_a_refusal() {
        let error = storage::silence::silent();
        assert!(matches!(refused_insert(error), ConfigureError::Failed(_)));
    }

    #[test]
    fn secrets_differ_and_have_the_length_that_receivers_take() {
        let (one, other) = (new_secret().unwrap(), new_secret().unwrap());
        assert_ne!(one, other);
        assert!(standard_webhooks::decode_secret(&standard_webhooks::encode_secret(&one)).is_ok());
    }
}
