use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
    secrets::SealError,
};
use domain::{
    ids::{ClientId, UserId},
    team::{BadTeamName, TeamName},
};
use storage::{
    tenancy::{clients, teams, users},
    violates,
};

use super::{
    ApiKey, Role, keys,
    password::{self, PASSWORD_MAX, PASSWORD_MIN},
};

/// The name of the caller's own client in paths (DESIGN 7).
const RESERVED_REF: &str = "me";
const REF_MAX: usize = 64;
const NAME_MAX: usize = 200;
/// Bound of RFC 5321.
const EMAIL_MAX: usize = 254;

/// A new client with its first user, an ADMIN.
#[derive(Clone)]
pub struct NewClient {
    /// Unique over all clients.
    pub client_ref: String,
    pub name: String,
    pub email: String,
    pub password: String,
    /// `clientRef` of the parent client.
    pub parent: Option<String>,
    /// Webhooks may go to private addresses. For the demo client with the simulator.
    pub allow_private_targets: bool,
}

#[derive(Clone)]
pub struct NewUser {
    /// Unique within the client, ignoring case.
    pub email: String,
    pub password: String,
    pub name: String,
    pub role: Role,
    /// Name of its team, which is created if it does not exist.
    pub team: Option<String>,
}

#[derive(Debug, Clone)]
pub struct CreatedUser {
    pub client_ref: String,
    pub client: ClientId,
    pub user: UserId,
    pub email: String,
    pub role: Role,
    pub api_key: ApiKey,
}

#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    #[error("`me` is reserved: choose another clientRef")]
    ReservedRef,
    #[error(
        "`{0}` is not a clientRef: use 1 to {REF_MAX} letters, digits, `.`, `_` and `-`, starting with a letter or digit"
    )]
    BadRef(String),
    #[error("the clientRef `{0}` is taken: choose another")]
    RefTaken(String),
    #[error("there is no client `{0}`")]
    UnknownClient(String),
    #[error("`{0}` is not an e-mail address")]
    BadEmail(String),
    #[error("the client has a user with the e-mail `{0}` already")]
    EmailTaken(String),
    #[error("a name must have 1 to {NAME_MAX} characters and no control characters")]
    BadName,
    #[error(transparent)]
    BadTeam(#[from] BadTeamName),
    #[error("there is no team `{0}`: create it first")]
    UnknownTeam(String),
    #[error("a password must have {PASSWORD_MIN} to {PASSWORD_MAX} bytes")]
    BadPassword,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(CreateError: storage::Error);

pub async fn create_client(admin: &Administration<'_>, new: NewClient) -> Result<CreatedUser, CreateError> {
    check_ref(&new.client_ref)?;
    check_name(&new.name)?;
    let user =
        NewUser { email: new.email, password: new.password, name: new.name.clone(), role: Role::Admin, team: None };
    let user = prepare(admin, user).await?;
    let client: ClientId = admin.mint();

    let mut tx = admin.db.begin().await?;
    let parent = match &new.parent {
        None => None,
        Some(parent) => match clients::find_by_ref(&mut tx, parent).await? {
            Some(found) => Some(found),
            None => return Err(CreateError::UnknownClient(parent.clone())),
        },
    };
    let row = clients::ClientRecord {
        client_ref: &new.client_ref,
        display_name: &new.name,
        parent,
        allow_private_targets: new.allow_private_targets,
        sms_inbox: admin.mint(),
    };
    clients::insert(&mut tx, client, &row, admin.now()).await.map_err(|error| {
        if violates(&error, clients::CLIENT_REF_UNIQUE) {
            CreateError::RefTaken(new.client_ref.clone())
        } else {
            error.into()
        }
    })?;
    audit(admin, &mut tx, client, Actor::Operator, "create", AuditObject::new("client", &client)).await?;
    let api_key = store(admin, &mut tx, client, &user, Actor::Operator).await?;
    tx.commit().await?;
    Ok(created_user(new.client_ref, client, user, api_key))
}

pub async fn create_user(
    admin: &Administration<'_>,
    client_ref: &str,
    new: NewUser,
    actor: Actor,
) -> Result<CreatedUser, CreateError> {
    check_name(&new.name)?;
    let team = new.team.as_deref().map(TeamName::parse).transpose()?;
    let mut user = prepare(admin, new).await?;
    let mut tx = admin.db.begin().await?;
    let Some(client) = clients::find_by_ref(&mut tx, client_ref).await? else {
        return Err(CreateError::UnknownClient(client_ref.to_owned()));
    };
    if let Some(name) = team {
        let new = admin.mint();
        let team = teams::find_or_insert(&mut tx, client, new, name.as_str(), admin.now()).await?;
        if team == new {
            audit(admin, &mut tx, client, actor, "create", AuditObject::new("team", &team)).await?;
        }
        user.team = Some(team);
    }
    let api_key = store(admin, &mut tx, client, &user, actor).await?;
    tx.commit().await?;
    Ok(created_user(client_ref.to_owned(), client, user, api_key))
}

/// Checks a user and hashes its password, before any transaction is open.
async fn prepare(admin: &Administration<'_>, new: NewUser) -> Result<users::User, CreateError> {
    check_email(&new.email)?;
    if !(PASSWORD_MIN..=PASSWORD_MAX).contains(&new.password.len()) {
        return Err(CreateError::BadPassword);
    }
    let password_hash = password::hash(new.password).await.map_err(|_| Error::Sealed(SealError::NoRandomness))?;
    Ok(users::User {
        id: admin.mint(),
        email: new.email,
        name: new.name,
        role: new.role,
        team: None,
        password_hash,
        password_is_temporary: false,
    })
}

async fn store(
    admin: &Administration<'_>,
    db: &mut storage::PgConnection,
    client: ClientId,
    user: &users::User,
    actor: Actor,
) -> Result<ApiKey, CreateError> {
    users::insert(db, client, user, admin.now()).await.map_err(|error| {
        if violates(&error, users::EMAIL_UNIQUE) { CreateError::EmailTaken(user.email.clone()) } else { error.into() }
    })?;
    audit(admin, db, client, actor, "create", AuditObject::new("user", &user.id)).await?;
    Ok(keys::give_key(admin, db, client, user.id).await?)
}

fn created_user(client_ref: String, client: ClientId, user: users::User, api_key: ApiKey) -> CreatedUser {
    CreatedUser { client_ref, client, user: user.id, email: user.email, role: user.role, api_key }
}

pub(crate) fn check_ref(client_ref: &str) -> Result<(), CreateError> {
    if client_ref.eq_ignore_ascii_case(RESERVED_REF) {
        return Err(CreateError::ReservedRef);
    }
    let starts_well = client_ref.starts_with(|first: char| first.is_ascii_alphanumeric());
    let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    if starts_well && client_ref.len() <= REF_MAX && client_ref.bytes().all(known) {
        Ok(())
    } else {
        Err(CreateError::BadRef(client_ref.to_owned()))
    }
}

pub(crate) fn check_name(name: &str) -> Result<(), CreateError> {
    let length = name.chars().count();
    let visible = !name.trim().is_empty() && !name.chars().any(char::is_control);
    if visible && length <= NAME_MAX { Ok(()) } else { Err(CreateError::BadName) }
}

pub(super) fn check_email(email: &str) -> Result<(), CreateError> {
    let bad = || CreateError::BadEmail(email.to_owned());
    let (local, domain) = email.rsplit_once('@').ok_or_else(bad)?;
    let plain = !email.chars().any(|character| character.is_control() || character.is_whitespace());
    let whole = !local.is_empty() && !domain.is_empty() && !domain.starts_with('.') && !domain.ends_with('.');
    if plain && whole && email.len() <= EMAIL_MAX { Ok(()) } else { Err(bad()) }
}
