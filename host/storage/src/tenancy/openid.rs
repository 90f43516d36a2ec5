//! Logins by OpenID Connect: the rule of a client, the linked accounts of its users, and the logins that were finished.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, UserId};
use uuid::Uuid;

use super::users::{Role, stored_role};
use crate::{PgConnection, Result, column_values::read_value};

/// The users whom a login by OpenID Connect admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OpenidMode {
    #[default]
    Off,
    /// Users that the client has already.
    LinkedUsers,
    /// The same, and new users of certain e-mail domains.
    CreateUsers,
}

impl OpenidMode {
    pub const ALL: [Self; 3] = [Self::Off, Self::LinkedUsers, Self::CreateUsers];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Off => "OFF",
            Self::LinkedUsers => "LINKED_USERS",
            Self::CreateUsers => "CREATE_USERS",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenidRule {
    pub mode: OpenidMode,
    /// Of users that a login creates.
    pub role: Option<Role>,
    /// In lower case.
    pub email_domains: Vec<String>,
    /// False: only users with the role API log in with a password.
    pub password_login: bool,
}

impl Default for OpenidRule {
    fn default() -> Self {
        Self { mode: OpenidMode::Off, role: None, email_domains: Vec::new(), password_login: true }
    }
}

/// An account at a login provider.
#[derive(Debug, Clone, Copy)]
pub struct OpenidAccount<'a> {
    pub issuer: &'a str,
    pub subject: &'a str,
}

pub const IDENTITY_UNIQUE: &str = "openid_identity_pk";
pub const IDENTITY_USER_UNIQUE: &str = "openid_identity_user_unique";

/// Returns the rule of a client. A client without one admits no logins by OpenID Connect.
pub async fn rule(db: &mut PgConnection, client: ClientId) -> Result<OpenidRule> {
    let row: Option<(String, Option<String>, Vec<String>, bool)> =
        sqlx::query_as("SELECT mode, role, email_domains, password_login FROM openid_rule WHERE client_id = $1")
            .bind(client.0)
            .fetch_optional(db)
            .await?;
    let Some((mode, role, email_domains, password_login)) = row else { return Ok(OpenidRule::default()) };
    Ok(OpenidRule {
        mode: read_value("openid_rule", "mode", &mode, OpenidMode::from_name)?,
        role: role.as_deref().map(stored_role).transpose()?,
        email_domains,
        password_login,
    })
}

pub async fn set_rule(db: &mut PgConnection, client: ClientId, rule: &OpenidRule, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO openid_rule (client_id, mode, role, email_domains, password_login, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (client_id) DO UPDATE SET mode = excluded.mode, role = excluded.role,
             email_domains = excluded.email_domains, password_login = excluded.password_login,
             updated_at = excluded.updated_at",
    )
    .bind(client.0)
    .bind(rule.mode.as_str())
    .bind(rule.role.map(Role::as_str))
    .bind(&rule.email_domains)
    .bind(rule.password_login)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// The user that an account is linked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkedUser {
    Present(UserId),
    /// An ADMIN has deleted the user.
    Deleted,
}

/// Finds the user that an account is linked to.
pub async fn find_user(
    db: &mut PgConnection,
    client: ClientId,
    account: OpenidAccount<'_>,
) -> Result<Option<LinkedUser>> {
    let user: Option<(Uuid, bool)> = sqlx::query_as(
        "SELECT one.id, one.deleted_at IS NOT NULL
         FROM openid_identity link JOIN client_user one ON one.client_id = link.client_id AND one.id = link.user_id
         WHERE link.client_id = $1 AND link.issuer = $2 AND link.subject = $3",
    )
    .bind(client.0)
    .bind(account.issuer)
    .bind(account.subject)
    .fetch_optional(db)
    .await?;
    Ok(user.map(|(id, is_deleted)| if is_deleted { LinkedUser::Deleted } else { LinkedUser::Present(UserId(id)) }))
}

/// Removes the link of an account, whose user was deleted.
pub async fn unlink_account(db: &mut PgConnection, client: ClientId, account: OpenidAccount<'_>) -> Result<()> {
    sqlx::query("DELETE FROM openid_identity WHERE client_id = $1 AND issuer = $2 AND subject = $3")
        .bind(client.0)
        .bind(account.issuer)
        .bind(account.subject)
        .execute(db)
        .await?;
    Ok(())
}

/// Links an account to a user. Fails on [`IDENTITY_UNIQUE`] or [`IDENTITY_USER_UNIQUE`] if either has another link.
pub async fn link(
    db: &mut PgConnection,
    client: ClientId,
    user: UserId,
    account: OpenidAccount<'_>,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO openid_identity (client_id, issuer, subject, user_id, linked_at) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(client.0)
    .bind(account.issuer)
    .bind(account.subject)
    .bind(user.0)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// True if an account of any provider is linked to the user.
pub async fn is_linked(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<bool> {
    let linked =
        sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM openid_identity WHERE client_id = $1 AND user_id = $2)")
            .bind(client.0)
            .bind(user.0)
            .fetch_one(db)
            .await?;
    Ok(linked)
}

/// Removes the links of a user. The next login links by e-mail again.
pub async fn unlink(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<u64> {
    let done = sqlx::query("DELETE FROM openid_identity WHERE client_id = $1 AND user_id = $2")
        .bind(client.0)
        .bind(user.0)
        .execute(db)
        .await?;
    Ok(done.rows_affected())
}

/// Records that a state has opened a session. Returns false if it has opened one before.
pub async fn use_state(
    db: &mut PgConnection,
    client: ClientId,
    state_hash: &[u8],
    expires_at: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query(
        "INSERT INTO openid_login (client_id, state_hash, expires_at) VALUES ($1, $2, $3)
         ON CONFLICT (client_id, state_hash) DO NOTHING",
    )
    .bind(client.0)
    .bind(state_hash)
    .bind(expires_at)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}
