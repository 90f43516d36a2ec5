//! Asks the routers of SMS (world `sms-router`, ADR 0036) about messages: first the client's router, then the
//! operator's. A router that fails decides nothing and the failure is recorded. The message then goes out as without
//! that router.

mod router_request;

use std::{collections::BTreeMap, sync::Arc};

use base::{Context, Result};
use domain::{
    ids::{ClientId, InboxId},
    sms_route::{RouterStep, SmsRoute},
};
use plugin_host::{MOST_SMS_AT_ONCE, PluginCall, PluginRef, ProgramSource, World, sms_router::Sms};
use plugins::{
    calls::{AnsweringVersion, CallSubject, FinishedCall, trace::kind_of},
    slots::{self, Slots},
};
use storage::PgConnection;
use uuid::Uuid;

pub(crate) use router_request::{Bounds, SmsQuestion};

/// The operator's router: a file of this name in `plugins.dir`. It is called last, for the messages of every client.
pub(crate) const OPERATORS: &str = "operator-sms-router";

/// The routers in force for an inbox.
#[derive(Debug)]
pub(crate) struct Routers {
    slots: Slots,
    operator_router: Option<Arc<AnsweringVersion>>,
}

/// Identifies the routers that decide. Any change that can change their answers (version, configuration or share)
/// changes this value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Deciders {
    pub(crate) live: Option<Uuid>,
    pub(crate) canary: Option<(Uuid, u8)>,
    pub(crate) shadow: Option<Uuid>,
    pub(crate) operators: Option<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct SmsRoutes {
    pub(crate) routes: Vec<SmsRoute>,
    /// Calls to store with the effects of the decisions.
    pub(crate) calls: Vec<FinishedCall>,
}

impl Routers {
    /// Returns the routers of an inbox, or `None` if there are none.
    pub(crate) async fn in_force(
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        inbox: InboxId,
    ) -> Result<Option<Self>> {
        let slots = slots::in_force(db, client, World::SmsRouter, inbox).await?;
        let operator_router = has_operators(ctx)
            .then(|| Arc::new(AnsweringVersion::bare(World::SmsRouter, PluginRef::shipped(OPERATORS))));
        let routers = Self { slots, operator_router };
        Ok((routers.has_client_router() || routers.operator_router.is_some()).then_some(routers))
    }

    pub(crate) fn deciders(&self, ctx: &Context) -> Deciders {
        let Slots { live, shadow, canary } = &self.slots;
        Deciders {
            live: live.as_ref().map(|activation| activation.id),
            canary: canary.as_ref().map(|activation| (activation.id, activation.percent)),
            shadow: shadow.as_ref().map(|activation| activation.id),
            operators: self.operator_router.as_ref().and(ctx.plugins.find(OPERATORS)).map(|plugin| plugin.version),
        }
    }

    pub(crate) fn has_client_router(&self) -> bool {
        self.slots.live.is_some() || self.slots.canary.is_some()
    }

    /// Asks the client's router about each message, then the operator's about those not refused. One call has at most
    /// `MOST_SMS_AT_ONCE` messages. No transaction may be open.
    pub(crate) async fn ask(&self, ctx: &Context, client: ClientId, mut questions: Vec<SmsQuestion>) -> SmsRoutes {
        let mut calls = Vec::new();
        // Grouped by version. Messages that must not be recorded are in separate groups.
        let mut groups: BTreeMap<(Option<Uuid>, bool), Vec<&mut SmsQuestion>> = BTreeMap::new();
        for one in &mut questions {
            let answers = self.slots.answering(one.subject).map(|activation| activation.id);
            groups.entry((answers, one.forgets)).or_default().push(one);
        }
        for group in groups.values_mut() {
            let Some(answering) = group.first().and_then(|one| AnsweringVersion::of(&self.slots, one.subject)) else {
                continue;
            };
            let answering = Arc::new(answering);
            for some in group.chunks_mut(MOST_SMS_AT_ONCE) {
                self.call_router(ctx, client, Arc::clone(&answering), some, &mut calls).await;
            }
        }
        drop(groups);
        if let Some(router) = &self.operator_router {
            let mut left: Vec<&mut SmsQuestion> =
                questions.iter_mut().filter(|one| one.route.refused.is_none()).collect();
            for some in left.chunks_mut(MOST_SMS_AT_ONCE) {
                self.call_router(ctx, client, Arc::clone(router), some, &mut calls).await;
            }
        }
        let now = ctx.now();
        let routes = questions.into_iter().map(|one| SmsRoute { at: now, ..one.route }).collect();
        SmsRoutes { routes, calls }
    }

    /// Makes one call. If a canary version fails, the live version is called at once.
    async fn call_router(
        &self,
        ctx: &Context,
        client: ClientId,
        mut answering: Arc<AnsweringVersion>,
        questions: &mut [&mut SmsQuestion],
        calls: &mut Vec<FinishedCall>,
    ) {
        let Some(first) = questions.first() else { return };
        let about = CallSubject::event(first.id, first.id);
        let forgets = questions.iter().any(|one| one.forgets);
        let messages: Vec<Sms> = questions.iter().map(|one| one.sms.clone()).collect();
        loop {
            let now = ctx.now();
            let call = answering.call(&ctx.sealer, client, &about, now);
            let call = PluginCall { record: call.record && !forgets, ..call };
            let outcome = ctx.plugins.decide_sms(call, &messages).await;
            calls.push(FinishedCall::of(&answering, &about, &outcome, now));
            match outcome {
                Ok((decisions, _)) => {
                    for (one, decision) in questions.iter_mut().zip(decisions) {
                        let said = one.apply(decision);
                        one.route.by.push(self.by(&answering, said));
                    }
                    return;
                }
                Err(error) => {
                    let (plugin, outcome) = (answering.name(), kind_of(&error));
                    tracing::warn!(client.id = %client, plugin, outcome, messages = messages.len(), "a router of SMS failed");
                    metrics::counter!("patchbay_sms_router_failures_total").increment(1);
                    if answering.is_canary()
                        && let Some(live) = AnsweringVersion::live_of(&self.slots)
                    {
                        answering = Arc::new(live);
                        continue;
                    }
                    let said = format!("it failed ({outcome}); the message goes out as without it");
                    for one in questions.iter_mut() {
                        one.route.by.push(self.by(&answering, Some(said.clone())));
                    }
                    return;
                }
            }
        }
    }

    fn by(&self, answering: &Arc<AnsweringVersion>, said: Option<String>) -> RouterStep {
        RouterStep {
            plugin: answering.name().to_owned(),
            version: answering.version(),
            sha256: answering.sha256().map(str::to_owned),
            operator: self.operator_router.as_ref().is_some_and(|router| Arc::ptr_eq(router, answering)),
            said,
        }
    }
}

/// True if the operator has a router.
pub(crate) fn has_operators(ctx: &Context) -> bool {
    ctx.plugins.find(OPERATORS).is_some_and(|plugin| {
        plugin.world == Some(World::SmsRouter) && matches!(plugin.source, ProgramSource::Directory(_))
    })
}
