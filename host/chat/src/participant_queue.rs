//! The lane of a participant: works off the events of its chat, one at a time.

use std::time::Duration;

use base::{
    Context, Result,
    lanes::Lease,
    traces::{self, OpenSpan, SpanKind},
};
use domain::{
    chat::{ParticipantEvent, ParticipantEventKind},
    ids::ParticipantId,
};
use plugins::calls::FinishedCall;
use storage::chat::participant_events::{self, WaitingEvent};

use crate::{bot_turn, routing};

const PAUSE: Duration = Duration::from_secs(1);

pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    let participant = ParticipantId(lease.lane);
    let mut was_not_asked = None;
    while !lease.is_over() {
        let next = {
            let mut db = ctx.db.acquire().await?;
            participant_events::head(&mut db, lease.client, participant).await?
        };
        match next {
            Some(Err(unreadable)) if unreadable.due_at <= ctx.now() => {
                bot_turn::give_up_unreadable(ctx, lease, participant, &unreadable).await?;
            }
            Some(Ok(event)) if event.due_at <= ctx.now() => match deal_with(ctx, lease, participant, &event).await {
                Ok(None) => {}
                Ok(Some(made)) => {
                    // Logged and stored once per event. After that nothing is written while the chat waits.
                    if was_not_asked.replace(event.id) != Some(event.id) {
                        tracing::info!(participant.id = %participant, outcome = made.outcome(), "the host has no room for a call of a chatbot; it is called later");
                        bot_turn::keep(ctx, lease, *made).await?;
                    }
                    lease.pause(PAUSE).await;
                }
                Err(error) if error.is_outage() => return Err(error),
                Err(error) => bot_turn::handle_failed_turn(ctx, lease, participant, &event, &error).await?,
            },
            Some(_) | None => return Ok(()),
        }
    }
    Ok(())
}

async fn deal_with(
    ctx: &Context,
    lease: &Lease,
    participant: ParticipantId,
    event: &WaitingEvent,
) -> Result<Option<Box<FinishedCall>>> {
    let span = span(event);
    let made = traces::within(span.as_ref().map(OpenSpan::place), decide(ctx, lease, participant, event)).await;
    if let Some(span) = span {
        let name = if event.event.kind() == ParticipantEventKind::Route { "route" } else { "bot turn" };
        let span = span.of(lease.client).with("patchbay.participant.id", participant.0);
        span.with("patchbay.event.id", event.id.0).failed(made.is_err()).end(name);
    }
    made
}

/// A turn belongs to the trace of the message that it answers. Another event has a trace with its own id.
fn span(event: &WaitingEvent) -> Option<OpenSpan> {
    match &event.event {
        ParticipantEvent::Route(arrived)
        | ParticipantEvent::Started(arrived)
        | ParticipantEvent::Message(arrived)
        | ParticipantEvent::Rating(arrived) => traces::about(arrived.message.0, SpanKind::Consumer),
        ParticipantEvent::Timer(_)
        | ParticipantEvent::Custom(_)
        | ParticipantEvent::RequestEnded(_)
        | ParticipantEvent::Released => traces::first(event.id.0, SpanKind::Consumer),
    }
}

async fn decide(
    ctx: &Context,
    lease: &Lease,
    participant: ParticipantId,
    event: &WaitingEvent,
) -> Result<Option<Box<FinishedCall>>> {
    match event.event.kind() {
        ParticipantEventKind::Route => routing::decide(ctx, lease, participant, event).await.map(|()| None),
        ParticipantEventKind::Started
        | ParticipantEventKind::Message
        | ParticipantEventKind::Rating
        | ParticipantEventKind::Timer
        | ParticipantEventKind::Custom
        | ParticipantEventKind::Released => bot_turn::turn(ctx, lease, participant, event).await,
    }
}
