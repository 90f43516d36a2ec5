//! The states and steps of a live-chat participant (SPEC 3.4, DESIGN 7 "participant").

use serde::{Deserialize, Serialize};

use crate::ids::TeamId;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatTeam {
    pub id: TeamId,
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum ParticipantState {
    Bot,
    /// Waits in the unassigned queue, or in the queue of a team.
    Queued,
    /// An agent has it.
    Active,
    /// Over, until the customer writes or an agent opens it.
    Closed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParticipantMove {
    /// The customer wrote. `bot`: a chatbot is active for the number.
    CustomerWrote {
        bot: bool,
    },
    /// The chatbot handed the chat over to people: to a team, or to all.
    HandedOver,
    /// The chatbot failed permanently, or was taken away.
    BotFailed,
    ClosedByBot,
    /// An agent took it, or was given it.
    Assigned,
    /// Passed on to a team, without an agent.
    Transferred,
    Resolved,
    /// An agent, or a supervisor, ended it.
    Terminated,
    /// An agent opened it again and has it now.
    Reopened,
    /// An agent gave it back to the chatbot.
    Released,
    /// It waited for an agent, and an author of the chatbot gave it back.
    ReturnedToBot,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveOutcome {
    pub state: ParticipantState,
    /// The owner changed: earlier decisions of plugins are dropped (DESIGN 3, rule 6).
    pub control_changed: bool,
    /// `assignedTo` moves to `lastAssignedAgent`.
    pub releases_agent: bool,
    /// It ended without an agent ever having had this episode.
    pub missed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MoveRefused {
    /// Closed chats take no other move than a new message or an opening.
    #[error("the chat is closed; it can only be opened")]
    Closed,
    #[error("the chat is open already")]
    NotClosed,
    #[error("the chat has no agent; assign it first")]
    NoAgent,
    #[error("the chat is not with the chatbot")]
    NotWithBot,
    #[error("the chat does not wait for an agent")]
    NotWaiting,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParticipantFlags {
    pub conversation_closed: bool,
    pub chat_bot_conversation: bool,
    /// `conversationStatus` of SPEC 6.5: `ACTIVE` until the chat is closed, with any owner.
    pub conversation_status: &'static str,
}

impl ParticipantState {
    pub fn first(bot: bool) -> Self {
        if bot { Self::Bot } else { Self::Queued }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bot => "BOT",
            Self::Queued => "QUEUED",
            Self::Active => "ACTIVE",
            Self::Closed => "CLOSED",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Bot, Self::Queued, Self::Active, Self::Closed].into_iter().find(|state| state.as_str() == name)
    }

    pub fn flags(self) -> ParticipantFlags {
        ParticipantFlags {
            conversation_closed: self == Self::Closed,
            chat_bot_conversation: self == Self::Bot,
            conversation_status: match self {
                Self::Bot | Self::Queued | Self::Active => "ACTIVE",
                Self::Closed => "CLOSED",
            },
        }
    }

    /// The only way from one state to another.
    pub fn apply(self, step: ParticipantMove) -> Result<MoveOutcome, MoveRefused> {
        use ParticipantMove as Step;
        let to = match (self, step) {
            (Self::Closed, Step::CustomerWrote { bot }) => Self::first(bot),
            (state, Step::CustomerWrote { .. }) => state,
            (Self::Closed, Step::Reopened) => Self::Active,
            (_, Step::Reopened) => return Err(MoveRefused::NotClosed),
            (Self::Closed, _) => return Err(MoveRefused::Closed),
            (Self::Bot, Step::HandedOver | Step::BotFailed) => Self::Queued,
            (Self::Bot, Step::ClosedByBot) => Self::Closed,
            (_, Step::HandedOver | Step::BotFailed | Step::ClosedByBot) => return Err(MoveRefused::NotWithBot),
            (_, Step::Assigned) => Self::Active,
            (_, Step::Transferred) => Self::Queued,
            (Self::Active, Step::Resolved) => Self::Closed,
            (_, Step::Resolved) => return Err(MoveRefused::NoAgent),
            (_, Step::Terminated) => Self::Closed,
            (Self::Active, Step::Released) => Self::Bot,
            (_, Step::Released) => return Err(MoveRefused::NoAgent),
            (Self::Queued, Step::ReturnedToBot) => Self::Bot,
            (_, Step::ReturnedToBot) => return Err(MoveRefused::NotWaiting),
        };
        let written = matches!(step, Step::CustomerWrote { .. });
        Ok(MoveOutcome {
            state: to,
            control_changed: !written || to != self,
            releases_agent: self == Self::Active && to != Self::Active,
            missed: self == Self::Queued && to == Self::Closed,
        })
    }
}
