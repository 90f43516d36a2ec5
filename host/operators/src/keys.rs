//! Keys of operators. Only the command line makes them; they open the routes of operators and nothing of a client.

use base::{
    Error,
    api_key::{ApiKey, key_hash},
    audit::Administration,
};
use chrono::{DateTime, TimeDelta, Utc};
use storage::{Db, tenancy::operator_keys};

pub use storage::tenancy::operator_keys::OperatorRecord;

/// Interval at which the use of a key is recorded.
const USES_RECORDED_EVERY: TimeDelta = TimeDelta::minutes(5);
/// Longest name in characters.
const LONGEST_NAME: usize = 64;

#[derive(Debug, thiserror::Error)]
pub enum OperatorKeyError {
    #[error("the name of an operator has 1 to {LONGEST_NAME} characters, without control characters")]
    BadName,
    #[error("`{0}` has a key. Remove it first, or use another name")]
    NameTaken(String),
    #[error("no operator `{0}` has a key; `patchbay operator list` lists all")]
    UnknownName(String),
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<storage::Error> for OperatorKeyError {
    fn from(error: storage::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// Makes a key. It is shown only now, because only its hash is stored.
pub async fn add(admin: &Administration<'_>, name: &str) -> Result<ApiKey, OperatorKeyError> {
    let length = name.trim().chars().count();
    if length == 0 || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(OperatorKeyError::BadName);
    }
    let key = ApiKey::generate().map_err(Error::from)?;
    let mut db = admin.db.acquire().await?;
    if !operator_keys::insert(&mut db, name, &key_hash(key.expose().as_bytes()), admin.now()).await? {
        return Err(OperatorKeyError::NameTaken(name.to_owned()));
    }
    tracing::info!(operator = name, "an operator got a key");
    Ok(key)
}

/// All keys, also removed ones.
pub async fn list(db: &Db) -> base::Result<Vec<OperatorRecord>> {
    Ok(operator_keys::list(&mut *db.acquire().await?).await?)
}

/// Removes the key of an operator. Requests that start after this are refused.
pub async fn remove(admin: &Administration<'_>, name: &str) -> Result<(), OperatorKeyError> {
    let mut db = admin.db.acquire().await?;
    if !operator_keys::remove(&mut db, name, admin.now()).await? {
        return Err(OperatorKeyError::UnknownName(name.to_owned()));
    }
    tracing::info!(operator = name, "the key of an operator was removed");
    Ok(())
}

/// Returns the name of the operator with this key; `None` if no operator has it.
pub async fn find(db: &Db, key: &[u8], now: DateTime<Utc>) -> base::Result<Option<String>> {
    let hash = key_hash(key);
    let mut db = db.acquire().await?;
    let Some(found) = operator_keys::find(&mut db, &hash).await? else { return Ok(None) };
    if found.used_at.is_none_or(|used_at| now - used_at >= USES_RECORDED_EVERY) {
        operator_keys::record_use(&mut db, &hash, now).await?;
    }
    Ok(Some(found.name))
}
