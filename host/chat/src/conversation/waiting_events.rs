use base::{Context, Result, lanes::Lease};
use domain::{chat::ParticipantState, ids::ParticipantId};
use storage::chat::{
    participant_events::{self, WaitingEvent},
    participants,
};

/// Drops the events for the chatbot, unless the chatbot has the chat again.
pub(crate) async fn drop_events(ctx: &Context, lease: &Lease, id: ParticipantId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let participant = participants::lock(&mut tx, lease.client, id).await?;
    if participant.is_none_or(|participant| participant.state != ParticipantState::Bot) {
        participant_events::remove_all(&mut tx, lease.client, id).await?;
    }
    tx.commit().await?;
    Ok(())
}

pub(crate) async fn drop_event(ctx: &Context, lease: &Lease, id: ParticipantId, event: &WaitingEvent) -> Result<()> {
    tracing::warn!(participant.id = %id, "dropped an event whose message does not exist any more");
    remove_event(ctx, lease, event).await
}

pub(crate) async fn remove_event(ctx: &Context, lease: &Lease, event: &WaitingEvent) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    participant_events::remove(&mut tx, lease.client, event.id).await?;
    tx.commit().await?;
    Ok(())
}
