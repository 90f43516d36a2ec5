//! The lane of a participant: what happened in its chat and has not been dealt with, one thing after the other.

use base::{Context, Result, lanes::Lease};
use domain::{chat::ParticipantEventKind, ids::ParticipantId};
use storage::chat::participant_events::{self, Event};

use crate::{bot_turn, routing};

/// Works off the events of a participant until none is due.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    let participant = ParticipantId(lease.lane);
    while !lease.is_over() {
        let next = {
            let mut db = ctx.db.acquire().await?;
            participant_events::head(&mut db, lease.client, participant).await?
        };
        match next {
            Some(event) if event.due_at <= ctx.now() => match deal_with(ctx, lease, participant, &event).await {
                Ok(()) => {}
                Err(error) if error.is_outage() => return Err(error),
                Err(error) => bot_turn::turn_broke(ctx, lease, participant, &event, &error).await?,
            },
            Some(_) | None => return Ok(()),
        }
    }
    Ok(())
}

async fn deal_with(ctx: &Context, lease: &Lease, participant: ParticipantId, event: &Event) -> Result<()> {
    match event.event.kind() {
        ParticipantEventKind::Route => routing::decide(ctx, lease, participant, event).await,
        ParticipantEventKind::Started
        | ParticipantEventKind::Message
        | ParticipantEventKind::Rating
        | ParticipantEventKind::Timer
        | ParticipantEventKind::Custom
        | ParticipantEventKind::Released => bot_turn::turn(ctx, lease, participant, event).await,
    }
}
