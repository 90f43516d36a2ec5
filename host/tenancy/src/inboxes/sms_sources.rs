//! Source addresses for a client's SMS, other than the operator's default. The operator adds, lists and removes them.

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
};
use domain::{
    ids::{ClientId, InboxId},
    sms_products::source::{WHAT_IT_IS, source},
};
use storage::{
    PgConnection,
    inboxes::{self, ADDRESS_UNIQUE, Inbox, InboxSettings, Sms, sms_sources},
    tenancy::clients,
    violates,
};

#[derive(Debug, thiserror::Error)]
pub enum SmsSourceError {
    #[error("there is no client `{0}`; `patchbay client create` makes one")]
    UnknownClient(String),
    #[error("`{0}` is not a source of SMS: a source is {WHAT_IT_IS}")]
    BadSource(String),
    #[error("the client has the source {0} already")]
    Taken(String),
    #[error("the client has no source {0}")]
    UnknownSource(String),
    #[error("{0} is the default source of the client and cannot be removed")]
    Default(String),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(SmsSourceError: storage::Error);

/// Adds an SMS inbox with its own address to a client. A removed one is restored. Several clients may have the same
/// address: a reply belongs to the last sender (SPEC 4.8).
pub async fn add_sms_source(
    admin: &Administration<'_>,
    client_ref: &str,
    address: &str,
    actor: Actor,
) -> Result<Inbox, SmsSourceError> {
    let address = parsed(address)?;
    let mut tx = admin.db.begin().await?;
    let client = find_client(&mut tx, client_ref).await?;
    let settings = InboxSettings::Sms(Sms { source: Some(address.to_owned()), is_default: false });
    let inbox = match sms_sources::lock(&mut tx, client, address).await? {
        Some(source) if source.is_removed => {
            sms_sources::set_removed(&mut tx, client, source.id, None).await?;
            Inbox { id: source.id, settings }
        }
        Some(_) => return Err(SmsSourceError::Taken(address.to_owned())),
        None => {
            let inbox = Inbox { id: admin.mint(), settings };
            inboxes::insert(&mut tx, client, &inbox, admin.now()).await.map_err(|error| {
                match violates(&error, ADDRESS_UNIQUE) {
                    true => SmsSourceError::Taken(address.to_owned()),
                    false => error.into(),
                }
            })?;
            inbox
        }
    };
    audit(admin, &mut tx, client, actor, "create", AuditObject::new("smsSource", &inbox.id)).await?;
    tx.commit().await?;
    Ok(inbox)
}

/// Removes a source and returns its stored address. It can no longer be chosen. Accepted messages and answers in its
/// chats still use it.
pub async fn remove_sms_source(
    admin: &Administration<'_>,
    client_ref: &str,
    address: &str,
    actor: Actor,
) -> Result<String, SmsSourceError> {
    let address = parsed(address)?;
    let mut tx = admin.db.begin().await?;
    let client = find_client(&mut tx, client_ref).await?;
    let source = sms_sources::lock(&mut tx, client, address).await?.filter(|source| !source.is_removed);
    let source = source.ok_or_else(|| SmsSourceError::UnknownSource(address.to_owned()))?;
    if source.is_default {
        return Err(SmsSourceError::Default(address.to_owned()));
    }
    sms_sources::set_removed(&mut tx, client, source.id, Some(admin.now())).await?;
    audit(admin, &mut tx, client, actor, "remove", AuditObject::new("smsSource", &source.id)).await?;
    tx.commit().await?;
    Ok(address.to_owned())
}

pub async fn sms_sources(
    admin: &Administration<'_>,
    client_ref: &str,
) -> Result<Vec<(InboxId, String)>, SmsSourceError> {
    let mut db = admin.db.acquire().await?;
    let client = find_client(&mut db, client_ref).await?;
    Ok(sms_sources::list(&mut db, client).await?)
}

fn parsed(address: &str) -> Result<&str, SmsSourceError> {
    source(address).ok_or_else(|| SmsSourceError::BadSource(address.to_owned()))
}

async fn find_client(db: &mut PgConnection, client_ref: &str) -> Result<ClientId, SmsSourceError> {
    let found = clients::find_by_ref(db, client_ref).await?;
    found.ok_or_else(|| SmsSourceError::UnknownClient(client_ref.to_owned()))
}
