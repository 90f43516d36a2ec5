//! Live events for agents (CONTRACT 7) and their audience. They name chats and messages, and quote neither.

mod audience;

use serde::{Deserialize, Serialize};

pub use audience::{Audience, Viewer};

use crate::{
    change::ChangeKind,
    chat::{ParticipantState, Rating},
    delivery::DeliveryState,
    event::{self, Event, Speaker, TicketStatus},
    ids::{ChatMessageId, NoteId, ParticipantId, TeamId, UserId},
};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiveEvent {
    pub chat: ParticipantId,
    pub what: LiveKind,
    /// The owner of the chat at that time, and the one before: both get the event, even if another agent owns it by then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hands: Vec<ChatOwner>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ChatOwner {
    pub state: ParticipantState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<UserId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team: Option<TeamId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum LiveKind {
    MessageReceived {
        message: ChatMessageId,
    },
    MessageSent {
        message: ChatMessageId,
        /// The agent; absent when it was the chatbot.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<UserId>,
    },
    MessageEdited {
        message: ChatMessageId,
    },
    MessageDeleted {
        message: ChatMessageId,
    },
    MessageStatus {
        message: ChatMessageId,
        status: DeliveryState,
    },
    ChatOpened {
        again: bool,
    },
    ChatChanged {
        from: ParticipantState,
        to: ParticipantState,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    ChatClosed {
        from: ParticipantState,
        missed: bool,
    },
    ChatMissed,
    ChatAfterHours,
    /// Other tags of the chat, or other facts of its customer.
    ChatUpdated,
    CustomerTypes,
    NoteWritten {
        note: NoteId,
        author: UserId,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        mentions: Vec<UserId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        whisper_to: Option<UserId>,
    },
    ViewersChanged,
    ChatRated {
        message: ChatMessageId,
        rating: Rating,
    },
    TicketChanged {
        number: i64,
        /// The status before; absent when it is new.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<TicketStatus>,
        to: TicketStatus,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        agent: Option<UserId>,
    },
}

impl LiveKind {
    pub fn name(&self) -> &'static str {
        match self {
            Self::MessageReceived { .. } => "message.received",
            Self::MessageSent { .. } => "message.sent",
            Self::MessageEdited { .. } => "message.edited",
            Self::MessageDeleted { .. } => "message.deleted",
            Self::MessageStatus { .. } => "message.status",
            Self::ChatOpened { .. } => "chat.opened",
            Self::ChatChanged { .. } => "chat.changed",
            Self::ChatClosed { .. } => "chat.closed",
            Self::ChatMissed => "chat.missed",
            Self::ChatAfterHours => "chat.after-hours",
            Self::ChatUpdated => "chat.updated",
            Self::CustomerTypes => "customer.typing",
            Self::NoteWritten { .. } => "note.written",
            Self::ViewersChanged => "chat.viewers",
            Self::ChatRated { .. } => "chat.rated",
            Self::TicketChanged { .. } => "ticket.changed",
        }
    }

    pub fn message(&self) -> Option<ChatMessageId> {
        match self {
            Self::MessageReceived { message }
            | Self::MessageSent { message, .. }
            | Self::MessageEdited { message }
            | Self::MessageDeleted { message }
            | Self::MessageStatus { message, .. }
            | Self::ChatRated { message, .. } => Some(*message),
            Self::ChatOpened { .. }
            | Self::ChatChanged { .. }
            | Self::ChatClosed { .. }
            | Self::ChatMissed
            | Self::ChatAfterHours
            | Self::ChatUpdated
            | Self::CustomerTypes
            | Self::NoteWritten { .. }
            | Self::ViewersChanged
            | Self::TicketChanged { .. } => None,
        }
    }

    pub fn agent(&self) -> Option<UserId> {
        match self {
            Self::MessageSent { agent, .. } | Self::TicketChanged { agent, .. } => *agent,
            _ => None,
        }
    }

    pub fn note(&self) -> Option<NoteId> {
        match self {
            Self::NoteWritten { note, .. } => Some(*note),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveMeaning {
    Events(Vec<LiveEvent>),
    Step(ChatMessageId, DeliveryState),
    Nothing,
}

pub fn meaning_of(event: &Event) -> LiveMeaning {
    match event {
        Event::MessageCame(came) => one(of_chat(&came.chat, LiveKind::MessageReceived { message: came.message })),
        Event::MessageSaid(said) => {
            let agent = match said.by {
                Speaker::Agent(agent) => Some(agent),
                Speaker::Bot | Speaker::Elsewhere => None,
            };
            let sent =
                |message: &ChatMessageId| of_chat(&said.chat, LiveKind::MessageSent { message: *message, agent });
            LiveMeaning::Events(std::iter::once(&said.message).chain(&said.rest).map(sent).collect())
        }
        Event::MessageChanged(changed) => {
            let message = changed.message;
            let what = match changed.kind {
                ChangeKind::Edited => LiveKind::MessageEdited { message },
                ChangeKind::Deleted => LiveKind::MessageDeleted { message },
            };
            one(of_chat(&changed.chat, what))
        }
        // Messages from the send endpoints are in no chat.
        Event::MessageMoved(moved) => match moved.chat_message {
            Some(message) => LiveMeaning::Step(message, moved.state),
            None => LiveMeaning::Nothing,
        },
        Event::ChatOpened(opened) => one(LiveEvent {
            chat: opened.participant,
            what: LiveKind::ChatOpened { again: opened.again },
            hands: Vec::new(),
        }),
        Event::ChatChangedHands(changed) => {
            let what = LiveKind::ChatChanged { from: changed.from, to: changed.to, reason: changed.reason.clone() };
            let now = ChatOwner { state: changed.to, agent: changed.agent, team: changed.team_id };
            let before = ChatOwner { state: changed.from, agent: changed.previous_agent, team: changed.previous_team };
            one(LiveEvent { chat: changed.participant, what, hands: vec![now, before] })
        }
        Event::ChatClosed(closed) => {
            let what = LiveKind::ChatClosed { from: closed.from, missed: closed.missed };
            let before = ChatOwner { state: closed.from, agent: closed.agent, team: None };
            one(LiveEvent { chat: closed.participant, what, hands: vec![before] })
        }
        Event::ChatMissed(missed) => {
            let now = ChatOwner { state: missed.state, agent: missed.agent, team: None };
            one(LiveEvent { chat: missed.participant, what: LiveKind::ChatMissed, hands: vec![now] })
        }
        Event::ChatAfterHours(flagged) => {
            let now = ChatOwner { state: ParticipantState::Queued, agent: None, team: Some(flagged.team) };
            one(LiveEvent { chat: flagged.participant, what: LiveKind::ChatAfterHours, hands: vec![now] })
        }
        Event::CustomerTypes(types) => {
            one(LiveEvent { chat: types.participant, what: LiveKind::CustomerTypes, hands: Vec::new() })
        }
        Event::NoteWritten(written) => one(LiveEvent {
            chat: written.participant,
            what: LiveKind::NoteWritten {
                note: written.note,
                author: written.author,
                mentions: written.mentions.clone(),
                whisper_to: written.whisper_to,
            },
            hands: Vec::new(),
        }),
        Event::ChatViewed(viewed) => {
            one(LiveEvent { chat: viewed.participant, what: LiveKind::ViewersChanged, hands: Vec::new() })
        }
        Event::ChatRated(rated) => one(LiveEvent {
            chat: rated.participant,
            what: LiveKind::ChatRated { message: rated.message, rating: rated.rating },
            hands: Vec::new(),
        }),
        Event::TicketMoved(moved) => {
            let what =
                LiveKind::TicketChanged { number: moved.number, from: moved.from, to: moved.to, agent: moved.agent };
            one(LiveEvent { chat: moved.participant, what, hands: Vec::new() })
        }
        Event::TemplateChanged(_)
        | Event::CustomerNumberChanged(_)
        | Event::InboxQualityChanged(_)
        | Event::PreferenceChanged(_)
        | Event::PluginSwapped(_)
        | Event::PluginSuspended(_)
        | Event::SessionChanged(_)
        | Event::WebhookDisabled(_) => LiveMeaning::Nothing,
    }
}

fn one(event: LiveEvent) -> LiveMeaning {
    LiveMeaning::Events(vec![event])
}

fn of_chat(chat: &event::EventChat, what: LiveKind) -> LiveEvent {
    let agent = chat.agent.as_ref().map(|agent| agent.id);
    let hands = ChatOwner { state: chat.state, agent, team: chat.team_id };
    LiveEvent { chat: chat.participant, what, hands: vec![hands] }
}
