use domain::{
    chat::{ParticipantMove, ParticipantState},
    event::Event,
    ids::ClientId,
};
use plugin_host::KeyValueWrite;
use storage::{
    PgConnection,
    chat::{
        participant_events,
        participants::{self, Participant},
        routing_decisions::{self, RoutingDecision},
    },
};
use uuid::Uuid;

use super::{
    decision::{Decision, RoutingTarget},
    question::RoutingCase,
};
use crate::conversation::{
    assignment::{self, NewAgent},
    event_facts, site_team, waiting_events,
};
use base::{Context, Result, lanes::Lease};
use events::{NewEvent, record};
use plugins::calls::{self, AnsweringVersion, FinishedCall, key_values};

#[derive(Default)]
pub(super) struct RoutingValues {
    pub(super) reads: key_values::Reads,
    pub(super) writes: Vec<KeyValueWrite>,
}

pub(super) enum RoutingOutcome {
    Done,
    /// The chat changed hands. Nothing was applied.
    Overtaken,
    /// A key-value that the call read has changed. Nothing was applied, and the call must be repeated.
    ReadsChanged,
    /// The key-values would exceed their limit. Nothing was applied.
    TooMuch(String, Box<FinishedCall>),
}

/// A decision, and the router that was asked last.
pub(super) struct RouterDecision<'a> {
    pub(super) router: &'a AnsweringVersion,
    pub(super) decision: Decision,
}

pub(super) async fn apply(
    ctx: &Context,
    lease: &Lease,
    case: &RoutingCase,
    RouterDecision { router, decision }: RouterDecision<'_>,
    call: Option<(FinishedCall, RoutingValues)>,
) -> Result<RoutingOutcome> {
    let client = lease.client;
    let mut tx = ctx.db.begin().await?;
    lease.hold(&mut tx).await?;
    let seen = &case.participant;
    let locked = participants::lock(&mut tx, client, seen.id).await?;
    let same = |now: &Participant| now.state == ParticipantState::Bot && now.control_version == seen.control_version;
    let Some(mut participant) = locked.filter(same) else { return Ok(RoutingOutcome::Overtaken) };
    let mut kept = None;
    if let Some((made, values)) = call {
        let owner = key_values::ValueOwner { client, plugin: router.name(), participant: seen.id };
        match key_values::write(&mut tx, owner, &values.reads, &values.writes, &ctx.settings).await? {
            key_values::WriteOutcome::Written => {}
            key_values::WriteOutcome::ReadsChanged => {
                tx.rollback().await?;
                let mut db = ctx.db.acquire().await?;
                calls::store_shadow_call(ctx, &mut db, client, made).await?;
                return Ok(RoutingOutcome::ReadsChanged);
            }
            key_values::WriteOutcome::TooMuch(reason) => {
                tx.rollback().await?;
                return Ok(RoutingOutcome::TooMuch(reason, Box::new(made)));
            }
        }
        kept = Some(calls::keep(ctx, &mut tx, client, vec![made]).await?);
    }
    let (decision, ticket) = resolve_agent(ctx, &mut tx, client, &mut participant, decision).await?;
    move_chat(&mut participant, &decision);
    site_team::name(&mut tx, client, &mut participant).await?;
    participants::save(&mut tx, client, &participant).await?;
    let wakes = record(ctx, &mut tx, client, &changed_hands(ctx, case, &participant, ticket)).await?;
    match participant.state {
        // The chatbot gets the waiting events.
        ParticipantState::Bot => {
            participant_events::remove(&mut tx, client, case.event.id).await?;
        }
        // People see the messages in the chat.
        ParticipantState::Queued | ParticipantState::Active | ParticipantState::Closed => {
            waiting_events::remove_all(ctx, &mut tx, client, participant.id).await?;
        }
    }
    routing_decisions::insert(&mut tx, client, &row(ctx, case, router, decision)).await?;
    tx.commit().await?;
    ctx.wake.wake_all(client, wakes);
    if let Some(kept) = kept {
        kept.compare(ctx, client);
    }
    Ok(RoutingOutcome::Done)
}

async fn resolve_agent(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    chat: &mut Participant,
    decision: Decision,
) -> Result<(Decision, Option<Event>)> {
    let RoutingTarget::Agent(agent) = decision.goes else { return Ok((decision, None)) };
    let to = NewAgent { agent, step: ParticipantMove::Assigned };
    match assignment::give(ctx, db, client, chat, to).await? {
        Ok(ticket) => Ok((decision, ticket)),
        Err(not_given) => Ok((decision.queued_because(&not_given.to_string()), None)),
    }
}

fn changed_hands(ctx: &Context, case: &RoutingCase, now: &Participant, ticket: Option<Event>) -> Vec<NewEvent> {
    let had = &case.participant;
    if (now.state, &now.bot_plugin) == (had.state, &had.bot_plugin) {
        return Vec::new();
    }
    let order_key = event_facts::order_key(now.inbox, &case.customer);
    let event = |event| NewEvent { inbox: Some(now.inbox), order_key, at: ctx.now(), event };
    [event_facts::moved_event(had, now)].into_iter().chain(ticket).map(event).collect()
}

/// Moves the chat. From `Bot` all these moves are allowed.
fn move_chat(participant: &mut Participant, decision: &Decision) {
    let words = || Some(decision.note.clone().unwrap_or_else(|| decision.reason.clone()));
    match &decision.goes {
        RoutingTarget::Bot(name) => participant.bot_plugin.clone_from(name),
        RoutingTarget::Team(team) => {
            if participant.apply(ParticipantMove::HandedOver).is_ok() {
                participant.team = Some(team.clone());
                participant.queued_reason = words();
            }
        }
        // The agent has it already.
        RoutingTarget::Agent(_) => participant.queued_reason = words(),
        RoutingTarget::Queue => {
            if participant.apply(ParticipantMove::HandedOver).is_ok() {
                participant.queued_reason = words();
            }
        }
    }
}

fn row(ctx: &Context, case: &RoutingCase, router: &AnsweringVersion, decision: Decision) -> RoutingDecision {
    let (target, target_name) = decision.goes.words();
    RoutingDecision {
        id: ctx.mint::<Uuid>(),
        participant: case.participant.id,
        inbox: case.inbox.id,
        plugin: router.name().to_owned(),
        version: router.version(),
        target: target.to_owned(),
        target_name,
        reason: decision.reason,
        fallback: decision.fallback,
    }
}
