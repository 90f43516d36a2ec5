use std::{fmt, str::FromStr};

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, TeamId, UserId},
    privacy::CustomerVisibility,
};
use uuid::Uuid;

use crate::{Error, PgConnection, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    Admin,
    Supervisor,
    Agent,
    Developer,
    Api,
}

impl Role {
    pub const ALL: [Self; 5] = [Self::Admin, Self::Supervisor, Self::Agent, Self::Developer, Self::Api];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "ADMIN",
            Self::Supervisor => "SUPERVISOR",
            Self::Agent => "AGENT",
            Self::Developer => "DEVELOPER",
            Self::Api => "API",
        }
    }
}

impl Role {
    pub fn takes_chats(self) -> bool {
        match self {
            Self::Admin | Self::Supervisor | Self::Agent => true,
            Self::Developer | Self::Api => false,
        }
    }

    /// How much users with this role see of customers (`docs/roles.md`). An agent needs neither numbers nor names.
    pub fn sight(self, popia_compliant: bool) -> CustomerVisibility {
        match self {
            Self::Agent if popia_compliant => CustomerVisibility::Masked,
            Self::Agent | Self::Admin | Self::Supervisor | Self::Developer | Self::Api => CustomerVisibility::Whole,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a role: use ADMIN, SUPERVISOR, AGENT, DEVELOPER or API")]
pub struct UnknownRole;

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> std::result::Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.as_str() == text).ok_or(UnknownRole)
    }
}

pub(crate) fn stored_role(text: &str) -> Result<Role> {
    text.parse().map_err(|_| Error::Inconsistent { table: "client_user", column: "role", value: text.to_owned() })
}

/// A user for a login. `Debug` does not show the hash.
#[derive(Clone)]
pub struct User {
    pub id: UserId,
    pub email: String,
    pub name: String,
    pub role: Role,
    pub team: Option<TeamId>,
    /// Argon2id in PHC format.
    pub password_hash: String,
    /// True if we generated the password: its only use is to choose another one.
    pub password_is_temporary: bool,
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").field("id", &self.id).field("role", &self.role).finish_non_exhaustive()
    }
}

#[derive(sqlx::FromRow)]
struct UserRow {
    id: Uuid,
    email: String,
    name: String,
    role: String,
    team_id: Option<Uuid>,
    password_hash: String,
    password_is_temporary: bool,
}

impl TryFrom<UserRow> for User {
    type Error = Error;

    fn try_from(row: UserRow) -> Result<Self> {
        Ok(Self {
            id: UserId(row.id),
            email: row.email,
            name: row.name,
            role: stored_role(&row.role)?,
            team: row.team_id.map(TeamId),
            password_hash: row.password_hash,
            password_is_temporary: row.password_is_temporary,
        })
    }
}

pub const EMAIL_UNIQUE: &str = "client_user_email_unique";

pub async fn insert(db: &mut PgConnection, client: ClientId, user: &User, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO client_user (client_id, id, email, name, role, team_id, password_hash, password_is_temporary,
                                  created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(client.0)
    .bind(user.id.0)
    .bind(&user.email)
    .bind(&user.name)
    .bind(user.role.as_str())
    .bind(user.team.map(|team| team.0))
    .bind(&user.password_hash)
    .bind(user.password_is_temporary)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn find_by_email(db: &mut PgConnection, client: ClientId, email: &str) -> Result<Option<User>> {
    let row: Option<UserRow> = sqlx::query_as(
        "SELECT id, email, name, role, team_id, password_hash, password_is_temporary FROM client_user
         WHERE client_id = $1 AND lower(email) = lower($2) AND deleted_at IS NULL",
    )
    .bind(client.0)
    .bind(email)
    .fetch_optional(db)
    .await?;
    row.map(User::try_from).transpose()
}

pub async fn get(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<Option<User>> {
    let row: Option<UserRow> = sqlx::query_as(
        "SELECT id, email, name, role, team_id, password_hash, password_is_temporary FROM client_user
         WHERE client_id = $1 AND id = $2 AND deleted_at IS NULL",
    )
    .bind(client.0)
    .bind(user.0)
    .fetch_optional(db)
    .await?;
    row.map(User::try_from).transpose()
}

#[derive(Clone, Copy)]
pub struct NewPassword<'a> {
    pub hash: &'a str,
    pub is_temporary: bool,
}

/// `false` if the password is no longer that of `was`, so it ends with the first change made with it.
pub async fn set_password(
    db: &mut PgConnection,
    client: ClientId,
    user: UserId,
    was: &str,
    new: NewPassword<'_>,
) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE client_user SET password_hash = $4, password_is_temporary = $5
         WHERE client_id = $1 AND id = $2 AND password_hash = $3 AND deleted_at IS NULL",
    )
    .bind(client.0)
    .bind(user.0)
    .bind(was)
    .bind(new.hash)
    .bind(new.is_temporary)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Locks a user until the transaction ends, so that nothing ends its sessions in between, and returns the hash of the
/// present password.
pub async fn lock_password(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<Option<String>> {
    let hash = sqlx::query_scalar(
        "SELECT password_hash FROM client_user
         WHERE client_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE",
    )
    .bind(client.0)
    .bind(user.0)
    .fetch_optional(db)
    .await?;
    Ok(hash)
}

/// True if a user with this e-mail was deleted.
pub async fn was_deleted(db: &mut PgConnection, client: ClientId, email: &str) -> Result<bool> {
    let deleted = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM client_user
                        WHERE client_id = $1 AND lower(email) = lower($2) AND deleted_at IS NOT NULL)",
    )
    .bind(client.0)
    .bind(email)
    .fetch_one(db)
    .await?;
    Ok(deleted)
}

/// Returns an e-mail in the form that [`find_by_email`] compares.
pub async fn compared_email(db: &mut PgConnection, email: &str) -> Result<String> {
    Ok(sqlx::query_scalar("SELECT lower($1::text)").bind(email).fetch_one(db).await?)
}

pub async fn role_of(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<Option<Role>> {
    let role: Option<String> =
        sqlx::query_scalar("SELECT role FROM client_user WHERE client_id = $1 AND id = $2 AND deleted_at IS NULL")
            .bind(client.0)
            .bind(user.0)
            .fetch_optional(db)
            .await?;
    role.as_deref().map(stored_role).transpose()
}

/// Returns the users with chats who have this name or e-mail in any case; at most two, which is one too many.
pub async fn find_by_name(db: &mut PgConnection, client: ClientId, name: &str) -> Result<Vec<UserId>> {
    let ids: Vec<Uuid> = sqlx::query_scalar(
        "SELECT id FROM client_user
         WHERE client_id = $1 AND deleted_at IS NULL AND role IN ('ADMIN', 'SUPERVISOR', 'AGENT')
           AND (lower(name) = lower($2) OR lower(email) = lower($2))
         ORDER BY id LIMIT 2",
    )
    .bind(client.0)
    .bind(name)
    .fetch_all(db)
    .await?;
    Ok(ids.into_iter().map(UserId).collect())
}
