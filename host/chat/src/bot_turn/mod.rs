//! A turn of a chatbot: calls it for the next event of a participant and applies its answer.
//!
//! No transaction is open during the call. The answer is applied in one transaction, and only if the chat is still in
//! the same hands and each key-value that the plugin read is unchanged (DESIGN 3, rule 6). A failed turn is repeated,
//! and in the end the chat goes to people. If a canary fails, the live version makes the turn at once. If the host has
//! no room for the call, nothing is written and it does not count as a failure.

mod actions;
mod effects;
mod failure;
mod question;
mod scene;

use std::{sync::Arc, time::Duration};

use domain::ids::ParticipantId;
use storage::chat::participant_events::Event;

pub(crate) use self::failure::keep;
use self::{
    actions::Planned,
    effects::Applied,
    failure::Trouble,
    scene::{Scene, Situation},
};
use crate::conversation::waiting;
use base::{Context, Error, Result, lanes::Lease};
use plugins::calls::{CallSubject, FinishedCall, key_values::Snapshot};

/// Repetitions of a turn after conflicts of key-values. After that the turn fails.
const MOST_CONFLICTS: usize = 10;

pub(crate) enum Turn {
    /// The turn is done, or will be repeated when its event is due, or the chat changed hands.
    Over,
    /// The host could not make the call. The event stays.
    NotAsked(Box<FinishedCall>),
}

/// Makes the turn for `event`.
pub(crate) async fn turn(ctx: &Context, lease: &Lease, participant: ParticipantId, event: &Event) -> Result<Turn> {
    let trouble = match scene::load(ctx, lease.client, participant, event).await? {
        Situation::NotTheBots => return waiting::drop_events(ctx, lease, participant).await.map(|()| Turn::Over),
        Situation::Nothing => return waiting::drop_event(ctx, lease, participant, event).await.map(|()| Turn::Over),
        Situation::NoBot => Trouble::NoBot,
        Situation::Ready(scene) => match ask_all(ctx, lease, *scene, event).await? {
            Asked::Answered => return Ok(Turn::Over),
            Asked::Not(made) => return Ok(Turn::NotAsked(made)),
            Asked::InVain(trouble) => *trouble,
        },
    };
    failure::give_to_people(ctx, lease, participant, event, trouble).await?;
    Ok(Turn::Over)
}

/// The outcome of asking a chatbot and, if it is a canary, the live version.
enum Asked {
    /// An answer was applied, or the chat changed hands.
    Answered,
    /// The host could not make the call.
    Not(Box<FinishedCall>),
    /// No answer could be applied.
    InVain(Box<Trouble>),
}

async fn ask_all(ctx: &Context, lease: &Lease, mut scene: Scene, event: &Event) -> Result<Asked> {
    loop {
        let Some(trouble) = ask(ctx, lease, &scene, event).await? else { return Ok(Asked::Answered) };
        let trouble = match trouble.of_the_host() {
            Ok(made) => return Ok(Asked::Not(made)),
            Err(trouble) => trouble,
        };
        if !scene.answering.is_canary() {
            return Ok(Asked::InVain(Box::new(trouble)));
        }
        let reason = failure::keep_on_trial(ctx, lease, scene.participant.id, trouble).await?;
        match scene.beside_canary.take() {
            Some(live) => scene.answering = live,
            None => return Ok(Asked::InVain(Box::new(Trouble::NoneBesideCanary(reason)))),
        }
    }
}

/// Asks the chatbot of a scene and applies its answer. Returns the failure if there is one.
async fn ask(ctx: &Context, lease: &Lease, scene: &Scene, event: &Event) -> Result<Option<Trouble>> {
    for _ in 0..MOST_CONFLICTS {
        match run(ctx, lease, scene, event).await? {
            Ran::Over => return Ok(None),
            Ran::Again => {}
            Ran::Into(trouble) => return Ok(Some(*trouble)),
        }
    }
    Ok(Some(Trouble::Conflicts(scene.plugin().to_owned())))
}

/// The outcome of one call.
enum Ran {
    /// The answer was applied, or the chat changed hands.
    Over,
    /// It must be repeated at once.
    Again,
    /// No answer could be applied.
    Into(Box<Trouble>),
}

/// A turn failed because of the host. It is repeated, and in the end people take over.
pub(crate) async fn turn_broke(
    ctx: &Context,
    lease: &Lease,
    participant: ParticipantId,
    event: &Event,
    error: &Error,
) -> Result<()> {
    failure::give_to_people(ctx, lease, participant, event, Trouble::Broken(error.to_string())).await
}

async fn run(ctx: &Context, lease: &Lease, scene: &Scene, event: &Event) -> Result<Ran> {
    let participant = scene.participant.id;
    // The same in all runs of this turn, and different for each turn.
    let about = CallSubject::event(event.id.0, participant.0);
    let now = event.moment();
    let snapshot = Arc::new(Snapshot::new(ctx.db.clone(), lease.client, scene.plugin(), participant, now));
    let call = scene.answering.call(lease.client, &about, now);
    let (asked, session) = question::of(scene, event, now);
    let outcome = ctx.plugins.chatbot(call, &asked, &session, Arc::<Snapshot>::clone(&snapshot)).await;
    let mut made = Box::new(FinishedCall::of((&scene.answering, &about), &outcome, now));
    made.name_event(question::name(&asked.kind));
    metrics::histogram!("patchbay_bot_turn_seconds").record(Duration::from_micros(made.micros()).as_secs_f64());
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            return Ok(Ran::Into(Box::new(Trouble::Call { error: Box::new(error), made })));
        }
    };
    let effects = match actions::effects(ctx, lease.client, scene, outcome.actions).await? {
        Ok(Planned { effects, remarks }) => {
            remarks.iter().for_each(|remark| made.remark(remark));
            effects
        }
        Err(reason) => return Ok(Ran::Into(Box::new(Trouble::Unusable { reason, made }))),
    };
    let answer = effects::Answer { effects, reads: snapshot.reads(), writes: outcome.writes, made };
    match effects::apply(ctx, lease, scene, event, answer).await? {
        Applied::Done | Applied::Overtaken => Ok(Ran::Over),
        Applied::ReadsChanged => {
            tracing::debug!(participant.id = %participant, "key-values changed during a turn; it is made again");
            Ok(Ran::Again)
        }
        Applied::TooMuch(reason, made) => Ok(Ran::Into(Box::new(Trouble::Unusable { reason, made }))),
    }
}
