//! Figures for supervisors: the present queue and agents, and a period.

use std::collections::HashMap;

use base::Context;
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    chat::ChatScope,
    ids::{TeamId, UserId},
};
pub use storage::chat::figures::{AgentLoad, ChatFigures, Durations, FigureGroup, FigurePeriod, WaitingChats};
use storage::{
    chat::{figures, list_counts, participants},
    tenancy::clients,
};

use super::{ActingUser, DeskError};

/// The longest period.
const LONGEST: TimeDelta = TimeDelta::days(92);

/// Names of teams and agents, for figures.
#[derive(Debug, Clone, Default)]
pub struct FigureNames {
    teams: HashMap<TeamId, String>,
    agents: HashMap<UserId, String>,
}

impl FigureNames {
    pub fn team(&self, team: TeamId) -> Option<&str> {
        self.teams.get(&team).map(String::as_str)
    }

    pub fn agent(&self, agent: UserId) -> Option<&str> {
        self.agents.get(&agent).map(String::as_str)
    }
}

/// The present state of the desk.
#[derive(Debug, Clone)]
pub struct DeskState {
    pub at: DateTime<Utc>,
    pub queue: Vec<WaitingChats>,
    pub agents: Vec<AgentLoad>,
    /// The limit of agents without one of their own.
    pub usual_limit: u32,
    /// Chats that are shown as missed, at most 1,000.
    pub missed: u64,
    pub missed_after_hours: u64,
    pub names: FigureNames,
}

/// The chats that began in a period, by groups.
#[derive(Debug, Clone)]
pub struct PeriodFigures {
    pub groups: Vec<ChatFigures>,
    pub names: FigureNames,
    /// The IANA name of the time zone of hours and days.
    pub time_zone: String,
}

pub async fn now(ctx: &Context, acting: ActingUser) -> Result<DeskState, DeskError> {
    let mut db = ctx.db.acquire().await?;
    let client = acting.client;
    let queue = figures::queue(&mut db, client).await?;
    let agents = figures::agents(&mut db, client).await?;
    let teams = figures::team_names(&mut db, client).await?.into_iter().collect();
    let counts = list_counts::counts(&mut db, client, acting.user).await?;
    let count = |wanted: ChatScope| counts.iter().find(|(scope, _)| *scope == wanted).map_or(0, |(_, count)| *count);
    let usual_limit = ctx.settings.limits.agent_chats;
    Ok(DeskState {
        at: ctx.now(),
        queue,
        agents,
        usual_limit,
        missed: count(ChatScope::MissedAgent),
        missed_after_hours: count(ChatScope::MissedAfterHours),
        names: FigureNames { teams, agents: HashMap::new() },
    })
}

/// The figures of the chats that began in a period, at most 92 days.
pub async fn of_period(ctx: &Context, acting: ActingUser, period: FigurePeriod) -> Result<PeriodFigures, DeskError> {
    if period.from >= period.before {
        return Err(DeskError::fault("to", "must be after `from`"));
    }
    if period.before - period.from > LONGEST {
        return Err(DeskError::fault("to", format!("may be {} days after `from` at most", LONGEST.num_days())));
    }
    let mut db = ctx.db.acquire().await?;
    let client = clients::get(&mut db, acting.client).await?.ok_or(DeskError::NotFound)?;
    let groups = figures::of_period(&mut db, acting.client, period).await?;
    let agent = |figures: &ChatFigures| match figures.group {
        FigureGroup::Agent(agent) => agent,
        _ => None,
    };
    let agents: Vec<UserId> = groups.iter().filter_map(agent).collect();
    let agents = participants::agent_names(&mut db, acting.client, &agents).await?;
    let teams = figures::team_names(&mut db, acting.client).await?.into_iter().collect();
    Ok(PeriodFigures { groups, names: FigureNames { teams, agents }, time_zone: client.time_zone })
}
