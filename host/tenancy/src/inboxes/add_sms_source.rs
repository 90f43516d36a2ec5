//! Addresses that a client's SMS can be sent from, beside the operator's default, are added by the operator.

use base::{
    Error,
    audit::{Actor, Administration, audit},
};
use domain::sms_products::source::{WHAT_IT_IS, source};
use storage::{
    inboxes::{self, ADDRESS_UNIQUE, Inbox, InboxSettings, Sms},
    tenancy::clients,
    violates,
};

/// Why no source was added.
#[derive(Debug, thiserror::Error)]
pub enum AddSmsSourceError {
    /// No such client.
    #[error("there is no client `{0}`; `patchbay client create` makes one")]
    UnknownClient(String),
    /// Nothing that an SMS can be sent from.
    #[error("`{0}` is no source of SMS: that is {WHAT_IT_IS}")]
    BadSource(String),
    /// Added before.
    #[error("the client has the source {0} already")]
    Taken(String),
    /// Nobody's fault.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<storage::Error> for AddSmsSourceError {
    fn from(error: storage::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<storage::SqlxError> for AddSmsSourceError {
    fn from(error: storage::SqlxError) -> Self {
        Self::Failed(error.into())
    }
}

/// Adds an inbox of SMS with an address of its own to a client. Several clients may have one address: a reply belongs to the
/// one that wrote last (SPEC 4.8).
pub async fn add_sms_source(
    admin: &Administration<'_>,
    client_ref: &str,
    address: &str,
    actor: Actor,
) -> Result<Inbox, AddSmsSourceError> {
    let Some(address) = source(address) else { return Err(AddSmsSourceError::BadSource(address.to_owned())) };
    let mut tx = admin.db.begin().await?;
    let Some(client) = clients::find_by_ref(&mut tx, client_ref).await? else {
        return Err(AddSmsSourceError::UnknownClient(client_ref.to_owned()));
    };
    let settings = InboxSettings::Sms(Sms { source: Some(address.to_owned()), is_default: false });
    let inbox = Inbox { id: admin.mint(), settings };
    inboxes::insert(&mut tx, client, &inbox, admin.now()).await.map_err(|error| {
        match violates(&error, ADDRESS_UNIQUE) {
            true => AddSmsSourceError::Taken(address.to_owned()),
            false => error.into(),
        }
    })?;
    audit(admin, &mut tx, client, actor, "create", ("smsSource", &inbox.id.to_string())).await?;
    tx.commit().await?;
    Ok(inbox)
}
