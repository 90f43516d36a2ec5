use chrono::{DateTime, Utc};
use domain::{
    hours::{BusinessHours, TeamHours, TimeZone},
    ids::{ClientId, TeamId},
    page::PageRequest,
    team::{AfterHoursText, Assignment},
};
use uuid::Uuid;

use crate::{
    Error, PgConnection, Result,
    column_values::{self, UnreadJson, read_value},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    pub id: TeamId,
    /// Unique within the client in any case.
    pub name: String,
    pub assignment: Assignment,
    /// Time zone of its hours; `None`: the client's.
    pub own_time_zone: Option<TimeZone>,
    pub hours: TeamHours,
    pub after_hours_text: Option<AfterHoursText>,
    pub created_at: DateTime<Utc>,
}

#[derive(sqlx::FromRow)]
struct TeamRow {
    id: Uuid,
    name: String,
    assignment: String,
    time_zone: Option<String>,
    client_time_zone: String,
    business_hours: Option<UnreadJson>,
    after_hours_text: Option<String>,
    created_at: DateTime<Utc>,
}

impl TryFrom<TeamRow> for Team {
    type Error = Error;

    fn try_from(row: TeamRow) -> Result<Self> {
        let zone = |name: &str| read_value("team", "time_zone", name, |name| name.parse().ok());
        let own_time_zone: Option<TimeZone> = row.time_zone.as_deref().map(zone).transpose()?;
        // An unreadable time zone of the client counts as UTC, because a chat must not fail for it.
        let of_client = row.client_time_zone.parse().unwrap_or(TimeZone::UTC);
        let text = |text: &str| read_value("team", "after_hours_text", text, |text| AfterHoursText::parse(text).ok());
        let hours = column_values::read_optional("team", "business_hours", row.business_hours.as_ref())?;
        Ok(Self {
            id: TeamId(row.id),
            name: row.name,
            assignment: read_value("team", "assignment", &row.assignment, Assignment::from_stored)?,
            own_time_zone,
            after_hours_text: row.after_hours_text.as_deref().map(text).transpose()?,
            hours: TeamHours { zone: own_time_zone.unwrap_or(of_client), hours },
            created_at: row.created_at,
        })
    }
}

pub const NAME_UNIQUE: &str = "team_name_unique";

/// Stores a team without members, hours and automatic assignment. Fails on [`NAME_UNIQUE`] if the name is taken.
pub async fn insert(
    db: &mut PgConnection,
    client: ClientId,
    team: TeamId,
    name: &str,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query("INSERT INTO team (client_id, id, name, created_at) VALUES ($1, $2, $3, $4)")
        .bind(client.0)
        .bind(team.0)
        .bind(name)
        .bind(now)
        .execute(db)
        .await?;
    Ok(())
}

/// Returns the team with a name, and creates it with the id `new` if there is none.
pub async fn find_or_insert(
    db: &mut PgConnection,
    client: ClientId,
    new: TeamId,
    name: &str,
    now: DateTime<Utc>,
) -> Result<TeamId> {
    let done = sqlx::query(
        "INSERT INTO team (client_id, id, name, created_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (client_id, lower(name)) DO NOTHING",
    )
    .bind(client.0)
    .bind(new.0)
    .bind(name)
    .bind(now)
    .execute(&mut *db)
    .await?;
    if done.rows_affected() == 1 {
        return Ok(new);
    }
    let found = id_of_name(db, client, name).await?;
    // It was deleted in between: the caller tries again.
    found.ok_or_else(|| Error::Database(sqlx::Error::RowNotFound))
}

pub async fn id_of_name(db: &mut PgConnection, client: ClientId, name: &str) -> Result<Option<TeamId>> {
    let id: Option<Uuid> = sqlx::query_scalar("SELECT id FROM team WHERE client_id = $1 AND lower(name) = lower($2)")
        .bind(client.0)
        .bind(name)
        .fetch_optional(db)
        .await?;
    Ok(id.map(TeamId))
}

pub async fn get(db: &mut PgConnection, client: ClientId, team: TeamId) -> Result<Option<Team>> {
    let row: Option<TeamRow> = sqlx::query_as(
        "SELECT team.id, team.name, team.assignment, team.time_zone, client.time_zone AS client_time_zone,
                team.business_hours, team.after_hours_text, team.created_at
         FROM team JOIN client ON client.id = team.client_id WHERE team.client_id = $1 AND team.id = $2",
    )
    .bind(client.0)
    .bind(team.0)
    .fetch_optional(db)
    .await?;
    row.map(Team::try_from).transpose()
}

/// Locks a team until the transaction ends. A user may still join it; then [`delete`] fails.
pub async fn lock(db: &mut PgConnection, client: ClientId, team: TeamId) -> Result<Option<Team>> {
    let row: Option<TeamRow> = sqlx::query_as(
        "SELECT team.id, team.name, team.assignment, team.time_zone, client.time_zone AS client_time_zone,
                team.business_hours, team.after_hours_text, team.created_at
         FROM team JOIN client ON client.id = team.client_id
         WHERE team.client_id = $1 AND team.id = $2 FOR NO KEY UPDATE OF team",
    )
    .bind(client.0)
    .bind(team.0)
    .fetch_optional(db)
    .await?;
    row.map(Team::try_from).transpose()
}

pub async fn save(db: &mut PgConnection, client: ClientId, team: &Team) -> Result<()> {
    sqlx::query(
        "UPDATE team SET name = $3, assignment = $4, time_zone = $5, business_hours = $6, after_hours_text = $7
         WHERE client_id = $1 AND id = $2",
    )
    .bind(client.0)
    .bind(team.id.0)
    .bind(&team.name)
    .bind(team.assignment.stored_name())
    .bind(team.own_time_zone.map(TimeZone::name))
    .bind(team.hours.hours.as_ref().map(|hours: &BusinessHours| column_values::write(hours)))
    .bind(team.after_hours_text.as_ref().map(AfterHoursText::as_str))
    .execute(db)
    .await?;
    Ok(())
}

/// A page of the teams whose names contain `search`, folded (`""`: all), and the total.
pub async fn page(
    db: &mut PgConnection,
    client: ClientId,
    search: &str,
    page: PageRequest,
) -> Result<(Vec<Team>, i64)> {
    let total: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM team WHERE client_id = $1 AND ($2 = '' OR strpos(folded(name), $2) > 0)",
    )
    .bind(client.0)
    .bind(search)
    .fetch_one(&mut *db)
    .await?;
    let rows: Vec<TeamRow> = sqlx::query_as(
        "SELECT team.id, team.name, team.assignment, team.time_zone, client.time_zone AS client_time_zone,
                team.business_hours, team.after_hours_text, team.created_at
         FROM team JOIN client ON client.id = team.client_id
         WHERE team.client_id = $1 AND ($2 = '' OR strpos(folded(team.name), $2) > 0)
         ORDER BY lower(team.name), team.id LIMIT $3 OFFSET $4",
    )
    .bind(client.0)
    .bind(search)
    .bind(page.limit())
    .bind(page.offset())
    .fetch_all(db)
    .await?;
    Ok((rows.into_iter().map(Team::try_from).collect::<Result<_>>()?, total))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct TeamUsage {
    pub members: bool,
    pub chats: bool,
    pub sites: bool,
}

pub async fn in_use(db: &mut PgConnection, client: ClientId, team: TeamId) -> Result<TeamUsage> {
    let used = sqlx::query_as(
        "SELECT EXISTS (SELECT 1 FROM client_user
                        WHERE client_id = $1 AND team_id = $2 AND deleted_at IS NULL) AS members,
                EXISTS (SELECT 1 FROM participant WHERE client_id = $1 AND team_id = $2
                        AND state IN ('QUEUED', 'ACTIVE') AND merged_into IS NULL) AS chats,
                EXISTS (SELECT 1 FROM web_inbox WHERE client_id = $1 AND team_id = $2) AS sites",
    )
    .bind(client.0)
    .bind(team.0)
    .fetch_one(db)
    .await?;
    Ok(used)
}

pub const MEMBERS_FK: &str = "client_user_team_fk";

/// Removes a locked team that is not in use. Fails on [`MEMBERS_FK`] if a user has joined it.
pub async fn delete(db: &mut PgConnection, client: ClientId, team: TeamId) -> Result<()> {
    sqlx::query("UPDATE participant SET team_id = NULL WHERE client_id = $1 AND team_id = $2")
        .bind(client.0)
        .bind(team.0)
        .execute(&mut *db)
        .await?;
    sqlx::query("DELETE FROM team WHERE client_id = $1 AND id = $2").bind(client.0).bind(team.0).execute(db).await?;
    Ok(())
}
