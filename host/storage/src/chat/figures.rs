//! Figures of chats over a period, and the present state of queue and agents.

use chrono::{DateTime, NaiveDate, Utc};
use domain::ids::{ClientId, TeamId, UserId};
use uuid::Uuid;

use crate::{PgConnection, Result};

/// Most waiting chats that are counted.
const MOST_WAITING: i64 = 10_000;
const MOST_AGENTS: i64 = 500;

#[derive(Debug, Clone, Copy)]
pub struct FigurePeriod {
    pub from: DateTime<Utc>,
    pub before: DateTime<Utc>,
    /// `None`: all teams.
    pub team: Option<TeamId>,
}

/// The group of episodes that a row counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FigureGroup {
    Total,
    Channel(String),
    /// `None`: no team had it.
    Team(Option<TeamId>),
    Agent(Option<UserId>),
    /// 0 to 23, in the time zone of the client.
    Hour(i32),
    Day(NaiveDate),
}

/// Seconds: mean, median, and the value that nine of ten do not exceed.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Durations {
    pub count: i64,
    pub mean: Option<f64>,
    pub median: Option<f64>,
    pub ninetieth: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ChatFigures {
    pub group: FigureGroup,
    pub opened: i64,
    pub closed: i64,
    pub missed: i64,
    pub after_hours: i64,
    pub poor: i64,
    pub average: i64,
    pub excellent: i64,
    /// From the first waiting to the first agent.
    pub waiting: Durations,
    /// From the first waiting to the first answer of an agent.
    pub response: Durations,
    /// From the first message to the end.
    pub resolution: Durations,
}

#[derive(sqlx::FromRow)]
struct FigureRow {
    place: i32,
    channel: Option<String>,
    team_id: Option<Uuid>,
    agent_id: Option<Uuid>,
    hour: Option<i32>,
    day: Option<NaiveDate>,
    opened: i64,
    closed: i64,
    missed: i64,
    after_hours: i64,
    poor: i64,
    average: i64,
    excellent: i64,
    waits: i64,
    waiting: Option<f64>,
    waiting_median: Option<f64>,
    waiting_ninetieth: Option<f64>,
    responses: i64,
    response: Option<f64>,
    response_median: Option<f64>,
    response_ninetieth: Option<f64>,
    resolutions: i64,
    resolution: Option<f64>,
    resolution_median: Option<f64>,
    resolution_ninetieth: Option<f64>,
}

impl FigureRow {
    /// The bits of `GROUPING`: a set bit is a column that the row does not distinguish.
    fn group(&self) -> Option<FigureGroup> {
        match self.place {
            0b11111 => Some(FigureGroup::Total),
            0b01111 => self.channel.clone().map(FigureGroup::Channel),
            0b10111 => Some(FigureGroup::Team(self.team_id.map(TeamId))),
            0b11011 => Some(FigureGroup::Agent(self.agent_id.map(UserId))),
            0b11101 => self.hour.map(FigureGroup::Hour),
            0b11110 => self.day.map(FigureGroup::Day),
            _ => None,
        }
    }

    fn figures(self) -> Option<ChatFigures> {
        Some(ChatFigures {
            group: self.group()?,
            opened: self.opened,
            closed: self.closed,
            missed: self.missed,
            after_hours: self.after_hours,
            poor: self.poor,
            average: self.average,
            excellent: self.excellent,
            waiting: Durations {
                count: self.waits,
                mean: self.waiting,
                median: self.waiting_median,
                ninetieth: self.waiting_ninetieth,
            },
            response: Durations {
                count: self.responses,
                mean: self.response,
                median: self.response_median,
                ninetieth: self.response_ninetieth,
            },
            resolution: Durations {
                count: self.resolutions,
                mean: self.resolution,
                median: self.resolution_median,
                ninetieth: self.resolution_ninetieth,
            },
        })
    }
}

/// The figures of the episodes that began in a period: in total, and by channel, team, agent, hour of the day and day.
pub async fn of_period(db: &mut PgConnection, client: ClientId, period: FigurePeriod) -> Result<Vec<ChatFigures>> {
    let rows: Vec<FigureRow> = sqlx::query_as(
        "WITH one AS (
             SELECT channel, team_id, agent_id, closed_at, missed, after_hours, rating,
                    extract(hour FROM opened_at AT TIME ZONE zone.time_zone)::integer AS hour,
                    (opened_at AT TIME ZONE zone.time_zone)::date AS day,
                    extract(epoch FROM assigned_at - queued_at)::float8 AS waiting,
                    extract(epoch FROM answered_at - COALESCE(queued_at, opened_at))::float8 AS response,
                    extract(epoch FROM closed_at - opened_at)::float8 AS resolution
             FROM chat_episode CROSS JOIN (SELECT time_zone FROM client WHERE id = $1) zone
             WHERE client_id = $1 AND opened_at >= $2 AND opened_at < $3 AND ($4::uuid IS NULL OR team_id = $4)
         )
         SELECT GROUPING(channel, team_id, agent_id, hour, day) AS place, channel, team_id, agent_id, hour, day,
                count(*) AS opened, count(closed_at) AS closed, count(*) FILTER (WHERE missed) AS missed,
                count(*) FILTER (WHERE after_hours) AS after_hours,
                count(*) FILTER (WHERE rating = 'POOR') AS poor,
                count(*) FILTER (WHERE rating = 'AVERAGE') AS average,
                count(*) FILTER (WHERE rating = 'EXCELLENT') AS excellent,
                count(waiting) AS waits, avg(waiting) AS waiting,
                percentile_cont(0.5) WITHIN GROUP (ORDER BY waiting) AS waiting_median,
                percentile_cont(0.9) WITHIN GROUP (ORDER BY waiting) AS waiting_ninetieth,
                count(response) AS responses, avg(response) AS response,
                percentile_cont(0.5) WITHIN GROUP (ORDER BY response) AS response_median,
                percentile_cont(0.9) WITHIN GROUP (ORDER BY response) AS response_ninetieth,
                count(resolution) AS resolutions, avg(resolution) AS resolution,
                percentile_cont(0.5) WITHIN GROUP (ORDER BY resolution) AS resolution_median,
                percentile_cont(0.9) WITHIN GROUP (ORDER BY resolution) AS resolution_ninetieth
         FROM one GROUP BY GROUPING SETS ((), (channel), (team_id), (agent_id), (hour), (day))
         ORDER BY place DESC, channel, team_id, agent_id, hour, day",
    )
    .bind(client.0)
    .bind(period.from)
    .bind(period.before)
    .bind(period.team.map(|team| team.0))
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().filter_map(FigureRow::figures).collect())
}

/// The waiting chats of one team, or of all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingChats {
    /// `None`: for all agents.
    pub team: Option<TeamId>,
    pub length: i64,
    /// Since when the oldest one waits.
    pub oldest: DateTime<Utc>,
}

/// The queue by team, at most 10,000 chats of it.
pub async fn queue(db: &mut PgConnection, client: ClientId) -> Result<Vec<WaitingChats>> {
    let rows: Vec<(Option<Uuid>, i64, DateTime<Utc>)> = sqlx::query_as(
        "SELECT waits.team_id, count(*), min(COALESCE(episode.waits_since, waits.last_message_at))
         FROM (SELECT client_id, id, team_id, last_message_at FROM participant
               WHERE client_id = $1 AND state = 'QUEUED' LIMIT $2) waits
         LEFT JOIN LATERAL (
             SELECT waits_since FROM chat_episode
             WHERE client_id = waits.client_id AND participant_id = waits.id AND closed_at IS NULL OFFSET 0) episode
             ON true
         GROUP BY waits.team_id ORDER BY waits.team_id NULLS FIRST",
    )
    .bind(client.0)
    .bind(MOST_WAITING)
    .fetch_all(db)
    .await?;
    let waiting = |(team, length, oldest): (Option<Uuid>, i64, DateTime<Utc>)| WaitingChats {
        team: team.map(TeamId),
        length,
        oldest,
    };
    Ok(rows.into_iter().map(waiting).collect())
}

/// An agent with its load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentLoad {
    pub id: UserId,
    pub name: String,
    pub team: Option<TeamId>,
    pub available: bool,
    /// Its own limit.
    pub chat_limit: Option<i32>,
    pub chats: i64,
    /// The last use of a session, to some minutes.
    pub active_at: Option<DateTime<Utc>>,
}

#[derive(sqlx::FromRow)]
struct AgentRow {
    id: Uuid,
    name: String,
    team_id: Option<Uuid>,
    available: bool,
    chat_limit: Option<i32>,
    chats: i64,
    active_at: Option<DateTime<Utc>>,
}

/// The users that can have chats, by name, at most 500.
pub async fn agents(db: &mut PgConnection, client: ClientId) -> Result<Vec<AgentLoad>> {
    let rows: Vec<AgentRow> = sqlx::query_as(
        "SELECT member.id, member.name, member.team_id, member.available, member.chat_limit,
                (SELECT count(*) FROM participant chat
                 WHERE chat.client_id = member.client_id AND chat.assigned_agent_id = member.id
                   AND chat.state = 'ACTIVE') AS chats,
                (SELECT max(used_at) FROM session_key session
                 WHERE session.client_id = member.client_id AND session.user_id = member.id) AS active_at
         FROM (SELECT client_id, id, name, team_id, available, chat_limit FROM client_user
               WHERE client_id = $1 AND deleted_at IS NULL AND disabled_at IS NULL
                 AND role IN ('ADMIN', 'SUPERVISOR', 'AGENT')
               ORDER BY lower(name), id LIMIT $2) member
         ORDER BY lower(member.name), member.id",
    )
    .bind(client.0)
    .bind(MOST_AGENTS)
    .fetch_all(db)
    .await?;
    let agent = |row: AgentRow| AgentLoad {
        id: UserId(row.id),
        name: row.name,
        team: row.team_id.map(TeamId),
        available: row.available,
        chat_limit: row.chat_limit,
        chats: row.chats,
        active_at: row.active_at,
    };
    Ok(rows.into_iter().map(agent).collect())
}

/// The names of teams.
pub async fn team_names(db: &mut PgConnection, client: ClientId) -> Result<Vec<(TeamId, String)>> {
    let rows: Vec<(Uuid, String)> = sqlx::query_as("SELECT id, name FROM team WHERE client_id = $1 ORDER BY name")
        .bind(client.0)
        .fetch_all(db)
        .await?;
    Ok(rows.into_iter().map(|(id, name)| (TeamId(id), name)).collect())
}
