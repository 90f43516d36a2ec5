//! Asks a shadow what the live version was asked, once the live answer has taken effect: the same event at the same
//! moment, and what the host answered the live version when it asked for something. What the shadow answers is compared
//! and dropped. Nothing waits for it, and there is little room for it: what finds none is left out and counted.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::ids::ClientId;
use plugin_host::{PluginHost, Recording};
use serde::Deserialize;
use serde_json::{Value, json};
use storage::{
    PgPool,
    plugins::{
        differences::{self, Difference},
        invocations::{self, Invocation},
    },
};
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::{Answering, Made, trace};
use crate::{
    Context, Result,
    plugins::slots::{Activation, Mode, stored_version},
};

/// Shadows asked at once, in this process.
const AT_ONCE: usize = 2;
/// Shadows of one client that wait or are asked.
const PER_CLIENT: usize = 32;

/// Room for shadows.
#[derive(Debug, Clone)]
pub struct Shadows {
    places: Arc<Semaphore>,
    clients: Arc<Mutex<HashMap<ClientId, usize>>>,
}

impl Default for Shadows {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(AT_ONCE)), clients: Arc::default() }
    }
}

impl Shadows {
    /// A place in the line of a client, unless it is full.
    fn enter(&self, client: ClientId) -> Option<Waiting> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = clients.entry(client).or_default();
        if *waiting >= PER_CLIENT {
            return None;
        }
        *waiting += 1;
        Some(Waiting { shadows: self.clone(), client })
    }
}

/// A shadow that waits or is asked, until this is dropped.
struct Waiting {
    shadows: Shadows,
    client: ClientId,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let mut clients = self.shadows.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(waiting) = clients.get_mut(&self.client) {
            *waiting -= 1;
            if *waiting == 0 {
                clients.remove(&self.client);
            }
        }
    }
}

/// A shadow that is to be asked.
#[derive(Debug)]
pub(super) struct Beside {
    shadow: Arc<Activation>,
    recording: Arc<Recording>,
    live: Arc<Answering>,
    subject: Uuid,
}

impl Beside {
    /// The shadow of a call; `None` when it has none, or when the live plugin was not even asked.
    pub(super) fn of(made: Made) -> Option<Self> {
        Some(Self {
            shadow: made.answering.shadow.clone()?,
            recording: made.recording?,
            live: made.answering,
            subject: made.invocation.subject.unwrap_or_default(),
        })
    }
}

/// Asks a shadow, later.
pub(super) fn spawn(ctx: &Context, client: ClientId, beside: Beside) {
    let Some(waiting) = ctx.shadows.enter(client) else {
        count("dropped");
        return;
    };
    // The order of ids is the order of the live calls.
    let ids = (ctx.mint::<Uuid>(), ctx.mint::<Uuid>());
    let (db, plugins) = (ctx.db.clone(), Arc::clone(&ctx.plugins));
    tokio::spawn(async move {
        let Ok(_place) = waiting.shadows.places.acquire().await else { return };
        if let Err(error) = compare(&db, &plugins, client, beside, ids).await {
            tracing::warn!(client.id = %client, error = &error as &dyn std::error::Error,
                "what a shadow answered could not be kept");
            count("lost");
        }
    });
}

fn count(result: &'static str) {
    metrics::counter!("patchbay_plugin_shadow_calls_total", "result" => result).increment(1);
}

async fn compare(
    db: &PgPool,
    plugins: &PluginHost,
    client: ClientId,
    beside: Beside,
    (invocation, difference): (Uuid, Uuid),
) -> Result<()> {
    let shadow = &beside.shadow;
    let asked = as_asked(&beside);
    let replayed = plugins.replay(client, &shadow.plugin, &asked).await;
    let (live, live_words) = comparable(&beside.recording);
    let (answer, answer_words, row) = match replayed {
        Ok(replay) => {
            let answered = Recording { result: replay.result_now, ..asked };
            let (answer, words) = comparable(&answered);
            (answer, words, row(invocation, &beside, &answered.result, replay.duration))
        }
        // It could not be called: that is a difference too.
        Err(error) => {
            let result = json!({ "outcome": "not-started", "failure": error.to_string() });
            let row = row(invocation, &beside, &result.to_string(), Duration::ZERO);
            (result.clone(), result, row)
        }
    };
    let same = live == answer;
    count(if same { "same" } else { "different" });
    let mut tx = db.begin().await?;
    invocations::record(&mut tx, client, &[row]).await?;
    if !same {
        let difference = Difference {
            id: difference,
            activation: shadow.id,
            plugin: shadow.plugin.name().to_owned(),
            version: stored_version(&shadow.plugin),
            live_plugin: beside.live.name().to_owned(),
            live_version: stored_version(&beside.live.plugin),
            subject: beside.subject,
            live: live_words,
            shadow: answer_words,
        };
        differences::insert(&mut tx, client, &difference).await?;
    }
    tx.commit().await?;
    Ok(())
}

/// What a result says about how the call went.
#[derive(Default, Deserialize)]
struct Told {
    outcome: String,
    failure: Option<String>,
    #[serde(default)]
    logs: Vec<Line>,
}

#[derive(Deserialize)]
struct Line {
    level: String,
    message: String,
}

/// What is kept of the shadow's call. `result` is the JSON text of it.
fn row(id: Uuid, beside: &Beside, result: &str, duration: Duration) -> Invocation {
    let result: Told = serde_json::from_str(result).unwrap_or_default();
    let logs: String =
        result.logs.iter().map(|line| format!("{}: {}\n", line.level.to_lowercase(), line.message)).collect();
    let answering = Answering::from(beside.shadow.as_ref());
    Invocation {
        outcome: result.outcome,
        error: result.failure.map(|failure| trace::storable(&failure, trace::ERROR_LENGTH)),
        duration_micros: i64::try_from(duration.as_micros()).unwrap_or(i64::MAX),
        logs: trace::storable(&logs, usize::MAX),
        mode: Mode::Shadow.as_str().to_owned(),
        ..trace::invocation(id, &answering, None, None, beside.subject)
    }
}

/// The live call, put to the shadow with the shadow's own configuration and grants.
fn as_asked(beside: &Beside) -> Recording {
    Recording {
        config: beside.shadow.config.to_string(),
        allowed_hosts: beside.shadow.allowed_hosts.clone(),
        stopped_after: None,
        ..beside.recording.as_ref().clone()
    }
}

/// What counts of a result, which is all but what was logged, exactly and in words for people.
fn comparable(recording: &Recording) -> (Value, Value) {
    let exact: Value = serde_json::from_str(&recording.result).unwrap_or_default();
    let words = recording.to_json().get_mut("result").map(Value::take).unwrap_or_default();
    (without_logs(exact), without_logs(words))
}

/// Text of customers may hold what no database text can.
fn without_logs(mut result: Value) -> Value {
    if let Some(fields) = result.as_object_mut() {
        fields.remove("logs");
    }
    without_nul(&mut result);
    result
}

fn without_nul(value: &mut Value) {
    match value {
        Value::String(text) if text.contains('\0') => *text = text.replace('\0', "\u{fffd}"),
        Value::Array(items) => items.iter_mut().for_each(without_nul),
        Value::Object(fields) => fields.values_mut().for_each(without_nul),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_plugin_logs_makes_no_difference() {
        let live = json!({ "outcome": "answered", "answer": ["hi"], "logs": [{ "level": "info", "message": "a" }] });
        assert_eq!(without_logs(live), json!({ "outcome": "answered", "answer": ["hi"] }));
    }

    #[test]
    fn characters_that_the_database_refuses_are_replaced() {
        assert_eq!(without_logs(json!({ "answer": ["a\0b"] })), json!({ "answer": ["a\u{fffd}b"] }));
    }

    #[test]
    fn the_line_of_a_client_is_bounded_and_that_of_another_is_its_own() {
        let shadows = Shadows::default();
        let client = |id| ClientId(Uuid::from_u128(id));
        let mut line: Vec<Waiting> = (0..PER_CLIENT).map(|_| shadows.enter(client(1)).unwrap()).collect();
        assert!(shadows.enter(client(1)).is_none());
        assert!(shadows.enter(client(2)).is_some());
        line.pop();
        assert!(shadows.enter(client(1)).is_some());
        line.clear();
        assert!(shadows.clients.lock().unwrap().is_empty(), "nobody is remembered for ever");
    }
}
