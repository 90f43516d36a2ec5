//! Turns events into bodies: by the client's own shaper where it has one, else by a built-in one.

use std::{
    collections::HashMap,
    num::NonZero,
    sync::{
        Arc, LazyLock, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use domain::{
    channel::Channel,
    clock::minted_at,
    ids::{ClientId, InboxId},
};
use plugin_host::{CallError, CallTrace, PluginHost, World, webhook_shaper::WebhookEvent};
use serde_json::value::RawValue;
use storage::webhooks::deliveries::DueDelivery;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::shaper_event;
use plugins::{
    calls::{Answering, CallSubject, FinishedCall, trace},
    slots::{Activation, Mode, Slots},
};

/// A client's own shaper that failed this often in one page is not asked again for the rest of it: one that hangs would
/// hold up everything behind it.
const PATIENCE: u32 = 3;
/// How often a call that found no free place is made again, and after what pause.
const BUSY_TRIES: u32 = 20;
const BUSY_PAUSE: Duration = Duration::from_millis(25);

/// As many bodies are made at once. Asked once: the answer is put together from files of the system.
static PROCESSORS: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, NonZero::get));

/// The shapers that a client has put in charge on an inbox.
#[derive(Debug)]
pub(super) struct OwnShapers {
    slots: Slots,
    live: Option<Candidate>,
    canary: Option<Candidate>,
}

/// A shaper that may be asked.
#[derive(Debug)]
struct Candidate {
    answering: Arc<Answering>,
    failures: AtomicU32,
}

impl OwnShapers {
    /// `None` when nothing is in force.
    pub(super) fn new(slots: Slots) -> Option<Self> {
        let candidate = |activation: &Option<Activation>| {
            let answering = Answering::from(activation.as_ref()?).with_shadow_of(&slots);
            Some(Candidate { answering: Arc::new(answering), failures: AtomicU32::new(0) })
        };
        let (live, canary) = (candidate(&slots.live), candidate(&slots.canary));
        (live.is_some() || canary.is_some() || slots.shadow.is_some()).then_some(Self { slots, live, canary })
    }

    /// Those that may shape what is about `subject`, in order: a canary that fails leaves it to the live one.
    fn candidates(&self, subject: Uuid) -> impl Iterator<Item = &Candidate> {
        let is_canarys = self.slots.answering(subject).is_some_and(|active| active.mode == Mode::Canary);
        let canary = self.canary.as_ref().filter(|_| is_canarys);
        let all = canary.into_iter().chain(&self.live);
        all.filter(|candidate| candidate.failures.load(Ordering::Relaxed) < PATIENCE)
    }
}

/// An inbox that events of a page are about.
#[derive(Debug, Default)]
pub(super) struct ShapedInbox {
    /// What it is reached at.
    pub(super) business: String,
    /// Over what; `None` where it is gone.
    pub(super) channel: Option<Channel>,
    /// Without any, the built-in shapers are asked.
    pub(super) own: Option<OwnShapers>,
}

/// Shapes the deliveries of one page, which are all of one client.
pub(super) struct PageShaper {
    pub(super) plugins: Arc<PluginHost>,
    pub(super) client: ClientId,
    pub(super) inboxes: HashMap<InboxId, ShapedInbox>,
}

/// What a delivery became.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ShapeOutcome {
    /// These bytes are the delivery.
    Body(String),
    /// The shaper says that there is nothing to send.
    Unwanted,
    /// No shaper gave an answer: to be tried again.
    Failed,
    /// The stored event is none of this version's.
    Unreadable,
}

/// A delivery with its event as it is stored.
pub(super) type Due = DueDelivery<Box<RawValue>>;

/// A delivery after shaping.
#[derive(Debug)]
pub(super) struct Shaped {
    pub(super) delivery: Due,
    pub(super) outcome: ShapeOutcome,
    /// The client's shaper that gave the answer; `None` = a built-in one, or none.
    pub(super) by: Option<Arc<Answering>>,
    /// To be kept.
    pub(super) calls: Vec<FinishedCall>,
}

impl PageShaper {
    /// Shapes deliveries, as many at once as there are processors, and answers them in the order given. `event` is the
    /// stored event of each.
    pub(super) async fn shape_all(self, deliveries: Vec<(Due, Box<RawValue>)>) -> Vec<Shaped> {
        let workers = PROCESSORS.min(deliveries.len());
        let shaper = Arc::new(self);
        let unshaped = Arc::new(Mutex::new(deliveries.into_iter().enumerate()));
        let mut tasks = JoinSet::new();
        for _ in 0..workers {
            let (shaper, unshaped) = (Arc::clone(&shaper), Arc::clone(&unshaped));
            tasks.spawn(async move {
                let mut done = Vec::new();
                loop {
                    let next = unshaped.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((place, (delivery, event))) = next else { return done };
                    done.push((place, shaper.shape(delivery, event.get()).await));
                    // A call can be over without ever having waited: others have their turn in between.
                    tokio::task::yield_now().await;
                }
            });
        }
        let mut all: Vec<(usize, Shaped)> = tasks.join_all().await.into_iter().flatten().collect();
        all.sort_unstable_by_key(|(place, _)| *place);
        all.into_iter().map(|(_, shaped)| shaped).collect()
    }

    async fn shape(&self, delivery: Due, stored: &str) -> Shaped {
        let mut calls = Vec::new();
        let inbox = self.inboxes.get(&delivery.inbox);
        let event = match shaper_event::read(stored, inbox.map_or("", |inbox| &inbox.business)) {
            Ok(event) => shaper_event::naming(event, inbox.and_then(|inbox| inbox.channel)),
            Err(error) => {
                tracing::error!(client.id = %self.client, delivery.id = %delivery.id,
                    error = &error as &dyn std::error::Error, "a stored webhook event cannot be read and is given up");
                return Shaped { delivery, outcome: ShapeOutcome::Unreadable, by: None, calls };
            }
        };
        let own = inbox.and_then(|inbox| inbox.own.as_ref());
        let conversation = conversation_of(&delivery);
        for candidate in own.into_iter().flat_map(|own| own.candidates(conversation)) {
            let (answer, call) = self.ask_own(&candidate.answering, &delivery, &event).await;
            calls.push(call);
            if let Some(outcome) = answer {
                let by = Some(Arc::clone(&candidate.answering));
                return Shaped { delivery, outcome, by, calls };
            }
            candidate.failures.fetch_add(1, Ordering::Relaxed);
        }
        let built_in = Answering::built_in(World::WebhookShaper, shaper_event::built_in(&event));
        let answering = Arc::new(match own {
            Some(own) if own.live.is_none() => built_in.with_shadow_of(&own.slots),
            _ => built_in,
        });
        let (answer, call) = self.ask(&answering, &delivery, &event).await;
        let outcome = match answer {
            Ok((body, _)) => outcome_of(body),
            Err(error) => {
                tracing::error!(client.id = %self.client, delivery.id = %delivery.id, plugin = answering.name(),
                    outcome = trace::kind_of(&error), "a built-in webhook shaper failed; it will be asked again");
                ShapeOutcome::Failed
            }
        };
        calls.push(call);
        calls.retain(FinishedCall::matters);
        Shaped { delivery, outcome, by: None, calls }
    }

    /// Asks a shaper of the client; `None` when its answer is of no use.
    async fn ask_own(
        &self,
        shaper: &Arc<Answering>,
        delivery: &Due,
        event: &WebhookEvent,
    ) -> (Option<ShapeOutcome>, FinishedCall) {
        match self.ask(shaper, delivery, event).await {
            (Ok((body, _)), call) => match fault_of(body.as_deref()) {
                None => (Some(outcome_of(body)), call),
                Some(fault) => (None, call.spoiled(&fault)),
            },
            (Err(_), call) => (None, call),
        }
    }

    /// Calls a shaper; waits for a free place.
    async fn ask(
        &self,
        answering: &Arc<Answering>,
        delivery: &Due,
        event: &WebhookEvent,
    ) -> (Result<(Option<String>, CallTrace), CallError>, FinishedCall) {
        let about = CallSubject::event(delivery.id.0, delivery.id.0);
        // The same however often the body is shaped.
        let now = minted_at(delivery.id.0);
        let mut tries = 0;
        loop {
            let answer = self.plugins.shape(answering.call(self.client, &about, now), event).await;
            if matches!(answer, Err(CallError::TooBusy { .. })) && tries < BUSY_TRIES {
                tries += 1;
                tokio::time::sleep(BUSY_PAUSE).await;
                continue;
            }
            let made = FinishedCall::of((answering, &about), &answer, now);
            return (answer, made);
        }
    }
}

/// Stands for the conversation on the inbox: a canary has it or has it not.
fn conversation_of(delivery: &Due) -> Uuid {
    Uuid::from_u64_pair(0, delivery.order_key.cast_unsigned())
}

/// Why a body cannot be sent. Receivers are promised JSON.
fn fault_of(body: Option<&str>) -> Option<String> {
    let fault = serde_json::from_str::<serde::de::IgnoredAny>(body?).err()?;
    Some(format!("the body is not JSON ({fault}); the built-in shaper was used instead"))
}

fn outcome_of(body: Option<String>) -> ShapeOutcome {
    body.map_or(ShapeOutcome::Unwanted, ShapeOutcome::Body)
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
