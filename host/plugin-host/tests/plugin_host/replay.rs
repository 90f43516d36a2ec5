//! Record and replay: the same recording on the same component gives the same bytes, with any random numbers, clock and
//! network.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use plugin_host::{
    CallError, CallLimits, HostCall, HttpAnswer, HttpFault, KeyValueError, KeyValueSnapshot, KeysWanted, KvAnswer,
    NoKeyValues, PluginCall, PluginRef, Recording, Scope, World,
};

use crate::network::{Does, Outside, texts, values};
use crate::support::{Values, call_of, client, limits, session};

const DEEDS: [&str; 18] = [
    "map",
    "random",
    "clock",
    "race",
    "impatient",
    "sleep 20",
    "values",
    "ask",
    "ask-and-tell",
    "version",
    "everything",
    "refuse",
    "crash",
    "overdo",
    "break-a-rule",
    "place",
    "hello",
    "ask-elsewhere",
];

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_recording_of_any_plugin_replays_byte_for_byte_every_time() {
    let test = Outside::that(Does::Counts).await;
    for deed in DEEDS {
        let (_, recording) = test.roll(deed).await;
        let asked = test.web.requests().len();
        let text = serde_json::to_string(&recording).unwrap();
        let kept: Recording = serde_json::from_str(&text).unwrap();
        assert_eq!(kept, recording, "{deed}: it survives being stored");
        for _ in 0..20 {
            let replay = test.replay("dice", &kept).await;
            assert!(replay.identical, "{deed}: {:?}", replay.first_difference);
            assert_eq!(replay.result_now, recording.result, "{deed}");
        }
        assert_eq!(test.web.requests().len(), asked, "{deed}: no request goes out");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn parallel_replays_do_not_mix() {
    let test = Arc::new(Outside::that(Does::Counts).await);
    let mut recordings = Vec::new();
    for deed in ["everything", "map", "race", "crash"] {
        recordings.push(test.roll(deed).await.1);
    }
    let mut replays = tokio::task::JoinSet::new();
    // Fewer than a client may have under way, because further calls would wait and could time out on a busy machine.
    for first in 0..6 {
        let (test, recordings) = (Arc::clone(&test), recordings.clone());
        replays.spawn(async move {
            for round in first..first + 12 {
                let replay = test.replay("dice", &recordings[round % recordings.len()]).await;
                assert!(replay.identical, "{:?}", replay.first_difference);
            }
        });
    }
    while let Some(replayed) = replays.join_next().await {
        replayed.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_holds_the_input_the_host_calls_and_the_result() {
    let test = Outside::that(Does::Counts).await;
    let (outcome, recording) = test.roll("everything").await;
    assert_eq!((recording.world, recording.plugin.as_str(), recording.version), (World::Chatbot, "dice", None));
    assert_eq!(recording.sha256, outcome.as_ref().unwrap().trace.sha256);
    assert_eq!(recording.allowed_hosts, ["example.org"]);
    assert!(recording.question.contains("everything"));
    let kinds: Vec<String> = recording
        .host_calls
        .iter()
        .map(|call| match call {
            HostCall::KvGet { key, answer: KvAnswer::Value(value), .. } => format!("{key} {}", value.len()),
            HostCall::KvGet { key, answer, .. } => format!("{key} {answer:?}"),
            HostCall::KvList { wanted, .. } => format!("{wanted:?}"),
            HostCall::Http { method, url, answer: HttpAnswer::Response(response), .. } => {
                format!("{method} {url} {}", response.status)
            }
            HostCall::Conversation { question, .. } => format!("{question:?}"),
            HostCall::File { part, .. } => format!("{part:?}"),
            HostCall::Http { answer, .. } => format!("{answer:?}"),
        })
        .collect();
    assert_eq!(kinds, ["mine 3", "ours 3", "none Absent", "POST https://example.org/orders 200"]);
    let json = recording.to_json();
    assert_eq!(json["question"]["event"]["message"]["content"]["text"], "everything");
    assert_eq!(json["result"]["outcome"], "answered");
    assert_eq!(json["result"]["actions"].as_array().unwrap().len(), outcome.unwrap().actions.len());
    let (mine, sent) = (&json["hostCalls"][0], &json["hostCalls"][3]);
    assert_eq!(
        (&mine["type"], &mine["scope"], &mine["key"]),
        (&"kv-get".into(), &"participant".into(), &"mine".into())
    );
    assert_eq!(mine["answer"]["type"], "value");
    assert_eq!(json["hostCalls"][2]["answer"]["type"], "absent");
    assert_eq!(
        (&sent["type"], &sent["answer"]["type"], &sent["answer"]["body"]),
        (&"http".into(), &"response".into(), &"number 0".into())
    );
    assert!(json["config"].is_object(), "{json}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_not_to_be_recorded_is_not() {
    let test = Outside::that(Does::Counts).await;
    let plugin = PluginRef::shipped("dice");
    let outcome =
        test.host.chatbot(call_of(&plugin), &crate::support::says("map"), &session(), Arc::new(NoKeyValues)).await;
    assert!(outcome.unwrap().trace.recording.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn another_version_that_answers_the_same_is_identical_and_one_that_does_not_shows_where() {
    let test = Outside::that(Does::Counts).await;
    let (_, same) = test.roll("everything").await;
    let replay = test.replay("dice-2", &same).await;
    assert!(replay.identical, "{:?}", replay.first_difference);
    let (_, other) = test.roll("version").await;
    let replay = test.replay("dice-2", &other).await;
    assert!(!replay.identical);
    assert_eq!(replay.first_difference.unwrap(), r#"actions[0].text: then "dice-0000", now "dice-0002""#);
    assert!(replay.result_then.contains("dice-0000") && replay.result_now.contains("dice-0002"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_request_of_a_replayed_plugin_is_answered_only_from_the_tape_and_is_reported() {
    let test = Outside::that(Does::Counts).await;
    let (_, recording) = test.roll("ask").await;
    let mut other_body = recording.clone();
    other_body.seed_key = Some([9; 32]);
    let replay = test.replay("dice", &other_body).await;
    assert!(!replay.identical, "the same answer, but another request went out");
    let difference = replay.first_difference.unwrap();
    assert!(difference.contains("then it sent POST https://example.org/orders"), "{difference}");
    let mut other_address = recording.clone();
    other_address.question = recording.question.replace("\"ask\"", "\"ask-elsewhere\"");
    let difference = test.replay("dice", &other_address).await.first_difference.unwrap();
    assert!(difference.contains("now GET https://example.org/elsewhere"), "{difference}");
    let failure = test.replay("dice", &other_address).await.result_now;
    assert!(failure.contains("the recording has no answer to GET https://example.org/elsewhere"), "{failure}");
    let mut silent = recording;
    silent.question = silent.question.replace("\"ask\"", "\"hello\"");
    let difference = test.replay("dice", &silent).await.first_difference.unwrap();
    assert!(difference.contains("now it does not"), "{difference}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_could_not_be_read_and_a_network_that_failed_fail_again() {
    let broken = Arc::new(Values { broken: true, ..Values::default() });
    let test = Outside::that(Does::Fails(HttpFault::Failed("connection reset".into()))).await;
    let (outcome, recording) = test.roll_of("dice", "values", broken).await;
    assert!(matches!(outcome, Err(CallError::KeyValues { .. })));
    assert!(test.replay("dice", &recording).await.identical);
    let (outcome, recording) = test.roll_of("dice", "ask", values()).await;
    assert!(outcome.unwrap_err().to_string().contains("connection reset"));
    assert!(test.replay("dice", &recording).await.identical);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_ran_out_of_time_is_stopped_at_the_same_place_and_at_once() {
    const LONG: Duration = Duration::from_secs(60);
    let limits = CallLimits { wall_clock: Duration::from_secs(3), cpu: Duration::from_millis(300), ..limits() };
    let test = Outside::with(Does::Hangs, limits.clone()).await;
    // A replay that waits there takes as long as its own limit.
    let patient = Outside::with(Does::Hangs, CallLimits { wall_clock: LONG, ..limits }).await;
    for deed in ["sleep 60000", "spin"] {
        let (outcome, recording) = test.roll(deed).await;
        let error = outcome.unwrap_err();
        assert!(matches!(error, CallError::TimedOut { .. } | CallError::LimitExceeded { .. }), "{error:?}");
        assert_eq!(recording.stopped_after, Some(1), "{deed}: it had logged a line");
        let began = Instant::now();
        let replay = patient.replay("dice", &recording).await;
        assert!(replay.identical, "{deed}: {:?}", replay.first_difference);
        assert!(began.elapsed() < LONG, "{deed}: a replay does not wait");
    }
    let (outcome, recording) = test.roll_of("dice", "values", Arc::new(Stuck)).await;
    assert!(matches!(outcome, Err(CallError::TimedOut { .. })));
    assert!(matches!(recording.host_calls.as_slice(), [HostCall::KvGet { answer: KvAnswer::Unanswered, .. }]));
    let began = Instant::now();
    assert!(patient.replay("dice", &recording).await.identical);
    let other = patient.replay("dice-2", &recording).await;
    assert!(other.identical, "another version comes to the same end of the tape: {:?}", other.first_difference);
    assert!(began.elapsed() < LONG, "two replays do not wait");
}

struct Stuck;

#[async_trait]
impl KeyValueSnapshot for Stuck {
    async fn get(&self, _scope: Scope, _key: &str) -> Result<Option<Vec<u8>>, KeyValueError> {
        std::future::pending().await
    }

    async fn list(&self, _scope: Scope, _wanted: &KeysWanted) -> Result<Vec<String>, KeyValueError> {
        std::future::pending().await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_replays_the_same_under_other_settings() {
    let test = Outside::that(Does::Counts).await;
    let mut recordings = Vec::new();
    for deed in ["overdo", "everything", "values", "random"] {
        recordings.push(test.roll(deed).await.1);
    }
    let tight = CallLimits { actions: 1, value_bytes: 1, log_bytes: 10, host_calls: 2, http_requests: 0, ..limits() };
    let other = Outside { host: Outside::start(&test.directory, tight, None).await, ..test };
    for recording in recordings {
        let replay = other.replay("dice", &recording).await;
        assert!(replay.identical, "{:?}", replay.first_difference);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sleeping_plugin_sees_time_pass_and_its_replay_does_not_wait() {
    let test = Outside::that(Does::Counts).await;
    const SLEEP: Duration = Duration::from_secs(2);
    let began = Instant::now();
    let (outcome, recording) = test.roll("sleep 2000").await;
    assert!(began.elapsed() >= SLEEP, "a sleep takes its time");
    let wall = texts(&outcome.unwrap())[0].split(' ').next().unwrap().parse::<u128>().unwrap();
    let start = u128::from(recording.now.timestamp_micros().unsigned_abs()) * 1_000;
    assert!((wall - start) / 1_000_000 == 2_000, "the clock has moved on by {} ns", wall - start);
    assert!(test.replay("dice", &recording).await.identical);
    // A call that really sleeps for ten minutes exceeds its time limit.
    let longer = Recording { question: recording.question.replace("sleep 2000", "sleep 600000"), ..recording };
    let replay = test.replay("dice", &longer).await;
    assert!(replay.result_now.contains(r#""outcome":"answered""#), "{replay:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn timers_fire_in_order_and_together_when_they_are_equal() {
    let test = Outside::that(Does::Counts).await;
    let (outcome, _) = test.roll("race").await;
    assert_eq!(texts(&outcome.unwrap()), ["1+1 2+2 3+3"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_other_worlds_replay_too() {
    let test = Outside::that(Does::Counts).await;
    let name = PluginRef::shipped("webhook-standard");
    let shape = PluginCall { record: true, ..call_of(&name) };
    let event = match plugin_host::WorldQuestion::sample(World::WebhookShaper) {
        plugin_host::WorldQuestion::WebhookShaper(event) => event,
        other => panic!("{other:?}"),
    };
    let (body, trace) = test.host.shape(shape, &event).await.unwrap();
    let recording = trace.recording.unwrap();
    assert!(test.replay("webhook-standard", &recording).await.identical);
    assert!(body.text().is_some_and(|body| recording.result.contains(&serde_json::to_string(body).unwrap())));
    let plugin = PluginRef::shipped("sms-fallback");
    let decide = PluginCall { record: true, ..call_of(&plugin) };
    let undeliverable = match plugin_host::WorldQuestion::sample(World::SmsFallback) {
        plugin_host::WorldQuestion::SmsFallback(undeliverable) => undeliverable,
        other => panic!("{other:?}"),
    };
    let trace = test.host.decide_fallback(decide, &undeliverable, Arc::new(NoKeyValues)).await.unwrap().trace;
    let recording = trace.recording.unwrap();
    assert!(test.replay("sms-fallback", &recording).await.identical);
    let wrong = test.host.replay(client(9), &PluginRef::shipped("dice"), &recording).await;
    assert!(matches!(wrong, Err(CallError::WrongWorld { .. })), "{wrong:?}");
    let broken = Recording { question: "{}".into(), ..*recording };
    let unreadable = test.host.replay(client(9), &plugin, &broken).await;
    assert!(matches!(unreadable, Err(CallError::BadRecording { .. })), "{unreadable:?}");
}
