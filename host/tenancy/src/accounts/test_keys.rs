//! Test keys: they open the sandbox of a client (`docs/test-keys.md`). Each belongs to a user of the sandbox that cannot
//! log in and that has the name of the key.

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::SealError,
};
use domain::{
    ids::{ClientId, UserId},
    page::{Page, PageRequest},
};
use storage::{
    Db,
    chat::due_work,
    tenancy::{
        profiles::{self, Profile, ProfileFilter},
        sandboxes, users,
    },
};

use super::{
    ApiKey, CreateError, Role, create::check_name, keys::give_key, password, temporary_password::TemporaryPassword,
};
use crate::sandbox;

/// Most test keys of a client.
pub const MOST: i64 = 100;

const ALL: ProfileFilter<'_> = ProfileFilter { search: "", team: None };

#[derive(Debug, thiserror::Error)]
pub enum TestKeyError {
    #[error("there is no such test key")]
    Unknown,
    #[error(transparent)]
    BadName(CreateError),
    #[error("a client has at most {MOST} test keys: delete one first")]
    TooMany,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(TestKeyError: storage::Error);

/// Makes a test key, and with the first one the sandbox.
pub async fn create(
    admin: &Administration<'_>,
    client: ClientId,
    name: &str,
    actor: Actor,
) -> Result<(Profile, ApiKey), TestKeyError> {
    check_name(name).map_err(TestKeyError::BadName)?;
    // Its user never logs in, so the password is known to no one.
    let password = TemporaryPassword::generate().map_err(Error::from)?;
    let password_hash =
        password::hash(password.expose().to_owned()).await.map_err(|_| Error::Sealed(SealError::NoRandomness))?;
    let mut tx = admin.db.begin().await?;
    let sandbox = sandbox::open(admin, &mut tx, client).await?.ok_or(TestKeyError::Unknown)?;
    let (_, known) = profiles::page(&mut tx, sandbox, ALL, PageRequest { page: 0, size: 1 }).await?;
    if known >= MOST {
        return Err(TestKeyError::TooMany);
    }
    let id: UserId = admin.mint();
    let user = users::User {
        id,
        email: format!("{}@test-key.invalid", id.0.simple()),
        name: name.to_owned(),
        role: Role::Admin,
        team: None,
        password_hash,
        password_is_temporary: false,
    };
    users::insert(&mut tx, sandbox, &user, admin.now()).await?;
    let key = give_key(admin, &mut tx, sandbox, id).await?;
    audit(admin, &mut tx, client, actor, "create", AuditObject::new("testKey", &id)).await?;
    let made = profiles::get(&mut tx, sandbox, id).await?.ok_or(TestKeyError::Unknown)?;
    tx.commit().await?;
    Ok((made, key))
}

/// The test keys of a client, by name. The keys themselves are shown once, when they are made.
pub async fn list(db: &Db, client: ClientId, page: PageRequest) -> base::Result<Page<Profile>> {
    let mut db = db.acquire().await?;
    let Some(sandbox) = sandboxes::of(&mut db, client).await? else {
        return Ok(Page { items: Vec::new(), total: 0 });
    };
    let (items, total) = profiles::page(&mut db, sandbox, ALL, page).await?;
    Ok(Page::of(items, total))
}

/// Deletes a test key. It fails for all requests that start after this returned. The sandbox stays.
pub async fn delete(
    admin: &Administration<'_>,
    client: ClientId,
    key: UserId,
    actor: Actor,
) -> Result<(), TestKeyError> {
    let mut tx = admin.db.begin().await?;
    let sandbox = sandboxes::of(&mut tx, client).await?.ok_or(TestKeyError::Unknown)?;
    profiles::lock(&mut tx, sandbox, key).await?.ok_or(TestKeyError::Unknown)?;
    profiles::delete(&mut tx, sandbox, key, admin.now()).await?;
    due_work::add_departure(&mut tx, sandbox, key, admin.now()).await?;
    audit(admin, &mut tx, client, actor, "delete", AuditObject::new("testKey", &key)).await?;
    tx.commit().await?;
    Ok(())
}
