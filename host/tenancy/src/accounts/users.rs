//! Users in the API: invite, change and delete (SPEC 4.7).

use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::SealError,
};
use domain::{
    ids::{ClientId, TeamId, UserId},
    page::{Page, PageRequest},
    search::fold,
};
pub use storage::tenancy::profiles::Profile;
use storage::{
    Db, PgConnection,
    chat::due_work,
    tenancy::{
        profiles::{self, ProfileFilter},
        teams, users,
    },
    violates,
};

use super::{
    CreateError, Role,
    create::{check_email, check_name},
    password,
    temporary_password::TemporaryPassword,
};

pub const CHAT_LIMIT_MAX: i32 = 1_000;

#[derive(Debug, Clone)]
pub struct Invitation {
    /// Unique within the client, ignoring case.
    pub email: String,
    pub name: String,
    pub role: Role,
    pub team: Option<String>,
}

/// Changes of a user. `None` = unchanged.
#[derive(Debug, Clone, Default)]
pub struct UserChange {
    pub name: Option<String>,
    pub role: Option<Role>,
    /// Name of its team. `Some(None)` = none.
    pub team: Option<Option<String>>,
}

#[derive(Debug, thiserror::Error)]
pub enum UserError {
    #[error("there is no such user")]
    Unknown,
    #[error(transparent)]
    BadName(CreateError),
    #[error("is not the name of one of your teams: create it first")]
    UnknownTeam,
    #[error("must be 1 to {CHAT_LIMIT_MAX}, or null for the operator's limit")]
    BadChatLimit,
    /// Without it nothing could be administered.
    #[error("this is the last user with the role ADMIN: make another one ADMIN first")]
    LastAdmin,
    #[error("you cannot delete your own account: ask another ADMIN")]
    OwnAccount,
    #[error("change your own password with your current one")]
    OwnPassword,
    #[error("the user was changed at the same time: try again")]
    Concurrent,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(UserError: storage::Error);

/// Creates a user with a temporary password and without a key. The user gets a key after changing the password.
pub async fn invite(
    admin: &Administration<'_>,
    client: ClientId,
    new: Invitation,
    actor: Actor,
) -> Result<(Profile, TemporaryPassword), CreateError> {
    check_email(&new.email)?;
    check_name(&new.name)?;
    let password = TemporaryPassword::generate().map_err(Error::from)?;
    let password_hash =
        password::hash(password.expose().to_owned()).await.map_err(|_| Error::Sealed(SealError::NoRandomness))?;
    let mut tx = admin.db.begin().await?;
    let team = match &new.team {
        None => None,
        Some(name) => {
            let found = teams::id_of_name(&mut tx, client, name.trim()).await?;
            Some(found.ok_or_else(|| CreateError::UnknownTeam(name.clone()))?)
        }
    };
    let user = users::User {
        id: admin.mint(),
        email: new.email,
        name: new.name,
        role: new.role,
        team,
        password_hash,
        password_is_temporary: true,
    };
    users::insert(&mut tx, client, &user, admin.now()).await.map_err(|error| {
        if violates(&error, users::EMAIL_UNIQUE) { CreateError::EmailTaken(user.email.clone()) } else { error.into() }
    })?;
    audit(admin, &mut tx, client, actor, "create", AuditObject::new("user", &user.id)).await?;
    let created = profiles::get(&mut tx, client, user.id).await?;
    let created = created.ok_or_else(|| Error::Storage(storage::Error::missing_row()))?;
    tx.commit().await?;
    Ok((created, password))
}

pub async fn find(db: &Db, client: ClientId, user: UserId) -> Result<Profile, UserError> {
    let mut db = db.acquire().await?;
    profiles::get(&mut db, client, user).await?.ok_or(UserError::Unknown)
}

/// The users whose name or e-mail address contains `search` (`""` = all), sorted by name. Of one team, or of all.
pub async fn list(
    db: &Db,
    client: ClientId,
    search: &str,
    team: Option<TeamId>,
    page: PageRequest,
) -> base::Result<Page<Profile>> {
    let mut db = db.acquire().await?;
    let search = fold(search);
    let (items, total) = profiles::page(&mut db, client, ProfileFilter { search: &search, team }, page).await?;
    Ok(Page::of(items, total))
}

pub async fn update(
    admin: &Administration<'_>,
    client: ClientId,
    user: UserId,
    change: UserChange,
    actor: Actor,
) -> Result<Profile, UserError> {
    if let Some(name) = &change.name {
        check_name(name).map_err(UserError::BadName)?;
    }
    let mut tx = admin.db.begin().await?;
    if change.role.is_some_and(|role| role != Role::Admin) {
        keep_an_admin(&mut tx, client, user).await?;
    }
    let mut found = profiles::lock(&mut tx, client, user).await?.ok_or(UserError::Unknown)?;
    found.name = change.name.unwrap_or(found.name);
    let before = found.role;
    found.role = change.role.unwrap_or(before);
    if before.takes_chats() && !found.role.takes_chats() {
        due_work::add_departure(&mut tx, client, user, admin.now()).await?;
    }
    match change.team {
        None => {}
        Some(None) => found.team = None,
        Some(Some(name)) => {
            let team = teams::id_of_name(&mut tx, client, name.trim()).await?.ok_or(UserError::UnknownTeam)?;
            found.team = Some((team, name));
        }
    }
    store(admin, tx, client, &found, actor).await
}

pub async fn set_available(
    admin: &Administration<'_>,
    client: ClientId,
    user: UserId,
    available: bool,
    actor: Actor,
) -> Result<Profile, UserError> {
    let mut tx = admin.db.begin().await?;
    let mut found = profiles::lock(&mut tx, client, user).await?.ok_or(UserError::Unknown)?;
    found.available = available;
    store(admin, tx, client, &found, actor).await
}

/// Sets the chat limit of an agent. `None` = the operator's limit.
pub async fn set_chat_limit(
    admin: &Administration<'_>,
    client: ClientId,
    user: UserId,
    limit: Option<i32>,
    actor: Actor,
) -> Result<Profile, UserError> {
    if limit.is_some_and(|limit| !(1..=CHAT_LIMIT_MAX).contains(&limit)) {
        return Err(UserError::BadChatLimit);
    }
    let mut tx = admin.db.begin().await?;
    let mut found = profiles::lock(&mut tx, client, user).await?.ok_or(UserError::Unknown)?;
    found.chat_limit = limit;
    store(admin, tx, client, &found, actor).await
}

/// Deletes a user. Its key fails on all nodes for requests that start after this returned. Its messages keep its name.
pub async fn delete(admin: &Administration<'_>, client: ClientId, user: UserId, actor: Actor) -> Result<(), UserError> {
    if actor == Actor::User(user) {
        return Err(UserError::OwnAccount);
    }
    let mut tx = admin.db.begin().await?;
    keep_an_admin(&mut tx, client, user).await?;
    profiles::lock(&mut tx, client, user).await?.ok_or(UserError::Unknown)?;
    profiles::delete(&mut tx, client, user, admin.now()).await?;
    due_work::add_departure(&mut tx, client, user, admin.now()).await?;
    audit(admin, &mut tx, client, actor, "delete", AuditObject::new("user", &user)).await?;
    tx.commit().await?;
    Ok(())
}

async fn keep_an_admin(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<(), UserError> {
    let admins = profiles::lock_admins(db, client).await?;
    if admins == [user] { Err(UserError::LastAdmin) } else { Ok(()) }
}

async fn store(
    admin: &Administration<'_>,
    mut tx: storage::Transaction<'static>,
    client: ClientId,
    user: &Profile,
    actor: Actor,
) -> Result<Profile, UserError> {
    profiles::save(&mut tx, client, user).await?;
    // This user may now take waiting chats.
    due_work::room_of(&mut tx, client, &[user.id], admin.now()).await?;
    audit(admin, &mut tx, client, actor, "update", AuditObject::new("user", &user.id)).await?;
    let stored = profiles::get(&mut tx, client, user.id).await?.ok_or(UserError::Unknown)?;
    tx.commit().await?;
    Ok(stored)
}
