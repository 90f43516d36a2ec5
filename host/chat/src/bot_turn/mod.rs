//! A turn of a chatbot: calls it for the next event of a participant and applies its answer.
//!
//! No transaction is open during the call. The answer is applied in one transaction, and only if the chat is still in
//! the same hands and each key-value that the plugin read is unchanged (DESIGN 3, rule 6). A failed turn is repeated,
//! and in the end the chat goes to people. If a canary fails, the live version makes the turn at once. If the host has
//! no room for the call, or the store of files fails, nothing is written and it does not count as a failure.

mod actions;
mod attachments;
mod attributes;
mod effects;
mod failure;
mod file_faults;
mod outcome;
mod presence;
mod question;
mod reactions;
mod templates;
mod turn_context;

use std::{sync::Arc, time::Duration};

use domain::ids::ParticipantId;
use storage::chat::participant_events::{UnreadableEvent, WaitingEvent};

pub(crate) use self::failure::keep;
use self::{
    actions::EffectPlan,
    attachments::StoredFiles,
    failure::{FailedTurn, TurnTrouble},
    outcome::TurnOutcome,
    turn_context::{Situation, TurnContext},
};
use crate::conversation::waiting_events;
use base::{Context, Error, Result, lanes::Lease};
use plugins::calls::{CallSubject, FinishedCall, key_values::ValueSnapshot};

/// Repetitions of a turn after conflicts of key-values. After that the turn fails.
const MOST_CONFLICTS: usize = 10;

/// Makes the turn for `event`. Afterwards it is done, or will be repeated when its event is due, or the chat changed
/// hands. Returns the call that the host could not make, if there is one; then the event stays.
pub(crate) async fn turn(
    ctx: &Context,
    lease: &Lease,
    participant: ParticipantId,
    event: &WaitingEvent,
) -> Result<Option<Box<FinishedCall>>> {
    let trouble = match turn_context::load(ctx, lease.client, participant, event).await? {
        Situation::NotTheBots => return waiting_events::drop_events(ctx, lease, participant).await.map(|()| None),
        Situation::Nothing => return waiting_events::drop_event(ctx, lease, participant, event).await.map(|()| None),
        Situation::Stale => return waiting_events::drop_stale(ctx, lease, participant, event).await.map(|()| None),
        Situation::NoBot => TurnTrouble::NoBot,
        Situation::Endless => TurnTrouble::EndlessAnswers,
        Situation::Ready(scene) => match ask_all(ctx, lease, *scene, event).await? {
            TurnOutcome::Over | TurnOutcome::Lost | TurnOutcome::ReadsChanged => return Ok(None),
            TurnOutcome::NotAsked(made) => return Ok(Some(made)),
            TurnOutcome::OfCanary => return waiting_events::remove_event(ctx, lease, event).await.map(|()| None),
            TurnOutcome::Failed(trouble) => *trouble,
        },
    };
    let failed = FailedTurn { chat: participant, event: event.id, attempts: event.attempts };
    failure::give_to_people(ctx, lease, failed, trouble).await?;
    Ok(None)
}

async fn ask_all(ctx: &Context, lease: &Lease, mut scene: TurnContext, event: &WaitingEvent) -> Result<TurnOutcome> {
    loop {
        let trouble = match ask(ctx, lease, &scene, event).await? {
            TurnOutcome::Failed(trouble) if scene.answering.is_canary() => *trouble,
            outcome => return Ok(outcome),
        };
        let is_for_live = scene.live_version.as_ref().is_none_or(|live| event.event.is_for(live.name()));
        let consequence = match is_for_live {
            true => "the live version is asked",
            false => "the event is dropped, because the live version is another plugin",
        };
        let reason = failure::keep_on_trial(ctx, lease, scene.participant.id, trouble, consequence).await?;
        match scene.live_version.take() {
            Some(_) if !is_for_live => return Ok(TurnOutcome::OfCanary),
            Some(live) => scene.answering = live,
            None => return Ok(TurnOutcome::from_trouble(TurnTrouble::NoLiveVersion(reason))),
        }
    }
}

async fn ask(ctx: &Context, lease: &Lease, scene: &TurnContext, event: &WaitingEvent) -> Result<TurnOutcome> {
    for _ in 0..MOST_CONFLICTS {
        match run(ctx, lease, scene, event).await? {
            TurnOutcome::ReadsChanged => {
                let participant = scene.participant.id;
                tracing::debug!(participant.id = %participant, "key-values changed during a turn; it is repeated");
            }
            outcome => return Ok(outcome),
        }
    }
    Ok(TurnOutcome::from_trouble(TurnTrouble::Conflicts(scene.plugin().to_owned())))
}

/// A turn failed because of the host. It is repeated, and in the end people take over.
pub(crate) async fn handle_failed_turn(
    ctx: &Context,
    lease: &Lease,
    participant: ParticipantId,
    event: &WaitingEvent,
    error: &Error,
) -> Result<()> {
    let trouble = TurnTrouble::Broken(error.to_string());
    let failed = FailedTurn { chat: participant, event: event.id, attempts: event.attempts };
    failure::give_to_people(ctx, lease, failed, trouble).await
}

/// Nothing is known of the event, so people take over at once.
pub(crate) async fn give_up_unreadable(
    ctx: &Context,
    lease: &Lease,
    participant: ParticipantId,
    event: &UnreadableEvent,
) -> Result<()> {
    tracing::error!(client.id = %lease.client, participant.id = %participant, event.id = %event.id,
        error = &event.error as &dyn std::error::Error, "a stored event of a chat cannot be read; agents get the chat");
    let failed = FailedTurn { chat: participant, event: event.id, attempts: 0 };
    failure::give_to_people(ctx, lease, failed, TurnTrouble::UnreadableEvent).await
}

async fn run(ctx: &Context, lease: &Lease, scene: &TurnContext, event: &WaitingEvent) -> Result<TurnOutcome> {
    let participant = scene.participant.id;
    // The same in all runs of this turn, and different for each turn.
    let about = CallSubject::event(event.id.0, participant.0);
    let now = event.moment();
    let snapshot = ValueSnapshot::new(ctx.db.clone(), lease.client, scene.plugin(), participant, now).with_files(ctx);
    let snapshot = Arc::new(snapshot);
    let call = scene.answering.call(&ctx.sealer, lease.client, &about, now);
    let (asked, session) = question::of(scene, event, now);
    let outcome = ctx.plugins.chatbot(call, &asked, &session, Arc::<ValueSnapshot>::clone(&snapshot)).await;
    let mut made = Box::new(FinishedCall::of(&scene.answering, &about, &outcome, now));
    made.name_event(question::name(&asked.kind));
    metrics::histogram!("patchbay_bot_turn_seconds").record(Duration::from_micros(made.micros()).as_secs_f64());
    let mut outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => return TurnOutcome::without_answer(error, made),
    };
    let files = match attachments::attach(ctx, lease.client, event, &mut outcome.actions, outcome.files) {
        Ok(files) => files,
        Err(reason) => return Ok(TurnOutcome::from_trouble(TurnTrouble::Unusable { reason, made })),
    };
    if let Some(reason) = attachments::too_much(ctx, lease.client, &files).await? {
        return Ok(TurnOutcome::from_trouble(TurnTrouble::Unusable { reason, made }));
    }
    let (effects, presence) = match actions::effects(ctx, lease.client, scene, outcome.actions, &files).await? {
        Ok(EffectPlan { effects, remarks, presence }) => {
            remarks.iter().for_each(|remark| made.add_log_line(remark));
            (effects, presence)
        }
        Err(reason) => return Ok(TurnOutcome::from_trouble(TurnTrouble::Unusable { reason, made })),
    };
    let (writes, requests) = (outcome.writes, outcome.requests);
    let StoredFiles::Stored(files) = attachments::store(ctx, lease, participant, files).await? else {
        return Ok(TurnOutcome::Lost);
    };
    let reads = snapshot.reads();
    let answer = effects::ChatbotAnswer { effects, files: files.clone(), reads, writes, requests, presence, made };
    let applied = effects::apply(ctx, lease, scene, event, answer).await?;
    if !matches!(applied, TurnOutcome::Over) {
        attachments::forget(ctx, lease, &files).await;
    }
    Ok(applied)
}
