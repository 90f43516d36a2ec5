//! The decisions of routers about legs that are about to be marked. They are stored with the marks in one transaction.
//! A stored decision is not asked for again.

use base::{Context, Result};
use domain::{
    failure_code::OwnCode,
    ids::{ClientId, MessageId},
    inbound::ProviderFailure,
    sms_route::SmsRoute,
};
use outbound::dispatch::{LegKey, PickedLegs};
use plugins::calls::{self, FinishedCall, RemainingComparisons};
use storage::{
    PgConnection,
    outbound::work::DueLeg,
    sms::{
        products::{opt_outs, replies},
        routes,
    },
};

use super::early_decisions::{Answers, ForeseenDecision};

pub(super) struct LegDecisions {
    answers: Answers,
    /// Decisions about picked legs, to be stored.
    taken: Vec<(MessageId, i16, SmsRoute)>,
    /// Messages of products that go out from another source: source, recipient and message. Answers to that source are
    /// answers to the message.
    correspond: Vec<(String, String, MessageId)>,
    calls: Vec<FinishedCall>,
}

pub(super) fn key(leg: &DueLeg) -> LegKey {
    (leg.message, leg.ordinal)
}

/// True if routers must still be asked. A leg that was called for before keeps its route.
pub(super) fn is_undecided(leg: &DueLeg) -> bool {
    leg.route.is_none() && leg.attempts == 0 && !leg.unanswered
}

impl LegDecisions {
    pub(super) fn new(answers: Answers, calls: Vec<FinishedCall>) -> Self {
        Self { answers, taken: Vec::new(), correspond: Vec::new(), calls }
    }

    /// Gives the picked legs their routes. Refused legs fail, and legs that were not asked about wait for the next
    /// look.
    pub(super) async fn apply(
        &mut self,
        db: &mut PgConnection,
        client: ClientId,
        picked: &mut PickedLegs,
    ) -> Result<()> {
        let mut decided = Vec::new();
        for leg in std::mem::take(&mut picked.go) {
            if !is_undecided(&leg) {
                picked.go.push(leg);
            } else if let Some(foreseen) = self.answers.take(key(&leg)) {
                decided.push((leg, foreseen));
            }
        }
        refuse_stopped(db, client, &mut decided).await?;
        for (mut leg, ForeseenDecision { route }) in decided {
            self.taken.push((leg.message, leg.ordinal, route.clone()));
            if let Some(reason) = &route.refused {
                let by = route.by.last().map(|by| by.plugin.as_str()).unwrap_or_default();
                let text = format!("refused by the router `{by}`: {reason}");
                picked.failed.push((leg, ProviderFailure { code: OwnCode::RefusedByRouter.code(), text }));
                continue;
            }
            if let Some(source) = route.source.clone() {
                self.correspond.push((source, leg.recipient.address().value().to_owned(), leg.message));
            }
            leg.route = Some(route);
            picked.go.push(leg);
        }
        Ok(())
    }

    pub(super) fn left_some(&self) -> bool {
        self.answers.lacks_answer()
    }

    /// True if there are calls to store, even if no leg is marked.
    pub(super) fn has_calls(&self) -> bool {
        self.calls.iter().any(FinishedCall::matters)
    }

    /// Stores the decisions about newly picked legs, before the legs are marked or fail.
    pub(super) async fn keep(&mut self, ctx: &Context, db: &mut PgConnection, client: ClientId) -> Result<()> {
        let kept: Vec<_> = self.taken.iter().map(|(message, ordinal, route)| (*message, *ordinal, route)).collect();
        routes::keep(db, client, &kept).await?;
        self.taken.clear();
        let answers = std::mem::take(&mut self.correspond);
        let sent: Vec<_> =
            answers.iter().map(|(source, to, message)| (source.as_str(), to.as_str(), *message)).collect();
        Ok(replies::correspond_now(db, client, &sent, ctx.now()).await?)
    }

    pub(super) async fn keep_calls(
        &mut self,
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
    ) -> Result<RemainingComparisons> {
        let made = std::mem::take(&mut self.calls).into_iter().filter(FinishedCall::matters).collect();
        calls::keep(ctx, db, client, made).await
    }

    /// The answers about legs that were not marked.
    pub(super) fn into_answers(self) -> Answers {
        self.answers
    }
}

/// Fails a leg if its subscriber stopped messages from the source that a router chose.
async fn refuse_stopped(
    db: &mut PgConnection,
    client: ClientId,
    legs: &mut [(DueLeg, ForeseenDecision)],
) -> Result<()> {
    let rerouted = legs.iter().filter(|(_, foreseen)| foreseen.route.refused.is_none());
    let asked: Vec<(&str, &str)> = rerouted
        .filter_map(|(leg, foreseen)| Some((foreseen.route.source.as_deref()?, leg.recipient.address().value())))
        .collect();
    if asked.is_empty() {
        return Ok(());
    }
    let stopped = opt_outs::find_stopped(db, client, &asked).await?;
    for (leg, ForeseenDecision { route }) in legs {
        let Some(source) = route.source.as_deref().filter(|_| route.refused.is_none()) else { continue };
        if stopped.contains(source, leg.recipient.address().value()) {
            route.refused = Some(format!("the subscriber has stopped messages from {source}"));
        }
    }
    Ok(())
}
