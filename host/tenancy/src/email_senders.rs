//! The addresses from which a client's mails become SMS (SPEC 4.9). Registering one is what enables e-mail to SMS for a client.

use base::{
    Error,
    audit::{Actor, Administration, audit},
};
use domain::{
    ids::{ClientId, UserId},
    sms_products::email::{EmailAddress, EmailDomain},
};
use storage::{
    PgConnection,
    tenancy::{clients, email_senders, users},
    violates,
};

/// Why a sender is not registered, or not taken out.
#[derive(Debug, thiserror::Error)]
pub enum SenderError {
    /// No such client.
    #[error("there is no client `{0}`; `patchbay client create` makes one")]
    UnknownClient(String),
    /// No such user.
    #[error("the client has no user `{0}`")]
    UnknownUser(String),
    /// Nobody whose password the mails could bear.
    #[error("the client has no ADMIN: name a user whose password the mails bear")]
    NoAdmin,
    /// Not an address.
    #[error("`{0}` is no e-mail address")]
    BadAddress(String),
    /// An address that mails go to.
    #[error("`{0}` is of the domain of the SMS addresses: nobody sends from there")]
    OwnDomain(String),
    /// It is somebody's.
    #[error("`{0}` is a registered sender already; an address belongs to one client only")]
    Taken(String),
    /// It is not of this client.
    #[error("`{0}` is no sender of the client")]
    UnknownSender(String),
    /// The work failed.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<storage::Error> for SenderError {
    fn from(error: storage::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<storage::SqlxError> for SenderError {
    fn from(error: storage::SqlxError) -> Self {
        Self::Failed(error.into())
    }
}

/// A sender to be registered.
#[derive(Debug, Clone, Copy)]
pub struct NewSender<'a> {
    /// Its client.
    pub client_ref: &'a str,
    /// The address that mails come from.
    pub address: &'a str,
    /// E-mail of the user whose password they bear; `None` = the first ADMIN.
    pub user: Option<&'a str>,
}

/// Registers a sender and answers its address as it is compared. `domain` is that of the SMS addresses, where there is one.
pub async fn add(
    admin: &Administration<'_>,
    new: NewSender<'_>,
    domain: Option<&EmailDomain>,
    actor: Actor,
) -> Result<EmailAddress, SenderError> {
    let address = parsed(new.address)?;
    if domain.is_some_and(|domain| domain.owns(&address)) {
        return Err(SenderError::OwnDomain(new.address.to_owned()));
    }
    let mut tx = admin.db.begin().await?;
    let client = known(&mut tx, new.client_ref).await?;
    let user = user(&mut tx, client, new.user).await?;
    email_senders::insert(&mut tx, client, user, &address, admin.now()).await.map_err(|error| {
        let taken = violates(&error, email_senders::ADDRESS_UNIQUE);
        if taken { SenderError::Taken(new.address.to_owned()) } else { error.into() }
    })?;
    audit(admin, &mut tx, client, actor, "add", ("email-sender", address.as_str())).await?;
    tx.commit().await?;
    Ok(address)
}

/// Takes a sender out: its mails are refused from now on.
pub async fn remove(
    admin: &Administration<'_>,
    client_ref: &str,
    address: &str,
    actor: Actor,
) -> Result<EmailAddress, SenderError> {
    let parsed = parsed(address)?;
    let mut tx = admin.db.begin().await?;
    let client = known(&mut tx, client_ref).await?;
    if !email_senders::remove(&mut tx, client, &parsed).await? {
        return Err(SenderError::UnknownSender(address.to_owned()));
    }
    audit(admin, &mut tx, client, actor, "remove", ("email-sender", parsed.as_str())).await?;
    tx.commit().await?;
    Ok(parsed)
}

/// The senders of a client in order, each with the e-mail of the user whose password its mails bear.
pub async fn list(admin: &Administration<'_>, client_ref: &str) -> Result<Vec<(String, String)>, SenderError> {
    let mut db = admin.db.acquire().await?;
    let client = known(&mut db, client_ref).await?;
    Ok(email_senders::list(&mut db, client).await?)
}

fn parsed(address: &str) -> Result<EmailAddress, SenderError> {
    EmailAddress::parse(address).ok_or_else(|| SenderError::BadAddress(address.to_owned()))
}

async fn known(db: &mut PgConnection, client_ref: &str) -> Result<ClientId, SenderError> {
    let found = clients::find_by_ref(db, client_ref).await?;
    found.ok_or_else(|| SenderError::UnknownClient(client_ref.to_owned()))
}

async fn user(db: &mut PgConnection, client: ClientId, email: Option<&str>) -> Result<UserId, SenderError> {
    match email {
        Some(email) => {
            let found = users::find_by_email(db, client, email).await?;
            found.map(|user| user.id).ok_or_else(|| SenderError::UnknownUser(email.to_owned()))
        }
        None => email_senders::first_admin(db, client).await?.ok_or(SenderError::NoAdmin),
    }
}
