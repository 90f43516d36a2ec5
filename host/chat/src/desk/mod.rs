//! The work of agents (SPEC 3.4, 4.2): lists of chats, assignment, messages and tickets. Each call acts for a user of
//! the client. Chats of other clients count as not found.

pub mod canned_replies;
mod customer;
pub mod figures;
mod lists;
mod message_draft;
mod message_reference;
mod messages;
mod moves;
pub mod notes;
mod original_content;
mod presence;
mod rating_question;
mod send_message;
mod template;
pub mod tickets;
mod uploads;
mod view;
pub mod viewers;

use base::Error;
use domain::{
    body::FieldFault,
    chat::{MoveRefused, ParticipantState},
    ids::{ClientId, ParticipantId, UserId},
    privacy::CustomerVisibility,
};
use storage::{
    PgConnection,
    chat::participants::{self, Participant},
    tenancy::users::Role,
};

pub use customer::{CustomerPanel, customer};
pub use lists::{counts, list, one};
pub use message_draft::{DraftContent, DraftRequest, MessageDraft};
pub use messages::{MOST_AT_ONCE, MessageView, by_ct_id, find_tracked, past};
pub use moves::{
    ChatHolder, ChatPatch, NewHolder, assign, assign_from, open, release, resolve, return_to_bot, terminate,
    terminate_whole,
};
pub use original_content::{OriginalContent, original};
pub use presence::{PresenceResult, read, typing};
pub use send_message::{check_send, send_message};
pub use storage::chat::last_messages::LastMessage;
pub use storage::chat::lists::{ShownAgent, ShownCustomer};
pub use storage::chat::versions::MessageVersion;
pub use template::TemplateRequest;
pub use uploads::{AgentUpload, AgentUploadRefused, upload};
pub use view::{ChatView, ctn};

use crate::{conversation::assignment::GivingRefused, custom_events::RaiseError};

#[derive(Debug, Clone, Copy)]
pub struct ActingUser {
    pub client: ClientId,
    pub user: UserId,
    pub role: Role,
    /// How it sees customers. Searches cover only the visible data.
    pub sight: CustomerVisibility,
}

#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// Not found, or owned by another client.
    #[error("there is no object with this name or id")]
    NotFound,
    #[error("the request is not valid")]
    Faults(Vec<FieldFault>),
    /// Not possible in the present state of the chat or the agent.
    #[error("{0}")]
    Conflict(String),
    #[error("{0}")]
    Forbidden(String),
    #[error(transparent)]
    Failed(#[from] Error),
}

impl DeskError {
    fn fault(field: &str, said: impl Into<String>) -> Self {
        Self::Faults(vec![FieldFault::new(field, said)])
    }
}

base::fails_with!(DeskError: storage::Error);

impl From<MoveRefused> for DeskError {
    fn from(refused: MoveRefused) -> Self {
        Self::Conflict(refused.to_string())
    }
}

/// Of a search for the chat of a customer.
impl From<RaiseError> for DeskError {
    fn from(refused: RaiseError) -> Self {
        match refused {
            RaiseError::NotFound => Self::NotFound,
            RaiseError::Faults(faults) => Self::Faults(faults),
            RaiseError::NotTheBots(_) | RaiseError::TooMany | RaiseError::Behind => Self::Conflict(refused.to_string()),
            RaiseError::Failed(error) => Self::Failed(error),
        }
    }
}

impl From<GivingRefused> for DeskError {
    fn from(not_given: GivingRefused) -> Self {
        match not_given {
            GivingRefused::UnknownUser => Self::fault("agentId", "is not the id of one of your users"),
            GivingRefused::NoAgent(_) => Self::fault("agentId", not_given.to_string()),
            GivingRefused::Full { .. } | GivingRefused::Refused(_) => Self::Conflict(not_given.to_string()),
        }
    }
}

/// Locks a chat until the transaction ends. The id of a merged chat finds the chat that it became.
async fn lock_chat(db: &mut PgConnection, client: ClientId, id: ParticipantId) -> Result<Participant, DeskError> {
    let now = participants::find(db, client, id).await?.ok_or(DeskError::NotFound)?;
    let locked = participants::lock(db, client, now.id).await?.ok_or(DeskError::NotFound)?;
    if locked.state != ParticipantState::Closed {
        return Ok(locked);
    }
    // It may have been merged while this waited for the lock.
    let now = participants::find(db, client, locked.id).await?.ok_or(DeskError::NotFound)?;
    match now.id == locked.id {
        true => Ok(locked),
        false => participants::lock(db, client, now.id).await?.ok_or(DeskError::NotFound),
    }
}

/// Refuses an agent in the chat of another agent. Other roles may act there.
async fn own_or_free(db: &mut PgConnection, acting: ActingUser, chat: &Participant) -> Result<(), DeskError> {
    match chat.assigned_agent {
        Some(agent) if chat.state == ParticipantState::Active && agent != acting.user && acting.role == Role::Agent => {
            Err(taken_error(db, acting.client, agent).await?)
        }
        Some(_) | None => Ok(()),
    }
}

async fn taken_error(db: &mut PgConnection, client: ClientId, agent: UserId) -> Result<DeskError, DeskError> {
    let names = participants::agent_names(db, client, &[agent]).await?;
    let name = names.get(&agent).map_or("another agent", String::as_str);
    Ok(DeskError::Conflict(format!("{name} has this chat")))
}
