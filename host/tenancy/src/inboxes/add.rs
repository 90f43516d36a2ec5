//! Adds a business number, on behalf of the operator (CONTRACT 3).

use std::fmt;

use domain::{
    ids::ClientId,
    inbox::{BillingModel, LiteHosting},
    phone::{Msisdn, PhoneError},
};
use storage::{
    inboxes::{self, ADDRESS_UNIQUE, Inbox, InboxSettings, PHONE_NUMBER_ID_UNIQUE, WhatsappCloud, WhatsappLite},
    tenancy::clients,
    violates,
};

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::{SealError, SecretPurpose},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberConnection {
    Cloud,
    Lite,
}

#[derive(Debug, Clone)]
pub struct NewNumber {
    pub client_ref: String,
    /// International format, with or without `+`.
    pub msisdn: String,
    pub provider: NumberConnection,
    /// Required for WhatsApp Cloud, refused for Lite.
    pub cloud: Option<CloudAccount>,
    /// Messages per second. `None` = the operator's limit.
    pub rate_per_second: Option<u32>,
}

/// The Meta account of a number. `Debug` shows ids only.
#[derive(Clone)]
pub struct CloudAccount {
    pub phone_number_id: String,
    pub waba_id: String,
    /// A token that may send from it and read its templates.
    pub access_token: String,
    /// The app secret that signs its callbacks, if it is not the operator's.
    pub app_secret: Option<String>,
}

impl fmt::Debug for CloudAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CloudAccount")
            .field("phone_number_id", &self.phone_number_id)
            .field("waba_id", &self.waba_id)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum AddNumberError {
    #[error("`{0}` {1}")]
    BadNumber(String, PhoneError),
    #[error("there is no client `{0}`")]
    UnknownClient(String),
    #[error("a WHATSAPP_CLOUD number needs --phone-number-id, --waba-id and --access-token")]
    CloudAccountMissing,
    #[error("`{0}` is not an id of Meta: ids have 1 to 64 letters, digits and `_`")]
    BadId(String),
    #[error("the {0} must be visible ASCII characters without spaces")]
    BadSecret(&'static str),
    #[error("a WHATSAPP_LITE number has no phone-number id, business account or access token: leave them out")]
    CloudAccountNotTaken,
    #[error("the client has the number {0} already")]
    NumberTaken(String),
    #[error("another number has the phone-number id {0} already, so callbacks would fit two numbers; check the id")]
    PhoneNumberIdTaken(String),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(AddNumberError: storage::Error, SealError);

/// Adds a business number to a client. If workers run, its templates are fetched within a minute.
/// [`sync_templates`](super::sync_templates) fetches them at once.
pub async fn add_number(admin: &Administration<'_>, new: NewNumber, actor: Actor) -> Result<Inbox, AddNumberError> {
    let msisdn = Msisdn::parse(&new.msisdn).map_err(|fault| AddNumberError::BadNumber(new.msisdn.clone(), fault))?;
    check_account(&new)?;
    let mut tx = admin.db.begin().await?;
    let Some(client) = clients::find_by_ref(&mut tx, &new.client_ref).await? else {
        return Err(AddNumberError::UnknownClient(new.client_ref));
    };
    let inbox = Inbox { id: admin.mint(), settings: settings(admin, client, &new, msisdn)? };
    inboxes::insert(&mut tx, client, &inbox, admin.now()).await.map_err(|error| taken_error(error, &inbox))?;
    audit(admin, &mut tx, client, actor, "create", AuditObject::new("whatsAppNumber", &inbox.id)).await?;
    tx.commit().await?;
    Ok(inbox)
}

fn settings(
    admin: &Administration<'_>,
    client: ClientId,
    new: &NewNumber,
    msisdn: Msisdn,
) -> Result<InboxSettings, AddNumberError> {
    let (link_id, rate_per_second) =
        (admin.mint(), new.rate_per_second.map(|rate| i32::try_from(rate.max(1)).unwrap_or(i32::MAX)));
    let Some(cloud) = &new.cloud else {
        let (hosting, billing) = (LiteHosting::default(), BillingModel::default());
        let lite = WhatsappLite { msisdn, link_id, rate_per_second, hosting, billing };
        return Ok(InboxSettings::WhatsappLite(lite));
    };
    let seal = |purpose, text: &str| admin.sealer.seal(client, purpose, text.as_bytes());
    Ok(InboxSettings::WhatsappCloud(WhatsappCloud {
        msisdn,
        link_id,
        phone_number_id: cloud.phone_number_id.clone(),
        waba_id: cloud.waba_id.clone(),
        access_token_sealed: seal(SecretPurpose::AccessToken, &cloud.access_token)?,
        app_secret_sealed: cloud
            .app_secret
            .as_deref()
            .map(|secret| seal(SecretPurpose::AppSecret, secret))
            .transpose()?,
        rate_per_second,
    }))
}

fn taken_error(error: storage::Error, inbox: &Inbox) -> AddNumberError {
    if violates(&error, ADDRESS_UNIQUE) {
        AddNumberError::NumberTaken(inbox.address().unwrap_or_default().to_owned())
    } else if violates(&error, PHONE_NUMBER_ID_UNIQUE) {
        let id = inbox.cloud().map(|cloud| cloud.phone_number_id.clone());
        AddNumberError::PhoneNumberIdTaken(id.unwrap_or_default())
    } else {
        error.into()
    }
}

fn check_account(new: &NewNumber) -> Result<(), AddNumberError> {
    match (new.provider, &new.cloud) {
        (NumberConnection::Cloud, Some(cloud)) => {
            check_id(&cloud.phone_number_id)?;
            check_id(&cloud.waba_id)?;
            check_secret("access token", &cloud.access_token)?;
            cloud.app_secret.as_deref().map_or(Ok(()), |secret| check_secret("app secret", secret))
        }
        (NumberConnection::Cloud, None) => Err(AddNumberError::CloudAccountMissing),
        (NumberConnection::Lite, Some(_)) => Err(AddNumberError::CloudAccountNotTaken),
        (NumberConnection::Lite, None) => Ok(()),
    }
}

fn check_id(id: &str) -> Result<(), AddNumberError> {
    let plain = (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain { Ok(()) } else { Err(AddNumberError::BadId(id.to_owned())) }
}

fn check_secret(name: &'static str, secret: &str) -> Result<(), AddNumberError> {
    let visible = !secret.is_empty() && secret.bytes().all(|byte| byte.is_ascii_graphic());
    if visible { Ok(()) } else { Err(AddNumberError::BadSecret(name)) }
}
