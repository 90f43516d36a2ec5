use std::fmt;

use storage::{
    inboxes::{self, ADDRESS_UNIQUE, Inbox, InboxSettings, MessengerInbox, PAGE_UNIQUE},
    tenancy::clients,
    violates,
};

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::{SealError, SecretPurpose},
};

/// A page to add. `Debug` hides the secrets.
#[derive(Clone)]
pub struct NewPage {
    pub client_ref: String,
    pub page_id: String,
    /// A token that may send as the page.
    pub access_token: String,
    pub app_secret: Option<String>,
}

impl fmt::Debug for NewPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewPage")
            .field("client_ref", &self.client_ref)
            .field("page_id", &self.page_id)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum AddPageError {
    #[error("there is no client `{0}`; `patchbay client create` makes one")]
    UnknownClient(String),
    #[error("`{0}` is not an id of a page: ids have 1 to 64 digits")]
    BadId(String),
    #[error("the {0} must be visible ASCII characters without spaces")]
    BadSecret(&'static str),
    #[error("the client has the page {0} already")]
    PageTaken(String),
    #[error("the page {0} belongs to another client; use another page")]
    OfAnotherClient(String),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(AddPageError: storage::Error, SealError);

/// Adds a page to a client. A page belongs to one client only.
pub async fn add_page(admin: &Administration<'_>, new: NewPage, actor: Actor) -> Result<Inbox, AddPageError> {
    let NewPage { client_ref, page_id, access_token, app_secret } = new;
    if !(1..=64).contains(&page_id.len()) || !page_id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(AddPageError::BadId(page_id));
    }
    let app_secrets = app_secret.iter().map(|secret| ("app secret", secret));
    for (name, secret) in std::iter::once(("access token", &access_token)).chain(app_secrets) {
        if secret.is_empty() || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(AddPageError::BadSecret(name));
        }
    }
    let mut tx = admin.db.begin().await?;
    let Some(client) = clients::find_by_ref(&mut tx, &client_ref).await? else {
        return Err(AddPageError::UnknownClient(client_ref));
    };
    let seal = |purpose, text: &str| admin.sealer.seal(client, purpose, text.as_bytes());
    let page = MessengerInbox {
        page_id: page_id.clone(),
        access_token_sealed: seal(SecretPurpose::AccessToken, &access_token)?,
        app_secret_sealed: app_secret.as_deref().map(|secret| seal(SecretPurpose::AppSecret, secret)).transpose()?,
    };
    let inbox = Inbox { id: admin.mint(), settings: InboxSettings::Messenger(page) };
    inboxes::insert(&mut tx, client, &inbox, admin.now()).await.map_err(|error| {
        if violates(&error, ADDRESS_UNIQUE) {
            AddPageError::PageTaken(page_id)
        } else if violates(&error, PAGE_UNIQUE) {
            AddPageError::OfAnotherClient(page_id)
        } else {
            error.into()
        }
    })?;
    audit(admin, &mut tx, client, actor, "create", AuditObject::new("messengerPage", &inbox.id)).await?;
    tx.commit().await?;
    Ok(inbox)
}
