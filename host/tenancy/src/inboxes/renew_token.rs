//! Replaces the access token of a number or page after Meta no longer accepts the old one (code 190).

use std::fmt;

use domain::channel::Channel;
use storage::{
    inboxes::{self, Inbox, faults},
    tenancy::clients,
};

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::{SealError, SecretPurpose},
};

/// A new token. `Debug` hides it.
#[derive(Clone)]
pub struct NewToken {
    pub client_ref: String,
    pub channel: Channel,
    /// The number in digits, or the id of the page.
    pub address: String,
    pub access_token: String,
}

impl fmt::Debug for NewToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewToken")
            .field("client_ref", &self.client_ref)
            .field("channel", &self.channel)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum RenewTokenError {
    #[error("there is no client `{0}`; `patchbay client create` makes one")]
    UnknownClient(String),
    #[error("the client has no `{0}`: add it first")]
    Unknown(String),
    #[error("an access token must be visible ASCII characters without spaces")]
    BadToken,
    #[error("`{0}` is paired like a phone and has no access token")]
    HasNone(String),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(RenewTokenError: storage::Error, SealError);

/// Replaces the access token of a number or page. Later sends use the new one. An error means that it is unchanged.
pub async fn renew_token(admin: &Administration<'_>, new: NewToken, actor: Actor) -> Result<Inbox, RenewTokenError> {
    let NewToken { client_ref, channel, address, access_token } = new;
    if access_token.is_empty() || !access_token.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(RenewTokenError::BadToken);
    }
    let mut tx = admin.db.begin().await?;
    let Some(client) = clients::find_by_ref(&mut tx, &client_ref).await? else {
        return Err(RenewTokenError::UnknownClient(client_ref));
    };
    let found = inboxes::by_addresses(&mut tx, client, channel, std::slice::from_ref(&address)).await?.pop();
    let Some(inbox) = found else { return Err(RenewTokenError::Unknown(address)) };
    let sealed = admin.sealer.seal(client, SecretPurpose::AccessToken, access_token.as_bytes())?;
    if !inboxes::renew_token(&mut tx, client, inbox.id, inbox.kind(), &sealed).await? {
        return Err(RenewTokenError::HasNone(address));
    }
    // They are about the old token.
    faults::clear(&mut tx, client, inbox.id).await?;
    audit(admin, &mut tx, client, actor, "renewToken", AuditObject::new("inbox", &inbox.id)).await?;
    tx.commit().await?;
    Ok(inbox)
}
