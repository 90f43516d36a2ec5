//! Turns events into bodies, by the client's own shaper if it has one, otherwise by a built-in one.

use std::{
    collections::{BTreeMap, HashMap},
    num::NonZero,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use base::secrets::Sealer;
use domain::{
    channel::Channel,
    clock::minted_at,
    ids::{ClientId, InboxId},
};
use parking_lot::Mutex;
use plugin_host::{
    CallError, CallTrace, PluginHost, World,
    webhook_shaper::{ShapedBody, WebhookEvent},
};
use serde_json::value::RawValue;
use storage::webhooks::deliveries::DueDelivery;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::shaper_event;
use plugins::{
    calls::{AnsweringVersion, CallSubject, FinishedCall, trace},
    slots::{Mode, SlotActivation, Slots},
};

/// After so many failures of a client's own shaper in one page, it is not called again for the page.
const FAILURES_MAX: u32 = 3;
const BUSY_TRIES: u32 = 20;
const BUSY_PAUSE: Duration = Duration::from_millis(25);

/// Most events in one call of a built-in shaper.
const MOST_EVENTS: usize = 16;

/// Bodies that are made at the same time. Read once, because the value comes from files of the system.
static PROCESSORS: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, NonZero::get));

#[derive(Debug)]
pub(super) struct OwnShapers {
    slots: Slots,
    live: Option<Candidate>,
    canary: Option<Candidate>,
}

#[derive(Debug)]
struct Candidate {
    answering: Arc<AnsweringVersion>,
    failures: AtomicU32,
}

impl OwnShapers {
    /// `None` if no shaper is in force.
    pub(super) fn new(slots: Slots) -> Option<Self> {
        let candidate = |activation: &Option<SlotActivation>| {
            let answering = AnsweringVersion::from(activation.as_ref()?).with_shadow_of(&slots);
            Some(Candidate { answering: Arc::new(answering), failures: AtomicU32::new(0) })
        };
        let (live, canary) = (candidate(&slots.live), candidate(&slots.canary));
        (live.is_some() || canary.is_some() || slots.shadow.is_some()).then_some(Self { slots, live, canary })
    }

    /// The shapers for `subject`, in order: if a canary fails, the live one is called.
    fn candidates(&self, subject: Uuid) -> impl Iterator<Item = &Candidate> {
        let is_canarys = self.slots.answering(subject).is_some_and(|active| active.mode == Mode::Canary);
        let canary = self.canary.as_ref().filter(|_| is_canarys);
        let all = canary.into_iter().chain(&self.live);
        all.filter(|candidate| candidate.failures.load(Ordering::Relaxed) < FAILURES_MAX)
    }
}

#[derive(Debug, Default)]
pub(super) struct ShapedInbox {
    pub(super) business: String,
    pub(super) channel: Option<Channel>,
    /// The client's shapers. If there are none, the built-in shapers are called.
    pub(super) own: Option<OwnShapers>,
}

pub(super) struct PageShaper {
    pub(super) plugins: Arc<PluginHost>,
    pub(super) sealer: Sealer,
    pub(super) client: ClientId,
    pub(super) inboxes: HashMap<InboxId, ShapedInbox>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ShapeOutcome {
    Body(String),
    /// The shaper decided that there is nothing to send.
    Unwanted,
    Failed,
    /// The stored event is not of this version.
    Unreadable,
}

pub(super) type DueEvent = DueDelivery<Box<RawValue>>;

type Placed = (usize, DueEvent, Box<RawValue>);

#[derive(Default)]
struct Together {
    deliveries: Vec<(usize, DueEvent)>,
    events: Vec<WebhookEvent>,
}

#[derive(Debug)]
pub(super) struct ShapedDelivery {
    pub(super) delivery: DueEvent,
    pub(super) outcome: ShapeOutcome,
    pub(super) by: Option<Arc<AnsweringVersion>>,
    pub(super) calls: Vec<FinishedCall>,
}

impl ShapedDelivery {
    fn without_shaper(delivery: DueEvent, outcome: ShapeOutcome) -> Self {
        Self { delivery, outcome, by: None, calls: Vec::new() }
    }
}

impl PageShaper {
    /// Calls one shaper per processor at the same time. Returns the deliveries in the given order.
    pub(super) async fn shape_all(self, deliveries: Vec<(DueEvent, Box<RawValue>)>) -> Vec<ShapedDelivery> {
        let groups = self.groups(deliveries);
        let workers = PROCESSORS.min(groups.len());
        let shaper = Arc::new(self);
        let unshaped = Arc::new(Mutex::new(groups.into_iter()));
        let mut tasks = JoinSet::new();
        for _ in 0..workers {
            let (shaper, unshaped) = (Arc::clone(&shaper), Arc::clone(&unshaped));
            tasks.spawn(async move {
                let mut done = Vec::new();
                loop {
                    let next = unshaped.lock().next();
                    let Some(group) = next else { return done };
                    done.extend(shaper.shape_group(group).await);
                    // A call can end without ever waiting, so this lets other tasks run in between.
                    tokio::task::yield_now().await;
                }
            });
        }
        let mut all: Vec<(usize, ShapedDelivery)> = tasks.join_all().await.into_iter().flatten().collect();
        all.sort_unstable_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, shaped)| shaped).collect()
    }

    /// Groups deliveries for calls: several events for a built-in shaper, otherwise one.
    fn groups(&self, deliveries: Vec<(DueEvent, Box<RawValue>)>) -> Vec<Vec<Placed>> {
        let (mut groups, mut together) = (Vec::new(), Vec::new());
        for (place, (delivery, event)) in deliveries.into_iter().enumerate() {
            let has_own = self.inboxes.get(&delivery.inbox).is_some_and(|inbox| inbox.own.is_some());
            let placed = (place, delivery, event);
            if has_own {
                groups.push(vec![placed]);
                continue;
            }
            together.push(placed);
            if together.len() == MOST_EVENTS {
                groups.push(std::mem::take(&mut together));
            }
        }
        groups.extend((!together.is_empty()).then_some(together));
        groups
    }

    async fn shape_group(&self, group: Vec<Placed>) -> Vec<(usize, ShapedDelivery)> {
        let alone = group.len() == 1;
        let mut shaped = Vec::with_capacity(group.len());
        let mut by_shaper: BTreeMap<&'static str, Together> = BTreeMap::new();
        for (place, delivery, stored) in group {
            match self.read(&delivery, stored.get()) {
                Some(event) if alone => shaped.push((place, self.shape(delivery, &event).await)),
                Some(event) => {
                    let together = by_shaper.entry(shaper_event::built_in(&event)).or_default();
                    together.deliveries.push((place, delivery));
                    together.events.push(event);
                }
                None => shaped.push((place, ShapedDelivery::without_shaper(delivery, ShapeOutcome::Unreadable))),
            }
        }
        for (shaper, together) in by_shaper {
            shaped.extend(self.shape_together(shaper, together).await);
        }
        shaped
    }

    /// Calls a built-in shaper about several events. If that fails, it calls it about each of them.
    async fn shape_together(
        &self,
        shaper: &'static str,
        Together { deliveries, events }: Together,
    ) -> Vec<(usize, ShapedDelivery)> {
        let mut shaped = Vec::with_capacity(deliveries.len());
        let Some((_, first)) = deliveries.first() else { return shaped };
        let (answering, about) = (AnsweringVersion::built_in(World::WebhookShaper, shaper), subject(first));
        let call = answering.call(&self.sealer, self.client, &about, minted_at(first.id.0));
        match self.plugins.shape_several(call, &events).await {
            Ok(bodies) => {
                let made = deliveries.into_iter().zip(bodies);
                shaped.extend(
                    made.map(|((place, due), body)| (place, ShapedDelivery::without_shaper(due, outcome_of(body)))),
                );
            }
            Err(_) => {
                for ((place, delivery), event) in deliveries.into_iter().zip(&events) {
                    shaped.push((place, self.shape(delivery, event).await));
                }
            }
        }
        shaped
    }

    fn read(&self, delivery: &DueEvent, stored: &str) -> Option<WebhookEvent> {
        let inbox = self.inboxes.get(&delivery.inbox);
        match shaper_event::read(stored, inbox.map_or("", |inbox| &inbox.business)) {
            Ok(event) => Some(shaper_event::naming(event, inbox.and_then(|inbox| inbox.channel))),
            Err(error) => {
                tracing::error!(client.id = %self.client, delivery.id = %delivery.id,
                    error = &error as &dyn std::error::Error, "a stored webhook event cannot be read and is given up");
                None
            }
        }
    }

    /// Calls the client's shaper (a canary, then the live version), or the built-in one if the client has none or it failed.
    async fn shape(&self, delivery: DueEvent, event: &WebhookEvent) -> ShapedDelivery {
        let mut calls = Vec::new();
        let own = self.inboxes.get(&delivery.inbox).and_then(|inbox| inbox.own.as_ref());
        let conversation = conversation_of(&delivery);
        for candidate in own.into_iter().flat_map(|own| own.candidates(conversation)) {
            let (answer, call) = self.ask_own(&candidate.answering, &delivery, event).await;
            calls.push(call);
            if let Some(OwnAnswer::Unchanged) = answer {
                break;
            }
            if let Some(OwnAnswer::Outcome(outcome)) = answer {
                let by = Some(Arc::clone(&candidate.answering));
                return ShapedDelivery { delivery, outcome, by, calls };
            }
            candidate.failures.fetch_add(1, Ordering::Relaxed);
        }
        let built_in = AnsweringVersion::built_in(World::WebhookShaper, shaper_event::built_in(event));
        let answering = Arc::new(match own {
            Some(own) if own.live.is_none() => built_in.with_shadow_of(&own.slots),
            _ => built_in,
        });
        let (answer, call) = self.ask(&answering, &delivery, event).await;
        let outcome = match answer {
            Ok((body, _)) => outcome_of(body),
            Err(error) => {
                tracing::error!(client.id = %self.client, delivery.id = %delivery.id, plugin = answering.name(),
                    outcome = trace::kind_of(&error), "a built-in webhook shaper failed; it is called again");
                ShapeOutcome::Failed
            }
        };
        calls.push(call);
        calls.retain(FinishedCall::matters);
        ShapedDelivery { delivery, outcome, by: None, calls }
    }

    /// Calls a shaper of the client. `None`: its answer cannot be used.
    async fn ask_own(
        &self,
        shaper: &Arc<AnsweringVersion>,
        delivery: &DueEvent,
        event: &WebhookEvent,
    ) -> (Option<OwnAnswer>, FinishedCall) {
        match self.ask(shaper, delivery, event).await {
            (Ok((ShapedBody::Unchanged, _)), call) => (Some(OwnAnswer::Unchanged), call),
            (Ok((ShapedBody::Custom(_), _)), mut call) => {
                call.add_log_line(
                    "this version does not know the `custom` of the shaper; the built-in shaper was used",
                );
                (Some(OwnAnswer::Unchanged), call)
            }
            (Ok((body, _)), call) => match fault_of(body.text()) {
                None => (Some(OwnAnswer::Outcome(outcome_of(body))), call),
                Some(fault) => (None, call.mark_unusable(&fault)),
            },
            (Err(_), call) => (None, call),
        }
    }

    async fn ask(
        &self,
        answering: &Arc<AnsweringVersion>,
        delivery: &DueEvent,
        event: &WebhookEvent,
    ) -> (Result<(ShapedBody, CallTrace), CallError>, FinishedCall) {
        let about = subject(delivery);
        // The time is the same whenever the body is shaped.
        let now = minted_at(delivery.id.0);
        let mut tries = 0;
        loop {
            let answer = self.plugins.shape(answering.call(&self.sealer, self.client, &about, now), event).await;
            if matches!(answer, Err(CallError::TooBusy { .. })) && tries < BUSY_TRIES {
                tries += 1;
                tokio::time::sleep(BUSY_PAUSE).await;
                continue;
            }
            let made = FinishedCall::of(answering, &about, &answer, now);
            return (answer, made);
        }
    }
}

fn subject(delivery: &DueEvent) -> CallSubject {
    CallSubject::event(delivery.id.0, delivery.id.0)
}

fn conversation_of(delivery: &DueEvent) -> Uuid {
    Uuid::from_u64_pair(0, delivery.order_key.cast_unsigned())
}

/// The reason why a body cannot be sent. Receivers are promised JSON.
fn fault_of(body: Option<&str>) -> Option<String> {
    let fault = serde_json::from_str::<serde::de::IgnoredAny>(body?).err()?;
    Some(format!("the body is not JSON ({fault}); the built-in shaper was used instead"))
}

fn outcome_of(body: ShapedBody) -> ShapeOutcome {
    match body {
        ShapedBody::Json(text) => ShapeOutcome::Body(text),
        ShapedBody::Skip => ShapeOutcome::Unwanted,
        // A built-in shaper writes the body that others leave unchanged.
        ShapedBody::Unchanged | ShapedBody::Custom(_) => ShapeOutcome::Failed,
    }
}

enum OwnAnswer {
    Outcome(ShapeOutcome),
    /// The built-in shaper writes the body.
    Unchanged,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_is_not_json_is_not_sent() {
        assert!(fault_of(Some("{\"status\":")).unwrap().contains("not JSON"));
        assert_eq!(fault_of(Some("{\"status\":\"READ\"}")), None);
        assert_eq!(fault_of(None), None, "nothing to send is an answer");
    }
}
