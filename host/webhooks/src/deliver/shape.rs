//! Turns events into bodies: by the client's own shaper where it has one, else by a built-in one.

use std::{
    collections::HashMap,
    num::NonZero,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use domain::{
    clock::Clock,
    ids::{ClientId, InboxId},
};
use plugin_host::{CallError, CallTrace, PluginHost, World, webhook_shaper::WebhookEvent};
use storage::webhooks::deliveries::DueDelivery;
use tokio::task::JoinSet;
use uuid::Uuid;

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

/// What a client has put in charge on a number.
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

/// What shaping needs to know besides the events.
pub(super) struct Shapers {
    pub(super) plugins: Arc<PluginHost>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) client: ClientId,
    /// Numbers that are not in here have the built-in shapers.
    pub(super) own: HashMap<InboxId, OwnShapers>,
}

/// What a delivery became.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shaping {
    /// These bytes are the delivery.
    Body(String),
    /// The shaper says that there is nothing to send.
    Unwanted,
    /// No shaper gave an answer: to be tried again.
    Failed,
    /// The stored event is none of this version's.
    Unreadable,
}

/// A delivery after shaping.
#[derive(Debug)]
pub(super) struct Shaped {
    pub(super) delivery: DueDelivery,
    pub(super) shaping: Shaping,
    /// To be kept.
    pub(super) calls: Vec<FinishedCall>,
}

/// Shapes deliveries, as many at once as there are processors, and answers them in the order given. `event` is the JSON of
/// each.
pub(super) async fn shape_all(desk: Shapers, deliveries: Vec<(DueDelivery, String)>) -> Vec<Shaped> {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let hands = processors.min(deliveries.len());
    let desk = Arc::new(desk);
    let pile = Arc::new(Mutex::new(deliveries.into_iter().enumerate()));
    let mut tasks = JoinSet::new();
    for _ in 0..hands {
        let (desk, pile) = (Arc::clone(&desk), Arc::clone(&pile));
        tasks.spawn(async move {
            let mut done = Vec::new();
            loop {
                let next = pile.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((place, (delivery, event))) = next else { return done };
                done.push((place, shape(&desk, delivery, &event).await));
                // A call can be over without ever having waited: others have their turn in between.
                tokio::task::yield_now().await;
            }
        });
    }
    let mut all: Vec<(usize, Shaped)> = tasks.join_all().await.into_iter().flatten().collect();
    all.sort_unstable_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, shaped)| shaped).collect()
}

async fn shape(desk: &Shapers, delivery: DueDelivery, event: &str) -> Shaped {
    let mut calls = Vec::new();
    let event: WebhookEvent = match serde_json::from_str(event) {
        Ok(event) => event,
        Err(error) => {
            // The error itself can quote the event.
            tracing::error!(client.id = %desk.client, delivery.id = %delivery.id, column = error.column(),
                "a stored webhook event cannot be read and is given up");
            return Shaped { delivery, shaping: Shaping::Unreadable, calls };
        }
    };
    let own = desk.own.get(&delivery.number);
    let conversation = conversation_of(&delivery);
    for candidate in own.into_iter().flat_map(|own| own.candidates(conversation)) {
        let (answer, call) = ask_own(desk, &candidate.answering, &delivery, &event).await;
        calls.push(call);
        if let Some(shaping) = answer {
            return Shaped { delivery, shaping, calls };
        }
        candidate.failures.fetch_add(1, Ordering::Relaxed);
    }
    let built_in = Answering::built_in(World::WebhookShaper, built_in(&event));
    let answering = Arc::new(match own {
        Some(own) if own.live.is_none() => built_in.with_shadow_of(&own.slots),
        _ => built_in,
    });
    let (answer, call) = ask(desk, &answering, &delivery, &event).await;
    let shaping = match answer {
        Ok((body, _)) => shaping_of(body),
        Err(error) => {
            tracing::error!(client.id = %desk.client, delivery.id = %delivery.id, plugin = answering.name(),
                outcome = trace::kind_of(&error), "a built-in webhook shaper failed; it will be asked again");
            Shaping::Failed
        }
    };
    calls.push(call);
    calls.retain(FinishedCall::matters);
    Shaped { delivery, shaping, calls }
}

/// Stands for the conversation on the number: a canary has it or has it not.
fn conversation_of(delivery: &DueDelivery) -> Uuid {
    Uuid::from_u64_pair(0, delivery.order_key.cast_unsigned())
}

/// Asks a shaper of the client; `None` when its answer is of no use.
async fn ask_own(
    desk: &Shapers,
    shaper: &Arc<Answering>,
    delivery: &DueDelivery,
    event: &WebhookEvent,
) -> (Option<Shaping>, FinishedCall) {
    match ask(desk, shaper, delivery, event).await {
        (Ok((body, _)), call) => match fault_of(body.as_deref()) {
            None => (Some(shaping_of(body)), call),
            Some(fault) => (None, call.spoiled(&fault)),
        },
        (Err(_), call) => (None, call),
    }
}

/// Why a body cannot be sent. Receivers are promised JSON.
fn fault_of(body: Option<&str>) -> Option<String> {
    let fault = serde_json::from_str::<serde::de::IgnoredAny>(body?).err()?;
    Some(format!("the body is not JSON ({fault}); the built-in shaper was used instead"))
}

fn shaping_of(body: Option<String>) -> Shaping {
    body.map_or(Shaping::Unwanted, Shaping::Body)
}

/// Calls a shaper; waits for a free place.
async fn ask(
    desk: &Shapers,
    answering: &Arc<Answering>,
    delivery: &DueDelivery,
    event: &WebhookEvent,
) -> (Result<(Option<String>, CallTrace), CallError>, FinishedCall) {
    let about = CallSubject::event(delivery.id.0, delivery.id.0);
    let mut tries = 0;
    loop {
        let now = desk.clock.now();
        let answer = desk.plugins.shape(answering.call(desk.client, &about, now), event).await;
        if matches!(answer, Err(CallError::TooBusy { .. })) && tries < BUSY_TRIES {
            tries += 1;
            tokio::time::sleep(BUSY_PAUSE).await;
            continue;
        }
        let made = FinishedCall::of((answering, &about), &answer, now);
        return (answer, made);
    }
}

/// The built-in shaper of an event (SPEC 6.1 to 6.5).
fn built_in(event: &WebhookEvent) -> &'static str {
    match event {
        WebhookEvent::Chatbot(chatbot) if chatbot.settings.payload_version == "v2" => "webhook-v2",
        WebhookEvent::Chatbot(_) => "webhook-v1",
        WebhookEvent::Incoming(_)
        | WebhookEvent::Status(_)
        | WebhookEvent::SessionStatus(_)
        | WebhookEvent::Partner(_) => "webhook-standard",
    }
}

#[cfg(test)]
mod tests {
    use plugin_host::webhook_shaper::SessionStatusEvent;

    use super::*;
    use crate::sample::chatbot_event;

    #[test]
    fn chatbot_events_go_by_their_version_and_the_rest_to_the_standard_shaper() {
        let chatbot = |version: &str| {
            let mut event = chatbot_event();
            event.settings.payload_version = version.to_owned();
            built_in(&WebhookEvent::Chatbot(event))
        };
        assert_eq!(chatbot("v1"), "webhook-v1");
        assert_eq!(chatbot("v2"), "webhook-v2");
        let session = SessionStatusEvent {
            whatsapp_number: "27600000001".to_owned(),
            status: "Connected".to_owned(),
            status_type: "success".to_owned(),
            timestamp_ms: 1,
            metadata: Vec::new(),
        };
        assert_eq!(built_in(&WebhookEvent::SessionStatus(session)), "webhook-standard");
    }

    #[test]
    fn a_body_that_is_not_json_is_not_sent() {
        assert!(fault_of(Some("{\"status\":")).unwrap().contains("not JSON"));
        assert_eq!(fault_of(Some("{\"status\":\"READ\"}")), None);
        assert_eq!(fault_of(None), None, "nothing to send is an answer");
    }
}
