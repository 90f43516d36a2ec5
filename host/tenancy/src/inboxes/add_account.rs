use std::fmt;

use domain::inbox::InboxKind;
use storage::{
    inboxes::{
        self, Account, Inbox, InboxSettings,
        accounts::{self, ACCOUNT_UNIQUE, UpdateSource},
        faults,
    },
    tenancy::clients,
    violates,
};

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::{SealError, SecretPurpose},
};

/// An account to add. `Debug` hides the secrets.
#[derive(Clone)]
pub struct NewAccount {
    pub client_ref: String,
    pub kind: InboxKind,
    pub account_id: String,
    pub name: String,
    pub access_token: String,
    pub callback_secret: String,
    pub updates: UpdateSource,
}

impl fmt::Debug for NewAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewAccount")
            .field("client_ref", &self.client_ref)
            .field("account_id", &self.account_id)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum AddAccountError {
    #[error("there is no client `{0}`; `patchbay client create` makes one")]
    UnknownClient(String),
    #[error("the account {0} belongs to another client; use another account")]
    OfAnotherClient(String),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(AddAccountError: storage::Error, SealError);

/// Adds an account to a client. If the client has it already, its name, its secrets and the source of its updates are replaced. An
/// account belongs to one client only. An error means that nothing is stored.
pub async fn add_account(admin: &Administration<'_>, new: NewAccount, actor: Actor) -> Result<Inbox, AddAccountError> {
    let mut tx = admin.db.begin().await?;
    let Some(client) = clients::find_by_ref(&mut tx, &new.client_ref).await? else {
        return Err(AddAccountError::UnknownClient(new.client_ref));
    };
    let seal = |purpose, text: &str| admin.sealer.seal(client, purpose, text.as_bytes());
    let account = Account {
        kind: new.kind,
        account_id: new.account_id.clone(),
        name: new.name,
        access_token_sealed: seal(SecretPurpose::AccessToken, &new.access_token)?,
        app_secret_sealed: seal(SecretPurpose::AppSecret, &new.callback_secret)?,
    };
    let (id, action) = match accounts::owner(&mut tx, new.kind, &new.account_id).await? {
        Some((owner, _)) if owner != client => return Err(AddAccountError::OfAnotherClient(new.account_id)),
        Some((_, id)) => {
            accounts::renew(&mut tx, client, id, &account).await?;
            // They are about the old token.
            faults::clear(&mut tx, client, id).await?;
            (id, "renewToken")
        }
        None => (admin.mint(), "create"),
    };
    let inbox = Inbox { id, settings: InboxSettings::Account(account) };
    if action == "create" {
        inboxes::insert(&mut tx, client, &inbox, admin.now()).await.map_err(|error| {
            if violates(&error, ACCOUNT_UNIQUE) {
                AddAccountError::OfAnotherClient(new.account_id)
            } else {
                error.into()
            }
        })?;
    }
    accounts::set_update_source(&mut tx, client, id, new.updates, admin.now()).await?;
    audit(admin, &mut tx, client, actor, action, AuditObject::new("account", &id)).await?;
    tx.commit().await?;
    Ok(inbox)
}
