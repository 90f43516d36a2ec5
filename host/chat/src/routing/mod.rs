//! Routing of a new conversation: a router of the client decides who answers, and the host carries it out (DESIGN 4,
//! 5).
//!
//! The decision is the first event of the conversation in the participant's lane. No transaction is open during the
//! call. The decision is applied in one transaction, and only if the chat has not moved since. If the router fails, the
//! client's default chatbot answers at once, or else the chat goes to the queue. Each decision is stored with its
//! reason.

mod apply;
mod decision;
mod list;
mod question;

pub use list::{RoutingDecision, list};

use std::sync::Arc;

use domain::ids::ParticipantId;
use storage::chat::participant_events::WaitingEvent;

use self::{
    apply::{RouterDecision, RoutingOutcome},
    decision::Decision,
    question::{RoutingCase, RoutingQuestion},
};
use crate::{bot_turn, conversation::waiting_events};
use base::{Context, Result, lanes::Lease};
use plugins::calls::{AnsweringVersion, CallSubject, FinishedCall, key_values::ValueSnapshot, trace};

/// Repetitions of a decision after conflicts of key-values. After that the host decides.
const MOST_CONFLICTS: usize = 10;

pub(crate) async fn decide(ctx: &Context, lease: &Lease, id: ParticipantId, event: &WaitingEvent) -> Result<()> {
    let case = match question::load(ctx, lease.client, id, event).await? {
        RoutingQuestion::NotTheBots => return waiting_events::drop_events(ctx, lease, id).await,
        // If there is no router or the first message was deleted, the default chatbot or people continue.
        RoutingQuestion::Nothing => return waiting_events::drop_event(ctx, lease, id, event).await,
        RoutingQuestion::Case(case) => case,
    };
    let mut reason = String::new();
    for answering in case.routers() {
        for _ in 0..MOST_CONFLICTS {
            match run(ctx, lease, &case, answering).await? {
                Step::Over => return Ok(()),
                Step::Again => CONFLICTS.clone_into(&mut reason),
                Step::Next(failure) => {
                    reason = failure;
                    break;
                }
            }
        }
    }
    let decision = Decision::of_host(&case, reason);
    let decision = RouterDecision { router: case.last_router(), decision };
    apply::apply(ctx, lease, &case, decision, None).await.map(drop)
}

const CONFLICTS: &str = "the values that the router reads keep changing";

enum Step {
    Over,
    Again,
    /// The canary failed for this reason. Ask the live router, if there is one.
    Next(String),
}

async fn run(ctx: &Context, lease: &Lease, case: &RoutingCase, answering: &Arc<AnsweringVersion>) -> Result<Step> {
    let client = lease.client;
    let about = CallSubject::event(case.event.id.0, case.participant.id.0);
    // The same in all runs of this decision.
    let now = case.event.moment();
    let snapshot = Arc::new(ValueSnapshot::new(ctx.db.clone(), client, answering.name(), case.participant.id, now));
    let inbound = case.inbound(now);
    let outcome = ctx
        .plugins
        .route(answering.call(&ctx.sealer, client, &about, now), &inbound, Arc::<ValueSnapshot>::clone(&snapshot))
        .await;
    let made = FinishedCall::of(answering, &about, &outcome, now);
    let answer = match outcome {
        Ok(outcome) => {
            let decision = Decision::of_router(ctx, client, case, outcome.route).await?;
            if answering.is_canary() && decision.fallback {
                return keep_failed(ctx, lease, made.mark_unusable(&decision.reason), decision.reason).await;
            }
            let values = apply::RoutingValues { reads: snapshot.reads(), writes: outcome.writes };
            let decision = RouterDecision { router: answering, decision };
            apply::apply(ctx, lease, case, decision, Some((made, values))).await?
        }
        Err(error) if answering.is_canary() => {
            return keep_failed(ctx, lease, made, error.to_string()).await;
        }
        Err(error) => {
            tracing::warn!(participant.id = %case.participant.id, plugin = answering.name(),
                outcome = trace::kind_of(&error), "a router failed; the host decides");
            let decision = RouterDecision { router: answering, decision: Decision::of_host(case, error.to_string()) };
            apply::apply(ctx, lease, case, decision, Some((made, apply::RoutingValues::default()))).await?
        }
    };
    match answer {
        RoutingOutcome::Done | RoutingOutcome::Overtaken => Ok(Step::Over),
        RoutingOutcome::ReadsChanged => Ok(Step::Again),
        RoutingOutcome::TooMuch(reason, made) if answering.is_canary() => {
            keep_failed(ctx, lease, made.mark_unusable(&reason), reason).await
        }
        RoutingOutcome::TooMuch(reason, made) => {
            let decision = RouterDecision { router: answering, decision: Decision::of_host(case, reason.clone()) };
            let spoiled = (made.mark_unusable(&reason), apply::RoutingValues::default());
            apply::apply(ctx, lease, case, decision, Some(spoiled)).await?;
            Ok(Step::Over)
        }
    }
}

async fn keep_failed(ctx: &Context, lease: &Lease, made: FinishedCall, reason: String) -> Result<Step> {
    tracing::info!(client.id = %lease.client, outcome = made.outcome(), "a canary of a router failed; the live version is called");
    bot_turn::keep(ctx, lease, made).await?;
    Ok(Step::Next(reason))
}
