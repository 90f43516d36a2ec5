//! API keys. They are found by their hash, and stored encrypted because `retrieveApiKey` returns the key again (SPEC
//! 4.6).

use base::{
    Error,
    api_key::{ApiKey, key_hash},
    audit::{Actor, Administration, AuditObject, audit},
    secrets::SecretPurpose,
};
use domain::ids::{ClientId, UserId};
use storage::{
    PgConnection,
    tenancy::api_keys::{self, NewApiKey},
};

use super::{
    login_error::LoginError,
    logins::{Login, admit, judge},
};

pub(super) async fn give_key(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    client: ClientId,
    user: UserId,
) -> base::Result<ApiKey> {
    let key = ApiKey::generate()?;
    let sealed = admin.sealer.seal(client, SecretPurpose::ApiKey, key.expose().as_bytes())?;
    let stored = NewApiKey { user, hash: &key_hash(key.expose().as_bytes()), sealed: &sealed };
    api_keys::replace(db, client, stored, admin.now()).await?;
    Ok(key)
}

/// Replaces a user's key. The old one fails for all requests that start after this returned.
pub async fn generate_api_key(admin: &Administration<'_>, client: ClientId, user: UserId) -> base::Result<ApiKey> {
    let mut tx = admin.db.begin().await?;
    let key = give_key(admin, &mut tx, client, user).await?;
    audit(admin, &mut tx, client, Actor::User(user), "regenerate", AuditObject::new("apiKey", &user)).await?;
    tx.commit().await?;
    Ok(key)
}

/// Removes the key of a user, who gets a new one with the next login. Returns false if there was none.
pub async fn remove_api_key(
    admin: &Administration<'_>,
    client: ClientId,
    user: UserId,
    actor: Actor,
) -> base::Result<bool> {
    let mut tx = admin.db.begin().await?;
    let removed = api_keys::remove(&mut tx, client, user).await?;
    audit(admin, &mut tx, client, actor, "remove", AuditObject::new("apiKey", &user)).await?;
    tx.commit().await?;
    Ok(removed)
}

/// Returns the key after a login. A temporary password must be changed first.
pub async fn retrieve_api_key(admin: &Administration<'_>, login: Login) -> Result<ApiKey, LoginError> {
    let mut admitted = admit(admin, judge(admin, login).await?).await?;
    admitted.check_password_opens().await?;
    let (mut tx, client, user) = (admitted.tx, admitted.client, admitted.user.id);
    let key = match api_keys::find_sealed(&mut tx, client, user).await? {
        Some(sealed) => {
            let text = admin.sealer.open_text(client, SecretPurpose::ApiKey, &sealed).map_err(Error::from)?;
            ApiKey::from_stored(text)
        }
        None => give_key(admin, &mut tx, client, user).await?,
    };
    tx.commit().await?;
    admitted.visitor.welcome();
    Ok(key)
}
