use serde::{Deserialize, Serialize};

use crate::{
    address::Address,
    address_kind::AddressKind,
    chat::{ParticipantState, Rating},
    ids::{ChatMessageId, CustomerId, NoteId, ParticipantId, TeamId, UserId},
};

/// A chat as it stood when something was written in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventChat {
    pub participant: ParticipantId,
    pub state: ParticipantState,
    /// It had ended without an agent.
    pub missed: bool,
    /// The client's name for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_ref: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<EventAgent>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_agent: Option<EventAgent>,
    /// The name of the team that it waited for or belonged to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// That team. Absent in events from the time when teams were names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventAgent {
    pub id: UserId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A customer as it was known then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCustomer {
    pub id: CustomerId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The address of each kind that is shown.
    pub addresses: Vec<Address>,
}

impl EventCustomer {
    pub fn user_id(&self) -> Option<&str> {
        AddressKind::USER_IDS.into_iter().find_map(|kind| self.address(kind))
    }

    pub fn address(&self, kind: AddressKind) -> Option<&str> {
        self.addresses.iter().find_map(|address| address.as_kind(kind))
    }
}

/// A conversation began, or began again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatOpened {
    pub participant: ParticipantId,
    pub state: ParticipantState,
    pub again: bool,
    /// The message that began it; absent when an agent opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<ChatMessageId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatChangedHands {
    pub participant: ParticipantId,
    pub from: ParticipantState,
    pub to: ParticipantState,
    /// The chatbot that a router chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<UserId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_agent: Option<UserId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_team: Option<TeamId>,
}

impl ChatChangedHands {
    /// The chat was given to an agent or team that did not have it: an assignment event of SPEC 6.5.
    pub fn assignment(&self) -> Option<AssignmentEffects> {
        let team = self.team_id.is_some() && self.team_id != self.previous_team;
        let agent = self.agent.is_some() && self.agent != self.previous_agent;
        (team || agent).then_some(AssignmentEffects { to_another_team: team && self.previous_team.is_some() })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssignmentEffects {
    /// `routedToAnotherTeam`: a team had the chat, and another one has it now.
    pub to_another_team: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatClosed {
    pub participant: ParticipantId,
    pub from: ParticipantState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<UserId>,
    pub missed: bool,
}

/// No agent answered in time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMissed {
    pub participant: ParticipantId,
    pub state: ParticipantState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<UserId>,
}

/// A chat came to wait for a team outside its hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatAfterHours {
    pub participant: ParticipantId,
    pub team: TeamId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomerTypes {
    pub participant: ParticipantId,
}

/// A user wrote an internal note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NoteWritten {
    pub participant: ParticipantId,
    pub note: NoteId,
    pub author: UserId,
    /// Of a whisper: at most its agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<UserId>,
    /// The agent to whom the note is a whisper. Of the users with the role AGENT, only this agent and the author find it
    /// in the list of notes. `None`: a note for all users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whisper_to: Option<UserId>,
}

/// A user began or stopped to look at a chat, or to write in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatViewed {
    pub participant: ParticipantId,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatRated {
    pub participant: ParticipantId,
    pub message: ChatMessageId,
    pub rating: Rating,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketMoved {
    /// Its number; counts up per client.
    pub number: i64,
    pub participant: ParticipantId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<TicketStatus>,
    pub to: TicketStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<UserId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TicketStatus {
    Open,
    AwaitingAgent,
    AwaitingCustomer,
    Resolved,
    Closed,
}
