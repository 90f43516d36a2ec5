//! The JSON and CSV of figures. Times are in seconds.

use api_core::report_form::{ReportRow, write_line};
use chat::desk::figures::{AgentLoad, ChatFigures, DeskState, Durations, FigureGroup, FigureNames};
use chrono::{DateTime, Utc};
use domain::ids::{TeamId, UserId};
use domain::iso_time::iso_time;
use serde::Serialize;
use utoipa::ToSchema;

/// Waiting chats.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = QueueState)]
pub(super) struct QueueBody {
    /// Number of waiting chats, at most 10,000.
    length: i64,
    /// Seconds that the oldest one waits.
    longest_wait: i64,
    /// The same by team.
    teams: Vec<TeamQueueBody>,
}

/// The waiting chats of a team.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TeamQueueState)]
struct TeamQueueBody {
    /// If null, they wait for all agents.
    #[schema(value_type = Option<Uuid>)]
    team_id: Option<TeamId>,
    /// Name of the team.
    team_name: Option<String>,
    /// Number of waiting chats.
    length: i64,
    /// Seconds that the oldest one waits.
    longest_wait: i64,
}

/// An agent with its load.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AgentState)]
struct AgentBody {
    /// Id of the user.
    #[schema(value_type = Uuid)]
    id: UserId,
    /// The name for people.
    name: String,
    /// The team.
    #[schema(value_type = Option<Uuid>)]
    team_id: Option<TeamId>,
    /// Name of the team.
    team_name: Option<String>,
    /// `true`: the agent gets chats by automatic assignment.
    available: bool,
    /// Number of chats that the agent has now.
    chats: i64,
    /// Number of chats that the agent can have.
    chat_limit: i64,
    /// Time of the last use of a session, accurate to a few minutes. If null, the agent is not logged in.
    #[schema(format = DateTime)]
    last_active_time: Option<String>,
}

/// The present state of the desk.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DeskState)]
pub(super) struct DeskStateBody {
    /// Time of the state.
    #[schema(format = DateTime)]
    time: String,
    /// Chats that wait for an agent.
    queue: QueueBody,
    /// Users that can have chats, by name, at most 500.
    agents: Vec<AgentBody>,
    /// Chats in the list `missed-agent`, at most 1,000.
    missed: u64,
    /// Chats in the list `missed-after-hours`, at most 1,000.
    missed_after_hours: u64,
}

impl From<DeskState> for DeskStateBody {
    fn from(state: DeskState) -> Self {
        let DeskState { at, queue, agents, usual_limit, missed, missed_after_hours, names } = state;
        let team_name = |team: Option<TeamId>| team.and_then(|team| names.team(team)).map(str::to_owned);
        let agent = |agent: AgentLoad| AgentBody {
            id: agent.id,
            name: agent.name,
            team_name: team_name(agent.team),
            team_id: agent.team,
            available: agent.available,
            chats: agent.chats,
            chat_limit: agent.chat_limit.map_or_else(|| i64::from(usual_limit), i64::from),
            last_active_time: agent.active_at.map(iso_time),
        };
        let waited = |oldest: DateTime<Utc>| (at - oldest).num_seconds().max(0);
        let queue = QueueBody {
            length: queue.iter().map(|of_team| of_team.length).sum(),
            longest_wait: queue.iter().map(|of_team| waited(of_team.oldest)).max().unwrap_or(0),
            teams: queue
                .iter()
                .map(|of_team| TeamQueueBody {
                    team_id: of_team.team,
                    team_name: team_name(of_team.team),
                    length: of_team.length,
                    longest_wait: waited(of_team.oldest),
                })
                .collect(),
        };
        Self { time: iso_time(at), queue, agents: agents.into_iter().map(agent).collect(), missed, missed_after_hours }
    }
}

/// Durations in seconds.
#[derive(Serialize, ToSchema)]
#[schema(as = DurationFigures)]
pub(super) struct DurationsBody {
    /// Number of chats that have it.
    count: i64,
    /// The mean.
    mean: Option<f64>,
    /// The median.
    median: Option<f64>,
    /// Nine of ten do not exceed it.
    p90: Option<f64>,
}

impl From<Durations> for DurationsBody {
    fn from(durations: Durations) -> Self {
        let Durations { count, mean, median, ninetieth } = durations;
        let tenths = |seconds: Option<f64>| seconds.map(|seconds| (seconds * 10.0).round() / 10.0);
        Self { count, mean: tenths(mean), median: tenths(median), p90: tenths(ninetieth) }
    }
}

/// Figures of one group of chats.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ChatFigures)]
pub(super) struct FiguresBody {
    /// `total`, `channel`, `team`, `agent`, `hour` or `day`.
    #[schema(examples("channel"))]
    group: &'static str,
    /// The channel, the id of the team or agent, the hour (0 to 23) or the day (`2026-11-28`), in the time zone of the
    /// client. If null, the total, or chats without a team or agent.
    #[schema(examples("WHATSAPP"))]
    key: Option<String>,
    /// Name of the team or agent.
    name: Option<String>,
    /// Number of chats that began in the period.
    opened: i64,
    /// Number of these that have ended.
    closed: i64,
    /// Number of these that no agent answered in time.
    missed: i64,
    /// Number of these that began to wait outside business hours.
    after_hours: i64,
    /// Number of these with the rating `POOR`.
    rated_poor: i64,
    /// Number of these with the rating `AVERAGE`.
    rated_average: i64,
    /// Number of these with the rating `EXCELLENT`.
    rated_excellent: i64,
    /// From the first waiting to the first agent.
    waiting: DurationsBody,
    /// From the first waiting to the first answer of an agent.
    first_response: DurationsBody,
    /// From the first message to the end.
    resolution: DurationsBody,
}

impl FiguresBody {
    pub(super) fn of(figures: ChatFigures, names: &FigureNames) -> Self {
        let (group, key, name) = match figures.group {
            FigureGroup::Total => ("total", None, None),
            FigureGroup::Channel(channel) => ("channel", Some(channel), None),
            FigureGroup::Team(team) => ("team", team.map(|team| team.to_string()), team.and_then(|id| names.team(id))),
            FigureGroup::Agent(agent) => {
                ("agent", agent.map(|agent| agent.to_string()), agent.and_then(|id| names.agent(id)))
            }
            FigureGroup::Hour(hour) => ("hour", Some(hour.to_string()), None),
            FigureGroup::Day(day) => ("day", Some(day.to_string()), None),
        };
        Self {
            group,
            key,
            name: name.map(str::to_owned),
            opened: figures.opened,
            closed: figures.closed,
            missed: figures.missed,
            after_hours: figures.after_hours,
            rated_poor: figures.poor,
            rated_average: figures.average,
            rated_excellent: figures.excellent,
            waiting: figures.waiting.into(),
            first_response: figures.response.into(),
            resolution: figures.resolution.into(),
        }
    }
}

impl ReportRow for FiguresBody {
    const HEADINGS: &'static str = "group,key,name,opened,closed,missed,afterHours,ratedPoor,ratedAverage,\
                                    ratedExcellent,waitingMean,waitingMedian,waitingP90,firstResponseMean,\
                                    firstResponseMedian,firstResponseP90,resolutionMean,resolutionMedian,\
                                    resolutionP90\r\n";

    fn write_csv(&self, text: &mut String) {
        let mut columns =
            vec![self.group.to_owned(), self.key.clone().unwrap_or_default(), self.name.clone().unwrap_or_default()];
        let counts = [self.opened, self.closed, self.missed, self.after_hours];
        let ratings = [self.rated_poor, self.rated_average, self.rated_excellent];
        columns.extend(counts.into_iter().chain(ratings).map(|count| count.to_string()));
        for durations in [&self.waiting, &self.first_response, &self.resolution] {
            let values = [durations.mean, durations.median, durations.p90];
            columns.extend(values.map(|seconds| seconds.map(|seconds| seconds.to_string()).unwrap_or_default()));
        }
        write_line(columns.iter().map(String::as_str), text);
    }
}

/// The figures of a period.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PeriodFigures)]
pub(super) struct PeriodBody {
    /// The first time of the period.
    #[schema(format = DateTime)]
    pub(super) from: String,
    /// The time before which the period ends.
    #[schema(format = DateTime)]
    pub(super) to: String,
    /// The time zone of hours and days (IANA name): that of the client.
    #[schema(examples("Africa/Johannesburg"))]
    pub(super) time_zone: String,
    /// The total first, then the groups.
    pub(super) figures: Vec<FiguresBody>,
}
