//! What is due in chats by the clock or by itself. A lane is a chat, and a row is one thing that is due in it.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, ParticipantId, TeamId, UserId};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{Result, stored::known};

/// How long after an agent left its chats are still looked for.
const LEFT_LATELY: Duration = Duration::from_secs(24 * 3600);

/// Something that is due in a chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// No agent has answered until now.
    Answer,
    /// The chat came to the queue.
    Arrived,
    /// Its agent is gone.
    Left,
}

impl Due {
    fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "ANSWER",
            Self::Arrived => "ARRIVED",
            Self::Left => "LEFT",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Answer, Self::Arrived, Self::Left].into_iter().find(|due| due.as_str() == name)
    }
}

/// Something is due in chats at this moment, unless it is due in them already; then at the moment that it was.
pub async fn add(
    db: &mut PgConnection,
    client: ClientId,
    chats: &[ParticipantId],
    due: Due,
    (at, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<()> {
    sqlx::query(
        "INSERT INTO chat_due (client_id, lane_id, kind, due_at, ready)
         SELECT $1, chat, $3, $4::timestamptz, $4 <= $5 FROM unnest($2::uuid[]) AS chat
         ON CONFLICT (client_id, lane_id, kind) DO NOTHING",
    )
    .bind(client.0)
    .bind(chats.iter().map(|chat| chat.0).collect::<Vec<_>>())
    .bind(due.as_str())
    .bind(at)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// It is due no more in a chat.
pub async fn drop(db: &mut PgConnection, client: ClientId, chat: ParticipantId, due: &[Due]) -> Result<()> {
    sqlx::query("DELETE FROM chat_due WHERE client_id = $1 AND lane_id = $2 AND kind = ANY($3)")
        .bind(client.0)
        .bind(chat.0)
        .bind(due.iter().map(|due| due.as_str()).collect::<Vec<_>>())
        .execute(db)
        .await?;
    Ok(())
}

/// What is due first in a chat; `None` when nothing is.
pub async fn next(
    db: &mut PgConnection,
    client: ClientId,
    chat: ParticipantId,
    now: DateTime<Utc>,
) -> Result<Option<Due>> {
    let kind: Option<String> = sqlx::query_scalar(
        "SELECT kind FROM chat_due WHERE client_id = $1 AND lane_id = $2 AND ready AND due_at <= $3 ORDER BY due_at, kind LIMIT 1",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(now)
    .fetch_optional(db)
    .await?;
    kind.map(|kind| known("chat_due", "kind", &kind, Due::from_name)).transpose()
}

/// Takes what is due in a chat, which is locked; `false` when it is due no more, or not yet.
pub async fn take(
    db: &mut PgConnection,
    client: ClientId,
    (chat, due): (ParticipantId, Due),
    now: DateTime<Utc>,
) -> Result<bool> {
    let done = sqlx::query("DELETE FROM chat_due WHERE client_id = $1 AND lane_id = $2 AND kind = $3 AND due_at <= $4")
        .bind(client.0)
        .bind(chat.0)
        .bind(due.as_str())
        .bind(now)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Writes who had a chat, which is locked, when nobody answered in time.
pub async fn set_missed_by(
    db: &mut PgConnection,
    client: ClientId,
    chat: ParticipantId,
    agent: Option<UserId>,
) -> Result<()> {
    sqlx::query("UPDATE participant SET missed_agent_id = $3 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(chat.0)
        .bind(agent.map(|agent| agent.0))
        .execute(db)
        .await?;
    Ok(())
}

/// A chat begins anew: what was missed before is nobody's any more.
pub async fn forget_missed_by(db: &mut PgConnection, client: ClientId, chat: ParticipantId) -> Result<()> {
    sqlx::query(
        "UPDATE participant SET missed_agent_id = NULL WHERE client_id = $1 AND id = $2 AND missed_agent_id IS NOT NULL",
    )
    .bind(client.0)
    .bind(chat.0)
    .execute(db)
    .await?;
    Ok(())
}

/// Teams whose chats are given out by themselves, and for which chats wait while a member is available.
pub async fn teams_with_waiting_chats(db: &mut PgConnection, limit: i64) -> Result<Vec<(ClientId, TeamId)>> {
    let rows: Vec<(Uuid, Uuid)> = sqlx::query_as(
        "SELECT team.client_id, team.id FROM team
         WHERE team.assignment <> 'OFF'
           AND EXISTS (SELECT 1 FROM participant
                       WHERE participant.client_id = team.client_id AND participant.team_id = team.id
                         AND participant.state = 'QUEUED')
           AND EXISTS (SELECT 1 FROM client_user member
                       WHERE member.client_id = team.client_id AND member.team_id = team.id AND member.available
                         AND member.deleted_at IS NULL)
         ORDER BY team.client_id, team.id LIMIT $1",
    )
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(client, team)| (ClientId(client), TeamId(team))).collect())
}

/// How chats of a team are given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Giving {
    /// Agents take them.
    Off,
    /// To those who are there in turn.
    RoundRobin,
    /// To who has the fewest.
    LeastBusy,
}

/// Keeps others from giving out chats of a team until the transaction ends: whoever does so locks members of it one after the
/// other, and two who did it in different orders would wait for each other.
pub async fn hold_team(db: &mut PgConnection, client: ClientId, team: TeamId) -> Result<()> {
    sqlx::query("SELECT id FROM team WHERE client_id = $1 AND id = $2 FOR NO KEY UPDATE")
        .bind(client.0)
        .bind(team.0)
        .execute(db)
        .await?;
    Ok(())
}

/// How chats of a team are given out; `None` when there is no such team.
pub async fn giving_of(db: &mut PgConnection, client: ClientId, team: TeamId) -> Result<Option<Giving>> {
    let name: Option<String> = sqlx::query_scalar("SELECT assignment FROM team WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(team.0)
        .fetch_optional(db)
        .await?;
    let giving = |name: &str| match name {
        "OFF" => Some(Giving::Off),
        "ROUND_ROBIN" => Some(Giving::RoundRobin),
        "LEAST_BUSY" => Some(Giving::LeastBusy),
        _ => None,
    };
    name.map(|name| known("team", "assignment", &name, giving)).transpose()
}

/// The chats that have waited longest for a team, at most `limit`.
pub async fn waiting_for(
    db: &mut PgConnection,
    client: ClientId,
    team: TeamId,
    limit: i64,
) -> Result<Vec<ParticipantId>> {
    let rows: Vec<Uuid> = sqlx::query_scalar(
        "SELECT id FROM participant WHERE client_id = $1 AND team_id = $2 AND state = 'QUEUED'
         ORDER BY client_id, team_id, last_message_at, id LIMIT $3",
    )
    .bind(client.0)
    .bind(team.0)
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(ParticipantId).collect())
}

/// Chats of agents who were deleted lately, at most `limit`.
pub async fn left_behind(
    db: &mut PgConnection,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<(ClientId, ParticipantId)>> {
    let rows: Vec<(Uuid, Uuid)> = sqlx::query_as(
        "SELECT chat.client_id, chat.id
         FROM (SELECT client_id, id FROM client_user
               WHERE deleted_at > $1::timestamptz - make_interval(secs => $2) ORDER BY deleted_at LIMIT 1000) gone
         CROSS JOIN LATERAL (
             SELECT client_id, id FROM participant
             WHERE client_id = gone.client_id AND assigned_agent_id = gone.id AND state = 'ACTIVE' OFFSET 0) chat
         LIMIT $3",
    )
    .bind(now)
    .bind(LEFT_LATELY.as_secs_f64())
    .bind(limit)
    .fetch_all(db)
    .await?;
    Ok(rows.into_iter().map(|(client, chat)| (ClientId(client), ParticipantId(chat))).collect())
}
