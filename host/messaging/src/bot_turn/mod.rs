//! A turn of a chatbot: the next thing that happened to a participant goes in, what to do about it comes out and is done.
//!
//! The plugin is called with no transaction open. What it decided takes effect as a whole, in one transaction, and only
//! if the chat is still in the hands that the plugin saw and every key-value that it read is still the same (DESIGN 3,
//! rule 6). A turn that fails is made again; in the end the chat goes to people.

mod actions;
pub(crate) mod chosen;
mod effects;
mod failure;
mod happening;
pub(crate) mod question;
pub(crate) mod scene;

use std::{sync::Arc, time::Duration};

use domain::ids::ParticipantId;
use storage::{participant_events, participant_events::Event};

pub(crate) use failure::{drop_event, drop_events};
pub(crate) use happening::{Happening, Template};

use self::{
    effects::Applied,
    failure::Trouble,
    scene::{Scene, Situation},
};
use crate::{
    Context, Result,
    lanes::Lease,
    plugin_calls::{About, Made, key_values::Snapshot},
    routing,
};

/// Times that a turn is made again because key-values changed under it, before that counts as a failure.
const MOST_CONFLICTS: usize = 10;

/// Works off the events of a participant until none is due.
pub async fn work(ctx: &Context, lease: &Lease) -> Result<()> {
    let participant = ParticipantId(lease.lane);
    while !lease.is_over() {
        let next = {
            let mut db = ctx.db.acquire().await?;
            participant_events::head(&mut db, lease.client, participant).await?
        };
        match next {
            Some(event) if event.due_at <= ctx.now() => match turn(ctx, lease, participant, &event).await {
                Ok(()) => {}
                Err(error) if error.is_outage() => return Err(error),
                Err(error) => {
                    let trouble = Trouble::Broken(error.to_string());
                    failure::give_to_people(ctx, lease, participant, &event, trouble).await?;
                }
            },
            Some(_) | None => return Ok(()),
        }
    }
    Ok(())
}

async fn turn(ctx: &Context, lease: &Lease, participant: ParticipantId, event: &Event) -> Result<()> {
    if event.kind == Happening::ROUTE {
        return routing::decide(ctx, lease, participant, event).await;
    }
    let scene = match scene::load(ctx, lease.client, participant, event).await? {
        Situation::NotTheBots => return failure::drop_events(ctx, lease, participant).await,
        Situation::NoBot => return failure::give_to_people(ctx, lease, participant, event, Trouble::NoBot).await,
        Situation::Nothing => return failure::drop_event(ctx, lease, participant, event).await,
        Situation::Ready(scene) => scene,
    };
    for _ in 0..MOST_CONFLICTS {
        if run(ctx, lease, &scene, event).await? {
            return Ok(());
        }
    }
    failure::give_to_people(ctx, lease, participant, event, Trouble::Conflicts(scene.plugin().to_owned())).await
}

/// Makes the call and lets its answer take effect; `false` when it has to be made again at once.
async fn run(ctx: &Context, lease: &Lease, scene: &Scene, event: &Event) -> Result<bool> {
    let participant = scene.participant.id;
    let snapshot = Arc::new(Snapshot::new(ctx.db.clone(), lease.client, scene.plugin(), participant));
    // The same in every run of this turn, another one in every turn.
    let about = About::event(event.id.0, participant.0);
    let now = ctx.now();
    let call = scene.answering.call(lease.client, &about, now);
    let (asked, session) = question::of(scene, event, now);
    let outcome = ctx.plugins.chatbot(call, &asked, &session, Arc::<Snapshot>::clone(&snapshot)).await;
    let made = Box::new(Made::of((&scene.answering, &about), &outcome, now));
    metrics::histogram!("patchbay_bot_turn_seconds").record(Duration::from_micros(made.micros()).as_secs_f64());
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            let trouble = Trouble::Call { error: Box::new(error), made };
            failure::give_to_people(ctx, lease, participant, event, trouble).await?;
            return Ok(true);
        }
    };
    let effects = match actions::effects(ctx, lease.client, scene, outcome.actions).await? {
        Ok(effects) => effects,
        Err(reason) => {
            let trouble = Trouble::Unusable { reason, made };
            failure::give_to_people(ctx, lease, participant, event, trouble).await?;
            return Ok(true);
        }
    };
    let answer = effects::Answer { effects, reads: snapshot.reads(), writes: outcome.writes, made };
    match effects::apply(ctx, lease, scene, event, answer).await? {
        Applied::Done | Applied::Overtaken => Ok(true),
        Applied::ReadsChanged => {
            tracing::debug!(participant.id = %participant, "key-values changed during a turn; it is made again");
            Ok(false)
        }
        Applied::TooMuch(reason, made) => {
            failure::give_to_people(ctx, lease, participant, event, Trouble::Unusable { reason, made }).await?;
            Ok(true)
        }
    }
}
