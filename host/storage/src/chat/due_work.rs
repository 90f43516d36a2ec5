//! Due work of chats. A lane is a chat, or a team whose members have room for waiting chats.

use chrono::{DateTime, Utc};
use domain::{
    ids::{ClientId, ParticipantId, TeamId, UserId},
    team::Assignment,
};
use uuid::Uuid;

use crate::{PgConnection, Result, column_values::read_value};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChatWork {
    /// No agent has answered.
    Answer,
    /// The chat came to the queue.
    Arrived,
    /// Its agent left.
    Left,
    /// A member of the team of this lane has room, or may have.
    Room,
}

impl ChatWork {
    fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "ANSWER",
            Self::Arrived => "ARRIVED",
            Self::Left => "LEFT",
            Self::Room => "ROOM",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Answer, Self::Arrived, Self::Left, Self::Room].into_iter().find(|due| due.as_str() == name)
    }
}

/// Awaits the answer of an agent until `at`. If an answer is awaited already, its time stays.
pub async fn add_answer_wait(
    db: &mut PgConnection,
    client: ClientId,
    chat: ParticipantId,
    at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO chat_due (client_id, lane_id, kind, due_at, ready)
         VALUES ($1, $2, 'ANSWER', $3::timestamptz, $3 <= $4)
         ON CONFLICT (client_id, lane_id, kind) DO NOTHING",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(at)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Awaits the answer of an agent who gets a chat that was missed in the queue.
pub async fn restart_answer_wait(
    db: &mut PgConnection,
    client: ClientId,
    chat: ParticipantId,
    at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO chat_due (client_id, lane_id, kind, due_at, ready)
         SELECT client_id, id, 'ANSWER', $3::timestamptz, $3 <= $4 FROM participant
         WHERE client_id = $1 AND id = $2 AND missed AND missed_agent_id IS NULL
         ON CONFLICT (client_id, lane_id, kind) DO NOTHING",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(at)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn add_arrival(
    db: &mut PgConnection,
    client: ClientId,
    chat: ParticipantId,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "INSERT INTO chat_due (client_id, lane_id, kind, due_at, ready) VALUES ($1, $2, 'ARRIVED', $3, true)
         ON CONFLICT (client_id, lane_id, kind) DO UPDATE SET due_at = excluded.due_at, ready = true",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn drop(db: &mut PgConnection, client: ClientId, chat: ParticipantId, due: &[ChatWork]) -> Result<()> {
    sqlx::query("DELETE FROM chat_due WHERE client_id = $1 AND lane_id = $2 AND kind = ANY($3)")
        .bind(client.0)
        .bind(chat.0)
        .bind(due.iter().map(|due| due.as_str()).collect::<Vec<_>>())
        .execute(db)
        .await?;
    Ok(())
}

/// Awaits the answer of an agent until the later time `at`. Adds nothing.
pub async fn postpone_answer_wait(
    db: &mut PgConnection,
    client: ClientId,
    chat: ParticipantId,
    at: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Result<()> {
    sqlx::query(
        "UPDATE chat_due SET due_at = $3::timestamptz, ready = $3 <= $4
         WHERE client_id = $1 AND lane_id = $2 AND kind = 'ANSWER'",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(at)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Moves the due work of a merged chat to the remaining chat, except kinds that are due there.
pub async fn give_to(db: &mut PgConnection, client: ClientId, kept: ParticipantId, gone: ParticipantId) -> Result<()> {
    sqlx::query(
        "WITH moved AS (DELETE FROM chat_due WHERE client_id = $1 AND lane_id = $3 RETURNING *)
         INSERT INTO chat_due (client_id, lane_id, kind, due_at, ready)
         SELECT client_id, $2, kind, due_at, ready FROM moved ON CONFLICT (client_id, lane_id, kind) DO NOTHING",
    )
    .bind(client.0)
    .bind(kept.0)
    .bind(gone.0)
    .execute(db)
    .await?;
    Ok(())
}

pub async fn next(db: &mut PgConnection, client: ClientId, lane: Uuid, now: DateTime<Utc>) -> Result<Option<ChatWork>> {
    let kind: Option<String> = sqlx::query_scalar(
        "SELECT kind FROM chat_due WHERE client_id = $1 AND lane_id = $2 AND ready AND due_at <= $3 ORDER BY due_at, kind LIMIT 1",
    )
    .bind(client.0)
    .bind(lane)
    .bind(now)
    .fetch_optional(db)
    .await?;
    kind.map(|kind| read_value("chat_due", "kind", &kind, ChatWork::from_name)).transpose()
}

/// Takes due work of a locked chat and returns since when it was due; `None` if it is not due.
pub async fn take(
    db: &mut PgConnection,
    client: ClientId,
    chat: ParticipantId,
    due: ChatWork,
    now: DateTime<Utc>,
) -> Result<Option<DateTime<Utc>>> {
    let since = sqlx::query_scalar(
        "DELETE FROM chat_due WHERE client_id = $1 AND lane_id = $2 AND kind = $3 AND due_at <= $4 RETURNING due_at",
    )
    .bind(client.0)
    .bind(chat.0)
    .bind(due.as_str())
    .bind(now)
    .fetch_optional(db)
    .await?;
    Ok(since)
}

/// Records that members of these teams may have room. An existing record is written again, so that its worker looks
/// again ([`room_seen`]). Returns the teams with automatic assignment.
pub async fn room_in(
    db: &mut PgConnection,
    client: ClientId,
    teams: &[TeamId],
    now: DateTime<Utc>,
) -> Result<Vec<TeamId>> {
    let mut teams: Vec<Uuid> = teams.iter().map(|team| team.0).collect();
    teams.sort_unstable();
    teams.dedup();
    let told: Vec<Uuid> = sqlx::query_scalar(
        "INSERT INTO chat_due (client_id, lane_id, kind, due_at, ready)
         SELECT team.client_id, team.id, 'ROOM', $3, true
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT * FROM team WHERE client_id = given.client_id AND id = given.id AND assignment <> 'OFF' OFFSET 0) team
         ON CONFLICT (client_id, lane_id, kind) DO UPDATE SET due_at = LEAST(chat_due.due_at, excluded.due_at), ready = true
         RETURNING lane_id",
    )
    .bind(client.0)
    .bind(teams)
    .bind(now)
    .fetch_all(db)
    .await?;
    Ok(told.into_iter().map(TeamId).collect())
}

/// As [`room_in`], for the teams of these users without the deleted ones.
pub async fn room_of(
    db: &mut PgConnection,
    client: ClientId,
    users: &[UserId],
    now: DateTime<Utc>,
) -> Result<Vec<TeamId>> {
    let teams: Vec<Uuid> = sqlx::query_scalar(
        "SELECT member.team_id
         FROM (SELECT $1::uuid AS client_id, id FROM unnest($2::uuid[]) AS id OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT team_id FROM client_user WHERE client_id = given.client_id AND id = given.id OFFSET 0) member
         WHERE member.team_id IS NOT NULL",
    )
    .bind(client.0)
    .bind(users.iter().map(|user| user.0).collect::<Vec<_>>())
    .fetch_all(&mut *db)
    .await?;
    if teams.is_empty() {
        return Ok(Vec::new());
    }
    room_in(db, client, &teams.into_iter().map(TeamId).collect::<Vec<_>>(), now).await
}

/// The last record of a team's room. [`room_used`] removes it if it was not written since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TeamRoom(String);

pub async fn room_seen(db: &mut PgConnection, client: ClientId, team: TeamId) -> Result<Option<TeamRoom>> {
    let said: Option<String> =
        sqlx::query_scalar("SELECT xmin::text FROM chat_due WHERE client_id = $1 AND lane_id = $2 AND kind = 'ROOM'")
            .bind(client.0)
            .bind(team.0)
            .fetch_optional(db)
            .await?;
    Ok(said.map(TeamRoom))
}

/// Removes the record of a team's room, because all room is used or no chat waits. Keeps it if it was written since.
pub async fn room_used(db: &mut PgConnection, client: ClientId, team: TeamId, seen: &TeamRoom) -> Result<()> {
    sqlx::query("DELETE FROM chat_due WHERE client_id = $1 AND lane_id = $2 AND kind = 'ROOM' AND xmin::text = $3")
        .bind(client.0)
        .bind(team.0)
        .bind(&seen.0)
        .execute(db)
        .await?;
    Ok(())
}

/// Records that the chats of an agent who left go back to the queue.
pub async fn add_departure(db: &mut PgConnection, client: ClientId, agent: UserId, now: DateTime<Utc>) -> Result<()> {
    sqlx::query(
        "INSERT INTO chat_due (client_id, lane_id, kind, due_at, ready)
         SELECT client_id, id, 'LEFT', $3, true FROM participant
         WHERE client_id = $1 AND assigned_agent_id = $2 AND state = 'ACTIVE'
         ON CONFLICT (client_id, lane_id, kind) DO NOTHING",
    )
    .bind(client.0)
    .bind(agent.0)
    .bind(now)
    .execute(db)
    .await?;
    Ok(())
}

/// Locks the assignment of a team: it locks members one by one, so two at once could deadlock.
pub async fn hold_team(db: &mut PgConnection, client: ClientId, team: TeamId) -> Result<()> {
    sqlx::query("SELECT id FROM team WHERE client_id = $1 AND id = $2 FOR NO KEY UPDATE")
        .bind(client.0)
        .bind(team.0)
        .execute(db)
        .await?;
    Ok(())
}

pub async fn giving_of(db: &mut PgConnection, client: ClientId, team: TeamId) -> Result<Option<Assignment>> {
    let name: Option<String> = sqlx::query_scalar("SELECT assignment FROM team WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(team.0)
        .fetch_optional(db)
        .await?;
    name.map(|name| read_value("team", "assignment", &name, Assignment::from_stored)).transpose()
}

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
