//! Agents, as chats need them: how many chats one has and may have, and who of a team could take another one.
//!
//! Whoever gives a chat to an agent locks the chat first ([`super::participants::lock`]) and then the agent ([`lock`]), in
//! one transaction, and compares [`Agent::active_chats`] with [`Agent::limit`]: so the limit holds however many chats are
//! given out at the same time, and nobody waits in a circle. Nobody locks an agent and then a chat.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, TeamId, UserId};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    tenancy::users::{Role, stored_role},
};

/// A user who may be given chats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// The user.
    pub id: UserId,
    /// Display name.
    pub name: String,
    /// What it may do; whether it may take chats is [`Agent::takes_chats`].
    pub role: Role,
    /// The team it answers for.
    pub team: Option<TeamId>,
    /// Takes chats that are given out by themselves.
    pub available: bool,
    /// Chats that it has now.
    pub active_chats: i64,
    /// Chats that it may have at a time.
    pub limit: i64,
}

impl Agent {
    /// Whether a user of this role answers customers.
    pub fn takes_chats(&self) -> bool {
        self.role.takes_chats()
    }

    /// Whether it may have another chat.
    pub fn has_room(&self) -> bool {
        self.active_chats < self.limit
    }
}

#[derive(sqlx::FromRow)]
struct AgentRow {
    id: Uuid,
    name: String,
    role: String,
    team_id: Option<Uuid>,
    available: bool,
    chat_limit: Option<i32>,
    active_chats: i64,
}

impl AgentRow {
    /// `usual`: `limits.agent_chats`, for those without a limit of their own.
    fn agent(self, usual: u32) -> Result<Agent> {
        Ok(Agent {
            id: UserId(self.id),
            name: self.name,
            role: stored_role(&self.role)?,
            team: self.team_id.map(TeamId),
            available: self.available,
            active_chats: self.active_chats,
            limit: self.chat_limit.map_or(i64::from(usual), i64::from),
        })
    }
}

/// A user that was not deleted, locked until the transaction ends: its chats cannot grow in number meanwhile. `usual`:
/// `limits.agent_chats`.
pub async fn lock(db: &mut PgConnection, client: ClientId, agent: UserId, usual: u32) -> Result<Option<Agent>> {
    let known: Option<Uuid> = sqlx::query_scalar(
        "SELECT id FROM client_user WHERE client_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE",
    )
    .bind(client.0)
    .bind(agent.0)
    .fetch_optional(&mut *db)
    .await?;
    // Counted by a statement that begins after the lock is had: one that waited for it would count what was there before.
    match known {
        Some(_) => find(db, client, agent, usual).await,
        None => Ok(None),
    }
}

/// A user that was not deleted, as it is now. `usual`: `limits.agent_chats`.
pub async fn find(db: &mut PgConnection, client: ClientId, agent: UserId, usual: u32) -> Result<Option<Agent>> {
    let row: Option<AgentRow> = sqlx::query_as(
        "SELECT id, name, role, team_id, available, chat_limit,
                (SELECT count(*) FROM participant
                 WHERE client_id = $1 AND assigned_agent_id = $2 AND state = 'ACTIVE') AS active_chats
         FROM client_user WHERE client_id = $1 AND id = $2 AND deleted_at IS NULL",
    )
    .bind(client.0)
    .bind(agent.0)
    .fetch_optional(db)
    .await?;
    row.map(|row| row.agent(usual)).transpose()
}

/// In which order those who could take a chat are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Who was given nothing for longest first.
    RoundRobin,
    /// Who has the fewest chats first; of these, who was given nothing for longest.
    LeastBusy,
}

/// The members of a team who are available and have room, in order: none of them is locked, so [`lock`] the one that is
/// chosen and look again. `usual`: `limits.agent_chats`.
pub async fn available_of_team(
    db: &mut PgConnection,
    client: ClientId,
    team: TeamId,
    order: Order,
    usual: u32,
) -> Result<Vec<Agent>> {
    let rows: Vec<AgentRow> = sqlx::query_as(
        "SELECT * FROM (
             SELECT id, name, role, team_id, available, chat_limit, last_given_at,
                    (SELECT count(*) FROM participant
                     WHERE client_id = $1 AND assigned_agent_id = client_user.id AND state = 'ACTIVE') AS active_chats
             FROM client_user
             WHERE client_id = $1 AND team_id = $2 AND available AND deleted_at IS NULL
               AND role IN ('ADMIN', 'SUPERVISOR', 'AGENT')) member
         WHERE active_chats < COALESCE(chat_limit, $3)
         ORDER BY CASE WHEN $4 THEN active_chats END, last_given_at NULLS FIRST, id",
    )
    .bind(client.0)
    .bind(team.0)
    .bind(i64::from(usual))
    .bind(order == Order::LeastBusy)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(|row| row.agent(usual)).collect()
}

/// An agent was given a chat: the round goes on with somebody else.
pub async fn note_given(db: &mut PgConnection, client: ClientId, agent: UserId, now: DateTime<Utc>) -> Result<()> {
    sqlx::query("UPDATE client_user SET last_given_at = $3 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(agent.0)
        .bind(now)
        .execute(db)
        .await?;
    Ok(())
}
