//! Every column with values that the master key seals, for a change of that key. A test compares the list with the schema.

use domain::ids::ClientId;
use uuid::Uuid;

use crate::{PgConnection, Result};

const PAGE: i64 = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealedColumn {
    ApiKey,
    CloudAccessToken,
    CloudAppSecret,
    PageAccessToken,
    PageAppSecret,
    AccountAccessToken,
    AccountAppSecret,
    SiteIdentity,
    SmsPassword,
    WebhookSecret,
    PreviousWebhookSecret,
    OlderWebhookSecrets,
    LiteDeviceValue,
    ActivationConfig,
    PastActivationConfig,
    PluginRequest,
    SharedPluginSecret,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealedForm {
    /// One value, or null.
    One,
    List,
    /// JSON with values in base64, each in an object of its own.
    Json,
}

impl SealedColumn {
    pub const ALL: [Self; 17] = [
        Self::ApiKey,
        Self::CloudAccessToken,
        Self::CloudAppSecret,
        Self::PageAccessToken,
        Self::PageAppSecret,
        Self::AccountAccessToken,
        Self::AccountAppSecret,
        Self::SiteIdentity,
        Self::SmsPassword,
        Self::WebhookSecret,
        Self::PreviousWebhookSecret,
        Self::OlderWebhookSecrets,
        Self::LiteDeviceValue,
        Self::ActivationConfig,
        Self::PastActivationConfig,
        Self::PluginRequest,
        Self::SharedPluginSecret,
    ];

    pub const fn place(self) -> (&'static str, &'static str) {
        match self {
            Self::ApiKey => ("api_key", "sealed"),
            Self::CloudAccessToken => ("whatsapp_cloud_inbox", "access_token_sealed"),
            Self::CloudAppSecret => ("whatsapp_cloud_inbox", "app_secret_sealed"),
            Self::PageAccessToken => ("messenger_inbox", "access_token_sealed"),
            Self::PageAppSecret => ("messenger_inbox", "app_secret_sealed"),
            Self::AccountAccessToken => ("account_inbox", "access_token_sealed"),
            Self::AccountAppSecret => ("account_inbox", "app_secret_sealed"),
            Self::SiteIdentity => ("web_inbox", "identity_secret_sealed"),
            Self::SmsPassword => ("client", "sms_password_sealed"),
            Self::WebhookSecret => ("webhook_config", "secret_sealed"),
            Self::PreviousWebhookSecret => ("webhook_config", "previous_secret_sealed"),
            Self::OlderWebhookSecrets => ("webhook_config", "older_secrets_sealed"),
            Self::LiteDeviceValue => ("lite_device_value", "value"),
            Self::ActivationConfig => ("plugin_activation", "config"),
            Self::PastActivationConfig => ("plugin_activation_history", "config"),
            Self::PluginRequest => ("plugin_request", "request_sealed"),
            Self::SharedPluginSecret => ("plugin_secret", "value_sealed"),
        }
    }

    pub const fn form(self) -> SealedForm {
        match self {
            Self::OlderWebhookSecrets => SealedForm::List,
            Self::ActivationConfig | Self::PastActivationConfig => SealedForm::Json,
            _ => SealedForm::One,
        }
    }

    const fn client_column(self) -> &'static str {
        match self {
            Self::SmsPassword => "id",
            _ => "client_id",
        }
    }
}

#[derive(Debug, Clone)]
pub struct SealedRow<T> {
    pub place: String,
    pub client: ClientId,
    pub content: T,
}

/// The next rows after a place with values that do not begin with `current`, in columns of one value and of lists.
pub async fn values(
    db: &mut PgConnection,
    column: SealedColumn,
    after: Option<&str>,
    current: &[u8],
) -> Result<Vec<SealedRow<Vec<Vec<u8>>>>> {
    let ((table, name), client) = (column.place(), column.client_column());
    let (content, outdated) = match column.form() {
        SealedForm::List => (
            name.to_owned(),
            format!("EXISTS (SELECT FROM unnest({name}) AS one WHERE substring(one FOR octet_length($2)) <> $2)"),
        ),
        SealedForm::One | SealedForm::Json => {
            (format!("ARRAY[{name}]"), format!("substring({name} FOR octet_length($2)) <> $2"))
        }
    };
    let statement = format!(
        "SELECT ctid::text AS place, {client}, {content} FROM {table}
         WHERE ctid > $1::tid AND {outdated} ORDER BY ctid LIMIT {PAGE}"
    );
    let rows: Vec<(String, Uuid, Vec<Vec<u8>>)> =
        sqlx::query_as(&statement).bind(after.unwrap_or("(0,0)")).bind(current).fetch_all(db).await?;
    Ok(rows
        .into_iter()
        .map(|(place, client, content)| SealedRow { place, client: ClientId(client), content })
        .collect())
}

/// The next rows after a place with this text in their JSON.
pub async fn documents(
    db: &mut PgConnection,
    column: SealedColumn,
    after: Option<&str>,
    text: &str,
) -> Result<Vec<SealedRow<String>>> {
    let ((table, name), client) = (column.place(), column.client_column());
    let statement = format!(
        "SELECT ctid::text AS place, {client}, {name}::text FROM {table}
         WHERE ctid > $1::tid AND strpos({name}::text, $2) > 0 ORDER BY ctid LIMIT {PAGE}"
    );
    let rows: Vec<(String, Uuid, String)> =
        sqlx::query_as(&statement).bind(after.unwrap_or("(0,0)")).bind(text).fetch_all(db).await?;
    Ok(rows
        .into_iter()
        .map(|(place, client, content)| SealedRow { place, client: ClientId(client), content })
        .collect())
}

pub async fn replace_values(
    db: &mut PgConnection,
    column: SealedColumn,
    row: &SealedRow<Vec<Vec<u8>>>,
    new: &[Vec<u8>],
) -> Result<bool> {
    let (table, name) = column.place();
    let done = match (column.form(), row.content.first(), new.first()) {
        (SealedForm::List, ..) => {
            let statement = format!("UPDATE {table} SET {name} = $2 WHERE ctid = $1::tid AND {name} = $3");
            sqlx::query(&statement).bind(&row.place).bind(new).bind(&row.content).execute(db).await?
        }
        (_, Some(old), Some(new)) => {
            let statement = format!("UPDATE {table} SET {name} = $2 WHERE ctid = $1::tid AND {name} = $3");
            sqlx::query(&statement).bind(&row.place).bind(new).bind(old).execute(db).await?
        }
        _ => return Ok(false),
    };
    Ok(done.rows_affected() == 1)
}

pub async fn replace_document(
    db: &mut PgConnection,
    column: SealedColumn,
    row: &SealedRow<String>,
    new: &str,
) -> Result<bool> {
    let (table, name) = column.place();
    let statement = format!("UPDATE {table} SET {name} = $2::jsonb WHERE ctid = $1::tid AND {name}::text = $3");
    let done = sqlx::query(&statement).bind(&row.place).bind(new).bind(&row.content).execute(db).await?;
    Ok(done.rows_affected() == 1)
}
