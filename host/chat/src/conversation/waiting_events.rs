use base::{Context, Result, lanes::Lease};
use domain::{
    chat::{ParticipantEvent, ParticipantState},
    ids::{ClientId, ParticipantId},
};
use storage::{
    PgConnection,
    chat::{
        participant_events::{self, UnheardEnd, WaitingEvent},
        participants,
    },
};

use crate::started_requests;

/// Drops the events for the chatbot, unless the chatbot has the chat again.
pub(crate) async fn drop_events(ctx: &Context, lease: &Lease, id: ParticipantId) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let participant = participants::lock(&mut tx, lease.client, id).await?;
    if participant.is_none_or(|participant| participant.state != ParticipantState::Bot) {
        remove_all(ctx, &mut tx, lease.client, id).await?;
    }
    tx.commit().await?;
    Ok(())
}

pub(crate) async fn drop_event(ctx: &Context, lease: &Lease, id: ParticipantId, event: &WaitingEvent) -> Result<()> {
    tracing::warn!(participant.id = %id, "dropped an event whose message does not exist any more");
    remove_event(ctx, lease, event).await
}

/// Drops an event of an earlier conversation or of another chatbot. The calls of its chatbot say so if it is the end of a
/// request.
pub(crate) async fn drop_stale(ctx: &Context, lease: &Lease, id: ParticipantId, event: &WaitingEvent) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let was_there = participant_events::remove(&mut tx, lease.client, event.id).await?;
    if let (true, ParticipantEvent::RequestEnded(ended)) = (was_there, &event.event) {
        started_requests::note_dropped(ctx, &mut tx, lease.client, id, &ended.plugin, &ended.job).await?;
    }
    tx.commit().await?;
    Ok(())
}

pub(crate) async fn remove_event(ctx: &Context, lease: &Lease, event: &WaitingEvent) -> Result<()> {
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    participant_events::remove(&mut tx, lease.client, event.id).await?;
    tx.commit().await?;
    Ok(())
}

/// Removes the events of a chat. The calls of chatbots say which ends of requests they do not get.
pub(crate) async fn remove_all(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    id: ParticipantId,
) -> Result<()> {
    for UnheardEnd { plugin, job } in participant_events::remove_all(db, client, id).await? {
        started_requests::note_dropped(ctx, db, client, id, &plugin, &job).await?;
    }
    Ok(())
}
