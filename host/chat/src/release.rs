//! An agent gives a chat back to its chatbot, which hears of it.

use base::{Context, Error};
use domain::{
    chat::{MoveRefused, ParticipantEvent, ParticipantMove},
    ids::{ClientId, ParticipantEventId, ParticipantId},
};
use events::{NewEvent, record};
use storage::{
    Queue,
    chat::{
        participant_events::{self, NewEvent as NewParticipantEvent},
        participants,
    },
    people::customers,
};

use crate::conversation::{as_event, in_charge};

/// Why a chat stays with people.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// There is no such chat.
    #[error("there is no such chat")]
    NotFound,
    /// It does not stand so that it could be given back.
    #[error(transparent)]
    Refused(#[from] MoveRefused),
    /// Nobody would answer.
    #[error("no chatbot is active on this inbox: nobody would answer")]
    NoChatbot,
    /// Nobody's fault.
    #[error(transparent)]
    Failed(#[from] Error),
}

impl From<storage::Error> for ReleaseError {
    fn from(error: storage::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl From<storage::SqlxError> for ReleaseError {
    fn from(error: storage::SqlxError) -> Self {
        Self::Failed(error.into())
    }
}

/// Gives a chat that an agent has to the chatbot of its inbox, and tells the chatbot so. Who may do it is the caller's business.
///
/// # Errors
/// See [`ReleaseError`]; nothing has changed then.
pub async fn release(ctx: &Context, client: ClientId, id: ParticipantId) -> Result<(), ReleaseError> {
    let mut tx = ctx.db.begin().await?;
    let id = participants::find(&mut tx, client, id).await?.ok_or(ReleaseError::NotFound)?.id;
    let mut chat = participants::lock(&mut tx, client, id).await?.ok_or(ReleaseError::NotFound)?;
    if in_charge::chatbot(ctx, &mut tx, client, &chat).await?.is_none() {
        return Err(ReleaseError::NoChatbot);
    }
    let had = chat.state;
    chat.apply(ParticipantMove::Released)?;
    chat.queued_reason = None;
    participants::save(&mut tx, client, &chat).await?;
    let told = NewParticipantEvent { id: ctx.mint::<ParticipantEventId>(), event: ParticipantEvent::Released };
    participant_events::append(&mut tx, client, chat.id, &[told], ctx.now()).await?;
    let mut wakes = vec![(Queue::Participant, chat.id.0)];
    if let Some(customer) = customers::find(&mut tx, client, chat.customer).await? {
        let event = NewEvent {
            inbox: Some(chat.inbox),
            order_key: as_event::order_key(chat.inbox, &customer),
            at: ctx.now(),
            event: as_event::moved(had, &chat),
        };
        wakes.extend(record(ctx, &mut tx, client, &[event]).await?);
    }
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    Ok(())
}
