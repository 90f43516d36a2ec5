//! Canned replies: texts that agents send often, for one team or for all.

use chrono::{DateTime, Utc};
use domain::{
    ids::{CannedReplyId, ClientId, TeamId},
    page::{Page, PageRequest},
};
use uuid::Uuid;

use crate::{PgConnection, Result};

/// A team has a shortcut once, and so has the client.
pub const SHORTCUT_UNIQUE: &str = "canned_reply_shortcut_unique";
/// The team does not exist.
pub const TEAM_KNOWN: &str = "canned_reply_team_fk";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CannedReply {
    pub id: CannedReplyId,
    /// `None`: for all teams.
    pub team: Option<TeamId>,
    pub shortcut: String,
    pub text: String,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct ReplyRow {
    id: Uuid,
    team_id: Option<Uuid>,
    shortcut: String,
    body: String,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl From<ReplyRow> for CannedReply {
    fn from(row: ReplyRow) -> Self {
        Self {
            id: CannedReplyId(row.id),
            team: row.team_id.map(TeamId),
            shortcut: row.shortcut,
            text: row.body,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

pub async fn insert(db: &mut PgConnection, client: ClientId, reply: &CannedReply) -> Result<()> {
    sqlx::query(
        "INSERT INTO canned_reply (client_id, id, team_id, shortcut, body, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(client.0)
    .bind(reply.id.0)
    .bind(reply.team.map(|team| team.0))
    .bind(&reply.shortcut)
    .bind(&reply.text)
    .bind(reply.created_at)
    .bind(reply.updated_at)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn get(db: &mut PgConnection, client: ClientId, id: CannedReplyId) -> Result<Option<CannedReply>> {
    let row: Option<ReplyRow> = sqlx::query_as(
        "SELECT id, team_id, shortcut, body, created_at, updated_at FROM canned_reply
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(id.0)
    .fetch_optional(db)
    .await?;
    Ok(row.map(CannedReply::from))
}

/// Stores team, shortcut and text. Returns false if there is no such reply.
pub async fn save(db: &mut PgConnection, client: ClientId, reply: &CannedReply) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE canned_reply SET team_id = $3, shortcut = $4, body = $5, updated_at = $6
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(reply.id.0)
    .bind(reply.team.map(|team| team.0))
    .bind(&reply.shortcut)
    .bind(&reply.text)
    .bind(reply.updated_at)
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn delete(db: &mut PgConnection, client: ClientId, id: CannedReplyId) -> Result<bool> {
    let done = sqlx::query("DELETE FROM canned_reply WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(id.0)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// The replies of all teams.
#[derive(Debug, Clone, Copy)]
pub enum ReplyReader {
    Everything,
    /// Those for all teams, and those of this team.
    Team(Option<TeamId>),
}

/// The replies whose shortcut or text contains `search` (`""` = all), by shortcut.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    reader: ReplyReader,
    search: &str,
    page: PageRequest,
) -> Result<Page<CannedReply>> {
    let (everything, team) = match reader {
        ReplyReader::Everything => (true, None),
        ReplyReader::Team(team) => (false, team.map(|team| team.0)),
    };
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM canned_reply WHERE client_id = $1 AND ($2 OR team_id IS NULL OR team_id = $3)
             AND ($4 = '' OR strpos(shortcut, lower($4)) > 0 OR strpos(folded(body), folded($4)) > 0)",
    )
    .bind(client.0)
    .bind(everything)
    .bind(team)
    .bind(search)
    .fetch_one(&mut *db)
    .await?;
    let rows: Vec<ReplyRow> = sqlx::query_as(
        "SELECT id, team_id, shortcut, body, created_at, updated_at FROM canned_reply
         WHERE client_id = $1 AND ($2 OR team_id IS NULL OR team_id = $3)
             AND ($4 = '' OR strpos(shortcut, lower($4)) > 0 OR strpos(folded(body), folded($4)) > 0)
         ORDER BY shortcut, id LIMIT $5 OFFSET $6",
    )
    .bind(client.0)
    .bind(everything)
    .bind(team)
    .bind(search)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    Ok(Page::of(rows.into_iter().map(CannedReply::from).collect(), total))
}

/// The team of a user.
pub async fn team_of(db: &mut PgConnection, client: ClientId, user: domain::ids::UserId) -> Result<Option<TeamId>> {
    let team: Option<Option<Uuid>> =
        sqlx::query_scalar("SELECT team_id FROM client_user WHERE client_id = $1 AND id = $2")
            .bind(client.0)
            .bind(user.0)
            .fetch_optional(db)
            .await?;
    Ok(team.flatten().map(TeamId))
}
