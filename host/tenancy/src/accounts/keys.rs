//! API keys. They are found by their hash, and stored encrypted because `retrieveApiKey` returns the key again (SPEC
//! 4.6).

use std::fmt;

use base::{
    Error,
    audit::{Actor, Administration, audit},
    secrets::{self, SealError, SecretPurpose},
};
use domain::ids::{ClientId, UserId};
use sha2::{Digest, Sha256};
use storage::{
    PgConnection,
    tenancy::api_keys::{self, NewApiKey},
};

use super::{
    login_error::LoginError,
    logins::{Login, admit, judge},
};

/// A developer API key: a UUID in lower case. `Debug` hides it, and there is no `Display`.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    pub(super) fn generate() -> Result<Self, SealError> {
        let bytes = secrets::random::<16>()?;
        Ok(Self(uuid::Builder::from_random_bytes(bytes).into_uuid().hyphenated().to_string()))
    }

    /// The key in plain text. Keep it out of logs.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey")
    }
}

/// SHA-256 of a key, for lookups. Keys are random, so they need no salt.
pub(super) fn key_hash(key: &[u8]) -> Vec<u8> {
    Sha256::digest(key).to_vec()
}

pub(super) async fn give_key(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    client: ClientId,
    user: UserId,
) -> base::Result<ApiKey> {
    let key = ApiKey::generate()?;
    let sealed = admin.sealer.seal(client, SecretPurpose::ApiKey, key.0.as_bytes())?;
    let stored = NewApiKey { user, hash: &key_hash(key.0.as_bytes()), sealed: &sealed };
    api_keys::replace(db, client, stored, admin.now()).await?;
    Ok(key)
}

/// Replaces a user's key. The old one fails for all requests that start after this returned.
pub async fn generate_api_key(admin: &Administration<'_>, client: ClientId, user: UserId) -> base::Result<ApiKey> {
    let mut tx = admin.db.begin().await?;
    let key = give_key(admin, &mut tx, client, user).await?;
    audit(admin, &mut tx, client, Actor::User(user), "regenerate", ("apiKey", &user.to_string())).await?;
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
    audit(admin, &mut tx, client, actor, "remove", ("apiKey", &user.to_string())).await?;
    tx.commit().await?;
    Ok(removed)
}

/// Returns the key after a login. A temporary password must be changed first.
pub async fn retrieve_api_key(admin: &Administration<'_>, login: Login) -> Result<ApiKey, LoginError> {
    let admitted = admit(admin, judge(admin, login).await?).await?;
    if admitted.user.password_is_temporary {
        return Err(LoginError::TemporaryPassword);
    }
    let (mut tx, client, user) = (admitted.tx, admitted.client, admitted.user.id);
    let key = match api_keys::find_sealed(&mut tx, client, user).await? {
        Some(sealed) => ApiKey(admin.sealer.open_text(client, SecretPurpose::ApiKey, &sealed).map_err(Error::from)?),
        None => give_key(admin, &mut tx, client, user).await?,
    };
    tx.commit().await?;
    admitted.visitor.welcome();
    Ok(key)
}
