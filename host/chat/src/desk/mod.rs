//! The work of agents (SPEC 3.4, 4.2): lists of chats, assignment, messages and tickets. Each call acts for a user of
//! the client. Chats of other clients count as not found.

mod asking;
mod lists;
mod messages;
mod moves;
mod naming;
mod original;
mod presence;
mod said;
mod speaking;
pub mod tickets;
mod uploads;
mod view;

use base::Error;
use domain::{
    body::FieldFault,
    chat::{MoveRefused, ParticipantState},
    ids::{ClientId, ParticipantId, UserId},
    privacy::Sight,
};
use storage::{
    PgConnection,
    chat::participants::{self, Participant},
    tenancy::users::Role,
};

pub use lists::{list, one};
pub use messages::{MOST_AT_ONCE, MessageView, by_ct_id, past, tracked};
pub use moves::{To, Whole, assign, open, release, resolve, terminate, terminate_whole};
pub use original::{Original, original};
pub use presence::{Shown, read, typing};
pub use said::{Said, What, Written};
pub use speaking::{could_speak, speak};
pub use storage::chat::lists::{ShownAgent, ShownCustomer};
pub use storage::chat::versions::Version;
pub use uploads::{UploadRefused, Uploaded, upload};
pub use view::{ChatView, ctn};

use crate::conversation::giving::NotGiven;

/// The user on whose behalf a call acts.
#[derive(Debug, Clone, Copy)]
pub struct Acting {
    pub client: ClientId,
    pub user: UserId,
    pub role: Role,
    /// How it sees customers. Searches cover only the visible data.
    pub sight: Sight,
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
    /// The caller's role may not do this.
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

impl From<NotGiven> for DeskError {
    fn from(not_given: NotGiven) -> Self {
        match not_given {
            NotGiven::Nobody => Self::fault("agentId", "is not the id of one of your users"),
            NotGiven::NoAgent(_) => Self::fault("agentId", not_given.to_string()),
            NotGiven::Full { .. } | NotGiven::Refused(_) => Self::Conflict(not_given.to_string()),
        }
    }
}

/// Locks a chat until the transaction ends. The id of a merged chat finds the chat that it became.
async fn locked(db: &mut PgConnection, client: ClientId, id: ParticipantId) -> Result<Participant, DeskError> {
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
async fn own_or_free(db: &mut PgConnection, acting: Acting, chat: &Participant) -> Result<(), DeskError> {
    match chat.assigned_agent {
        Some(agent) if chat.state == ParticipantState::Active && agent != acting.user && acting.role == Role::Agent => {
            Err(taken(db, acting.client, agent).await?)
        }
        Some(_) | None => Ok(()),
    }
}

/// The error that names the agent of a chat.
async fn taken(db: &mut PgConnection, client: ClientId, agent: UserId) -> Result<DeskError, DeskError> {
    let names = participants::agent_names(db, client, &[agent]).await?;
    let name = names.get(&agent).map_or("another agent", String::as_str);
    Ok(DeskError::Conflict(format!("{name} has this chat")))
}
