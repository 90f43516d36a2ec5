//! The sender addresses whose mails become SMS of a client (SPEC 4.9). A client can use e-mail to SMS after it has
//! registered one.

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
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

#[derive(Debug, thiserror::Error)]
pub enum SenderError {
    #[error("there is no client `{0}`; `patchbay client create` makes one")]
    UnknownClient(String),
    #[error("the client has no user `{0}`")]
    UnknownUser(String),
    #[error("the client has no ADMIN: name the user whose password the mails contain")]
    NoAdmin,
    #[error("`{0}` is not an e-mail address")]
    BadAddress(String),
    #[error("`{0}` is in the domain of the SMS addresses, which cannot send: use another address")]
    OwnDomain(String),
    #[error("`{0}` is a registered sender already; an address belongs to one client only")]
    Taken(String),
    #[error("`{0}` is not a sender of the client")]
    UnknownSender(String),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(SenderError: storage::Error);

#[derive(Debug, Clone, Copy)]
pub struct NewSender<'a> {
    pub client_ref: &'a str,
    pub address: &'a str,
    /// E-mail address of the user whose password the mails use. `None` = the first ADMIN.
    pub user: Option<&'a str>,
}

/// Registers a sender and returns its normalised address. `domain` is the domain of the SMS addresses, if configured.
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
    let client = find_client(&mut tx, new.client_ref).await?;
    let user = user(&mut tx, client, new.user).await?;
    email_senders::insert(&mut tx, client, user, &address, admin.now()).await.map_err(|error| {
        let taken = violates(&error, email_senders::ADDRESS_UNIQUE);
        if taken { SenderError::Taken(new.address.to_owned()) } else { error.into() }
    })?;
    audit(admin, &mut tx, client, actor, "add", AuditObject::new("email-sender", address.as_str())).await?;
    tx.commit().await?;
    Ok(address)
}

/// Removes a sender. Its mails are refused from now on.
pub async fn remove(
    admin: &Administration<'_>,
    client_ref: &str,
    address: &str,
    actor: Actor,
) -> Result<EmailAddress, SenderError> {
    let parsed = parsed(address)?;
    let mut tx = admin.db.begin().await?;
    let client = find_client(&mut tx, client_ref).await?;
    if !email_senders::remove(&mut tx, client, &parsed).await? {
        return Err(SenderError::UnknownSender(address.to_owned()));
    }
    audit(admin, &mut tx, client, actor, "remove", AuditObject::new("email-sender", parsed.as_str())).await?;
    tx.commit().await?;
    Ok(parsed)
}

/// The senders of a client in order, each with the e-mail address of its user.
pub async fn list(admin: &Administration<'_>, client_ref: &str) -> Result<Vec<(String, String)>, SenderError> {
    let mut db = admin.db.acquire().await?;
    let client = find_client(&mut db, client_ref).await?;
    Ok(email_senders::list(&mut db, client).await?)
}

fn parsed(address: &str) -> Result<EmailAddress, SenderError> {
    EmailAddress::parse(address).ok_or_else(|| SenderError::BadAddress(address.to_owned()))
}

async fn find_client(db: &mut PgConnection, client_ref: &str) -> Result<ClientId, SenderError> {
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
