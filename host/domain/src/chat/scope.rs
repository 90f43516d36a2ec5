//! The lists of chats that agents work with (SPEC 4.2 `scope`). The table is in `docs/chats.md`.

use super::ParticipantState;
use crate::ids::UserId;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChatScope {
    My,
    /// Chats of the members of the caller's team, the caller included.
    Team,
    /// The queue: chats without an agent.
    Unassigned,
    Closed,
    /// Chats that no agent answered in time, though it was within business hours.
    MissedAgent,
    /// Chats that came to wait outside business hours and have been neither answered nor missed since the hours began.
    MissedAfterHours,
    /// Chats that the caller was given and did not answer in time.
    MyMissed,
    /// Chats that are not over, with any owner.
    Open,
    All,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatStanding {
    pub state: ParticipantState,
    pub missed: bool,
    /// It came to wait outside business hours, and no agent has answered.
    pub after_hours: bool,
    pub assigned: Option<UserId>,
    /// The agent that had it when no answer came in time.
    pub missed_by: Option<UserId>,
}

impl ChatScope {
    pub const ALL: [Self; 9] = [
        Self::My,
        Self::Team,
        Self::Unassigned,
        Self::Closed,
        Self::MissedAgent,
        Self::MissedAfterHours,
        Self::MyMissed,
        Self::Open,
        Self::All,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::My => "my",
            Self::Team => "team",
            Self::Unassigned => "unassigned",
            Self::Closed => "closed",
            Self::MissedAgent => "missed-agent",
            Self::MissedAfterHours => "missed-after-hours",
            Self::MyMissed => "my-missed",
            Self::Open => "open",
            Self::All => "all",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == name)
    }

    /// Whether a chat is in the list of a caller. `mates`: the caller's team, the caller included. The SQL says the
    /// same.
    pub fn holds(self, chat: &ChatStanding, caller: UserId, mates: &[UserId]) -> bool {
        let active = chat.state == ParticipantState::Active;
        match self {
            Self::My => active && chat.assigned == Some(caller),
            Self::Team => active && chat.assigned.is_some_and(|agent| mates.contains(&agent)),
            Self::Unassigned => chat.state == ParticipantState::Queued,
            Self::Closed => chat.state == ParticipantState::Closed,
            Self::MissedAgent => chat.missed && !chat.after_hours,
            Self::MissedAfterHours => chat.after_hours,
            Self::MyMissed => chat.missed && chat.missed_by == Some(caller),
            Self::Open => chat.state != ParticipantState::Closed,
            Self::All => true,
        }
    }
}
