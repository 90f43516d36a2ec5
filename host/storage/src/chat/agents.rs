//! Agents for chats: how many chats an agent has and may have, and which members of a team can take another one.
//!
//! To give a chat to an agent, lock the chat first ([`super::participants::lock`]) and then the agent ([`lock`]) in one
//! transaction, and compare [`Agent::active_chats`] with [`Agent::limit`]. So the limit holds if many chats are
//! assigned at the same time, and there is no deadlock. Never lock an agent and then a chat.

use chrono::{DateTime, Utc};
use domain::ids::{ClientId, TeamId, UserId};
use uuid::Uuid;

use crate::{
    PgConnection, Result,
    tenancy::users::{Role, stored_role},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    pub id: UserId,
    pub name: String,
    pub role: Role,
    pub team: Option<TeamId>,
    /// True if the agent gets chats by automatic assignment.
    pub available: bool,
    pub active_chats: i64,
    pub limit: i64,
}

impl Agent {
    pub fn takes_chats(&self) -> bool {
        self.role.takes_chats()
    }

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
    /// `usual`: `limits.agent_chats`, for agents without a limit of their own.
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

/// Locks a user that is not deleted, so that it gets no more chats. `usual`: `limits.agent_chats`.
pub async fn lock(db: &mut PgConnection, client: ClientId, agent: UserId, usual: u32) -> Result<Option<Agent>> {
    let known: Option<Uuid> = sqlx::query_scalar(
        "SELECT id FROM client_user WHERE client_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE",
    )
    .bind(client.0)
    .bind(agent.0)
    .fetch_optional(&mut *db)
    .await?;
    // A separate statement counts after the lock is held. A statement that waits for the lock would count the chats
    // from before.
    match known {
        Some(_) => find(db, client, agent, usual).await,
        None => Ok(None),
    }
}

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentOrder {
    /// The agent whose last assignment is the oldest is first.
    RoundRobin,
    /// The agent with the fewest chats is first; of these, the one whose last assignment is the oldest.
    LeastBusy,
}

/// The available members with room, in order. They are not locked: [`lock`] the chosen one and check again.
pub async fn available_of_team(
    db: &mut PgConnection,
    client: ClientId,
    team: TeamId,
    order: AgentOrder,
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
    .bind(order == AgentOrder::LeastBusy)
    .fetch_all(db)
    .await?;
    rows.into_iter().map(|row| row.agent(usual)).collect()
}

pub async fn note_given(db: &mut PgConnection, client: ClientId, agent: UserId, now: DateTime<Utc>) -> Result<()> {
    sqlx::query("UPDATE client_user SET last_given_at = $3 WHERE client_id = $1 AND id = $2")
        .bind(client.0)
        .bind(agent.0)
        .bind(now)
        .execute(db)
        .await?;
    Ok(())
}
