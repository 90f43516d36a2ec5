//! A turn of a chatbot: the next thing that happened to a participant goes in, what to do about it comes out and is done.
//!
//! The plugin is called with no transaction open. What it decided takes effect as a whole, in one transaction, and only
//! if the chat is still in the hands that the plugin saw and every key-value that it read is still the same (DESIGN 3,
//! rule 6). A turn that fails is made again; in the end the chat goes to people.

mod actions;
mod effects;
mod failure;
mod happening;
mod key_values;
mod question;
mod scene;

use std::sync::Arc;

use domain::ids::ParticipantId;
use plugin_host::{Call, World};
use storage::{participant_events, participant_events::Event};

pub(crate) use happening::{Happening, Template};

use self::{
    effects::Applied,
    failure::Trouble,
    key_values::Snapshot,
    scene::{Scene, Situation},
};
use crate::{Context, Result, activations, lanes::Lease};

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
    let snapshot = Arc::new(Snapshot::new(ctx.db.clone(), lease.client, scene.plugin(), scene.participant.id));
    let call = Call {
        client: lease.client,
        plugin: scene.plugin(),
        now: ctx.now(),
        // The same in every run of this turn, another one in every turn.
        seed: event.id.0.as_u64_pair().1,
        config: &scene.config,
    };
    let (asked, session) = question::of(scene, event, ctx.now());
    let outcome = ctx.plugins.chatbot(call, &asked, &session, Arc::<Snapshot>::clone(&snapshot)).await;
    let participant = scene.participant.id;
    let invocation = activations::invocation_of(ctx, World::Chatbot, scene.plugin(), &outcome, participant.0);
    metrics::histogram!("patchbay_bot_turn_seconds")
        .record(std::time::Duration::from_micros(invocation.duration_micros.unsigned_abs()).as_secs_f64());
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            let trouble = Trouble::Call { error: Box::new(error), invocation };
            failure::give_to_people(ctx, lease, participant, event, trouble).await?;
            return Ok(true);
        }
    };
    let effects = match actions::effects(ctx, lease.client, scene, outcome.actions).await? {
        Ok(effects) => effects,
        Err(reason) => {
            let trouble = Trouble::Unusable { reason, invocation };
            failure::give_to_people(ctx, lease, participant, event, trouble).await?;
            return Ok(true);
        }
    };
    let answer = effects::Answer { effects, reads: snapshot.reads(), writes: outcome.writes, invocation };
    match effects::apply(ctx, lease, scene, event, answer).await? {
        Applied::Done | Applied::Overtaken => Ok(true),
        Applied::ReadsChanged => {
            tracing::debug!(participant.id = %participant, "key-values changed during a turn; it is made again");
            Ok(false)
        }
    }
}
