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
    ids::{ClientId, NumberId},
};
use plugin_host::{Call, CallError, CallTrace, PluginHost, webhook_shaper::WebhookEvent};
use storage::webhook_deliveries::DueDelivery;
use tokio::task::JoinSet;

use super::kept_call::KeptCall;

/// A client's own shaper that failed this often in one page is not asked again for the rest of it: one that hangs would
/// hold up everything behind it.
const PATIENCE: u32 = 3;
/// How often a call that found no free place is made again, and after what pause.
const BUSY_TRIES: u32 = 20;
const BUSY_PAUSE: Duration = Duration::from_millis(25);

/// A shaper that a client has put in charge.
#[derive(Debug)]
pub(super) struct OwnShaper {
    plugin: String,
    /// JSON.
    config: String,
    failures: AtomicU32,
}

impl OwnShaper {
    pub(super) fn new(plugin: String, config: String) -> Self {
        Self { plugin, config, failures: AtomicU32::new(0) }
    }
}

/// What shaping needs to know besides the events.
pub(super) struct Desk {
    pub(super) plugins: Arc<PluginHost>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) client: ClientId,
    /// Numbers that are not in here have the built-in shapers.
    pub(super) own: HashMap<NumberId, Arc<OwnShaper>>,
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
    pub(super) calls: Vec<KeptCall>,
}

/// Shapes deliveries, as many at once as there are processors, and answers them in the order given. `event` is the JSON of
/// each.
pub(super) async fn shape_all(desk: Desk, deliveries: Vec<(DueDelivery, String)>) -> Vec<Shaped> {
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

async fn shape(desk: &Desk, delivery: DueDelivery, event: &str) -> Shaped {
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
    let own = own.filter(|shaper| shaper.failures.load(Ordering::Relaxed) < PATIENCE);
    if let Some(shaper) = own {
        let (answer, call) = ask_own(desk, shaper, &delivery, &event).await;
        calls.push(call);
        if let Some(shaping) = answer {
            return Shaped { delivery, shaping, calls };
        }
        shaper.failures.fetch_add(1, Ordering::Relaxed);
    }
    let plugin = built_in(&event);
    let shaping = match ask(desk, plugin, "{}", &delivery, &event).await {
        Ok((body, _)) => shaping_of(body),
        Err(error) => {
            let trace = error.trace().cloned();
            let outcome = trace.as_ref().map_or("not-started", |trace| trace.outcome.as_str());
            tracing::error!(client.id = %desk.client, delivery.id = %delivery.id, plugin, outcome,
                "a built-in webhook shaper failed; it will be asked again");
            calls.push(KeptCall { plugin: plugin.to_owned(), trace, error: Some(error.to_string()) });
            Shaping::Failed
        }
    };
    Shaped { delivery, shaping, calls }
}

/// Asks the client's own shaper; `None` when its answer is of no use.
async fn ask_own(
    desk: &Desk,
    shaper: &OwnShaper,
    delivery: &DueDelivery,
    event: &WebhookEvent,
) -> (Option<Shaping>, KeptCall) {
    let plugin = shaper.plugin.clone();
    match ask(desk, &plugin, &shaper.config, delivery, event).await {
        Ok((body, trace)) => match fault_of(body.as_deref()) {
            None => (Some(shaping_of(body)), KeptCall { plugin, trace: Some(trace), error: None }),
            Some(fault) => (None, KeptCall { plugin, trace: Some(trace), error: Some(fault) }),
        },
        Err(error) => {
            let trace = error.trace().cloned();
            (None, KeptCall { plugin, trace, error: Some(error.to_string()) })
        }
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
    desk: &Desk,
    plugin: &str,
    config: &str,
    delivery: &DueDelivery,
    event: &WebhookEvent,
) -> Result<(Option<String>, CallTrace), CallError> {
    // The same delivery gets the same randomness, however often it is shaped.
    let (_, seed) = delivery.id.0.as_u64_pair();
    let mut tries = 0;
    loop {
        let call = Call { client: desk.client, plugin, now: desk.clock.now(), seed, config };
        match desk.plugins.shape(call, event).await {
            Err(CallError::TooBusy { .. }) if tries < BUSY_TRIES => {
                tries += 1;
                tokio::time::sleep(BUSY_PAUSE).await;
            }
            answer => return answer,
        }
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
    use crate::webhooks::sample::chatbot_event;

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
