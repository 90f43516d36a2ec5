//! One call: a fresh instance, the question, the limits, the verdict.

use std::{
    future::{Future, poll_fn},
    pin::pin,
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};

use domain::ids::ClientId;
use serde::Serialize;
use tokio::time::timeout;
use wasmtime::{Engine, Store, UpdateDeadline};

use super::{
    call::{CallTrace, PluginCall, PluginOutcome},
    caller_runtime::on_caller_runtime,
    conclude::{CallTime, conclude},
    end::{CallEnd, CheckedAnswer},
    guest::GuestState,
    host_calls::HostCalls,
    limits::{CallLimits, ExceededLimit},
    log_line::LogLine,
    output::Gaps,
    randomness::CallSeed,
    secrets::OpenedConfig,
    started_requests,
    stop::Stop,
    written_file,
};
use crate::{
    error::CallError,
    fairness::{
        breaker::CallVerdict,
        room::MemoryBudget,
        share::Share,
        threads::{CallThreads, MovingCall, processor_time},
        turns::{TurnTerms, Turns},
    },
    loading::loader::LoadedPlugin,
    replaying::{
        failure,
        recorded_limits::RecordedLimits,
        recording::{self, CallResult, HostCall, Recording},
    },
    worlds::Question,
};

pub(crate) struct CompletedCall<A> {
    pub(crate) result: Result<CheckedAnswer<A>, CallError>,
    pub(crate) host_calls: u32,
    /// The call was stopped where the recorded call ended.
    pub(crate) stopped: bool,
    flooded: bool,
    gaps: Gaps,
}

#[derive(Clone, Copy)]
pub(crate) enum Placement<'a> {
    Here,
    /// On the caller's thread, until the share of the client is used up or the call takes long.
    Promptly(&'a CallThreads, &'a Share),
    Last(&'a CallThreads),
}

pub(crate) struct Conditions<'a> {
    pub(crate) placement: Placement<'a>,
    pub(crate) room: Arc<dyn MemoryBudget>,
    /// Secrets that no record of the call may contain.
    pub(crate) secrets: Option<&'a Arc<OpenedConfig>>,
}

pub(crate) async fn run<Q: Question>(
    engine: &Engine,
    limits: &Arc<CallLimits>,
    plugin: &LoadedPlugin,
    call: &PluginCall<'_>,
    outside: HostCalls,
    question: &Q,
    Conditions { placement, room, secrets }: Conditions<'_>,
) -> Result<CheckedAnswer<Q::Answer>, CallError> {
    let limits = &call.http_limits.within(limits);
    let outside = if matches!(placement, Placement::Here) { outside } else { on_caller_runtime(outside) };
    let (outside, recorder) = match call.record {
        true => {
            let (outside, recorder) = outside.record();
            (outside, Some(recorder))
        }
        false => (outside, None),
    };
    let started = Instant::now();
    let guest = GuestState::new(call, limits, outside, room, true);
    let mut made = match placement {
        Placement::Here => make(engine, guest, plugin, question, std::future::pending()).await,
        Placement::Last(threads) => threads.last(moving(engine, guest, plugin, question, std::future::pending())).await,
        Placement::Promptly(threads, share) => {
            threads.promptly(share, moving(engine, guest, plugin, question, std::future::pending())).await
        }
    };
    if let Placement::Promptly(_, share) = placement
        && made.has_misbehaved()
    {
        share.put_last();
    }
    let outcome = match &made.result {
        Ok(_) => PluginOutcome::Answered.as_str(),
        Err(error) => error.trace().map_or("too-busy", |trace| trace.outcome.as_str()),
    };
    let world = question.world().as_str();
    metrics::counter!("patchbay_plugin_calls_total", "world" => world, "outcome" => outcome).increment(1);
    metrics::histogram!("patchbay_plugin_call_seconds", "world" => world).record(started.elapsed().as_secs_f64());
    if let Some(secrets) = secrets {
        secrets.leave_out_of_outcome(&mut made.result, made.gaps);
    }
    if let Some(recorder) = recorder {
        let mut recording = Some(write_down(call, limits, plugin, question, &made, recorder.take()));
        if let Some(secrets) = secrets {
            recording = without(call.client, secrets, recording).await;
        }
        if let Some(trace) = made.trace_mut() {
            trace.recording = recording.map(Box::new);
        }
    }
    made.result
}

/// Removal of secrets from recordings. Each client waits only for its own recordings.
static RECORDINGS: LazyLock<Turns<ClientId>> =
    LazyLock::new(|| Turns::new(TurnTerms { places: 2, per_owner: 1, waiting_per_owner: usize::MAX }));

/// The recording without secrets. A recording may have many megabytes. `None` if the removal failed.
async fn without(client: ClientId, secrets: &Arc<OpenedConfig>, recording: Option<Recording>) -> Option<Recording> {
    let (secrets, mut recording) = (Arc::clone(secrets), recording?);
    let turn = RECORDINGS.take(client).await.ok()?;
    let left_out = tokio::task::spawn_blocking(move || {
        secrets.leave_out_of_recording(&mut recording);
        drop(turn);
        recording
    });
    left_out.await.ok()
}

pub(crate) fn moving<Q: Question>(
    engine: &Engine,
    guest: GuestState,
    plugin: &LoadedPlugin,
    question: &Q,
    end_of_tape: impl Future<Output = ()> + Send + 'static,
) -> MovingCall<CompletedCall<Q::Answer>> {
    let (engine, plugin, question) = (engine.clone(), plugin.clone(), question.owned());
    Box::pin(async move { make(&engine, guest, &plugin, &question, end_of_tape).await })
}

pub(crate) async fn make<Q: Question>(
    engine: &Engine,
    guest: GuestState,
    plugin: &LoadedPlugin,
    question: &Q,
    end_of_tape: impl Future<Output = ()>,
) -> CompletedCall<Q::Answer> {
    let started = Instant::now();
    let wall_clock = guest.limits.wall_clock;
    let mut store = prepare(engine, guest);
    let mut used = Duration::ZERO;
    let end = tokio::select! {
        biased;
        () = end_of_tape => CallEnd::Recorded,
        asked = timeout(wall_clock, measure(question.ask(&plugin.program.linked, &mut store), &mut used)) => match asked {
            Ok(Some(given)) => CallEnd::InTime(given),
            Ok(None) => {
                let (expected, found) = (question.world(), plugin.program.linked.world());
                let result = Err(CallError::WrongWorld { plugin: plugin.name.clone(), expected, found });
                return CompletedCall { result, host_calls: 0, stopped: false, flooded: false, gaps: Gaps::default() };
            }
            Err(_) => CallEnd::TooLate,
        },
    };
    let time = CallTime { duration: started.elapsed(), processor_time: used };
    let guest = store.into_data();
    let host_calls = guest.host_calls;
    let stopped = match &end {
        CallEnd::Recorded => true,
        CallEnd::InTime(Err(fault)) => matches!(fault.downcast_ref(), Some(Stop::Recorded)),
        CallEnd::InTime(Ok(_)) | CallEnd::TooLate => false,
    };
    let (flooded, gaps) = (guest.has_flooded(), guest.gaps());
    CompletedCall { result: conclude(guest, plugin, end, time, question), host_calls, stopped, flooded, gaps }
}

/// Adds the processor time of every poll of `work` to `used`.
async fn measure<T>(work: impl Future<Output = T>, used: &mut Duration) -> T {
    let mut work = pin!(work);
    poll_fn(|context| {
        let began = processor_time();
        let polled = work.as_mut().poll(context);
        *used += processor_time().saturating_sub(began);
        polled
    })
    .await
}

fn write_down<Q: Question>(
    call: &PluginCall<'_>,
    limits: &CallLimits,
    plugin: &LoadedPlugin,
    question: &Q,
    made: &CompletedCall<Q::Answer>,
    host_calls: Vec<HostCall>,
) -> Recording {
    let stopped = made.result.as_ref().err().is_some_and(failure::stopped_for_time);
    let (seed, seed_key) = match call.seed {
        CallSeed::Key(key) => (0, Some(key)),
        CallSeed::SplitMix(seed) => (seed, None),
    };
    Recording {
        world: question.world(),
        plugin: plugin.name.clone(),
        version: call.plugin.version(),
        sha256: plugin.program.sha256.clone(),
        now: call.now,
        seed,
        seed_key,
        config: call.config.to_owned(),
        turn: call.turn.to_owned(),
        allowed_hosts: call.allowed_hosts.to_vec(),
        limits: RecordedLimits::of(limits),
        question: serde_json::to_string(question).unwrap_or_default(),
        host_calls,
        result: made.result_text(),
        stopped_after: stopped.then_some(made.host_calls),
    }
}

impl<A: Serialize> CompletedCall<A> {
    /// Whether the plugin crashed, exceeded a limit or gave a bad answer.
    fn has_misbehaved(&self) -> bool {
        self.flooded || self.result.as_ref().err().is_some_and(|error| error.verdict() == CallVerdict::Failed)
    }

    /// The result in the form in which two calls are compared.
    pub(crate) fn result_text(&self) -> String {
        let result = match &self.result {
            Ok(answered) => CallResult {
                outcome: PluginOutcome::Answered.as_str(),
                answer: Some(&answered.answer),
                failure: None,
                writes: recording::writes(&answered.writes),
                requests: started_requests::records(&answered.requests),
                files: written_file::records(&answered.files),
                logs: &answered.trace.logs,
            },
            Err(error) => CallResult {
                outcome: error.trace().map_or("not-called", |trace| trace.outcome.as_str()),
                answer: None,
                failure: Some(failure::failure(error)),
                writes: vec![],
                requests: vec![],
                files: vec![],
                logs: error.trace().map_or(&[], |trace| &trace.logs),
            },
        };
        result.text()
    }

    pub(crate) fn logs(&self) -> &[LogLine] {
        let trace = match &self.result {
            Ok(answered) => Some(&answered.trace),
            Err(error) => error.trace(),
        };
        trace.map_or(&[], |trace| &trace.logs)
    }

    fn trace_mut(&mut self) -> Option<&mut CallTrace> {
        match &mut self.result {
            Ok(answered) => Some(&mut answered.trace),
            Err(error) => error.trace_mut(),
        }
    }
}

fn prepare(engine: &Engine, guest: GuestState) -> Store<GuestState> {
    let (transfer_bytes, most_ticks) = (guest.limits.transfer_bytes, guest.limits.cpu_ticks());
    let mut store = Store::new(engine, guest);
    store.limiter(|guest| &mut guest.meter);
    store.set_hostcall_fuel(transfer_bytes);
    // Yields at every tick, so that other tasks run and the timeout around the call can fire.
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(move |mut store| {
        let guest = store.data_mut();
        guest.ticks += 1;
        if guest.stop_after.is_some_and(|most| guest.host_calls >= most) {
            return Err(wasmtime::Error::new(Stop::Recorded));
        }
        if guest.ticks > most_ticks {
            return Err(wasmtime::Error::new(Stop::Limit(ExceededLimit::Cpu)));
        }
        Ok(UpdateDeadline::Yield(1))
    });
    store
}
