//! Chats and tickets.

use serde::{Deserialize, Serialize};

use crate::{
    address::Address,
    address_kind::AddressKind,
    chat::{ParticipantState, Rating},
    ids::{ChatMessageId, CustomerId, ParticipantId, TeamId, UserId},
};

/// A chat as it stood when something was written in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventChat {
    /// Its participant.
    pub participant: ParticipantId,
    /// Its owner before.
    pub state: ParticipantState,
    /// It had ended without an agent.
    pub missed: bool,
    /// The client's name for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_ref: Option<String>,
    /// The agent that had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<EventAgent>,
    /// The agent before that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_agent: Option<EventAgent>,
    /// The name of the team that it waited for or belonged to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// That team. Absent in events from the time when teams were names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
}

/// An agent, as customers of the API see one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventAgent {
    /// The user.
    pub id: UserId,
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A customer as it was known then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventCustomer {
    /// Id of the customer.
    pub id: CustomerId,
    /// Display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Display-only username.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// The address of each kind that is shown.
    pub addresses: Vec<Address>,
}

impl EventCustomer {
    /// Returns the id of a customer without a phone number: the BSUID, else the id on a page, a site or a Lite number.
    pub fn user_id(&self) -> Option<&str> {
        AddressKind::USER_IDS.into_iter().find_map(|kind| self.address(kind))
    }

    /// The address of a kind, if one is known.
    pub fn address(&self, kind: AddressKind) -> Option<&str> {
        self.addresses.iter().find_map(|address| address.as_kind(kind))
    }
}

/// A conversation began, or began again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatOpened {
    /// The chat.
    pub participant: ParticipantId,
    /// Its owner.
    pub state: ParticipantState,
    /// It had been closed before.
    pub again: bool,
    /// The message that began it; absent when an agent opened it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<ChatMessageId>,
}

/// The chat has another owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatChangedHands {
    /// The chat.
    pub participant: ParticipantId,
    /// The owner before.
    pub from: ParticipantState,
    /// The owner now.
    pub to: ParticipantState,
    /// The chatbot that a router chose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<String>,
    /// The agent that has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<UserId>,
    /// The name of the team that it waits for or belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<String>,
    /// That team.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    /// Why, in words for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The agent that had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_agent: Option<UserId>,
    /// The team that it waited for or belonged to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_team: Option<TeamId>,
}

impl ChatChangedHands {
    /// The chat was given to an agent or team that did not have it: an assignment event of SPEC 6.5. A chat that only
    /// left an agent, for the queue or for its chatbot, was not assigned.
    pub fn assignment(&self) -> Option<AssignmentEffects> {
        let team = self.team_id.is_some() && self.team_id != self.previous_team;
        let agent = self.agent.is_some() && self.agent != self.previous_agent;
        (team || agent).then_some(AssignmentEffects { to_another_team: team && self.previous_team.is_some() })
    }
}

/// The effects of an assignment other than the new owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AssignmentEffects {
    /// `routedToAnotherTeam`: a team had the chat, and another one has it now.
    pub to_another_team: bool,
}

/// A conversation ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatClosed {
    /// The chat.
    pub participant: ParticipantId,
    /// The owner before.
    pub from: ParticipantState,
    /// The agent that had it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<UserId>,
    /// It ended without an agent.
    pub missed: bool,
}

/// No agent answered in time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatMissed {
    /// The chat.
    pub participant: ParticipantId,
    /// Its owner.
    pub state: ParticipantState,
    /// The agent that has it and did not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<UserId>,
}

/// A chat came to wait for a team outside its hours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatAfterHours {
    /// The chat.
    pub participant: ParticipantId,
    /// The team.
    pub team: TeamId,
}

/// The customer of a chat is writing, at this moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CustomerTypes {
    /// The chat.
    pub participant: ParticipantId,
}

/// The customer rated a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatRated {
    /// The chat.
    pub participant: ParticipantId,
    /// The message that is the rating.
    pub message: ChatMessageId,
    /// How it was.
    pub rating: Rating,
}

/// A ticket has another status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketMoved {
    /// Its number; counts up per client.
    pub number: i64,
    /// The chat that it is about.
    pub participant: ParticipantId,
    /// The status before; absent when the ticket is new.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<TicketStatus>,
    /// The status now.
    pub to: TicketStatus,
    /// The agent that works on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<UserId>,
}

/// Where a ticket stands (SPEC 2.9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TicketStatus {
    /// Being worked on.
    Open,
    /// The customer waits for an agent.
    AwaitingAgent,
    /// The agent waits for the customer.
    AwaitingCustomer,
    /// Solved, and still at hand.
    Resolved,
    /// Put away.
    Closed,
}
