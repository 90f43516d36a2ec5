//! Replays recorded calls.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::ids::ClientId;
use serde::{Deserialize, Serialize};

use super::difference;
use super::recorded_answers::RecordedAnswers;
use super::recording::{CallResult, Recording};
use crate::calling::guest::GuestState;
use crate::calling::host_calls::HostCalls;
use crate::calling::run::moving;
use crate::calling::secrets::cover;
use crate::fairness::call_limiter::ShadowPlace;
use crate::fairness::room::MemoryBudget;
use crate::host::PluginHost;
use crate::loading::loader::LoadedPlugin;
use crate::worlds;
use crate::worlds::json::{in_newest_words, readable_result};
use crate::worlds::world_question::{WorldQuestion, typed};
use crate::{CallError, HttpLimits, LogLine, PluginCall, PluginRef, World};

/// Factor on the time limit of a replay, because the machine may be busier than at the recording.
const TIME_FACTOR: u32 = 4;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallReplay {
    /// Whether the result is the same byte for byte, and the plugin sent the same requests.
    pub identical: bool,
    pub result_then: String,
    pub result_now: String,
    /// The place of the first difference with both values, or the first request that differs.
    pub first_difference: Option<String>,
    #[serde(skip)]
    pub duration: Duration,
    #[serde(skip)]
    pub peak_memory_bytes: u64,
    pub world: World,
}

impl PluginHost {
    /// Replays a recorded call on any plugin of its world with the recorded answers. It has no effects and does not
    /// count.
    ///
    /// If the host stopped the call for lack of time, a replay on the same component is stopped at the same place. An
    /// error means that the plugin cannot be called; every end of the call is a [`CallReplay`].
    pub async fn replay(
        &self,
        client: ClientId,
        plugin: &PluginRef,
        recording: &Recording,
    ) -> Result<CallReplay, CallError> {
        let loaded = self.resolve(client, plugin).await?;
        let busy = || CallError::TooBusy { plugin: loaded.name.clone() };
        let (kind, until) = (recording.world.row().budget, tokio::time::Instant::now() + self.limits().queue_wait);
        let Ok(permit) = self.call_limiter().enter(client, kind, false, until).await else { return Err(busy()) };
        let room = Arc::clone(&permit.place);
        let played = permit.place.keep(self.play(client, plugin, &loaded, recording, room)).await;
        played.unwrap_or_else(|| Err(busy()))
    }

    /// A place for the replays of a client's shadow, if one is free now: see [`Self::replay_shadow`].
    pub fn shadow_place(&self, client: ClientId) -> Option<ShadowPlace> {
        self.call_limiter().enter_shadow(client)
    }

    /// Like [`Self::replay`], next to the live calls of the client: it takes no place of theirs and does not wait.
    pub async fn replay_shadow(
        &self,
        place: &mut ShadowPlace,
        client: ClientId,
        plugin: &PluginRef,
        recording: &Recording,
    ) -> Result<CallReplay, CallError> {
        let loaded = self.resolve(client, plugin).await?;
        self.play(client, plugin, &loaded, recording, place.room()).await
    }

    async fn play(
        &self,
        client: ClientId,
        plugin: &PluginRef,
        loaded: &LoadedPlugin,
        recording: &Recording,
        room: Arc<dyn MemoryBudget>,
    ) -> Result<CallReplay, CallError> {
        let question = WorldQuestion::recorded(recording.world, &recording.question)
            .map_err(|fault| CallError::BadRecording { reason: fault.to_string() })?;
        // A shadow runs with its own configuration, and a recording contains no secrets.
        let config = cover(&recording.config);
        let call = PluginCall {
            client,
            plugin,
            now: recording.now,
            seed: recording.call_seed(),
            config: &config,
            turn: &recording.turn,
            allowed_hosts: &recording.allowed_hosts,
            // Those of the recorded call are among its limits.
            http_limits: HttpLimits::default(),
            record: false,
        };
        let play = Play { host: self, loaded, call: &call, recording, room };
        typed!(&question, |asked, _| play.back(&asked).await)
    }
}

struct Play<'a> {
    host: &'a PluginHost,
    loaded: &'a LoadedPlugin,
    call: &'a PluginCall<'a>,
    recording: &'a Recording,
    room: Arc<dyn MemoryBudget>,
}

impl Play<'_> {
    async fn back<Q: worlds::Question>(&self, question: &Q) -> Result<CallReplay, CallError> {
        let recording = self.recording;
        let same_bytes = recording.sha256 == self.loaded.program.sha256;
        let mut limits = recording.limits.over(self.host.limits());
        if same_bytes && recording.stopped_after.is_none() {
            limits.wall_clock *= TIME_FACTOR;
            limits.cpu *= TIME_FACTOR;
        }
        let tape = RecordedAnswers::new(recording.host_calls.clone());
        let mut guest = {
            let (limits, room) = (Arc::new(limits), Arc::clone(&self.room));
            GuestState::new(self.call, &limits, HostCalls::from_tape(&tape), room, false)
        };
        guest.stop_after = recording.stopped_after.filter(|_| same_bytes);
        let (stop_after, began) = (guest.stop_after, Instant::now());
        let end_of_tape = {
            let tape = Arc::clone(&tape);
            async move { tape.ran_out.notified().await }
        };
        // A replay has no caller that waits for an answer.
        let call = moving(self.host.engine(), guest, self.loaded, question, end_of_tape);
        let made = self.host.threads().last(call).await;
        let duration = began.elapsed();
        let trace = match &made.result {
            Ok(answered) => Some(&answered.trace),
            Err(error) => error.trace(),
        };
        let peak_memory_bytes = trace.map_or(0, |trace| trace.peak_memory_bytes);
        let result_now = match made.result {
            Err(error) if error.trace().is_none() => return Err(error),
            _ if stop_after.is_some_and(|most| made.stopped || made.host_calls >= most) => {
                self.stop_reason(made.logs())
            }
            _ => made.result_text(),
        };
        Ok(self.compare(result_now, &tape, duration, peak_memory_bytes))
    }

    fn stop_reason(&self, logs: &[LogLine]) -> String {
        #[derive(Deserialize)]
        struct Ended {
            outcome: String,
            failure: Option<String>,
        }
        match serde_json::from_str(&self.recording.result) {
            Ok(Ended { outcome, failure }) => {
                let (writes, requests, files) = (vec![], vec![], vec![]);
                CallResult::<()> { outcome: &outcome, answer: None, failure, writes, requests, files, logs }.text()
            }
            Err(_) => String::new(),
        }
    }

    /// `duration` and `peak_memory_bytes` are those of the repeated call.
    fn compare(
        &self,
        result_now: String,
        tape: &RecordedAnswers,
        duration: Duration,
        peak_memory_bytes: u64,
    ) -> CallReplay {
        let (world, result_then) = (self.recording.world, in_newest_words(&self.recording.result));
        let asked_otherwise = tape.deviation();
        let answered_otherwise = (result_then != result_now).then(|| {
            let (then, now) = (readable_result(world, &result_then), readable_result(world, &result_now));
            let raw = || format!("the result: then {result_then}, now {result_now}");
            difference::first(&then, &now).unwrap_or_else(raw)
        });
        let first_difference = match (answered_otherwise, asked_otherwise) {
            (Some(answer), Some(request)) => Some(format!("{answer} ({request})")),
            (answer, request) => answer.or(request),
        };
        CallReplay {
            identical: first_difference.is_none(),
            result_then,
            result_now,
            first_difference,
            duration,
            peak_memory_bytes,
            world,
        }
    }
}
