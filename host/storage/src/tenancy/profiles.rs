//! Users without credentials, as people see and change them. Deleted users are absent.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, TeamId, UserId},
    page::PageRequest,
};
use uuid::Uuid;

use super::{
    api_keys, session_keys,
    users::{Role, stored_role},
};
use crate::{Error, PgConnection, Result};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub id: UserId,
    /// Unique within the client in any case.
    pub email: String,
    pub name: String,
    pub role: Role,
    pub team: Option<(TeamId, String)>,
    pub available: bool,
    /// Chats at a time; `None`: the operator's limit.
    pub chat_limit: Option<i32>,
    pub created_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct ProfileRow {
    id: Uuid,
    email: String,
    name: String,
    role: String,
    team_id: Option<Uuid>,
    team_name: Option<String>,
    available: bool,
    chat_limit: Option<i32>,
    created_at: DateTime<Utc>,
}

impl TryFrom<ProfileRow> for Profile {
    type Error = Error;

    fn try_from(row: ProfileRow) -> Result<Self> {
        Ok(Self {
            id: UserId(row.id),
            email: row.email,
            name: row.name,
            role: stored_role(&row.role)?,
            team: row.team_id.map(TeamId).zip(row.team_name),
            available: row.available,
            chat_limit: row.chat_limit,
            created_at: row.created_at,
        })
    }
}

pub async fn get(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<Option<Profile>> {
    let row: Option<ProfileRow> = sqlx::query_as(
        "SELECT one.id, one.email, one.name, one.role, one.team_id, team.name AS team_name, one.available, one.chat_limit,
                one.created_at
         FROM client_user one LEFT JOIN team ON team.client_id = one.client_id AND team.id = one.team_id
         WHERE one.client_id = $1 AND one.id = $2 AND one.deleted_at IS NULL",
    )
    .bind(client.0)
    .bind(user.0)
    .fetch_optional(db)
    .await?;
    row.map(Profile::try_from).transpose()
}

pub async fn lock(db: &mut PgConnection, client: ClientId, user: UserId) -> Result<Option<Profile>> {
    let row: Option<ProfileRow> = sqlx::query_as(
        "SELECT one.id, one.email, one.name, one.role, one.team_id,
                (SELECT name FROM team WHERE team.client_id = $1 AND team.id = one.team_id) AS team_name,
                one.available, one.chat_limit, one.created_at
         FROM client_user one WHERE one.client_id = $1 AND one.id = $2 AND one.deleted_at IS NULL FOR UPDATE",
    )
    .bind(client.0)
    .bind(user.0)
    .fetch_optional(db)
    .await?;
    row.map(Profile::try_from).transpose()
}

/// Locks the ADMINs of a client in one order, so that one of two removals of the last ADMIN comes first.
pub async fn lock_admins(db: &mut PgConnection, client: ClientId) -> Result<Vec<UserId>> {
    let ids: Vec<Uuid> = sqlx::query_scalar(
        "SELECT id FROM client_user WHERE client_id = $1 AND role = 'ADMIN' AND deleted_at IS NULL
         ORDER BY id FOR UPDATE",
    )
    .bind(client.0)
    .fetch_all(db)
    .await?;
    Ok(ids.into_iter().map(UserId).collect())
}

#[derive(Debug, Clone, Copy)]
pub struct ProfileFilter<'a> {
    /// Part of a name or e-mail, folded ([`domain::search::fold`]); `""`: all.
    pub search: &'a str,
    pub team: Option<TeamId>,
}

pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    wanted: ProfileFilter<'_>,
    page: PageRequest,
) -> Result<(Vec<Profile>, i64)> {
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM client_user WHERE client_id = $1 AND deleted_at IS NULL
         AND ($3::uuid IS NULL OR team_id = $3)
         AND ($2 = '' OR strpos(folded(name), $2) > 0 OR strpos(folded(email), $2) > 0)",
    )
    .bind(client.0)
    .bind(wanted.search)
    .bind(wanted.team.map(|team| team.0))
    .fetch_one(&mut *db)
    .await?;
    let rows: Vec<ProfileRow> = sqlx::query_as(
        "SELECT one.id, one.email, one.name, one.role, one.team_id, team.name AS team_name, one.available, one.chat_limit,
                one.created_at
         FROM client_user one LEFT JOIN team ON team.client_id = one.client_id AND team.id = one.team_id
         WHERE one.client_id = $1 AND one.deleted_at IS NULL AND ($3::uuid IS NULL OR one.team_id = $3)
           AND ($2 = '' OR strpos(folded(one.name), $2) > 0 OR strpos(folded(one.email), $2) > 0)
         ORDER BY lower(one.name), one.id LIMIT $4 OFFSET $5",
    )
    .bind(client.0)
    .bind(wanted.search)
    .bind(wanted.team.map(|team| team.0))
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    Ok((rows.into_iter().map(Profile::try_from).collect::<Result<_>>()?, total))
}

/// Stores the changes of a locked user: name, role, team, availability, chat limit.
pub async fn save(db: &mut PgConnection, client: ClientId, user: &Profile) -> Result<()> {
    sqlx::query(
        "UPDATE client_user SET name = $3, role = $4, team_id = $5, available = $6, chat_limit = $7
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(user.id.0)
    .bind(&user.name)
    .bind(user.role.as_str())
    .bind(user.team.as_ref().map(|(team, _)| team.0))
    .bind(user.available)
    .bind(user.chat_limit)
    .execute(db)
    .await?;
    Ok(())
}

/// Its key fails for every later statement, and its e-mail is free. The row stays for messages and tickets, and its links
/// to accounts of login providers stay, so that none of them makes a new user.
pub async fn delete(db: &mut PgConnection, client: ClientId, user: UserId, now: DateTime<Utc>) -> Result<()> {
    api_keys::remove(db, client, user).await?;
    session_keys::remove_all(db, client, user).await?;
    sqlx::query(
        "UPDATE client_user SET deleted_at = $3, available = false, team_id = NULL WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(user.0)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}
