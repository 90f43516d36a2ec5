//! A client that uses up its share delays itself, not other clients.

use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::ids::ClientId;
use metrics_exporter_prometheus::PrometheusBuilder;
use plugin_host::{CallError, CallLimits, ChatbotOutcome, NoKeyValues, PluginCall, PluginRef};
use tokio::task::JoinSet;

use crate::support::{TestHost, call, client, guest, limits, says, session};

#[tokio::test(flavor = "multi_thread")]
async fn calls_beyond_a_clients_share_wait_and_others_do_not() {
    let limits = CallLimits { calls_per_client: 2, queue_wait: Duration::from_secs(10), ..limits() };
    let test = TestHost::with_hostile_guests(limits).await;
    let began = Instant::now();
    let mut busy = calls(&test, 1, 4, "sleep 700");
    tokio::time::sleep(Duration::from_millis(50)).await;
    test.command_of(client(2), "hello").await.unwrap();
    assert!(busy.try_join_next().is_none(), "the other client is answered while the busy one waits");
    let results = busy.join_all().await;
    assert!(results.iter().all(Result::is_ok), "{results:?}");
    assert!(began.elapsed() >= Duration::from_millis(1_400), "four calls, two at a time");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_gets_no_place_in_time_fails_with_that_reason() {
    let limits = CallLimits { calls_per_client: 1, queue_wait: Duration::from_millis(100), ..limits() };
    let test = TestHost::with_hostile_guests(limits).await;
    let results = calls(&test, 1, 2, "sleep 600").join_all().await;
    let busy = results.iter().filter(|result| matches!(result, Err(CallError::TooBusy { .. }))).count();
    assert_eq!(busy, 1, "{results:?}");
    assert!(results.iter().any(Result::is_ok));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_so_many_calls_may_wait() {
    let limits =
        CallLimits { calls_per_client: 1, waiting_per_client: 2, queue_wait: Duration::from_secs(10), ..limits() };
    let test = TestHost::with_hostile_guests(limits).await;
    let results = calls(&test, 1, 6, "sleep 300").join_all().await;
    let done = results.iter().filter(|result| result.is_ok()).count();
    assert_eq!(done, 3, "one runs, two wait, three are turned away: {results:?}");
    assert!(test.command("hello").await.is_ok(), "places are given back");
}

#[tokio::test(flavor = "multi_thread")]
async fn shadows_that_hang_leave_every_place_to_the_live_calls() {
    let (calls_per_client, shadows_per_client, queue_wait) = (2, 2, Duration::from_millis(50));
    let limits = CallLimits { calls: 2, calls_per_client, shadows_per_client, queue_wait, ..limits() };
    let test = TestHost::with_hostile_guests(limits).await;
    let recorded = PluginCall { record: true, ..call("hostile") };
    let live = test.host.chatbot(recorded, &says("hello"), &session(), Arc::new(NoKeyValues)).await.unwrap();
    let mut recording = *live.trace.recording.unwrap();
    recording.question = recording.question.replace("hello", "spin");
    let mut shadows = JoinSet::new();
    for _ in 0..2 {
        let mut room = test.host.shadow_place(client(1)).unwrap();
        let (host, recording) = (Arc::clone(&test.host), recording.clone());
        shadows.spawn(async move {
            let plugin = PluginRef::shipped("hostile");
            host.replay_shadow(&mut room, client(1), &plugin, &recording).await
        });
    }
    assert!(test.host.shadow_place(client(1)).is_none(), "there is no room for a third, and it does not wait");

    let live = calls(&test, 1, 2, "sleep 300").join_all().await;

    assert!(live.iter().all(Result::is_ok), "both places of the client are free: {live:?}");
    assert!(shadows.try_join_next().is_none(), "the shadows hang all the while");
    shadows.abort_all();
    while shadows.join_next().await.is_some() {}
    assert!(test.host.shadow_place(client(1)).is_some(), "room is given back");
}

#[tokio::test]
async fn after_a_call_that_misbehaved_the_calls_of_a_client_run_last_and_those_of_others_do_not() {
    let test = TestHost::among_others(limits()).await;
    let recorder = PrometheusBuilder::new().build_recorder();
    let (counted, _guard) = (recorder.handle(), metrics::set_default_local_recorder(&recorder));
    let ran_last =
        || counted.render().lines().filter(|line| line.contains("threads=\"last\"")).map(number).sum::<u64>();
    for (number, misbehaves) in (10..).step_by(10).zip(["panic", "log 1000000", "print 1000000", "actions 50000"]) {
        let (hostile, neighbour) = (Uploaded::new(&test, number).await, Uploaded::new(&test, number + 1).await);
        drop(hostile.asked(misbehaves).await);
        let before = ran_last();
        neighbour.asked("hello").await.unwrap();
        assert_eq!(ran_last(), before, "while another {misbehaves}");
        hostile.asked("hello").await.unwrap();
        assert_eq!(ran_last(), before + 1, "after {misbehaves}");
    }
}

#[tokio::test]
async fn a_plugin_of_the_operator_that_misbehaves_runs_last_too() {
    let test = TestHost::among_others(limits()).await;
    let recorder = PrometheusBuilder::new().build_recorder();
    let (counted, _guard) = (recorder.handle(), metrics::set_default_local_recorder(&recorder));
    let ran_last =
        || counted.render().lines().filter(|line| line.contains("threads=\"last\"")).map(number).sum::<u64>();
    drop(test.command("panic").await);
    let before = ran_last();
    test.command("hello").await.unwrap();
    assert_eq!(ran_last(), before + 1, "of the client whose event it was");
    test.command_of(client(2), "hello").await.unwrap();
    assert_eq!(ran_last(), before + 1, "and not of another one");
}

fn number(line: &str) -> u64 {
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

struct Uploaded<'a> {
    test: &'a TestHost,
    client: ClientId,
    plugin: PluginRef,
}

impl<'a> Uploaded<'a> {
    /// Makes a first call, because that is slower than later ones.
    async fn new(test: &'a TestHost, of: u128) -> Self {
        let client = client(of);
        let examined = test.host.examine(client, "bot", guest("hostile_bot")).await.unwrap();
        let uploaded = Self { test, client, plugin: PluginRef::uploaded("bot", 1, examined.sha256) };
        uploaded.asked("hello").await.unwrap();
        uploaded
    }

    async fn asked(&self, text: &str) -> Result<ChatbotOutcome, CallError> {
        let call = PluginCall { client: self.client, plugin: &self.plugin, ..call("hostile") };
        self.test.host.chatbot(call, &says(text), &session(), Arc::new(NoKeyValues)).await
    }
}

fn calls(test: &TestHost, of: u128, number: usize, text: &'static str) -> JoinSet<Result<ChatbotOutcome, CallError>> {
    let mut calls = JoinSet::new();
    for _ in 0..number {
        let host = test.host.clone();
        calls.spawn(async move {
            let call = PluginCall { client: client(of), ..call("hostile") };
            host.chatbot(call, &says(text), &session(), Arc::new(NoKeyValues)).await
        });
    }
    calls
}
