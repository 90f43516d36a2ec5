//! Sessions: short-lived keys of logins (ADR 0065). They are found by their hash as API keys are, and shown once.

use base::{
    api_key::key_hash,
    audit::{Actor, Administration, AuditObject, audit},
};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::{ClientId, SessionId, UserId},
    session::{SessionPurpose, SessionTimes},
};
pub use storage::tenancy::session_keys::SessionRecord;
use storage::{
    Db, PgConnection,
    tenancy::{
        profiles::{self, Profile},
        session_keys::{self, NewSessionKey},
    },
};

use super::{
    ApiKey, LoginError,
    logins::{Login, admit, judge},
};

/// Sessions of one user at the same time. One more ends the oldest.
pub const MOST: i64 = 20;

/// A new session with its key.
#[derive(Debug)]
pub struct OpenedSession {
    pub id: SessionId,
    pub key: ApiKey,
    pub expires_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
    pub user: Profile,
}

/// Opens a session after a login. A temporary password must be changed first.
pub async fn open(admin: &Administration<'_>, login: Login, times: SessionTimes) -> Result<OpenedSession, LoginError> {
    let mut admitted = admit(admin, judge(admin, login).await?).await?;
    admitted.check_password_opens().await?;
    let (mut tx, client, user) = (admitted.tx, admitted.client, admitted.user.id);
    let opened = insert(admin, &mut tx, client, user, times).await?;
    let opened = opened.ok_or(LoginError::InvalidCredentials)?;
    tx.commit().await?;
    admitted.visitor.welcome();
    Ok(opened)
}

/// Stores a session of a user who has logged in. `None`: the user was deleted.
pub(super) async fn insert(
    admin: &Administration<'_>,
    db: &mut PgConnection,
    client: ClientId,
    user: UserId,
    times: SessionTimes,
) -> base::Result<Option<OpenedSession>> {
    let (id, key, now): (SessionId, _, _) = (admin.mint(), ApiKey::generate()?, admin.now());
    let ends_at = times.end(now);
    let expires_at = times.expiry(now).min(ends_at);
    let hash = key_hash(key.expose().as_bytes());
    let new = NewSessionKey { id, user, hash: &hash, purpose: SessionPurpose::Login, expires_at, ends_at };
    session_keys::insert(db, client, new, now).await?;
    session_keys::remove_oldest(db, client, user, MOST).await?;
    audit(admin, db, client, Actor::User(user), "create", AuditObject::new("session", &id)).await?;
    let user = profiles::get(db, client, user).await?;
    Ok(user.map(|user| OpenedSession { id, key, expires_at, ends_at, user }))
}

/// The sessions of a user that have not ended, the newest first.
pub async fn list(db: &Db, client: ClientId, user: UserId, now: DateTime<Utc>) -> base::Result<Vec<SessionRecord>> {
    let mut db = db.acquire().await?;
    Ok(session_keys::list(&mut db, client, user, now).await?)
}

/// Ends a session: of one user, or of any user of the client. Its key fails for all requests that start after this
/// returned. Returns false if there is no such session.
pub async fn end(
    admin: &Administration<'_>,
    client: ClientId,
    user: Option<UserId>,
    id: SessionId,
    actor: Actor,
) -> base::Result<bool> {
    let mut tx = admin.db.begin().await?;
    if !session_keys::remove(&mut tx, client, user, id).await? {
        return Ok(false);
    }
    audit(admin, &mut tx, client, actor, "delete", AuditObject::new("session", &id)).await?;
    tx.commit().await?;
    Ok(true)
}

/// Time in which a link can be used, and in which its session ends.
const LINK: TimeDelta = TimeDelta::hours(1);

/// Makes a link that opens one session for the webhooks of the client. Returns its token and end.
pub async fn make_link(
    admin: &Administration<'_>,
    client: ClientId,
    user: UserId,
) -> base::Result<(ApiKey, DateTime<Utc>)> {
    let (token, expires_at) = (ApiKey::generate()?, admin.now() + LINK);
    let mut tx = admin.db.begin().await?;
    session_keys::insert_link(&mut tx, client, user, &key_hash(token.expose().as_bytes()), expires_at).await?;
    audit(admin, &mut tx, client, Actor::User(user), "create", AuditObject::new("webhookLink", &user)).await?;
    tx.commit().await?;
    Ok((token, expires_at))
}

/// A session that a link opened.
#[derive(Debug)]
pub struct LinkedSession {
    pub id: SessionId,
    pub key: ApiKey,
    pub client_ref: String,
    pub expires_at: DateTime<Utc>,
    pub ends_at: DateTime<Utc>,
}

/// Uses a link up. `None` if it is unknown, was used or has expired.
pub async fn open_link(
    admin: &Administration<'_>,
    token: &str,
    times: SessionTimes,
) -> base::Result<Option<LinkedSession>> {
    let now = admin.now();
    let mut tx = admin.db.begin().await?;
    let Some(link) = session_keys::use_link(&mut tx, &key_hash(token.as_bytes()), now).await? else {
        tx.commit().await?;
        return Ok(None);
    };
    let (id, key): (SessionId, _) = (admin.mint(), ApiKey::generate()?);
    let (hash, ends_at) = (key_hash(key.expose().as_bytes()), link.expires_at);
    let expires_at = times.expiry(now).min(ends_at);
    let purpose = SessionPurpose::Webhooks;
    let new = NewSessionKey { id, user: link.user, hash: &hash, purpose, expires_at, ends_at };
    session_keys::insert(&mut tx, link.client, new, now).await?;
    audit(admin, &mut tx, link.client, Actor::User(link.user), "create", AuditObject::new("session", &id)).await?;
    tx.commit().await?;
    Ok(Some(LinkedSession { id, key, client_ref: link.client_ref, expires_at, ends_at }))
}
