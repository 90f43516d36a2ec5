//! `GET /simulator/live`: the chosen phones and the world around them as server-sent events. Each event has the whole view and is
//! sent when the view has changed, at first at once.

use std::{
    collections::{HashMap, VecDeque},
    convert::Infallible,
    sync::Arc,
    time::Duration,
};

use axum::{
    Router,
    extract::{Query, State},
    response::{
        IntoResponse, Response,
        sse::{Event, KeepAlive, Sse},
    },
    routing::get,
};
use futures::stream;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::{
    identity,
    world::{SimulatedWorld, WorldState},
};

/// Writes within this time are sent together.
const COLLECTED: Duration = Duration::from_millis(40);
/// Newest messages in a view.
const SHOWN: usize = 200;
/// Phones and people in the lists of the world.
const LISTED: usize = 100;

/// The phones whose views are wanted.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Selection {
    whatsapp: Option<String>,
    sms: Option<String>,
    messenger: Option<String>,
    telegram: Option<i64>,
    /// Bot of the Telegram chat. Default: the first one.
    bot: Option<i64>,
}

struct LiveViews {
    world: Arc<SimulatedWorld>,
    selection: Selection,
    changes: watch::Receiver<()>,
    waiting: VecDeque<Event>,
    sent: HashMap<&'static str, String>,
}

pub(crate) fn routes() -> Router<Arc<SimulatedWorld>> {
    Router::new().route("/simulator/live", get(live))
}

async fn live(State(world): State<Arc<SimulatedWorld>>, Query(selection): Query<Selection>) -> Response {
    let changes = world.changes();
    let views = LiveViews { world, selection, changes, waiting: VecDeque::new(), sent: HashMap::new() };
    let events = stream::unfold(views, |mut views| async {
        let event = views.next().await?;
        Some((Ok::<_, Infallible>(event), views))
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

impl LiveViews {
    /// The next event. `None` at the end of the simulator.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            tokio::select! {
                () = self.world.shutdown.cancelled() => return None,
                changed = self.changes.changed() => changed.ok()?,
            }
            self.world.pause(COLLECTED).await;
            self.collect();
        }
    }

    fn collect(&mut self) {
        self.changes.mark_unchanged();
        let clock = self.world.testing_clock.lock().is_some();
        let views = self.selection.views(&self.world.state(), clock);
        for (name, view) in views {
            let text = view.to_string();
            if self.sent.get(name) != Some(&text) {
                self.waiting.push_back(Event::default().event(name).data(&text));
                self.sent.insert(name, text);
            }
        }
    }
}

impl Selection {
    fn views(&self, state: &WorldState, clock: bool) -> Vec<(&'static str, Value)> {
        let mut views = vec![("world", world_view(state, clock))];
        let phones = [("whatsapp", &self.whatsapp), ("sms", &self.sms)];
        for (name, msisdn) in phones {
            views.extend(msisdn.as_ref().map(|msisdn| (name, phone_view(state, &identity::digits(msisdn)))));
        }
        views.extend(self.messenger.as_ref().map(|psid| ("messenger", messenger_view(state, psid))));
        views.extend(self.telegram.map(|person| ("telegram", self.telegram_view(state, person))));
        views
    }

    fn telegram_view(&self, state: &WorldState, person: i64) -> Value {
        let bots = state.telegram.bots_view();
        let first = bots.first().and_then(|bot| bot.get("id")?.as_i64());
        let bot = self.bot.or(first);
        json!({
            "person": state.telegram.person_view(person),
            "bot": bot,
            "chat": state.telegram.chat_view(bot.unwrap_or_default(), person),
        })
    }
}

fn world_view(state: &WorldState, clock: bool) -> Value {
    let mut phones = state.phones.all();
    phones.truncate(LISTED);
    let mut people = state.messenger.people();
    people.truncate(LISTED);
    json!({
        "faults": state.faults,
        "numbers": state.numbers.all(),
        "devices": state.lite.numbers(),
        "pages": state.messenger.pages(),
        "bots": state.telegram.bots_view(),
        "sites": state.sites.all(),
        "phones": phones,
        "people": people,
        "hasClock": clock,
        "requests": state.requests.newest(),
        "callbacks": state.callbacks.newest(),
    })
}

fn newest<T>(messages: impl DoubleEndedIterator<Item = T>) -> Vec<T> {
    let mut newest: Vec<T> = messages.rev().take(SHOWN).collect();
    newest.reverse();
    newest
}

fn phone_view(state: &WorldState, msisdn: &str) -> Value {
    json!({
        "phone": state.phones.view(msisdn),
        "inbox": newest(state.mailbox.inbox(msisdn)),
        "outbox": newest(state.mailbox.outbox(msisdn)),
    })
}

fn messenger_view(state: &WorldState, psid: &str) -> Value {
    json!({
        "person": state.messenger.view(psid),
        "messages": newest(state.messenger.of(psid)),
    })
}
